"""Against whom a statement has to stand: only what holds then, and as strong as it is."""

import pytest
from tests.knowledge.known import Known, day

from sharpwave.knowledge import settle_facts
from sharpwave.types.answers import Verdict
from sharpwave.types.records import Stage, State, Trust
from sharpwave.types.statements import Mode


def test_a_denial_that_was_taken_back_stands_in_nobodys_way() -> None:
    known = Known()
    known.say("Porto", 0, mode=Mode.DENIED)
    known.say("Porto", 400)
    known.say("Porto", 500, mode=Mode.ENDED)
    assert known.say("Porto", 600, trust=Trust.INFERRED).verdict is Verdict.ACCEPTED


def test_a_correction_leaves_alone_what_was_true_once() -> None:
    known = Known()
    known.say("Lisbon", 0)
    known.say("Faro", 100)
    known.say("Porto", 200, instead_of="Lisbon")
    assert known.states() == {
        "Lisbon": State.SUPERSEDED,
        "Faro": State.SUPERSEDED,
        "Porto": State.ACTIVE,
    }


def test_one_of_several_values_can_be_corrected() -> None:
    known = Known()
    known.say("Tom", 0, predicate="pet")
    known.say("Mia", 0, predicate="pet")
    known.say("Rex", 1, predicate="pet", instead_of="Tom")
    assert known.states() == {
        "Tom": State.INVALIDATED,
        "Mia": State.ACTIVE,
        "Rex": State.ACTIVE,
    }


def test_what_was_over_by_its_own_words_is_not_replaced() -> None:
    known = Known()
    known.say("Porto", 0, until=day(5))
    assert known.say("Lisbon", 5).verdict is Verdict.ACCEPTED
    known.say("Faro", 6, until=day(9))
    assert known.say("Lagos", 8.9).verdict is Verdict.VERSIONED


@pytest.mark.parametrize(("days", "verdict"), [(30, Verdict.VERSIONED), (29.9, Verdict.QUEUED)])
def test_a_mind_may_change_after_so_many_days(days: float, verdict: Verdict) -> None:
    known = Known()
    known.say("Porto", 0)
    assert known.say("Porto", days, mode=Mode.DENIED).verdict is verdict


def test_a_variant_must_be_surer_than_the_weakest_to_take_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settle_facts, "MAX_VARIANTS", 1)
    known = Known()
    known.say("Porto", 0)
    weak = {"trust": Trust.INFERRED}
    assert known.say("Lisbon", 1, confidence=0.8, **weak).verdict is Verdict.VARIANT  # type: ignore[arg-type]
    assert known.say("Faro", 2, confidence=0.8, **weak).verdict is Verdict.REJECTED  # type: ignore[arg-type]
    assert known.say("Lagos", 3, confidence=0.81, **weak).verdict is Verdict.VARIANT  # type: ignore[arg-type]
    assert known.states() == {
        "Porto": State.ACTIVE,
        "Lisbon": State.INVALIDATED,
        "Lagos": State.UNCERTAIN,
    }


def test_what_is_in_doubt_is_no_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settle_facts, "MAX_VARIANTS", 1)
    known = Known()
    known.say("Porto", 0)
    known.say("Porto", 1, mode=Mode.DENIED)
    assert known.say("Lisbon", 2, trust=Trust.INFERRED).verdict is not Verdict.REJECTED


@pytest.mark.parametrize(("until", "ends"), [(None, 30), (20, 20), (40, 30)])
def test_until_a_change_to_come_the_old_holds_no_longer_than_it_did(
    until: int | None, ends: int
) -> None:
    known = Known()
    known.say("Lisbon", 0, until=None if until is None else day(until))
    known.say("Porto", 5, since=day(30))
    old, new = known.record("Lisbon"), known.record("Porto")
    assert (old.valid_to, old.standing.state) == (day(ends), State.ACTIVE)
    assert (old.standing.superseded_by, new.valid_from) == (new.id, day(30))


def test_a_better_source_confirms_and_the_rest_gives_way() -> None:
    known = Known()
    known.say("Porto", 0, trust=Trust.INFERRED)
    known.say("Porto", 2, trust=Trust.VERIFIED)
    first, second = known.records.values()
    assert (first.standing.state, first.standing.superseded_by) == (State.SUPERSEDED, second.id)
    assert (first.valid_to, second.valid_from) == (day(2), day(0))
    assert second.provenance.trust is Trust.VERIFIED


def test_the_end_of_a_time_is_told_again_only_within_that_time() -> None:
    known = Known()
    known.say("Paris", 0, mode=Mode.ENDED, since=day(-900), until=day(-800))
    for since, until, rows in ((-850, -800, 1), (-800, -700, 1), (-799, -700, 2), (-950, -900, 2)):
        known.say("Paris", 1, mode=Mode.ENDED, since=day(since), until=day(until))
        assert len(known.records) == rows
    known.say("Paris", 2, mode=Mode.ENDED, since=day(-990), until=day(-901))
    assert len(known.records) == 3


@pytest.mark.parametrize(
    ("trust", "stage"),
    [
        (Trust.USER, Stage.SEMANTIC),
        (Trust.VERIFIED, Stage.SEMANTIC),
        (Trust.INFERRED, Stage.EPISODIC),
    ],
)
def test_only_a_good_source_makes_something_lasting(trust: Trust, stage: Stage) -> None:
    known = Known()
    known.say("Porto", 0, trust=trust)
    fact = known.record("Porto")
    assert (fact.standing.stage, fact.standing.state) == (stage, State.ACTIVE)
    assert fact.metadata == {"extractor": "test 1", "span": [0, 3], "mode": "holds"}


def test_what_was_said_earlier_and_heard_later_is_history() -> None:
    known = Known()
    known.say("Lisbon", 10)
    outcome = known.say("Porto", 5)
    assert outcome.verdict is Verdict.ACCEPTED and "as history, before" in outcome.reason
    past, now = known.record("Porto"), known.record("Lisbon")
    assert (past.valid_from, past.valid_to) == (day(5), day(10))
    assert (past.standing.state, past.standing.superseded_by) == (State.SUPERSEDED, now.id)
    assert (now.valid_from, now.standing.state) == (day(10), State.ACTIVE)


def test_history_is_cut_where_something_comes_between() -> None:
    known = Known()
    known.say("Paris", 0)
    known.say("Lisbon", 10)
    known.say("Porto", 5)
    first, between, last = (known.record(place) for place in ("Paris", "Porto", "Lisbon"))
    assert [(one.valid_from, one.valid_to) for one in (first, between, last)] == [
        (day(0), day(5)),
        (day(5), day(10)),
        (day(10), None),
    ]
    assert first.standing.superseded_by == between.id
    assert between.standing.superseded_by == last.id
    assert first.standing.state is between.standing.state is State.SUPERSEDED


@pytest.mark.parametrize(
    ("place", "at"), [("Paris", -1), ("Paris", 0), ("Paris", 5), ("Paris", 9.9), ("Lisbon", 10)]
)
def test_what_is_known_of_that_time_is_only_heard_again(place: str, at: float) -> None:
    known = Known()
    known.say("Paris", 0)
    known.say("Lisbon", 10)
    known.say("Lisbon", 20)
    assert known.say(place, at).verdict is Verdict.REINFORCED
    assert len(known.records) == 2
    assert known.say("Paris", 15).verdict is Verdict.ACCEPTED, "another time in the same place"


def test_a_time_that_is_over_begins_no_later_than_it_ends() -> None:
    known = Known()
    known.say("Paris", 0, mode=Mode.ENDED, since=day(-900), until=day(-800))
    known.say("Rome", 0, mode=Mode.ENDED, since=day(-5), until=day(-9))
    paris, rome = known.record("Paris"), known.record("Rome")
    assert (paris.valid_from, paris.valid_to) == (day(-900), day(-800))
    assert (rome.valid_from, rome.valid_to) == (day(-9), day(-9))
