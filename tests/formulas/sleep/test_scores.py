"""What a memory of the day is worth, and what is replayed first."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.sleep.confidence_decay import decayed_confidence
from sharpwave.formulas.sleep.memory_score import memory_score
from sharpwave.formulas.sleep.replay_priority import replay_priority, replay_weight
from sharpwave.formulas.sleep.trend import still_holds, trend_chance, typical_days

share = st.floats(0, 1)


@pytest.mark.spec("SLP-16")
@given(share, st.integers(0, 100), st.floats(0, 400), st.booleans())
def test_score_is_a_share_and_never_falls_with_use(
    importance: float, accesses: int, age: float, associated: bool
) -> None:
    score = memory_score(importance, accesses, age, associated)
    assert importance <= score <= 1.0
    assert memory_score(importance, accesses + 1, age, associated) >= score


@pytest.mark.spec("RPL-01")
def test_priority_as_published() -> None:
    assert replay_priority(0.3, 0.0, has_feedback=False) == 1.3, "no division by zero"
    assert replay_priority(-0.3, 2.0, has_feedback=True) == pytest.approx(1.8)


@given(st.floats(0.01, 10), st.floats(0, 1))
def test_weight_keeps_the_order(priority: float, alpha: float) -> None:
    assert replay_weight(priority + 1, alpha) >= replay_weight(priority, alpha)


@pytest.mark.spec("TMP-06")
@given(share, st.floats(0, 1000), st.floats(0, 1000))
def test_decay_depends_on_the_days_not_on_how_often_it_is_read(
    base: float, first: float, second: float
) -> None:
    whole = decayed_confidence(base, 0.001, first + second)
    halves = decayed_confidence(decayed_confidence(base, 0.001, first), 0.001, second)
    assert whole == pytest.approx(halves) and 0 <= whole <= base


@pytest.mark.spec("SLP-16", "SCO-14")
@pytest.mark.parametrize(
    ("importance", "accesses", "age", "associated", "expected"),
    [
        (0.0, 0, 1e6, False, 0.0),
        (0.2, 0, 1e6, False, 0.2),
        (0.2, 0, 1e6, True, 0.3),
        (0.2, 2, 1e6, False, 0.4),
        (0.2, 3, 1e6, False, 0.5),
        (0.2, 4, 1e6, False, 0.5),
        (0.2, -1, 1e6, False, 0.2),
        (0.2, 0, 0.0, False, 0.4),
        (0.2, 0, -5.0, False, 0.4),
        (0.2, 0, 7.0, False, 0.2 + 0.2 / math.e),
        (0.2, 3, 7.0, True, 0.6 + 0.2 / math.e),
        (0.9, 3, 0.0, True, 1.0),
    ],
)
def test_score_as_published(
    importance: float, accesses: int, age: float, associated: bool, expected: float
) -> None:
    score = memory_score(importance, accesses, age, associated)
    assert score == pytest.approx(expected)


@pytest.mark.spec("RPL-01", "RPL-02")
def test_what_is_younger_than_a_day_counts_as_a_day_old() -> None:
    assert [replay_priority(0.0, age, has_feedback=False) for age in (-3, 0.5, 1, 2)] == [
        1,
        1,
        1,
        0.5,
    ]
    assert replay_priority(0.0, 0.5, has_feedback=True) == 2.0
    assert replay_weight(2.0, 0.0) == 1.0 and replay_weight(3.0, 1.0) == 3.0
    assert replay_weight(4.0, 0.5) == 2.0


@pytest.mark.spec("TMP-06")
def test_decay_by_hand() -> None:
    assert decayed_confidence(0.8, 0.5, 2.0) == pytest.approx(0.2)
    assert decayed_confidence(0.8, 0.5, 0.5) == pytest.approx(0.8 * math.sqrt(0.5))
    assert decayed_confidence(0.8, 0.5, -3.0) == 0.8, "what lies in the future has not decayed"


@pytest.mark.spec("TMP-08")
def test_a_trend_is_tested_on_both_sides() -> None:
    assert trend_chance(0, 0) == 1.0
    assert trend_chance(0, 5) == trend_chance(5, 0) == pytest.approx(2 / 2**5)
    assert trend_chance(1, 9) == pytest.approx(2 * 11 / 2**10)


@pytest.mark.spec("TMP-08")
def test_how_long_a_value_lasts() -> None:
    assert typical_days(0.0, 0, prior_days=400.0) == 400.0
    assert typical_days(100.0, 1, prior_days=400.0) == 250.0
    assert [still_holds(days, typical=50.0) for days in (-9.0, 0.0, 100.0)] == pytest.approx(
        [1.0, 1.0, math.exp(-2)]
    )
