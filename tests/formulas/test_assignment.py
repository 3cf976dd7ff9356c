from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.assignment import position


@given(st.text(), st.text())
def test_a_place_is_fixed_and_in_range(user_id: str, test: str) -> None:
    assert 0.0 <= position(user_id, test) < 1.0
    assert position(user_id, test) == position(user_id, test)


def test_the_same_on_every_machine() -> None:
    assert f"{position('alice', 'fusion'):.12f}" == "0.982049919169"


def test_users_spread_evenly_and_anew_for_each_test() -> None:
    places = [position(f"user-{number}", "a") for number in range(2000)]
    assert 0.45 < sum(place < 0.5 for place in places) / 2000 < 0.55
    others = [position(f"user-{number}", "b") for number in range(2000)]
    both = sum(a < 0.5 and b < 0.5 for a, b in zip(places, others, strict=True))
    assert 0.2 < both / 2000 < 0.3, "one test says nothing about the next"
