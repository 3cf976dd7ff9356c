"""What is left of the confidence of a fact, by whole days since it was said or used."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from tests.knowledge.known import Known, day

from sharpwave import Kind
from sharpwave.knowledge.confidence import CONFIDENCE_LOSS_PER_DAY
from sharpwave.knowledge.confidence import confidence as current_confidence


@pytest.mark.spec("TMP-06")
@pytest.mark.parametrize(
    ("now", "accessed", "days"),
    [
        (day(0), None, 0),
        (day(0.99), None, 0),
        (day(1), None, 1),
        (day(10), None, 10),
        (day(10), day(4), 6),
        (day(10), day(-4), 10),
        (day(-3), None, 0),
    ],
)
def test_days_without_a_sign_of_it(now: datetime, accessed: datetime | None, days: int) -> None:
    known = Known()
    known.say("Porto", 0)
    fact = known.record("Porto")
    fact = replace(fact, standing=replace(fact.standing, accessed_at=accessed, confidence=0.8))
    kept = 1 - CONFIDENCE_LOSS_PER_DAY
    assert current_confidence(fact, now) == pytest.approx(0.8 * kept**days)
    assert current_confidence(replace(fact, kind=Kind.TURN), now) == 0.8, "only facts fade"
    assert current_confidence(fact, now + timedelta(days=10_000)) < 0.01
