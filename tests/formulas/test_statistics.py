import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas import statistics
from sharpwave.formulas.statistics import (
    Running,
    evidence_strength,
    is_within_bounds,
    lower_bound,
    relative_variance,
    reliability,
    shrunk,
    taken_in,
)
from sharpwave.formulas.text import keyword_similarity

shares = st.floats(0, 1)


def test_quantiles_by_hand() -> None:
    assert statistics.quantile({}, 0.5, accuracy=0.05) == 0.0
    assert statistics.bucket(0.0, accuracy=0.05) == statistics.bucket(1e-6, accuracy=0.05)
    assert statistics.bucket(1.2e-6, accuracy=0.05) > statistics.bucket(1e-6, accuracy=0.05)
    growth = 1.5 / 0.5  # at an accuracy of one half
    assert [statistics.bucket(value, 0.5) for value in (1, 2.9, 3.1, 0.3)] == [0, 1, 2, -1]
    counts = {0: 2, 1: 1, 3: 1}
    middles = [2 * growth**place / (growth + 1) for place in (0, 1, 3)]
    found = [statistics.quantile(counts, share, accuracy=0.5) for share in (0.0, 0.3, 0.67, 1.0)]
    assert found == pytest.approx([middles[0], middles[0], middles[1], middles[2]])


@pytest.mark.spec("AGT-03")
@pytest.mark.parametrize(
    ("successes", "total", "variance", "expected"),
    [
        (0, 0, 0.0, 0.0),
        (1, 1, 0.0, 1.0),
        (1, 2, 0.5, 0.5 * 0.85),
        (1, 2, 1.0, 0.5 * 0.7),
        (1, 2, 9.0, 0.5 * 0.7),
        (1, 2, -1.0, 0.5),
    ],
)
def test_reliability_by_hand(successes: int, total: int, variance: float, expected: float) -> None:
    assert reliability(successes, total, variance, weight=0.3) == pytest.approx(expected)


def test_running_starts_from_nothing() -> None:
    assert Running() == (0, 0.0, 0.0)
    assert taken_in(Running(), 5.0) == (1, 5.0, 0.0)
    assert relative_variance(Running(1, 5.0, 3.0)) == 0.0, "one value does not vary"
    assert relative_variance(Running(2, 0.0, 3.0)) == 0.0
    assert relative_variance(Running(2, 2.0, 8.0)) == 1.0


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=20))
def test_running_spread_is_the_spread(values: list[int]) -> None:
    state, mean = Running(), sum(values) / len(values)
    for value in values:
        state = taken_in(state, value)
    assert state.squares == pytest.approx(sum((value - mean) ** 2 for value in values), abs=1e-6)


def test_track_records_by_hand() -> None:
    assert lower_bound(0, 0, z=1.96) == lower_bound(0, 4, z=2.0) == 0.0
    assert lower_bound(4, 4, z=2.0) == 0.5
    assert lower_bound(8, 16, z=2.0) == pytest.approx((0.625 - math.sqrt(0.0625 + 1 / 64)) / 1.25)
    assert lower_bound(0.5, 1, z=2.0) == pytest.approx((2.5 - math.sqrt(1 + 4)) / 5)
    assert shrunk(3, 4, prior=0.25, weight=4.0) == 0.5
    assert [evidence_strength(n, half=3.0) for n in (0, 1, 9)] == [0.0, 0.25, 0.75]
    assert keyword_similarity({"a"}, {"b"}) == 0.0 == keyword_similarity(set(), set())
    assert keyword_similarity({"a", "b"}, {"b", "c"}) == 1 / 3


@pytest.mark.parametrize(
    ("successes", "rates", "likely"),
    [
        (0, [0.0, 0.5, 0.51], [True, True, False]),
        (4, [0.49, 0.5, 1.0], [False, True, True]),
        (2, [0.14, 0.15, 0.85, 0.86], [False, True, True, False]),
    ],
)
def test_rates_that_are_still_likely_after_four_tries(
    successes: int, rates: list[float], likely: list[bool]
) -> None:
    assert [is_within_bounds(successes, 4, rate, z=2.0) for rate in rates] == likely


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=60), shares)
def test_quantiles_are_as_accurate_as_promised(values: list[float], share: float) -> None:
    counts: dict[int, int] = {}
    for value in values:
        place = statistics.bucket(value, accuracy=0.05)
        counts[place] = counts.get(place, 0) + 1
    exact = sorted(values)[math.floor(share * (len(values) - 1))]
    assert statistics.quantile(counts, share, accuracy=0.05) == pytest.approx(exact, rel=0.051)


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=40))
def test_running_mean_and_spread_are_those_of_all_values(values: list[float]) -> None:
    state = Running()
    for value in values:
        state = taken_in(state, value)
    mean = sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values) / len(values)
    assert state.seen == len(values)
    assert state.mean == pytest.approx(mean, abs=1e-6)
    assert statistics.variance(state) == pytest.approx(spread, rel=1e-6, abs=1e-6)
    relative = statistics.variance(state) / state.mean**2 if state.mean else 0.0
    assert relative_variance(state) == relative


@given(st.integers(0, 50), st.integers(0, 50), st.floats(0, 5))
def test_track_records_stay_in_bounds(good: int, bad: int, variance: float) -> None:
    total = good + bad
    assert 0.0 <= reliability(good, total, variance, weight=0.3) <= 1.0
    bound = lower_bound(good, total, z=1.96)
    assert 0.0 <= bound <= (good / total if total else 0.0) + 1e-9
    assert lower_bound(2 * good, 2 * total, z=1.96) >= bound - 1e-9, "more evidence, more worth"
    assert 0.0 <= shrunk(good, total, prior=0.5, weight=2.0) <= 1.0
    assert evidence_strength(total, half=3.0) < 1.0
    assert keyword_similarity({"a"}, {"a", "b"}) == 0.5
