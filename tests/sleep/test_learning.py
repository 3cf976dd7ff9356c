"""What a night learns from feedback, and what it lets go of when its time is over."""

import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.sleep.living import Killed

from sharpwave import Kind, Memory, Settings
from sharpwave.behavior.skills import population
from sharpwave.errors import Overtaken
from sharpwave.settings.core import SleepSettings
from sharpwave.sleep import cycle, schedule, scheduler
from sharpwave.sleep.journal import Step
from sharpwave.sleep.run import SleepRun, read_state
from sharpwave.sleep.schedule import IdleMonitor
from sharpwave.sleep.scheduler import Scheduler
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of, workspace_of
from sharpwave.types.intent import ReadContext
from sharpwave.types.records import State
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
        choice = memory.skills.select("…", context=QUESTION)
        memory.feedback(choice.message_id, 1, free_text=comment)


def deploy(memory: Memory, times: int) -> None:
    """The same work, done well."""
    for number in range(times):
        with memory.agents.start("deploy the app", session=f"deploy {number}") as work:
            for tool in ("build", "test", "push"):
                work.action(tool, success=True)


def readings(memory: Memory) -> int:
    found = workspace_of(memory).store.staged(Staged(Kind.FEEDBACK))
    return sum(record.metadata["form"] == "reading" for record in found)


@pytest.mark.spec("SCH-04")
def test_a_night_reads_the_comments_and_can_be_taken_back(memory: Memory) -> None:
    rate(memory, 6, "far too long, please be brief")
    before = memory.skills.style()
    report = memory.sleep()
    assert report.counts["read"] == 6 == readings(memory)
    memory.admin.undo_sleep(report.run)
    assert readings(memory) == 0
    assert memory.skills.style() == before


def test_what_was_taken_back_is_not_learned_again_from_the_same(
    memory: Memory, clock: FrozenClock
) -> None:
    rate(memory, 6, "far too long, please be brief")
    deploy(memory, 4)
    before = memory.skills.style()
    report = memory.sleep()
    assert report.counts["read"] == 6 and report.counts["learned"] > 0
    memory.admin.undo_sleep(report.run)
    clock.advance(days=1)
    again = memory.sleep()
    memory.skills.learn(even_if_few=True)
    scheduler.run_tasks(resources_of(memory), threading.Event())
    assert "read" not in again.counts and "learned" not in again.counts
    assert readings(memory) == 0 and memory.skills.style() == before
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
    write = SleepRun.write

    def die(night: SleepRun, items: Sequence[str], step: Step) -> None:
        if items[0].startswith("feedback@"):
            raise Killed
        write(night, items, step)

    with monkeypatch.context() as patched:
        patched.setattr(SleepRun, "write", die)
        with pytest.raises(Killed):
            memory.sleep()
    clock.advance(minutes=3)
    report = memory.sleep()
    assert report.counts["read"] == 12 == readings(memory)
    assert memory.admin.undo_sleep(report.run).removed == 12


@pytest.mark.spec("SCH-04", "FB-21")
def test_feedback_is_learned_from_at_its_own_hours(memory: Memory, clock: FrozenClock) -> None:
    stop = threading.Event()
    assert scheduler.run_tasks(resources_of(memory), stop) == {}
    rate(memory, 6, "far too long, please be brief")
    three = schedule.last_time("0 3 * * *", NOON) + timedelta(days=1)
    clock.advance(seconds=(three - NOON).total_seconds() - 60)
    scheduler.run_tasks(resources_of(memory), stop)
    assert readings(memory) == 0, "not before the hour"
    clock.advance(minutes=2)
    busy = IdleMonitor(lambda: 99.0, SleepSettings())
    Scheduler(resources_of(memory), busy).check(stop)
    assert readings(memory) == 6
    assert scheduler.run_tasks(resources_of(memory), stop) == {}, "once a day"


def test_a_round_ends_with_what_those_who_agreed_liked(memory: Memory) -> None:
    people = [f"user-{number}" for number in range(population.MIN_PEOPLE)]
    for name in people:
        person = memory.user(name)
        person.admin.consent("population", True)
        choice = person.skills.select("…", context=QUESTION)
        person.feedback(choice.message_id, 1, skill="concise_response")
    memory.admin.sleep_all()
    store = resources_of(memory).store.for_user(population.POPULATION_USER)
    bucket = memory.skills.select("…", context=QUESTION).bucket
    assert "concise_response" in store.tallies(f"population/{bucket}")


@pytest.mark.spec("BEH-11", "TRJ-05", "TRJ-06", "SCH-06")
def test_what_is_over_its_time_is_let_go_of(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("Always answer in French.", session="s")
    memory.skills.select("…", context=QUESTION)
    (rule,), (chosen,) = memory.behavior.rules(), memory.skills.trajectories()
    _nights(memory, clock, 94)
    assert memory.behavior.rules() == [] and memory.skills.trajectories()[0].archived
    (last,) = [r for r in memory.admin.sleep_log(99) if "dropped" in r.counts]
    assert {entry.id for entry in last.entries if entry.what == "dropped"} == {rule.id, chosen.id}
    memory.admin.undo_sleep(last.run)
    assert [one.id for one in memory.behavior.rules()] == [rule.id]
    assert not memory.skills.trajectories()[0].archived
    _nights(memory, clock, 280)
    assert memory.skills.trajectories() == []
    (record,) = workspace_of(memory).store.find([rule.id])
    assert record.standing.state is State.INVALIDATED
    assert any(
        "cannot be brought back" in note for r in memory.admin.sleep_log(99) for note in r.notes
    )


def test_what_was_said_is_erased_only_if_the_settings_say_so(
    clock: FrozenClock, tmp_path: Path
) -> None:
    settings = Settings.model_validate({"retention": {"turns_days": 30}})
    with Memory.open(
        tmp_path / "m.db", settings=settings, clock=clock, embedder=HashEmbedder(64)
    ) as memory:
        memory.remember("I live in Porto.", session="s")
        _nights(memory, clock, 28)
        assert memory.facts.list(subject="user")
        _nights(memory, clock, 7)
        assert not memory.facts.list(subject="user") and not memory.recall("Where do I live?").items


def _nights(memory: Memory, clock: FrozenClock, days: int) -> None:
    """A night every week, so that the clock seems right."""
    memory.sleep(heavy=True)
    for _ in range(days // 7):
        clock.advance(days=7)
        memory.sleep(heavy=True)
    clock.advance(days=days % 7)
    memory.sleep(heavy=True)


def test_a_consent_withdrawn_during_a_run_is_noticed(memory: Memory) -> None:
    deploy(memory, 4)

    def withdraw(name: str) -> None:
        if name == "distil.plan":
            memory.admin.consent("learning", False)

    report = cycle.sleep(workspace_of(memory), checkpoint=withdraw)
    assert report.finished_at and "learned" not in report.counts


def test_nothing_is_written_for_a_user_who_was_erased_during_a_run(memory: Memory) -> None:
    memory.remember("I live in Porto.", session="s")

    def erase(name: str) -> None:
        if name == "promote.plan":
            memory.forget(everything=True)

    with pytest.raises(Overtaken):
        cycle.sleep(workspace_of(memory), checkpoint=erase)
    assert memory.admin.users() == [] and read_state(workspace_of(memory)) == ({}, 0)
