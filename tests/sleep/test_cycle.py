"""A night: what it does, that it can be interrupted anywhere, and that it can be taken back."""

import shutil
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.sleep.living import Killed, fingerprint, live, opened, sleep_until

from sharpwave import Forgotten, InvalidInput, Kind, NotFound
from sharpwave.errors import Busy, Overtaken
from sharpwave.ports import UserStore
from sharpwave.sleep import cycle
from sharpwave.sleep.run import SleepRun
from sharpwave.testing import resources_of, workspace_of
from sharpwave.types.records import Stage
from sharpwave.types.storing import Staged

LEASE = timedelta(minutes=3)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, datetime]:
    """A file in which four days have passed."""
    path = tmp_path_factory.mktemp("lived") / "memory.db"
    return path, live(path)


@pytest.fixture
def path(lived: tuple[Path, datetime], tmp_path: Path) -> Path:
    """A copy of that file."""
    copy = tmp_path / "memory.db"
    shutil.copy(lived[0], copy)
    return copy


@pytest.fixture
def now(lived: tuple[Path, datetime]) -> datetime:
    """When that was."""
    return lived[1]


@pytest.mark.spec("SLP-01", "SLP-09", "WM-09")
def test_a_night_settles_the_day_and_says_what_it_did(path: Path, now: datetime) -> None:
    with opened(path, now) as memory:
        waiting = memory.admin.sleep_status()
        assert waiting.pending == 64 and waiting.last_at is None
        report = memory.sleep()
        assert report.finished_at is not None and report.heavy
        assert report.counts["replayed"] == 64
        assert report.counts["summarised"] == 8
        assert report.counts["learned"] > 0
        after = memory.admin.sleep_status()
        assert after.pending == 0 and after.last_at == now
        assert memory.admin.sleep_log() == [report]
        (summary, *_) = memory.recall("Which garden with lemon trees?", kinds=["episode"]).items
        assert "lemon trees" in summary.text
        again = memory.sleep(heavy=False)
        assert not again.counts, "there is nothing left to do"


def test_a_summary_quotes_what_was_said_and_goes_with_it(path: Path, now: datetime) -> None:
    with opened(path, now) as memory:
        memory.sleep()
        (summary,) = workspace_of(memory).store.find(
            [e.id for e in memory.admin.sleep_log()[0].entries if e.what == "summarised"][:1],
        )
        assert summary.kind is Kind.EPISODE and summary.session_id
        turns = workspace_of(memory).store.latest(summary.session_id, 99)
        said = "\n".join(turn.text for turn in turns)
        for line in summary.text.splitlines():
            assert line.split(": ", 1)[1] in said
        memory.forget(session=summary.session_id)
        assert workspace_of(memory).store.find([summary.id]) == []


def test_a_dry_run_writes_nothing(path: Path, now: datetime) -> None:
    with opened(path, now) as memory:
        before, head = fingerprint(memory), workspace_of(memory).store.head()
        report = memory.sleep(dry_run=True)
        assert report.counts["replayed"] == 64
        assert fingerprint(memory) == before and workspace_of(memory).store.head() == head
        assert memory.admin.sleep_log() == [] and memory.admin.sleep_status().pending == 64


@pytest.mark.spec("SLP-01")
def test_killed_anywhere_it_ends_the_same(path: Path, now: datetime, tmp_path: Path) -> None:
    whole = tmp_path / "whole.db"
    shutil.copy(path, whole)
    with opened(whole, now) as memory:
        names: list[str] = []
        cycle.sleep(workspace_of(memory), heavy=True, checkpoint=names.append)
        expected, places = fingerprint(memory), len(names)
    assert places > 25
    for place in range(0, places, 3):
        broken = tmp_path / f"{place}.db"
        shutil.copy(path, broken)
        with opened(broken, now) as memory:
            assert sleep_until(memory, place) is None, f"killed at {names[place]}"
            with pytest.raises(Busy):
                memory.sleep()
        with opened(broken, now + LEASE) as memory:
            report = memory.sleep()
            assert report.started_at == now
            assert fingerprint(memory) == expected, f"killed at {names[place]}"


def test_whoever_lost_the_lease_writes_nothing_more(path: Path, now: datetime) -> None:
    with opened(path, now) as slow:
        night = SleepRun.begin(workspace_of(slow), heavy=True)
        with opened(path, now + LEASE) as quick:
            report = quick.sleep()
            assert report.run == night.id and report.finished_at
            before = fingerprint(quick)
        assert not night.holds_lease
        with pytest.raises(Overtaken):
            night.pause("late")
        assert fingerprint(slow) == before


def test_asked_to_stop_it_stops_in_good_order_and_goes_on_later(path: Path, now: datetime) -> None:
    with opened(path, now) as memory:
        report = sleep_until(memory, 6, cycle.Stop)
        assert report is not None and report.finished_at is None
        assert cycle.STOPPED in report.notes
        rest = memory.sleep()
        assert rest.run == report.run and rest.finished_at
        assert rest.counts["replayed"] == 64


def test_what_is_not_done_in_time_is_carried_over(
    path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cycle, "USER_MINUTES", 1e-9)
    with opened(path, now) as memory:
        report = memory.sleep()
        assert report.finished_at is None and cycle.OUT_OF_TIME in report.notes
    monkeypatch.undo()
    with opened(path, now) as memory:
        assert memory.sleep().run == report.run
        assert memory.admin.sleep_status().pending == 0


def test_a_night_can_be_taken_back(path: Path, now: datetime) -> None:
    with opened(path, now) as memory:
        before = fingerprint(memory)
        report = memory.sleep()
        assert fingerprint(memory) != before
        undone = memory.admin.undo_sleep(report.run)
        assert undone.removed >= 8 and undone.restored == 64 and undone.kept == ()
        assert fingerprint(memory) == before
        assert memory.admin.sleep_log()[0].undone
        with pytest.raises(NotFound):
            memory.admin.undo_sleep(report.run)
        with pytest.raises(NotFound):
            memory.admin.undo_sleep("no such night")
        again = memory.sleep()
        assert again.counts["replayed"] == 64, "time goes on"
        assert "summarised" not in again.counts, "what was taken back is not done again"


def test_taking_back_goes_on_where_it_was_killed(
    path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*args: object) -> Forgotten:
        raise Killed

    with opened(path, now) as memory:
        before = fingerprint(memory)
        report = memory.sleep()
        monkeypatch.setattr(type(workspace_of(memory).store), "forget", die)
        with pytest.raises(Killed):
            memory.admin.undo_sleep(report.run)
        monkeypatch.undo()
        memory.admin.undo_sleep(report.run)
        assert fingerprint(memory) == before


def test_something_else_may_be_forgotten_while_a_night_is_taken_back(
    tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "short.db"
    with opened(path, now) as memory:
        memory.remember("The mill is old.", session="walk")
        others = list(memory.remember("The tea was cold.", session="tea").ids)
    with opened(path, now + timedelta(days=2)) as memory:
        report = memory.sleep()
        store = type(workspace_of(memory).store)
        slot_heads = store.slot_heads

        def forget_first(self: UserStore, slots: Sequence[str]) -> dict[str, int]:
            if others:
                memory.forget(others.pop())
            return slot_heads(self, slots)

        monkeypatch.setattr(store, "slot_heads", forget_first)
        assert memory.admin.undo_sleep(report.run).restored == 1
        assert not others and memory.admin.sleep_log()[0].undone


def test_what_changed_since_is_left_alone(path: Path, now: datetime) -> None:
    with opened(path, now) as memory:
        report = memory.sleep()
        (turn, *_) = workspace_of(memory).store.staged(Staged(Kind.TURN, limit=1))
    with opened(path, now + timedelta(days=30)) as memory:
        memory.sleep()  # everything has become warm
        (older,) = workspace_of(memory).store.find([turn.id])
        assert older.standing.temperature.value == "warm"
        memory.admin.undo_sleep(report.run)
        (back,) = workspace_of(memory).store.find([turn.id])
        assert back.standing.stage is Stage.ACTIVE


@pytest.mark.parametrize("limit", [-1, 0, 1.5, True, "3", 10_001])
def test_a_number_of_nights_that_is_none_is_refused(
    path: Path, now: datetime, limit: object
) -> None:
    with opened(path, now) as memory, pytest.raises(InvalidInput, match="limit"):
        memory.admin.sleep_log(limit)  # type: ignore[arg-type]


def test_users_do_not_sleep_for_each_other(path: Path, now: datetime) -> None:
    with opened(path, now) as memory:
        other = memory.user("bob")
        other.remember("I live in Rome.", session="s")
        before = fingerprint(other)
        memory.sleep()
        assert fingerprint(other) == before and other.admin.sleep_log() == []


@pytest.mark.spec("BUS-01")
def test_the_bus_hears_of_it(path: Path, now: datetime) -> None:
    with opened(path, now) as memory:
        report = memory.sleep()
        told = [
            e for e in resources_of(memory).store.events(0, 10_000) if "consolidation" in e.topic
        ]
        assert [event.topic for event in told] == [
            "memory.consolidation.start",
            "memory.consolidation.complete",
        ]
        assert told[1].payload == {"run": report.run, "counts": dict(report.counts)}
