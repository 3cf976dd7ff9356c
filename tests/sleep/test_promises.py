"""What sleep promises beyond its phases: in which order, how much at once, at what cost."""

import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from tests.cpu import seconds

from sharpwave import Action, Kind, Memory, Record, Settings, TaskRun
from sharpwave.settings.core import SleepSettings
from sharpwave.sleep import cycle, replay
from sharpwave.sleep.run import DryRun
from sharpwave.sleep.schedule import IdleMonitor
from sharpwave.sleep.scheduler import Scheduler
from sharpwave.testing import FrozenClock, HashEmbedder, in_memory, resources_of, workspace_of
from sharpwave.types.records import Stage, Temperature
from sharpwave.types.storing import Staged

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def memory(clock: FrozenClock, tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock, embedder=HashEmbedder(64)) as opened:
        yield opened


def told(memory: Memory, count: int, about: str) -> None:
    memory.remember([f"Number {number}: we spoke of {about}." for number in range(count)])


def turns(memory: Memory) -> list[Record]:
    return workspace_of(memory).store.staged(Staged(Kind.TURN, limit=1000))


@pytest.mark.spec("SLP-08")
def test_a_hundred_memories_are_replayed_at_once(memory: Memory, clock: FrozenClock) -> None:
    told(memory, 250, "the sea")
    clock.advance(days=2)
    names: list[str] = []
    cycle.sleep(workspace_of(memory), checkpoint=names.append)
    steps = [name for name in names if name.startswith("replay.")]
    assert steps == ["replay.plan", "replay.0", "replay.100", "replay.200"]


@pytest.mark.spec("SLP-12", "WM-10")
def test_what_waits_is_what_is_replayed_and_its_cost_is_told_beforehand(
    memory: Memory, clock: FrozenClock
) -> None:
    told(memory, 20, "the sea")
    clock.advance(days=2)
    waiting = {turn.id for turn in turns(memory)}
    report = memory.sleep()
    assert {entry.id for entry in report.entries if entry.what == "replayed"} == waiting
    told(memory, 40, "the hills")
    clock.advance(days=2)
    status = memory.admin.sleep_status()
    assert (status.pending, status.running) == (40, None)
    assert status.estimated_s == pytest.approx(2 * report.cpu_s, rel=0.2, abs=0.002)
    memory.sleep()
    assert (
        memory.admin.sleep_status().pending == 0 and memory.admin.sleep_status().estimated_s == 0.0
    )


@pytest.mark.spec("SLP-24")
def test_without_sleep_everything_else_works(clock: FrozenClock) -> None:
    settings = Settings.model_validate({"sleep": {"enabled": False}})
    with in_memory(settings=settings, clock=clock, embedder=HashEmbedder(64)) as memory:
        for _ in range(100):
            memory.remember("I live in Porto.", session="s")
            clock.advance(days=1)
            idle = IdleMonitor(lambda: 0.0, SleepSettings())
            assert Scheduler(resources_of(memory), idle).check(threading.Event()) == []
        assert memory.admin.sleep_log() == [] and memory.admin.sleep_status().pending == 100
        assert memory.recall("Where do I live?").items
        assert memory.facts.profile()[0].object == "Porto"
        assert "Porto" in memory.context("Where do I live?").text


@pytest.mark.spec("RPL-04")
def test_a_tree_draws_from_many_memories_and_plain_weights_from_few(
    clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    for name in ("by_tree", "one_by_one"):
        draw = getattr(replay, name)

        def noted(
            weights: Sequence[float], draws: Sequence[float], name: str = name, draw: object = draw
        ) -> list[int]:
            drawn.append(name)
            return draw(weights, draws)  # type: ignore[operator, no-any-return]

        monkeypatch.setattr(replay, name, noted)
    with in_memory(clock=clock, embedder=HashEmbedder(16)) as memory:
        for count, total in ((1000, 1000), (1, 1001)):
            told(memory, count, "the sea")
            clock.advance(days=1)
            planned = replay.plan(DryRun.begin(workspace_of(memory), heavy=False))
            assert len(planned) == len(set(planned)) == total
    assert drawn == ["one_by_one", "by_tree"]


@pytest.mark.spec("RPL-05")
def test_what_is_recent_is_replayed_first_and_all_of_it_once(
    clock: FrozenClock,
) -> None:
    with in_memory(clock=clock, embedder=HashEmbedder(64)) as memory:
        told(memory, 30, "the sea")
        old = {turn.id for turn in turns(memory)}
        clock.advance(days=60)
        told(memory, 10, "the sea")
        clock.advance(hours=25)
        order = replay.plan(DryRun.begin(workspace_of(memory), heavy=False))
        assert sorted(order) == sorted(turn.id for turn in turns(memory))
        places = {True: [0], False: [0]}
        for place, id_ in enumerate(order):
            places[id_ in old].append(place)
        assert np.mean(places[False]) < np.mean(places[True])
        memory.sleep(heavy=False)
        assert {turn.standing.stage for turn in turns(memory)} == {Stage.EPISODIC}


@pytest.mark.spec("RPL-06")
def test_what_is_near_to_the_last_ten_things_the_user_said_matters_most(
    memory: Memory, clock: FrozenClock
) -> None:
    memory.remember("The boat needs new sails before summer.", session="s")
    memory.remember("My tax return is due in June.", session="s")
    for number in range(10):
        memory.remember(f"Where do I buy sails for the boat, part {number}?", session="s")
    clock.advance(hours=2)
    night = DryRun.begin(workspace_of(memory), heavy=False)
    said = turns(memory)
    near = replay.nearness(night, said)
    embedder = resources_of(memory).embedder
    asked = embedder.embed([turn.text for turn in said[-10:]])
    exact = (embedder.embed([turn.text for turn in said]) @ asked.T).mean(axis=1)
    assert near == pytest.approx(exact, abs=2e-3), "stored vectors have half the precision"
    assert near[0] > near[1]


@pytest.mark.spec("SCH-09")
def test_insights_are_drawn_every_night(memory: Memory, clock: FrozenClock) -> None:
    for day in range(2):
        for number in range(6):
            steps = (Action(f"plan_{day}"), Action(f"drive_{day}"))
            memory.agents.observe(TaskRun(f"deliver parcel {number}", steps, success=True))
            clock.advance(hours=1)
        known = {insight.id for insight in memory.agents.insights()}
        clock.advance(hours=18)
        report = memory.sleep(heavy=False)
        assert report.counts["learned"] > 0
        assert {insight.id for insight in memory.agents.insights()} - known, f"day {day}"


@pytest.mark.spec("TIER-09", "EPI-06")
def test_the_life_of_a_memory(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("The spare key lies under the blue flower pot.", session="s")
    memory.remember("It is raining a little in the old town today.", session="t")
    for _ in range(11):
        memory.recall("Where is the spare key?", k=1, kinds=["turn"])
    seen = []
    for days in (2, 4, 2, 93):
        clock.advance(days=days)
        memory.sleep(heavy=True)
        seen.append([(t.standing.stage, t.standing.temperature) for t in turns(memory)])
    hot = (Stage.EPISODIC, Temperature.HOT)
    assert seen[0] == [hot, hot] == seen[1], "for a week both are what happened lately"
    assert seen[2] == [(Stage.SEMANTIC, Temperature.HOT), hot], "then what is used is lasting"
    assert seen[3][0] == (Stage.SEMANTIC, Temperature.HOT), "and stays at hand"
    assert seen[3][1] == (Stage.EPISODIC, Temperature.COLD), "the other is put away"
    (found, *_) = memory.recall("Is it raining in the old town?", kinds=["turn"]).items
    assert found.text.startswith("It is raining"), "but within reach"
    assert found.record.standing.temperature is Temperature.COLD, "and marked"


@pytest.mark.spec("PRF-11")
def test_nights_cost_as_much_as_there_are_users(clock: FrozenClock) -> None:
    """700 minutes for 500 users would be 84 s each; a night of a day's talk takes far less."""

    def nights(users: int) -> float:
        with in_memory(clock=clock, embedder=HashEmbedder(32)) as memory:
            for number in range(users):
                told(memory.user(f"user-{number}"), 20, "the sea")
            clock.advance(days=2)
            return seconds(lambda: memory.admin.sleep_all())

    few, many = nights(5), nights(20)
    assert many < 12 * few, "four times as many users"
    assert many / 20 < 84 / 100
