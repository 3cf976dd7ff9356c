"""What a memory of the day is worth, and what is replayed first."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.sleep.confidence_decay import decayed_confidence
from sharpwave.formulas.sleep.memory_score import memory_score
from sharpwave.formulas.sleep.replay_priority import replay_priority, replay_weight

share = st.floats(0, 1)


@pytest.mark.spec("SLP-16")
@given(share, st.integers(0, 100), st.floats(0, 400), st.booleans())
def test_score_is_a_share_and_never_falls_with_use(
    importance: float, accesses: int, age: float, associated: bool
) -> None:
    score = memory_score(importance, accesses, age, associated)
    assert importance <= score <= 1.0
    assert memory_score(importance, accesses + 1, age, associated) >= score


@pytest.mark.spec("SCO-14")
def test_score_as_published() -> None:
    assert memory_score(0.2, 0, 0.0, associated=False) == pytest.approx(0.4)
    assert memory_score(0.2, 2, 7.0, associated=True) == pytest.approx(0.5 + 0.2 / math.e)
    assert memory_score(0.2, 50, 1e6, associated=False) == pytest.approx(0.5), "0.3 at most"
    assert memory_score(0.9, 50, 0.0, associated=True) == 1.0


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
