"""What a night lets go of, and what it keeps: at the edges of each limit."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from sharpwave import Kind, Memory, Record, Report, Settings, Source
from sharpwave.sleep import fade
from sharpwave.sleep.run import SleepRun
from sharpwave.temporal.clock import new_id
from sharpwave.testing import FrozenClock, HashEmbedder, in_memory, workspace_of
from sharpwave.types.intent import ReadContext
from sharpwave.types.records import (
    Channel,
    Provenance,
    Stage,
    Standing,
    State,
    Statement,
    Temperature,
    Trust,
)
from sharpwave.types.storing import Change, Staged

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


def opened(clock: FrozenClock, **retention: float) -> Memory:
    settings = Settings.model_validate({"retention": retention})
    return in_memory(clock=clock, embedder=HashEmbedder(16), settings=settings)


def variant(memory: Memory, clock: FrozenClock, kind: Kind = Kind.FACT, **standing: Any) -> str:
    """A fact that a weaker source told, beside what is known."""
    now = clock.now()
    record = Record(
        id=new_id(now),
        user_id=memory.user_id,
        kind=kind,
        text="The user lives in Lisbon",
        provenance=Provenance(Source.INFERRED, Channel.LIBRARY, Trust.INFERRED, "test"),
        standing=replace(
            Standing(Stage.EPISODIC, Temperature.HOT, 0.5, 0.2, 1, now, state=State.UNCERTAIN),
            **standing,
        ),
        valid_from=now,
        recorded_at=now,
        statement=Statement("user", "lives_in", "Lisbon"),
        slot="user|lives_in|",
    )
    workspace_of(memory).store.commit(Change("test", now, (record,)))
    return record.id


def nights(memory: Memory, clock: FrozenClock, *pauses: float) -> Report:
    """A night, and one more after each pause in days; the report of the last."""
    report = memory.sleep(heavy=True)
    for days in pauses:
        clock.advance(days=days)
        report = memory.sleep(heavy=True)
    return report


@pytest.mark.spec("REC-05")
@pytest.mark.parametrize(
    ("standing", "days", "dropped"),
    [
        ({}, 90.0, 0),
        ({}, 90.01, 1),
        ({"confidence": 0.299}, 91.0, 1),
        ({"confidence": 0.3}, 91.0, 0),
        ({"rival": "another"}, 91.0, 0),
        ({"state": State.ACTIVE}, 91.0, 0),
    ],
)
def test_weak_variants_nobody_repeats_are_dropped(
    clock: FrozenClock, standing: dict[str, Any], days: float, dropped: int
) -> None:
    memory = opened(clock)
    id_ = variant(memory, clock, **standing)
    report = nights(memory, clock, 45, days - 50, 5)
    assert report.counts.get("dropped", 0) == dropped
    (record,) = workspace_of(memory).store.find([id_])
    assert (record.standing.state is State.INVALIDATED) is bool(dropped)
    if dropped:
        (why,) = [entry.why for entry in report.entries if entry.what == "dropped"]
        assert why == f"a variant nobody repeated, {record.standing.confidence:.2f}"


def test_only_facts_have_variants(clock: FrozenClock) -> None:
    memory = opened(clock)
    id_ = variant(memory, clock, Kind.NOTE)
    (before,) = workspace_of(memory).store.find([id_])
    nights(memory, clock, 45, 41, 5)
    assert workspace_of(memory).store.find([id_]) == [before]


def test_what_others_say_of_a_variant_meanwhile_is_not_lost(clock: FrozenClock) -> None:
    memory = opened(clock)
    variant(memory, clock)
    nights(memory, clock, 45, 41)
    clock.advance(days=5)
    workspace = workspace_of(memory)
    run = SleepRun.begin(workspace, heavy=True)
    step = fade.process(run, fade.plan(run))
    assert step.seen == workspace.store.slot_heads(["user|lives_in|"]), "it has not changed"


def test_rules_seen_once_and_choices_nobody_rated_go(clock: FrozenClock) -> None:
    memory = opened(clock)
    memory.remember("Always answer in French.", session="s")
    memory.skills.select("…", context=ReadContext("question", "neutral", "morning", None, ()))
    (rule,), (choice,) = memory.behavior.rules(), memory.skills.trajectories()
    report = nights(memory, clock, 45, 41, 5)
    dropped = {entry.id: entry.why for entry in report.entries if entry.what == "dropped"}
    assert dropped == {rule.id: "a rule seen once", choice.id: "a choice nobody rated"}
    assert memory.behavior.rules() == []
    assert [one.archived for one in memory.skills.trajectories()] == [True]


@pytest.mark.parametrize(("days", "left"), [(3.99, 1), (4.01, 0)])
def test_what_was_said_is_erased_after_so_long_and_that_is_told(
    clock: FrozenClock, days: float, left: int
) -> None:
    memory = opened(clock, turns_days=4)
    memory.remember("It rained on Saturday.", session="s")
    report = nights(memory, clock, days)
    assert memory.admin.stats().by_kind.get("turn", 0) == left
    assert report.counts.get("erased", 0) == 1 - left
    assert any("cannot be brought back" in note for note in report.notes) is not bool(left)


def test_what_only_gets_colder_is_not_erased(clock: FrozenClock) -> None:
    memory = opened(clock, turns_days=15)
    memory.remember("It rained on Saturday.", session="s")
    report = nights(memory, clock, 7, 7, 1)
    assert report.counts["faded"] == 1 and "erased" not in report.counts
    assert memory.admin.stats().by_kind["turn"] == 1


def test_after_a_jump_of_the_clock_nothing_goes_and_that_is_told(
    clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fade, "VARIANTS_DAYS", 4.0)
    memory = opened(clock, turns_days=4)
    memory.remember("It rained on Saturday.", session="s")
    variant(memory, clock)
    report = nights(memory, clock, 20)
    assert memory.admin.stats().by_kind["turn"] == 1
    assert not {"dropped", "erased"} & set(report.counts)
    assert report.counts["faded"] == 1 and any("jumped" in note for note in report.notes)


@pytest.mark.spec("EPI-03")
@pytest.mark.parametrize(
    ("pauses", "temperature", "why"),
    [
        ((7, 7), Temperature.HOT, None),
        ((7, 7, 1), Temperature.WARM, "warm after 15 days"),
        ((7, 7, 1, 75), Temperature.WARM, None),
        ((7, 7, 1, 76), Temperature.COLD, "cold after 91 days"),
    ],
)
def test_turns_get_colder(
    clock: FrozenClock, pauses: tuple[float, ...], temperature: Temperature, why: str | None
) -> None:
    memory = opened(clock)
    memory.remember("It rained on Saturday.", session="s")
    report = nights(memory, clock, *pauses)
    (turn,) = workspace_of(memory).store.staged(Staged(Kind.TURN, limit=10))
    assert turn.standing.temperature is temperature
    assert [entry.why for entry in report.entries if entry.what == "faded"] == (
        [why] if why else []
    )


def test_what_agents_did_is_kept_as_long_as_the_settings_say(clock: FrozenClock) -> None:
    memory = opened(clock, interactions_days=30)

    def work(tool: str) -> None:
        for _ in range(3):
            with memory.agents.start(f"deploy with {tool}", session=tool) as begun:
                begun.action(tool, success=True)
            clock.advance(hours=1)

    work("old_tool")
    clock.advance(days=27)
    work("new_tool")
    memory.sleep(heavy=True)
    assert {tool.name for tool in memory.agents.tools()} == {"old_tool", "new_tool"}
    clock.advance(days=5)
    report = memory.sleep(heavy=True)
    assert report.counts["erased"] == 3
    assert [tool.name for tool in memory.agents.tools()] == ["new_tool"], (
        "nor what was learned from it"
    )
    assert memory.admin.stats().by_kind["interaction"] == 3
