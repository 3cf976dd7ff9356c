"""Who may pass the gate: each objection at its edge, with its reason."""

from dataclasses import replace

import pytest
from tests.knowledge.known import Known, day

from sharpwave import Kind
from sharpwave.knowledge.draft import Extracted
from sharpwave.remember.gate import judge
from sharpwave.types.answers import Verdict
from sharpwave.types.records import Statement
from sharpwave.types.statements import Candidate, Span, Target, TargetRelation

SAID = Candidate(
    Kind.FACT, "I live in Porto", Span(0, 15), 0.9, "test 1", Statement("user", "lives_in", "Porto")
)


def heard(candidate: Candidate) -> Extracted:
    return Extracted(candidate, Known().turn(day(0)))


def objection(candidate: Candidate, notes: bool = True) -> str | None:
    one = heard(candidate)
    passed, rejected = judge([one], 0.7, notes)
    if passed:
        assert (passed, rejected) == ([one], [])
        return None
    (outcome,) = rejected
    assert (outcome.verdict, outcome.text) == (Verdict.REJECTED, candidate.text)
    assert outcome.reason
    return outcome.reason


@pytest.mark.spec("WR-04")
@pytest.mark.parametrize(("confidence", "passes"), [(0.7, True), (0.699, False), (1.0, True)])
def test_it_takes_enough_confidence(confidence: float, passes: bool) -> None:
    reason = objection(replace(SAID, confidence=confidence))
    assert reason is None if passes else "too unsure: 0.70 of 0.70 needed" in str(reason)


@pytest.mark.parametrize(
    ("text", "object_", "reason"),
    [
        ("I live in Porto", "Porto", None),
        ("My card is [CC]", "mine", "sensitive"),
        ("My card is mine", "[CC]", "sensitive"),
        ("I live in Porto", " ", "nothing is left"),
        ("\n", "Porto", "nothing is left"),
        ("x" * 300, "Porto", None),
        ("x" * 301, "Porto", "longer than 300"),
        ("I live in Porto", "x" * 300, None),
        ("I live in Porto", "x" * 301, "longer than 300"),
    ],
)
def test_what_it_says_must_be_a_plain_statement(
    text: str, object_: str, reason: str | None
) -> None:
    found = objection(replace(SAID, text=text, statement=Statement("user", "has", object_)))
    assert found is None if reason is None else reason in str(found)


@pytest.mark.parametrize(
    ("relation", "confidence", "least", "passes"),
    [
        (TargetRelation.END, 0.5, 0.7, True),
        (TargetRelation.END, 0.499, 0.7, False),
        (TargetRelation.END, 0.3, 0.3, True),
        (TargetRelation.UPDATE, 0.699, 0.7, False),
    ],
)
def test_that_something_known_is_over_may_be_less_sure(
    relation: TargetRelation, confidence: float, least: float, passes: bool
) -> None:
    target = Target(relation, "known", "user|lives_in|")
    one = heard(replace(SAID, confidence=confidence, target=target))
    assert bool(judge([one], least, notes=True)[0]) is passes


def test_notes_need_an_agreement_and_facts_do_not() -> None:
    note = replace(SAID, kind=Kind.NOTE, statement=None)
    assert objection(note, notes=True) is None
    assert "does not agree" in str(objection(note, notes=False))
    assert objection(SAID, notes=False) is None


def test_each_is_judged_by_itself_and_in_order() -> None:
    several = [heard(replace(SAID, confidence=sure)) for sure in (0.9, 0.1, 0.8)]
    passed, rejected = judge(several, 0.7, notes=True)
    assert passed == [several[0], several[2]] and len(rejected) == 1
