"""How rules settle: the same again, the opposite, another; where they hold; and when they go."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from sharpwave.behavior.room import Room

from sharpwave.behavior.rules import pruning, records, section
from sharpwave.behavior.rules.settle import propose, settle
from sharpwave.errors import InvalidInput, Overtaken, ProviderUnavailable
from sharpwave.formulas.budget import token_estimate
from sharpwave.ports import Ports
from sharpwave.settings.steering import SteeringSettings
from sharpwave.settings.tree import Settings
from sharpwave.testing import FrozenClock, HashEmbedder, InMemoryStore
from sharpwave.types.answers import Verdict
from sharpwave.types.known import Note
from sharpwave.types.records import Kind, Stage, State
from sharpwave.types.steering import Behavior, Learned, PromptRole, Signal, SteeringType
from sharpwave.types.storing import Revision
from sharpwave.types.tokens import TokenRates

START = datetime(2026, 5, 1, tzinfo=UTC)
TABS, SPACES = "Use tabs instead of spaces", "Use spaces instead of tabs"
ONE_A_WORD = TokenRates(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 99)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


@pytest.fixture
def room(clock: FrozenClock) -> Room:
    ports = Ports(InMemoryStore(), None, HashEmbedder(64), clock)  # type: ignore[arg-type]
    return Room("ana", ports, Settings())


def learn(room: Room, *rules: str, reach: str = "global", scope: str = "global") -> Learned:
    type_ = SteeringType.PREFERENCE
    return settle(room, [Signal(type_, rule, 0.8, reach) for rule in rules], None, scope)[-1]


def held(room: Room) -> dict[str, int]:
    return {one.text: one.standing.seen_count for one in records.stored(room)}


@pytest.mark.spec("BEH-08")
def test_the_same_again_is_counted_and_surer(room: Room, clock: FrozenClock) -> None:
    first = learn(room, TABS)
    assert (first.verdict, first.rule, first.replaced) == (Verdict.ACCEPTED, TABS, ())
    clock.advance(days=3)
    again = learn(room, TABS)
    assert (again.verdict, again.id) == (Verdict.REINFORCED, first.id)
    (record,) = records.stored(room)
    assert (record.standing.seen_count, record.standing.last_seen_at) == (2, clock.now())
    assert record.standing.confidence == pytest.approx(0.8 + 0.3 * 0.2)
    assert (record.valid_from, record.standing.importance) == (START, 0.8)


@pytest.mark.spec("BEH-10")
def test_the_opposite_takes_its_place_and_keeps_it_as_history(
    room: Room, clock: FrozenClock
) -> None:
    old = learn(room, TABS)
    clock.advance(days=1)
    new = learn(room, SPACES)
    assert (new.verdict, new.replaced) == (Verdict.VERSIONED, (old.id,))
    assert held(room) == {SPACES: 1}
    (former,) = records.stored(room, frozenset({State.SUPERSEDED}))
    assert (former.id, former.standing.superseded_by) == (old.id, new.id)
    assert former.valid_to == clock.now()


@pytest.mark.spec("BEH-08", "BEH-10")
def test_one_call_may_say_it_twice_or_take_it_back(room: Room) -> None:
    assert learn(room, TABS, TABS).verdict is Verdict.REINFORCED
    assert held(room) == {TABS: 2}
    assert learn(room, SPACES, TABS).verdict is Verdict.VERSIONED
    assert held(room) == {TABS: 1}
    assert len(records.stored(room, frozenset({State.SUPERSEDED}))) == 2


def test_another_scope_is_another_rule(room: Room) -> None:
    learn(room, TABS)
    assert learn(room, SPACES, reach="project").verdict is Verdict.ACCEPTED
    assert learn(room, TABS, reach="project").verdict is Verdict.VERSIONED
    assert sorted(one.scope for one in records.stored(room)) == ["global", "project"]


@pytest.mark.parametrize(
    ("reach", "said_in", "scope"),
    [
        ("global", "shop/cart.py", "global"),
        ("project", "global", "project"),
        ("project", "shop/cart.py", "shop"),
        ("project", "project", "project"),
        ("file", "shop/cart.py", "shop/cart.py"),
        ("file", "global", "file"),
    ],
)
def test_where_a_rule_holds(room: Room, reach: str, said_in: str, scope: str) -> None:
    learn(room, TABS, reach=reach, scope=said_in)
    assert [one.scope for one in records.stored(room)] == [scope]


def test_a_turn_counts_once_for_a_rule(room: Room) -> None:
    turns = [said(room, f"turn {number}") for number in range(3)]
    signal = Signal(SteeringType.PREFERENCE, TABS, 0.8)

    def count(turn: str) -> int:
        (learned,) = settle(room, [signal], turn)
        assert learned.rule == TABS
        return held(room)[TABS]

    assert [count(turns[n]) for n in (0, 0, 1, 1, 0, 2)] == [1, 1, 2, 2, 2, 3]
    (record,) = records.stored(room)
    known = room.ports.store.evidence(room.user_id, [record.id])[record.id]
    assert {*known, *record.provenance.parents} == set(turns)


def said(room: Room, text: str) -> str:
    """A turn that is stored, by its id."""
    made = records.made(Signal(SteeringType.STYLE, text, 0.8), "global", room, START, ())
    turn = replace(made, kind=Kind.TURN, slot=None)
    room.commit(START, {}, [turn])
    return turn.id


def test_other_words_for_the_same_are_found_by_their_vectors(room: Room) -> None:
    """Of two rules that may be meant, the nearer one; without vectors neither."""
    learn(room, "Answer in brief sentences please", "Write code with type annotations")
    near = replace(room, settings=Settings.model_validate({"steering": {"same_cosine": 0.5}}))
    again = learn(near, "Write code with annotations of types")
    assert (again.verdict, again.rule) == (Verdict.REINFORCED, "Write code with type annotations")
    assert held(room)["Answer in brief sentences please"] == 1


def test_of_several_that_say_it_the_nearest_is_meant(room: Room) -> None:
    for rule in ("Write code with annotations of types", "Write code with type annotations"):
        signal = Signal(SteeringType.PREFERENCE, rule, 0.8)
        room.commit(START, {}, [records.made(signal, "global", room, START, ())])
    again = learn(room, "Always write code with type annotations")
    assert (again.verdict, again.rule) == (Verdict.REINFORCED, "Write code with type annotations")


def test_more_of_the_same_is_the_same_only_if_vectors_say_so(room: Room) -> None:
    settings = Settings.model_validate({"steering": {"same_cosine": 0.4, "same_words": 1.0}})
    near = replace(room, settings=settings)
    learn(near, "Write code with type annotations")
    more = "Write code with type annotations and docstrings"
    assert learn(near, more).verdict is Verdict.REINFORCED
    mute = replace(near, ports=replace(room.ports, embedder=Silent(64)))
    assert learn(mute, more).verdict is Verdict.ACCEPTED
    tests = "Cover code with tests"
    assert learn(near, tests, tests + " and examples").verdict is Verdict.ACCEPTED, "no vector yet"


def report(room: Room, *rules: str, reach: str = "global", scope: str = "global") -> Learned:
    """What an agent tells of the user, in a message of its own."""
    made = records.made(Signal(SteeringType.STYLE, "told", 0.8), scope, room, START, ())
    told = replace(made, kind=Kind.TURN, slot=None)
    room.commit(START, {}, [told])
    signals = [Signal(SteeringType.PREFERENCE, rule, 0.8, reach) for rule in rules]
    return propose(room, signals, told)[-1]


PROPOSED = frozenset({State.UNCERTAIN})


def test_what_an_agent_reports_waits_until_the_user_agrees(room: Room) -> None:
    first = report(room, TABS)
    assert (first.verdict, first.rule, held(room)) == (Verdict.QUEUED, TABS, {})
    assert report(room, TABS) == replace(first, verdict=Verdict.REINFORCED)
    (waiting,) = records.stored(room, PROPOSED)
    assert (waiting.id, waiting.standing.seen_count) == (first.id, 2)
    assert report(room, TABS, reach="project", scope="shop").verdict is Verdict.QUEUED
    agreed = learn(room, TABS)
    assert (agreed.verdict, agreed.replaced, held(room)) == (Verdict.ACCEPTED, (), {TABS: 1})
    assert [one.scope for one in records.stored(room, PROPOSED)] == ["shop"]
    (settled,) = records.stored(room, frozenset({State.INVALIDATED}))
    assert (settled.id, settled.standing.superseded_by) == (first.id, agreed.id)


def test_one_report_may_say_it_twice(room: Room) -> None:
    assert report(room, TABS, TABS).verdict is Verdict.REINFORCED
    assert [one.standing.seen_count for one in records.stored(room, PROPOSED)] == [1]


def test_what_the_user_said_or_deleted_is_not_asked_about(room: Room) -> None:
    deleted, told = learn(room, SPACES), learn(room, "Give examples")
    (record,) = room.ports.store.find(room.user_id, [str(deleted.id)])
    standing = replace(record.standing, state=State.INVALIDATED)
    room.commit(START, {}, revisions=[Revision(record.id, standing, START)])
    assert report(room, SPACES) == replace(deleted, verdict=Verdict.REJECTED)
    assert report(room, "Give examples") == replace(told, verdict=Verdict.REINFORCED)
    assert (held(room), records.stored(room, PROPOSED)) == ({"Give examples": 1}, [])
    again = learn(room, SPACES)
    assert again.verdict is Verdict.ACCEPTED and again.id != deleted.id
    assert report(room, SPACES).id == again.id, "what holds, not what was deleted"


class Silent(HashEmbedder):
    """An embedder that is not to be reached."""

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        raise ProviderUnavailable("not now")


def test_without_an_embedder_words_decide(room: Room) -> None:
    mute = replace(room, ports=replace(room.ports, embedder=Silent(64)))
    assert learn(mute, TABS).verdict is Verdict.ACCEPTED
    assert learn(mute, TABS).verdict is Verdict.REINFORCED
    assert learn(mute, SPACES).verdict is Verdict.VERSIONED


class Contended(InMemoryStore):
    """Somebody else is faster so many times."""

    faster = 0

    def commit(self, change: Any) -> Any:
        if self.faster:
            self.faster -= 1
            raise Overtaken("somebody was faster")
        return super().commit(change)


def test_whoever_was_overtaken_decides_again_so_many_times(clock: FrozenClock) -> None:
    store = Contended()
    room = Room("ana", Ports(store, None, HashEmbedder(64), clock), Settings())  # type: ignore[arg-type]
    store.faster = room.settings.steering.retries - 1
    assert learn(room, TABS).verdict is Verdict.ACCEPTED
    store.faster = room.settings.steering.retries
    with pytest.raises(Overtaken, match="nothing was learned"):
        learn(room, SPACES)
    assert held(room) == {TABS: 1}


@pytest.mark.spec("BEH-11")
def test_what_was_seen_once_goes_after_ninety_days(room: Room, clock: FrozenClock) -> None:
    for rule in (TABS, SPACES, "Give examples", "Answer in French", "Show the units"):
        learn(room, rule)
    learn(room, "Give examples")
    accepted = next(one for one in records.stored(room) if one.text == "Show the units")
    standing = replace(accepted.standing, stage=Stage.SEMANTIC)
    room.commit(START, {}, revisions=[Revision(accepted.id, standing, None)])
    clock.advance(days=90)
    assert pruning.prune(room) == ()
    clock.advance(seconds=1)
    gone = pruning.prune(room)
    assert len(gone) == 1, "seen again, accepted, or in another's place: these stay"
    assert set(held(room)) == {SPACES, "Give examples", "Show the units"}


def rule(text: str, scope: str = "global", frequency: int = 1) -> Behavior:
    type_, state = SteeringType.PREFERENCE, State.ACTIVE
    return Behavior(text, type_, text, scope, frequency, 0.8, False, state, START, START)


def test_against_a_narrower_rule_a_wider_one_yields() -> None:
    wide, narrow, other = rule(TABS), rule(SPACES, "shop"), rule("Give examples")
    assert section.holding([wide, narrow, other], "shop") == [narrow, other]
    assert section.holding([wide, narrow, other], "blog") == [wide, other]
    same = rule(SPACES)
    assert section.holding([wide, same], None) == [wide, same], "none is narrower"


@pytest.mark.spec("PRM-08")
@pytest.mark.parametrize(
    ("room_for", "told"), [(5, ["o"]), (6, ["a b c d e f"]), (7, ["a b c d e f", "o"])]
)
def test_what_does_not_fit_is_left_out_and_shorter_ones_are_told(
    room_for: int, told: list[str]
) -> None:
    head = (
        token_estimate(section.section([rule("x")], SteeringSettings(), ONE_A_WORD), ONE_A_WORD) - 1
    )
    settings = SteeringSettings(section_tokens=head + room_for)
    rules = [rule("a b c d e f"), rule("g h i j k l m n"), rule("o")]
    found = section.section(rules, settings, ONE_A_WORD)
    assert [line.removeprefix("- ") for line in found.splitlines() if line[:2] == "- "] == told


@pytest.mark.spec("PRM-07", "PRM-08")
def test_a_section_holds_the_first_rules() -> None:
    rules = [rule("Give examples", frequency=3), rule(TABS), rule("Show the units")]
    found = section.section(rules, SteeringSettings(max_rules=2), ONE_A_WORD)
    assert found.splitlines()[-2:] == ["- Give examples (observed 3x)", f"- {TABS}"]
    assert section.section([], SteeringSettings(), ONE_A_WORD) == ""


def test_notes_that_say_what_a_rule_says_are_not_told() -> None:
    def note(text: str) -> Note:
        return cast(Note, SimpleNamespace(text=text))

    notes = [note("Give short examples"), note("Show the units")]
    assert section.untold(notes, [rule("Give short examples")], same_words=1.0) == notes[1:]
    assert section.untold(notes, [], same_words=1.0) == notes
    assert section.untold(notes, [rule("Give long examples")], same_words=0.9) == notes


def test_a_prompt_has_one_of_four_roles_and_its_rules_second() -> None:
    assert section.role_of("planner") is PromptRole.PLANNER
    assert section.assembled("planner", "You plan. ", [" Plan."], "- Tabs") == (
        "You plan.\n\n- Tabs\n\nPlan."
    )
    with pytest.raises(InvalidInput, match=r"role must be one of .*'nobody'"):
        section.assembled("nobody", "You plan.", [])
