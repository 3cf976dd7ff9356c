"""How sure we are of what each source says, and what is left of that by whole days since."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from tests.knowledge.known import Known, day

from sharpwave import Kind, Source
from sharpwave.formulas.confidence import vote_agreement
from sharpwave.knowledge import confidence
from sharpwave.knowledge.confidence import CONFIDENCE_LOSS_PER_DAY
from sharpwave.knowledge.confidence import confidence as current_confidence


@pytest.mark.spec("SCO-09")
def test_sources_are_as_reliable_as_the_table_says() -> None:
    named = (Source.USER_MESSAGE, Source.SYSTEM, Source.INFERRED, Source.WEB, Source.IMPORT)
    reliability = confidence.RELIABILITY
    assert [reliability[source] for source in named] == [0.95, 0.8, 0.7, 0.6, 0.6]
    assert 0.9 <= reliability[Source.TOOL] <= 0.98
    assert reliability.keys() == set(Source)


def test_three_who_say_the_same_are_enough() -> None:
    agreed = [vote_agreement(votes, confidence.ENOUGH_VOTES) for votes in (1, 2, 3, 4)]
    assert agreed[0] < agreed[1] < agreed[2] == agreed[3] == 1.0


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
