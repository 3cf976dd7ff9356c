import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.rules import holds_in, is_stale, width

places = st.lists(st.sampled_from(["shop", "cart", "blog"]), min_size=1, max_size=4).map("/".join)


@pytest.mark.spec("BEH-11")
@pytest.mark.parametrize(
    ("frequency", "age", "stale"),
    [(1, 90.0, False), (1, 90.01, True), (0, 91.0, True), (2, 91.0, False)],
)
def test_seen_once_and_older_than_ninety_days(frequency: int, age: float, stale: bool) -> None:
    assert is_stale(frequency, age, prune_days=90.0) is stale


@pytest.mark.parametrize(
    ("scope", "place", "holds"),
    [
        ("global", None, True),
        ("global", "shop/cart.py", True),
        ("project", None, True),
        ("file", None, True),
        ("project", "global", True),
        ("project", "shop", False),
        ("shop", None, False),
        ("shop", "shop", True),
        ("shop", "shop/cart.py", True),
        ("shop", "shopping", False),
        ("shop/cart.py", "shop", False),
    ],
)
def test_where_a_scope_holds(scope: str, place: str | None, holds: bool) -> None:
    assert holds_in(scope, place) is holds


@given(places, places)
def test_what_lies_deeper_is_narrower(place: str, below: str) -> None:
    inside = f"{place}/{below}"
    assert holds_in(place, inside) and not holds_in(inside, place)
    assert width(inside) == width(place) + width(below)
    assert width("global") == 0 < width("project") < width("file")
