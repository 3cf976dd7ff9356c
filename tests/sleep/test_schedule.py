"""When sleep comes by itself."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest

from sharpwave import InvalidSettings, Memory, Settings, tallies
from sharpwave.settings.core import SleepSettings
from sharpwave.settings.tree import Settings as AllSettings
from sharpwave.sleep import cycle, schedule
from sharpwave.sleep.schedule import IdleMonitor, last_time
from sharpwave.sleep.scheduler import Scheduler, sleep_all
from sharpwave.testing import FrozenClock, HashEmbedder, in_memory, resources_of, workspace_of
from sharpwave.types.storing import ANSWERS_TOPIC, REQUESTS

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.mark.spec("SLP-03", "SLP-04", "SCH-12")
def test_the_calendar_is_that_of_the_local_time_zone() -> None:
    porto, tokyo = ZoneInfo("Europe/Lisbon"), ZoneInfo("Asia/Tokyo")
    assert schedule.last_time("0 2 * * *", NOON, porto) == datetime(2026, 5, 4, 1, tzinfo=UTC)
    assert schedule.last_time("0 2 * * *", NOON, tokyo) == datetime(2026, 5, 3, 17, tzinfo=UTC)
    sunday = schedule.last_time("0 5 * * 0", NOON, ZoneInfo("UTC"))
    assert sunday == datetime(2026, 5, 3, 5, tzinfo=UTC)


def test_what_is_no_schedule_is_refused() -> None:
    for wrong in ("at night", "0 25 * * *", "* * *"):
        with pytest.raises(InvalidSettings, match="Five fields"):
            schedule.last_time(wrong, NOON)


@pytest.mark.spec("SLP-02")
def test_idle_means_low_for_long_enough_without_a_break() -> None:
    load = iter([10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 90.0, 10.0, 10.0])
    watch = IdleMonitor(lambda: next(load), SleepSettings())
    seen = [watch.check(NOON + place * MINUTE) for place in range(9)]
    assert seen == [False] * 5 + [True, False, False, False]


def test_a_clock_that_jumps_is_no_idleness() -> None:
    watch = IdleMonitor(lambda: 1.0, SleepSettings())
    assert not watch.check(NOON)
    assert not watch.check(NOON + timedelta(days=3))
    assert not watch.check(NOON)


@pytest.mark.spec("SLP-04")
def test_a_busy_machine_is_waited_for_but_not_forever() -> None:
    settings, zone = SleepSettings(), ZoneInfo("UTC")
    early = datetime(2026, 5, 4, 3, tzinfo=UTC)
    assert schedule.is_time(early, settings, idle=True, zone=zone)
    assert not schedule.is_time(early, settings, idle=False, zone=zone)
    assert schedule.is_time(early + timedelta(hours=6), settings, idle=False, zone=zone)


@pytest.mark.spec("SLP-05")
def test_everybody_gets_the_weekly_work_in_seven_days_whoever_joins_or_leaves() -> None:
    clock, random = FrozenClock(NOON), Random(3)
    heavy: dict[str, list[datetime]] = {}
    with in_memory(settings=_settings(), clock=clock, embedder=HashEmbedder(32)) as memory:
        people = [f"user-{number}" for number in range(20)]
        for day in range(30):
            if day % 3 == 0:
                people.append(f"late-{day}")
            if day % 5 == 4:
                gone = people.pop(random.randrange(len(people)))
                memory.user(gone).forget(everything=True)
                heavy.pop(gone, None)
            for person in people:
                if random.random() < 0.3 or person not in heavy:
                    memory.user(person).remember(f"Today is day {day}.", session=f"{day}")
                    heavy.setdefault(person, [])
            for report in memory.admin.sleep_all():
                if report.heavy:
                    heavy[report.user_id].append(report.started_at)
            clock.advance(days=1)
            for person in people:
                waited = clock.now() - max(heavy[person])
                assert waited <= timedelta(days=7), (person, day)
        loads = [
            sum(NOON + timedelta(days=d) in days for days in heavy.values()) for d in range(8, 30)
        ]
        assert max(loads) < len(heavy) / 2, "spread over the week"


@pytest.mark.spec("SCH-01", "SLP-03")
def test_a_run_a_day_on_an_idle_machine_and_a_history_of_runs(tmp_path: Path) -> None:
    midday = last_time("0 2 * * *", NOON) + timedelta(hours=10)
    clock = FrozenClock(midday)
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        load = [50.0]
        watch = Scheduler(resources_of(memory), IdleMonitor(lambda: load[0], SleepSettings()))

        def checked(minutes: int) -> list[str]:
            found = []
            for _ in range(minutes):
                clock.advance(minutes=1)
                found += [report.run for report in watch.check(threading.Event())]
            return found

        first = memory.remember("I live in Porto.", session="s")
        assert first.ids and len(checked(1)) == 1, "of the night that was missed"
        memory.remember("I work at Acme.", session="s")
        assert checked(10) == [], "not twice a day"
        clock.advance(hours=13, minutes=50)
        assert last_time("0 2 * * *", clock.now()) > midday
        assert checked(10) == [], "two o'clock has come, but the machine is busy"
        load[0] = 5.0
        (second,) = checked(7)
        log = memory.admin.sleep_log()
        assert log[0].run == second and len(log) == 2
        assert all(report.finished_at and report.started_at for report in log)


@pytest.mark.spec("SLP-07")
def test_who_was_not_reached_in_time_is_left_for_the_next_round() -> None:
    assert SleepSettings().max_minutes == 60
    settings = Settings.model_validate({"sleep": {"max_minutes": 1e-9}})
    with in_memory(settings=settings, clock=FrozenClock(NOON)) as memory:
        for name in ("ana", "rui"):
            memory.user(name).remember("I live in Porto.", session="s")
        resources = resources_of(memory)
        due = schedule.due_users(resources, NOON)
        assert sleep_all(resources, due, threading.Event()) == []
        assert schedule.due_users(resources, NOON) == due == ["ana", "rui"]


@pytest.mark.spec("SLP-06", "SLP-13")
def test_a_round_lets_only_a_few_sleep_at_once() -> None:
    at_once, most, lock = 0, 0, threading.Lock()
    with in_memory(
        settings=_settings(), clock=FrozenClock(NOON), embedder=HashEmbedder(32)
    ) as memory:
        people = [f"user-{number}" for number in range(12)]
        for person in people:
            memory.user(person).remember("I live in Porto.", session="s")
        seen: dict[str, int] = {}

        def tell(user_id: str, step: str) -> None:
            nonlocal at_once, most
            with lock:
                seen[user_id] = seen.get(user_id, 0) + 1
                at_once = len([p for p, n in seen.items() if n and p not in done])
                most = max(most, at_once)
                if step == "finish":
                    done.add(user_id)

        done: set[str] = set()
        reports = sleep_all(resources_of(memory), people, threading.Event(), tell)
        assert len(reports) == 12 and 1 <= most <= 4


def test_missed_nights_are_caught_up_and_none_comes_twice() -> None:
    clock = FrozenClock(NOON)
    settings = _settings(require_idle=False)
    with in_memory(settings=settings, clock=clock, embedder=HashEmbedder(32)) as memory:
        memory.remember("I live in Porto.", session="s")
        watch = Scheduler(resources_of(memory), IdleMonitor(lambda: 50.0, SleepSettings()))
        stop = threading.Event()
        assert len(watch.check(stop)) == 1, "02:00 was missed"
        assert watch.check(stop) == []
        clock.advance(days=2)
        assert watch.check(stop) == [], "nothing happened since"
        memory.remember("And I like tea.", session="s")
        assert len(watch.check(stop)) == 1
        disabled = replace(resources_of(memory), settings=_settings(enabled=False))
        memory.remember("And coffee.", session="s")
        clock.advance(days=1)
        idle = IdleMonitor(lambda: 0.0, SleepSettings())
        assert Scheduler(disabled, idle).check(stop) == []


def test_whoever_does_not_agree_is_looked_at_once_a_night() -> None:
    clock, settings = FrozenClock(NOON), _settings(require_idle=False)
    with in_memory(settings=settings, clock=clock, embedder=HashEmbedder(32)) as memory:
        memory.remember("I live in Porto.", session="s")
        memory.admin.requests.begin("ab12", "body")
        memory.admin.requests.finish("ab12", "body", "a sealed answer")
        memory.admin.consent("memory", False)
        before = list(memory.export())[1:]
        clock.advance(seconds=tallies.REQUESTS_KEPT_S)
        watch = Scheduler(resources_of(memory), IdleMonitor(lambda: 50.0, SleepSettings()))
        stop = threading.Event()
        (report,) = watch.check(stop)
        assert report.notes == (cycle.WITHDRAWN,)
        store = workspace_of(memory).store
        assert store.tallies(ANSWERS_TOPIC) == {}
        assert store.topics(REQUESTS) == [], (
            "their requests go when they are old, as everybody's do"
        )
        clock.advance(seconds=schedule.CHECK_S)
        assert watch.check(stop) == [], "or the store were put in order every minute"
        clock.advance(days=1)
        assert len(watch.check(stop)) == 1
        memory.admin.consent("memory", True)
        assert list(memory.export())[1:] == before and memory.sleep().run


def _settings(**schedule: object) -> AllSettings:
    return Settings.model_validate({"sleep": schedule})
