"""What a call is going to write: what is decided counts at once, and nothing counts twice."""

from dataclasses import replace

import pytest
from tests.knowledge.known import Known, day

from sharpwave import Kind, Record
from sharpwave.knowledge.draft import CLAIMED, Draft, Extracted
from sharpwave.types.records import Channel, State, Statement
from sharpwave.types.statements import Candidate, Span
from sharpwave.types.storing import Evidence


def fact(known: Known, object_: str, at: float = 0.0) -> Record:
    known.say(object_, at)
    return known.record(object_)


def heard(known: Known, at: float) -> Extracted:
    said = Candidate(
        Kind.FACT, "…", Span(0, 1), 0.9, "test 1", Statement("user", "lives_in", "Porto")
    )
    return Extracted(said, known.turn(day(at)))


def test_the_same_words_are_one_sighting_also_within_a_call() -> None:
    known = Known()
    record = fact(known, "Porto")
    draft = Draft.on([record], day(5))
    twice = heard(known, 3)
    once = draft.support(record, twice)
    assert draft.support(once, twice) == once
    assert draft.evidence == [Evidence(record.id, twice.turn.id)]
    (revision,) = draft.revisions
    assert (revision.id, revision.standing.seen_count) == (record.id, 2)
    assert revision.standing.confidence == pytest.approx(0.93)
    assert revision.standing.last_seen_at == day(3)
    earlier = draft.support(once, heard(known, -3))
    assert (earlier.standing.seen_count, earlier.standing.last_seen_at) == (3, day(3))


def test_a_new_record_rests_on_its_turn_and_what_was_known_still_does() -> None:
    known = Known()
    record, turn = fact(known, "Porto"), heard(known, 1)
    draft = Draft.on([record], day(1), supported=[Evidence(record.id, turn.turn.id)])
    parents = replace(record.provenance, parents=(turn.turn.id,))
    new = draft.add(replace(record, id="new", provenance=parents))
    assert draft.supports(turn, new) and draft.supports(turn, record)
    assert draft.in_slot(str(record.slot)) == [record, new]
    assert draft.new == [new] and draft.revisions == ()
    changed = draft.revise(new, importance=0.1)
    assert draft.new == [changed] and draft.revisions == (), "it is not written twice"


def test_what_is_closed_is_told_and_ends_within_its_time() -> None:
    known = Known()
    record = fact(known, "Porto", at=2)
    for at, ends in ((5, 5), (1, 2)):
        draft = Draft.on([record], day(9))
        closed = draft.close(record, day(at), state=State.SUPERSEDED)
        assert (closed.valid_to, closed.standing.state) == (day(ends), State.SUPERSEDED)
        assert draft.closed == [record.id]
    draft = Draft.on([replace(record, valid_to=day(3))], day(9))
    assert draft.close(record, day(5)).valid_to == day(3), "it ends no later than it did"


@pytest.mark.parametrize(
    ("state", "rival", "after"),
    [
        (State.UNCERTAIN, True, (State.ACTIVE, None)),
        (State.UNCERTAIN, False, (State.UNCERTAIN, "another")),
        (State.SUPERSEDED, True, (State.SUPERSEDED, "the closed one")),
    ],
)
def test_only_what_was_contradicted_is_no_longer_in_doubt(
    state: State, rival: bool, after: tuple[State, str | None]
) -> None:
    known = Known()
    record = replace(fact(known, "Porto"), id="the closed one")
    standing = replace(record.standing, state=state, rival="the closed one" if rival else "another")
    other = replace(record, id="other", slot="elsewhere", standing=standing)
    draft = Draft.on([record, other], day(9))
    draft.close(replace(record, standing=replace(record.standing, rival="other")), day(5))
    (left,) = draft.in_slot("elsewhere")
    assert (left.standing.state, left.standing.rival) == after
    (closed,) = draft.in_slot(str(record.slot))
    assert closed.standing.rival is None


@pytest.mark.parametrize(
    ("kind", "channel", "counts"),
    [
        (Kind.FACT, Channel.LIBRARY, True),
        (Kind.FACT, Channel.SLEEP, False),
        (Kind.NOTE, Channel.SLEEP, True),
    ],
)
def test_what_sleep_wrote_does_not_rest_on_a_turn_that_only_confirms_it(
    kind: Kind, channel: Channel, counts: bool
) -> None:
    known = Known()
    record = replace(fact(known, "Porto"), kind=kind)
    record = replace(record, provenance=replace(record.provenance, channel=channel))
    draft, again = Draft.on([record], day(5)), heard(known, 3)
    assert draft.support(record, again).standing.seen_count == 2
    assert draft.evidence == ([Evidence(record.id, again.turn.id)] if counts else [])


def test_what_is_learned_belongs_where_it_was_said() -> None:
    known = Known()
    turn = replace(known.turn(day(0)), scope="shop", tags=("work",))
    known.task("Paint the fence", turn=turn)
    task = known.record("Paint the fence")
    assert (task.scope, task.tags, CLAIMED in task.metadata) == ("shop", ("work",), False)


def test_what_is_only_claimed_says_so_and_counts_for_nothing() -> None:
    known = Known()
    claim = heard(known, 0)
    claim = claim._replace(candidate=replace(claim.candidate, claimed=True))
    known.settle(claim)
    assert known.record("Porto").metadata[CLAIMED] is True
    known.settle(claim._replace(turn=known.turn(day(1))))
    assert known.record("Porto").standing.seen_count == 1
