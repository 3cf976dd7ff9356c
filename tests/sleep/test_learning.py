"""What a night learns from feedback, and what it lets go of when its time is over."""

import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.sleep.living import Killed

from sharpwave.behavior import population
from sharpwave.memory import Memory
from sharpwave.settings.sleep import ScheduleSettings
from sharpwave.settings.tree import Settings
from sharpwave.sleep.night import Night
from sharpwave.sleep.step import Step
from sharpwave.sleep.when import batches
from sharpwave.sleep.when.idle import IdleWatch
from sharpwave.sleep.when.watch import Nightwatch
from sharpwave.testing import FrozenClock, HashEmbedder
from sharpwave.types.intent import ReadContext
from sharpwave.types.records import Kind, State
from sharpwave.types.storing import Staged

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
QUESTION = ReadContext("question", "neutral", "morning", None, ())


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def memory(clock: FrozenClock, tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock, embedder=HashEmbedder(64)) as opened:
        yield opened


def rate(memory: Memory, times: int, comment: str | None = None) -> None:
    """Answers that were liked, with a comment or without."""
    for _ in range(times):
        choice = memory.select_skill("…", context=QUESTION)
        memory.feedback(choice.message_id, 1, free_text=comment)


def deploy(memory: Memory, times: int) -> None:
    """The same work, done well."""
    for number in range(times):
        with memory.start_interaction("deploy the app", session=f"deploy {number}") as work:
            for tool in ("build", "test", "push"):
                work.action(tool, success=True)


def readings(memory: Memory) -> int:
    found = memory._ports.store.staged(memory.user_id, Staged(Kind.FEEDBACK))
    return sum(record.metadata["form"] == "reading" for record in found)


@pytest.mark.spec("SCH-04")
def test_a_night_reads_the_comments_and_can_be_taken_back(memory: Memory) -> None:
    rate(memory, 6, "far too long, please be brief")
    before = memory.style()
    report = memory.sleep()
    assert report.counts["read"] == 6 == readings(memory)
    memory.undo_sleep(report.run)
    assert readings(memory) == 0
    assert memory.style() == before


def test_what_was_taken_back_is_not_learned_again_from_the_same(
    memory: Memory, clock: FrozenClock
) -> None:
    rate(memory, 6, "far too long, please be brief")
    deploy(memory, 4)
    before = memory.style()
    report = memory.sleep()
    assert report.counts["read"] == 6 and report.counts["learned"] > 0
    memory.undo_sleep(report.run)
    clock.advance(days=1)
    again = memory.sleep()
    memory.learn_behavior(even_if_few=True)
    batches.look(memory._ports, memory._settings, threading.Event())
    assert "read" not in again.counts and "learned" not in again.counts
    assert readings(memory) == 0 and memory.style() == before
    rate(memory, 6, "far too long, please be brief")
    deploy(memory, 4)
    more = memory.sleep()
    assert more.counts["read"] == 6 == readings(memory), "only the new ones"
    assert more.counts["learned"] > 0, "there is twice as much to learn from"


def test_few_comments_wait_for_more(memory: Memory) -> None:
    rate(memory, 2, "far too long")
    report = memory.sleep()
    assert "read" not in report.counts and "2 comments wait for more" in report.notes


def test_killed_after_learning_and_before_noting_it_ends_the_same(
    memory: Memory, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    rate(memory, 12, "far too long, please be brief")
    write = Night.write

    def die(night: Night, items: Sequence[str], step: Step) -> None:
        if items[0].startswith("feedback@"):
            raise Killed
        write(night, items, step)

    with monkeypatch.context() as patched:
        patched.setattr(Night, "write", die)
        with pytest.raises(Killed):
            memory.sleep()
    clock.advance(minutes=3)
    report = memory.sleep()
    assert report.counts["read"] == 12 == readings(memory)
    assert memory.undo_sleep(report.run).removed == 12


@pytest.mark.spec("SCH-04")
def test_feedback_is_learned_from_at_its_own_hours(memory: Memory, clock: FrozenClock) -> None:
    settings, stop = memory._settings, threading.Event()
    assert batches.look(memory._ports, settings, stop) == []
    rate(memory, 6, "far too long, please be brief")
    assert batches.look(memory._ports, settings, stop) == [], "not before the hour"
    clock.advance(days=1)
    busy = IdleWatch(lambda: 99.0, ScheduleSettings())
    Nightwatch(memory._ports, settings, busy).look(stop)
    assert readings(memory) == 6
    assert batches.look(memory._ports, settings, stop) == [], "once a day"


def test_a_round_ends_with_what_those_who_agreed_liked(memory: Memory) -> None:
    people = [f"user-{number}" for number in range(memory._settings.skills.population.min_people)]
    for name in people:
        person = memory.user(name)
        person.consent("population", True)
        choice = person.select_skill("…", context=QUESTION)
        person.feedback(choice.message_id, 1, skill="concise_response")
    memory.sleep_everyone()
    store = memory._ports.store
    bucket = memory.select_skill("…", context=QUESTION).bucket
    assert "concise_response" in store.tallies(population.EVERYBODY, f"population/{bucket}")


@pytest.mark.spec("BEH-11", "TRJ-05", "TRJ-06", "SCH-06")
def test_what_is_over_its_time_is_let_go_of(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("Always answer in French.", session="s")
    memory.select_skill("…", context=QUESTION)
    (rule,), (chosen,) = memory.behaviors(), memory.trajectories()
    _nights(memory, clock, 94)
    assert memory.behaviors() == [] and memory.trajectories()[0].archived
    (last,) = [r for r in memory.sleep_log(99) if "dropped" in r.counts]
    assert {entry.id for entry in last.entries if entry.what == "dropped"} == {rule.id, chosen.id}
    memory.undo_sleep(last.run)
    assert [one.id for one in memory.behaviors()] == [rule.id]
    assert not memory.trajectories()[0].archived
    _nights(memory, clock, 280)
    assert memory.trajectories() == []
    (record,) = memory._ports.store.find(memory.user_id, [rule.id])
    assert record.standing.state is State.INVALIDATED
    assert any("cannot be brought back" in note for r in memory.sleep_log(99) for note in r.notes)


def test_what_was_said_is_erased_only_if_the_settings_say_so(
    clock: FrozenClock, tmp_path: Path
) -> None:
    settings = Settings.model_validate({"retention": {"turns_days": 30}})
    with Memory.open(
        tmp_path / "m.db", settings=settings, clock=clock, embedder=HashEmbedder(64)
    ) as memory:
        memory.remember("I live in Porto.", session="s")
        _nights(memory, clock, 28)
        assert memory.facts(subject="user")
        _nights(memory, clock, 7)
        assert not memory.facts(subject="user") and not memory.recall("Where do I live?").items


def _nights(memory: Memory, clock: FrozenClock, days: int) -> None:
    """A night every week, so that the clock seems right."""
    memory.sleep(heavy=True)
    for _ in range(days // 7):
        clock.advance(days=7)
        memory.sleep(heavy=True)
    clock.advance(days=days % 7)
    memory.sleep(heavy=True)
