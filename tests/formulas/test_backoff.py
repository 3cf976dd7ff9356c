import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.backoff import backoff_s


@pytest.mark.parametrize(
    ("failures", "first_s", "chance", "expected"),
    [(1, 1, 0, 0.5), (1, 1, 0.5, 0.75), (2, 1, 0, 1), (5, 0.5, 0.5, 6)],
)
def test_by_hand(failures: int, first_s: float, chance: float, expected: float) -> None:
    assert backoff_s(failures, first_s, chance) == pytest.approx(expected)


@given(st.integers(1, 20), st.floats(0.01, 60), st.floats(0, 1, exclude_max=True))
def test_each_wait_is_longer_and_spread_over_its_upper_half(
    failures: int, first_s: float, chance: float
) -> None:
    longest = first_s * 2 ** (failures - 1)
    wait = backoff_s(failures, first_s, chance)
    assert longest / 2 <= wait <= longest
    assert backoff_s(failures + 1, first_s, chance) == pytest.approx(2 * wait)
