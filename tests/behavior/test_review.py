"""What a user makes of rules: accepted, edited, deleted and taken back, as it is stored then."""

from datetime import UTC, datetime

import pytest

from sharpwave import InvalidInput, Memory, Record
from sharpwave.behavior import listing
from sharpwave.errors import NoConsent
from sharpwave.testing import FrozenClock, HashEmbedder, in_memory, workspace_of
from sharpwave.types.records import Stage, State

START = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


@pytest.fixture
def memory(clock: FrozenClock) -> Memory:
    return in_memory("ana", clock=clock, embedder=HashEmbedder(64))


def said(memory: Memory, text: str, times: int = 1) -> str:
    """A rule that the user said so often, by its id."""
    for _ in range(times):
        memory.remember(text)
    return next(one.id for one in memory.behavior.rules() if one.rule in text)


def stored(memory: Memory, id_: str) -> Record:
    (record,) = workspace_of(memory).store.find([id_])
    return record


def rules(memory: Memory) -> list[str]:
    return [one.rule for one in memory.behavior.rules()]


def test_what_is_accepted_is_certain(memory: Memory) -> None:
    id_ = said(memory, "Always use tabs.")
    assert stored(memory, id_).standing.confidence < 1.0
    accepted = memory.behavior.accept(id_)
    assert (accepted.accepted, accepted.confidence) == (True, 1.0)
    standing = stored(memory, id_).standing
    assert (standing.stage, standing.confidence) == (Stage.SEMANTIC, 1.0)


def test_what_is_stated_outright_is_certain(memory: Memory) -> None:
    memory.behavior.add("Use tabs")
    (rule,) = memory.behavior.rules()
    assert rule.confidence == 1.0


def test_an_edited_rule_is_certain_and_as_frequent_as_before(memory: Memory) -> None:
    id_ = said(memory, "Always use tabs.", times=3)
    moved = memory.behavior.edit(id_, scope="shop")
    assert (moved.rule, moved.scope, moved.frequency) == ("Always use tabs", "shop", 3)
    worded = memory.behavior.edit(moved.id, "Use tabs in Makefiles")
    assert (worded.rule, worded.scope, worded.frequency) == ("Use tabs in Makefiles", "shop", 3)
    assert (worded.accepted, worded.confidence) == (True, 1.0)
    assert worded == memory.behavior.rules(scope="shop")[0]
    with pytest.raises(InvalidInput, match="say what to change"):
        memory.behavior.edit(worded.id)


def test_a_rule_is_no_longer_than_that(memory: Memory) -> None:
    assert memory.behavior.add("a" * 200).rule == "a" * 200
    with pytest.raises(InvalidInput, match="at most 200 characters, not 201"):
        memory.behavior.add("a" * 201)


def test_without_consent_no_rule_is_stated_or_edited(memory: Memory) -> None:
    id_ = said(memory, "Always use tabs.")
    memory.admin.consent("learning", False)
    with pytest.raises(NoConsent):
        memory.behavior.add("Use spaces")
    with pytest.raises(NoConsent):
        memory.behavior.edit(id_, "Use spaces")
    assert memory.behavior.delete(id_).state is State.INVALIDATED, "but it can be ended"


def test_a_deleted_rule_ends_and_holds_again_when_it_is_taken_back(
    memory: Memory, clock: FrozenClock
) -> None:
    id_ = said(memory, "Always use tabs.")
    clock.advance(days=2)
    memory.behavior.delete(id_)
    gone = stored(memory, id_)
    assert (gone.standing.state, gone.valid_to) == (State.INVALIDATED, clock.now())
    with pytest.raises(InvalidInput, match="`undo` it first"):
        memory.behavior.accept(id_)
    memory.behavior.undo(id_)
    back = stored(memory, id_)
    assert (back.standing.state, back.valid_to) == (State.ACTIVE, None)


def test_a_rule_does_not_end_before_it_began(memory: Memory, clock: FrozenClock) -> None:
    clock.advance(days=2)
    id_ = said(memory, "Always use tabs.")
    began = clock.now()
    clock.advance(days=-1)
    memory.behavior.delete(id_)
    assert stored(memory, id_).valid_to == began


def test_taking_back_an_edit_brings_back_what_was_edited(memory: Memory) -> None:
    first = said(memory, "Always use tabs.")
    second = memory.behavior.edit(first, "Put the summary first").id
    assert stored(memory, first).standing.superseded_by == second
    assert memory.behavior.undo(first).rule == "Always use tabs"
    assert rules(memory) == ["Always use tabs"]
    assert stored(memory, first).standing.superseded_by is None
    assert stored(memory, second).standing.state is State.INVALIDATED


def test_what_the_user_accepted_comes_first_in_a_prompt(memory: Memory) -> None:
    said(memory, "Always use tabs.", times=3)
    memory.behavior.accept(said(memory, "Never use semicolons."))
    shown = listing.for_prompt(workspace_of(memory), None)
    assert [one.rule for one in shown] == ["Never use semicolons", "Always use tabs"]


def test_a_section_has_fifteen_rules_at_most(memory: Memory) -> None:
    for number in range(16):
        memory.behavior.add(f"Show chart{number} beside table{number}")
    assert len(memory.behavior.rules()) == 16
    assert memory.behavior.prompt_section().count("Show chart") == 15


def test_rules_of_a_place_are_those_that_do_not_hold_everywhere(memory: Memory) -> None:
    said(memory, "Always use tabs.")
    memory.behavior.edit(said(memory, "Never use semicolons."), scope="shop")
    workspace = workspace_of(memory)
    assert listing.rules_of(workspace, "shop") == ["Never use semicolons"]
    assert listing.rules_of(workspace, "blog") == listing.rules_of(workspace, None) == []
