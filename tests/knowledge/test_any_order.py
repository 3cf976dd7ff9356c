"""What holds whatever is said, by whom and in whatever order."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.knowledge.known import Known, day

from sharpwave import Record
from sharpwave.types.answers import Verdict
from sharpwave.types.records import State, Trust
from sharpwave.types.statements import Mode

CITIES = ("Porto", "Lisbon", "Rome", "Oslo")
DAYS = st.integers(0, 90)


class Step(NamedTuple):
    """One statement."""

    object: str
    at: int
    predicate: str = "lives_in"
    mode: Mode = Mode.HOLDS
    trust: Trust = Trust.USER
    instead_of: str | None = None
    since: int | None = None
    until: int | None = None


def anything(*predicates: str) -> st.SearchStrategy[Step]:
    return st.builds(
        Step,
        st.sampled_from(CITIES),
        DAYS,
        st.sampled_from(predicates),
        st.sampled_from(Mode),
        st.sampled_from((Trust.USER, Trust.USER, Trust.VERIFIED, Trust.INFERRED)),
        st.none() | st.sampled_from(CITIES),
        st.none() | st.integers(-30, 120),
        st.none() | st.integers(-30, 120),
    )


PLAIN = st.tuples(st.sampled_from(CITIES), DAYS).map(lambda pair: Step(*pair))


def say(known: Known, step: Step) -> Verdict:
    until = step.until
    if step.since is not None and until is not None:
        until = max(until, step.since + 1)
    return known.say(
        step.object,
        step.at,
        predicate=step.predicate,
        mode=step.mode,
        trust=step.trust,
        instead_of=step.instead_of,
        since=None if step.since is None else day(step.since),
        until=None if until is None else day(until),
    ).verdict


def held(records: Iterable[Record], at: datetime, *states: State) -> list[Record]:
    return [
        record
        for record in records
        if record.standing.state in states
        and not record.negated
        and record.valid_from <= at
        and (record.valid_to is None or at < record.valid_to)
    ]


@pytest.mark.spec("PRO-05", "PRO-09", "CON-05")
@given(st.lists(anything("lives_in", "staying_in"), max_size=14))
def test_one_value_at_a_time_and_nothing_disappears(steps: list[Step]) -> None:
    known = Known()
    before: dict[str, Record] = {}
    for step in steps:
        say(known, step)
        assert set(before) <= set(known.records), "nothing is ever deleted"
        for id_, record in known.records.items():
            standing = record.standing
            told = {parent for id, parent in known.evidence if id == record.id}
            assert standing.superseded_by in {None, *known.records, *told}
            assert standing.rival is None or standing.rival in known.records
            assert standing.rival is None or standing.state is State.UNCERTAIN
            assert record.valid_to is None or record.valid_to >= record.valid_from
            if id_ in before:
                assert record.valid_from == before[id_].valid_from
                assert record.text == before[id_].text
                assert standing.seen_count >= before[id_].standing.seen_count
        before = dict(known.records)
        for predicate in ("lives_in", "staying_in"):
            slot = [r for r in known.records.values() if r.slot == f"user|{predicate}|"]
            for moment in {r.valid_from for r in slot} | {day(n) for n in (-31, step.at, 500)}:
                now = held(slot, moment, State.ACTIVE)
                assert len({record.text for record in now}) <= 1, (moment, now)


@given(st.lists(anything("likes", "dislikes"), max_size=12))
def test_a_contradiction_always_has_two_sides(steps: list[Step]) -> None:
    known = Known()
    for step in steps:
        say(known, step)
        for record in known.records.values():
            if record.standing.rival is not None:
                other = known.records[record.standing.rival]
                assert other.standing.rival == record.id, "who is doubted knows by whom"
                assert other.standing.state is record.standing.state is State.UNCERTAIN


@given(st.lists(PLAIN, max_size=10))
def test_a_plain_history_has_no_overlaps(steps: list[Step]) -> None:
    known = Known()
    for step in steps:
        say(known, step)
        for moment in {record.valid_from for record in known.records.values()}:
            assert len(held(known.records.values(), moment, State.ACTIVE, State.SUPERSEDED)) <= 1


@given(st.permutations([Step(city, 10 * n) for n, city in enumerate(CITIES)]))
def test_the_order_in_which_messages_arrive_does_not_matter(steps: list[Step]) -> None:
    known = Known()
    for step in steps:
        say(known, step)
    times = {str(r.statement and r.statement.object): r for r in known.records.values()}
    for number, city in enumerate(CITIES):
        last = city == CITIES[-1]
        assert times[city].valid_from == day(10 * number)
        assert times[city].valid_to == (None if last else day(10 * number + 10))
        assert times[city].standing.state is (State.ACTIVE if last else State.SUPERSEDED)


@pytest.mark.spec("PRO-06")
@given(st.lists(anything("lives_in", "likes", "pet"), max_size=8), anything("lives_in", "pet"))
def test_what_is_said_twice_makes_no_second_row(steps: list[Step], last: Step) -> None:
    known = Known()
    for step in steps:
        say(known, step)
    say(known, last)
    rows = len(known.records)
    say(known, last)
    assert len(known.records) == rows


@given(st.lists(anything("lives_in", "likes", "pet"), min_size=1, max_size=8))
def test_the_same_turn_read_again_changes_nothing(steps: list[Step]) -> None:
    known = Known()
    turns = [known.turn(day(step.at), step.trust, number=n + 1) for n, step in enumerate(steps)]
    for step, turn in zip(steps, turns, strict=True):
        known.say(step.object, predicate=step.predicate, turn=turn)
    rows = dict(known.records)
    for step, turn in zip(steps, turns, strict=True):
        known.say(step.object, predicate=step.predicate, turn=turn)
    assert {id_: r.standing.seen_count for id_, r in known.records.items()} == {
        id_: r.standing.seen_count for id_, r in rows.items()
    }


@given(st.lists(anything("lives_in"), max_size=6), st.lists(anything("works_at"), max_size=6))
def test_different_slots_do_not_touch_each_other(one: list[Step], other: list[Step]) -> None:
    def outcome(steps: list[Step]) -> set[tuple[object, ...]]:
        known = Known()
        for step in steps:
            say(known, step)
        return {
            (r.statement, r.negated, r.valid_from, r.valid_to, r.standing.state)
            for r in known.records.values()
        }

    mixed = [step for pair in zip(one, other, strict=False) for step in pair]
    rest = [*one[len(other) :], *other[len(one) :]]
    assert outcome([*one, *other]) == outcome([*other, *one]) == outcome([*mixed, *rest])
