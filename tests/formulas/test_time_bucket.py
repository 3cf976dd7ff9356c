import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.time_bucket import time_bucket
from sharpwave.types.records import Temperature

WARMTH = [Temperature.HOT, Temperature.WARM, Temperature.COLD]


@pytest.mark.spec("TMP-03")
@pytest.mark.parametrize(
    ("age_days", "expected"),
    [(-1, "hot"), (0, "hot"), (14, "hot"), (14.01, "warm"), (90, "warm"), (90.01, "cold")],
)
def test_by_hand(age_days: float, expected: str) -> None:
    assert time_bucket(age_days, hot_days=14, warm_days=90) == expected


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_nothing_gets_warmer_with_age(age_days: float, more: float) -> None:
    before, after = (time_bucket(age, 14, 90) for age in (age_days, age_days + more))
    assert WARMTH.index(before) <= WARMTH.index(after)
