"""What is said of a record that is known: the same, newer, over or corrected; by whom and when."""

from dataclasses import replace
from datetime import datetime

import pytest
from tests.knowledge.known import Known, day

from sharpwave import Kind, Record
from sharpwave.knowledge.draft import Extracted
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.records import USER, State, Statement, Trust
from sharpwave.types.statements import (
    BY_MODEL,
    Candidate,
    Mode,
    Span,
    Target,
    TargetRelation,
    TaskStatus,
)

SAME, UPDATE = TargetRelation.SAME, TargetRelation.UPDATE
END, CORRECTION = TargetRelation.END, TargetRelation.CORRECTION


def fact(value: str, predicate: str = "lives_in", since: datetime | None = None) -> Candidate:
    """A fact in the words of a language model."""
    statement = Statement(USER, predicate, value)
    said = Candidate(Kind.FACT, f"In {value}", Span(0, 3), 0.9, f"{BY_MODEL} 1", statement)
    return replace(said, valid_from=since)


def task(title: str, due: datetime | None = None) -> Candidate:
    return Candidate(Kind.TASK, title, Span(0, 3), 0.9, f"{BY_MODEL} 1", due=due)


def tell(
    known: Known,
    record: Record,
    relation: TargetRelation,
    said: Candidate,
    at: float = 1.0,
    *,
    trust: Trust = Trust.USER,
    turn: Record | None = None,
) -> list[Outcome]:
    """Say something of a record, by its id and slot; what became of it."""
    target = Target(relation, record.id, str(record.slot))
    turn = turn or known.turn(day(at), trust)
    return known.settle(Extracted(replace(said, target=target), turn))


def lives_in(known: Known, value: str = "Porto", at: float = 0.0) -> Record:
    known.say(value, at)
    return known.record(value)


def test_the_same_fact_in_other_words_is_seen_again() -> None:
    known = Known()
    porto = lives_in(known)
    (outcome,) = tell(known, porto, SAME, fact("the city of Porto"))
    assert (outcome.verdict, outcome.id) == (Verdict.REINFORCED, porto.id)
    assert known.record("Porto").standing.seen_count == 2
    known.say("tea", predicate="likes", mode=Mode.DENIED)
    (outcome,) = tell(known, known.record("tea"), SAME, fact("any tea", "likes"))
    assert (outcome.verdict, len(known.records)) == (Verdict.REINFORCED, 2), "a denial stays one"


def test_the_same_task_in_other_words_is_seen_again() -> None:
    known = Known()
    known.task("Book flights", due=day(9))
    (outcome,) = tell(known, known.record("Book flights"), SAME, task("Get us to Porto"))
    assert outcome.verdict is Verdict.REINFORCED
    (record,) = known.records.values()
    assert (record.standing.seen_count, record.due) == (2, day(9))


@pytest.mark.parametrize("gone", ["closed", "unknown"])
def test_what_is_said_of_a_record_that_is_gone_is_news_or_nothing(gone: str) -> None:
    for relation in (SAME, END):
        known = Known()
        porto = removed(known, gone)
        (outcome,) = tell(known, porto, relation, fact("Faro"), 9)
        assert (outcome.verdict, outcome.id) == (Verdict.REJECTED, None)
        assert outcome.reason == "it has been settled since then"
        assert tell(known, porto, relation, replace(fact("Faro"), effect_only=True), 9) == []
        assert "Faro" not in known.states()
    for relation in (UPDATE, CORRECTION):
        known = Known()
        (outcome,) = tell(known, removed(known, gone), relation, fact("Faro"), 9)
        assert outcome.verdict in (Verdict.ACCEPTED, Verdict.VERSIONED)
        assert known.states()["Faro"] is State.ACTIVE


def removed(known: Known, gone: str) -> Record:
    """A record that no longer holds, or of which nothing is known; beside another."""
    porto = lives_in(known)
    if gone == "unknown":
        return replace(porto, id="unknown")
    known.say("Braga", 5)
    return porto


def test_of_a_task_that_is_gone_there_is_news_too() -> None:
    known = Known()
    known.task("Book flights")
    known.task("Book flights", 1, status=TaskStatus.DONE)
    record = known.record("Book flights")
    (outcome,) = tell(known, record, UPDATE, task("Book a hotel in Faro", due=day(9)), 2)
    assert outcome.verdict is Verdict.ACCEPTED
    assert known.record("Book a hotel in Faro").due == day(9)


@pytest.mark.parametrize("relation", TargetRelation)
def test_a_weaker_source_changes_nothing(relation: TargetRelation) -> None:
    known = Known()
    porto = lives_in(known)
    (outcome,) = tell(known, porto, relation, fact("Faro"), trust=Trust.INFERRED)
    assert (outcome.verdict, outcome.id) == (Verdict.REJECTED, None)
    assert outcome.reason == "a better source says: The user lives in Porto"
    assert known.record("Porto") == porto and len(known.records) == 1


@pytest.mark.parametrize("relation", [UPDATE, END])
def test_what_was_said_again_later_is_neither_over_nor_replaced(relation: TargetRelation) -> None:
    known = Known()
    lives_in(known)
    porto = lives_in(known, at=5)
    (outcome,) = tell(known, porto, relation, fact("Faro"), at=4)
    assert (outcome.verdict, outcome.id) == (Verdict.REJECTED, None)
    assert outcome.reason == "it was said again later: The user lives in Porto"
    assert list(known.records.values()) == [porto]


def test_what_was_said_again_later_is_still_confirmed_or_corrected() -> None:
    known = Known()
    porto = lives_in(known, at=5)
    (outcome,) = tell(known, porto, SAME, fact("the city of Porto"), at=4)
    assert (outcome.verdict, outcome.id) == (Verdict.REINFORCED, porto.id)
    (outcome,) = tell(known, porto, CORRECTION, fact("Faro"), at=4)
    assert outcome.verdict is Verdict.VERSIONED
    assert known.states() == {"Porto": State.INVALIDATED, "Faro": State.ACTIVE}


def test_a_task_is_done() -> None:
    known = Known()
    known.task("Book flights")
    (outcome,) = tell(known, known.record("Book flights"), END, task("All is booked"))
    assert (outcome.verdict, outcome.reason) == (Verdict.CLOSED, "done")
    (record,) = known.records.values()
    assert (record.standing.state, record.valid_to) == (State.DONE, day(1))


@pytest.mark.parametrize(
    ("extractor", "effect_only", "state"),
    [
        (f"{BY_MODEL} 1", False, State.SUPERSEDED),
        ("rules 1", True, State.SUPERSEDED),
        ("rules 1", False, State.INVALIDATED),
    ],
)
def test_a_fact_is_over_or_was_wrong(extractor: str, effect_only: bool, state: State) -> None:
    known = Known()
    porto, turn = lives_in(known), known.turn(day(3))
    said = replace(fact("Porto"), extractor=extractor, effect_only=effect_only)
    (outcome,) = tell(known, porto, END, said, turn=turn)
    assert (outcome.verdict, outcome.id) == (Verdict.CLOSED, porto.id)
    assert outcome.reason == "it no longer holds"
    ended = known.record("Porto")
    assert (ended.standing.state, ended.valid_to) == (state, day(3))
    assert (ended.standing.superseded_by, ended.standing.seen_count) == (turn.id, 2)


def test_what_was_only_read_wrong_in_these_very_words_never_held() -> None:
    known = Known()
    turn = known.turn(day(0), number=1)
    known.say("Porto", turn=turn)
    tell(known, known.record("Porto"), END, fact("Porto"), turn=turn)
    assert known.states() == {"Porto": State.INVALIDATED}


@pytest.mark.parametrize("relation", [UPDATE, CORRECTION])
@pytest.mark.parametrize("due", [None, day(20)])
def test_another_task_takes_its_place_and_is_due_as_it_was(
    relation: TargetRelation, due: datetime | None
) -> None:
    known = Known()
    known.task("Book flights", due=day(9))
    (outcome,) = tell(known, known.record("Book flights"), relation, task("Take the train", due))
    new = known.record("Take the train")
    assert (outcome.verdict, outcome.id) == (Verdict.VERSIONED, new.id)
    assert outcome.reason == "instead of: Book flights"
    assert new.due == (due or day(9))
    old = known.record("Book flights").standing
    assert (old.state, old.superseded_by) == (State.SUPERSEDED, new.id)
    assert known.record("Book flights").valid_to == day(1)


def test_another_value_takes_the_place_of_what_was_known() -> None:
    known = Known()
    (outcome,) = tell(known, lives_in(known), UPDATE, fact("Faro"), 3)
    assert (outcome.verdict, outcome.text) == (Verdict.VERSIONED, "In Faro")
    old, new = known.record("Porto"), known.record("Faro")
    assert (old.standing.state, old.standing.superseded_by) == (State.SUPERSEDED, new.id)
    assert old.valid_to == new.valid_from == day(3)


@pytest.mark.parametrize(("since", "begins"), [(None, day(0)), (day(2), day(2))])
def test_better_words_for_the_same_take_its_place(since: datetime | None, begins: datetime) -> None:
    known = Known()
    (outcome,) = tell(known, lives_in(known), UPDATE, fact("porto", since=since), 3)
    assert (outcome.verdict, outcome.reason) == (
        Verdict.VERSIONED,
        "instead of: The user lives in Porto",
    )
    old, new = known.record("Porto"), known.record("porto")
    assert (new.text, new.valid_from, new.standing.state) == ("In porto", begins, State.ACTIVE)
    assert (old.standing.state, old.standing.superseded_by) == (State.SUPERSEDED, new.id)


@pytest.mark.parametrize(
    ("since", "ends", "state"),
    [
        (None, 3, State.SUPERSEDED),
        (day(2), 3, State.SUPERSEDED),
        (day(3), 3, State.SUPERSEDED),
        (day(8), 8, State.ACTIVE),
    ],
)
def test_another_statement_takes_the_place_of_one_when_it_begins(
    since: datetime | None, ends: float, state: State
) -> None:
    known = Known()
    known.say("Acme", predicate="works_at")
    said = fact("Lisbon", since=since)
    (outcome,) = tell(known, known.record("Acme"), UPDATE, said, 3)
    old, new = known.record("Acme"), known.record("Lisbon")
    assert (outcome.verdict, outcome.id) == (Verdict.VERSIONED, new.id)
    assert outcome.reason.startswith("instead of: ") and "Acme" in outcome.reason
    assert (old.standing.state, old.valid_to) == (state, day(ends))
    assert old.standing.superseded_by == new.id


def test_what_takes_the_place_may_be_known_already() -> None:
    known = Known()
    known.say("Acme", predicate="works_at")
    porto, turn = lives_in(known), known.turn(day(3))
    (outcome,) = tell(known, known.record("Acme"), UPDATE, fact("Porto"), turn=turn)
    assert (outcome.verdict, outcome.id) == (Verdict.REINFORCED, porto.id)
    assert outcome.reason == "" and known.record("Acme").standing.superseded_by == porto.id


@pytest.mark.parametrize("since", [None, day(8)])
def test_what_is_over_goes_even_if_nothing_takes_its_place(since: datetime | None) -> None:
    known, turn = Known(), Known().turn(day(3), Trust.INFERRED)
    known.say("Acme", predicate="works_at", trust=Trust.INFERRED)
    known.say("Porto")
    for place in ("Faro", "Braga", "Evora"):
        known.say(place, trust=Trust.INFERRED)
    said = fact("Lisbon", since=since)
    (outcome,) = tell(known, known.record("Acme"), UPDATE, said, turn=turn)
    assert outcome.verdict is Verdict.REJECTED and "stronger variants" in outcome.reason
    acme = known.record("Acme")
    assert (acme.valid_to, acme.standing.superseded_by) == (since or day(3), turn.id)


def test_each_of_several_has_an_outcome_of_its_own() -> None:
    known = Known()
    porto, turn = lives_in(known), known.turn(day(3))
    target = Target(CORRECTION, porto.id, str(porto.slot))
    first = Extracted(fact("tea", "likes"), turn)
    outcomes = known.settle(first, Extracted(replace(fact("Faro"), target=target), turn))
    assert [one.verdict for one in outcomes] == [Verdict.ACCEPTED, Verdict.VERSIONED]
    assert known.record("Porto").standing.superseded_by == known.record("Faro").id


def test_what_is_corrected_was_never_true() -> None:
    known = Known()
    (outcome,) = tell(known, lives_in(known), CORRECTION, fact("Faro"), 3)
    new = known.record("Faro")
    assert (outcome.verdict, outcome.id) == (Verdict.VERSIONED, new.id)
    assert outcome.reason == "instead of: The user lives in Porto"
    old = known.record("Porto")
    assert (old.standing.state, old.valid_to) == (State.INVALIDATED, day(3))
    assert old.standing.superseded_by == new.id


def test_what_a_wrong_one_contradicted_is_no_longer_in_doubt() -> None:
    known = Known()
    known.say("tea", predicate="likes")
    known.say("tea", 1, predicate="dislikes")
    wrong = next(r for r in known.records.values() if str(r.slot).startswith("user|dislikes"))
    assert wrong.standing.state is State.UNCERTAIN
    tell(known, wrong, CORRECTION, fact("milk", "dislikes"), 2)
    right = next(r for r in known.records.values() if str(r.slot) == "user|likes|tea")
    assert (right.standing.state, right.standing.rival) == (State.ACTIVE, None)


def test_nothing_takes_its_own_place() -> None:
    known = Known()
    turn = known.turn(day(3), number=4)
    known.say("Faro", turn=turn)
    (outcome,) = tell(known, known.record("Faro"), CORRECTION, fact("Faro"), turn=turn)
    assert outcome.verdict is Verdict.REINFORCED
    assert known.record("Faro").standing.superseded_by == turn.id
