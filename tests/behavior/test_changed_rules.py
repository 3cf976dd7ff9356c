"""What a message does to rules in force, by what a comparer says of it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.behavior import changed_rules, rules
from sharpwave.testing import workspace_of
from sharpwave.types.statements import Effect, Reading, ReadMode, Span, TargetRelation
from sharpwave.types.steering import RuleOperation, Signal, SteeringType

ENDS, REPLACES = Effect(0.02, 0.0, 0.03, 0.95), Effect(0.02, 0.0, 0.95, 0.03)
TABLES = "Put every list of items in a table"


class SaysTheSame:
    """A reader that takes every sentence for a rule, or none, and every remark for one change."""

    def __init__(self, effect: Effect, chance: float) -> None:
        self.effect, self.chance = effect, chance

    def read(self, text: str, sentences: Sequence[Span]) -> list[Reading]:
        return [Reading(0.5, 0.0, self.chance, ReadMode.HOLDS) for _ in sentences]

    def compare(self, notes: Sequence[str], remark: str) -> list[Effect]:
        return [self.effect] * len(notes)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db") as opened:
        yield opened


def changes(
    memory: Memory, said: str, told: str, effect: Effect, chance: float = 0.9
) -> tuple[list[RuleOperation], list[str]]:
    """What becomes of the rule, and which of the signals told are left to be learned."""
    said_first = memory.remember(said).ids  # before there is a rule: what is told is told here
    memory.behavior.add(TABLES)
    workspace = workspace_of(memory)
    (turn,) = workspace.store.find(said_first)
    reader = SaysTheSame(effect, chance)
    compared = replace(workspace, shared=replace(workspace.shared, reader=reader))
    known = [one for one in rules.stored(workspace) if one.text == TABLES]
    found = [Signal(SteeringType.PREFERENCE, told, 0.9)] if told else []
    operations, left = changed_rules.changed(compared, said, known, found, turn, ())
    return operations, [one.rule for one in left]


def test_a_sentence_that_ends_one_rule_still_tells_another(memory: Memory) -> None:
    said = "The table for every list can go, write short sentences from now on"
    (one,), left = changes(memory, said, "write short sentences", ENDS)
    assert (one.relation, left) == (TargetRelation.END, ["write short sentences"])


def test_what_replaces_a_rule_is_not_learned_besides(memory: Memory) -> None:
    said = "Instead of every list in a table write short sentences"
    (one,), left = changes(memory, said, "write short sentences", REPLACES)
    assert (one.relation, one.signal.rule, left) == (
        TargetRelation.UPDATE,
        "write short sentences",
        [],
    )


@pytest.mark.parametrize("effect", [ENDS, REPLACES])
def test_a_rule_that_is_said_again_stands(memory: Memory, effect: Effect) -> None:
    assert changes(memory, TABLES, TABLES, effect) == ([], [TABLES])


@pytest.mark.parametrize("told", ["", "put every list in a table, please"])
def test_what_is_hardly_a_rule_ends_none(memory: Memory, told: str) -> None:
    said = "Every list of items is in a table at my new office, they say"
    assert changes(memory, said, told, ENDS, chance=0.0)[0] == []


def test_but_it_may_replace_one(memory: Memory) -> None:
    (one,), _ = changes(memory, "Every list of items in columns", "", REPLACES, chance=0.0)
    assert one.relation is TargetRelation.UPDATE
