"""Several workers on one PostgreSQL: everybody sleeps once, and who lost the lease is not heard."""

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.storage.postgres import server
from tests.storage.postgres.test_together import at_once

from sharpwave import Memory
from sharpwave.errors import Overtaken
from sharpwave.sleep import cycle, leases, schedule, scheduler
from sharpwave.sleep.run import SleepRun, read_state
from sharpwave.sleep.scheduler import sleep_all
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of, workspace_of

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def kept() -> Iterator[str]:
    address = server.new_database()
    yield address
    server.drop_database(address)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def hosts(kept: str, clock: FrozenClock) -> Iterator[tuple[Memory, Memory]]:
    """The same memory, opened on two machines."""
    embedder = HashEmbedder(32)
    with Memory.open(kept, clock=clock, embedder=embedder) as one:
        server.empty_database(kept)
        with Memory.open(kept, clock=clock, embedder=embedder) as two:
            yield one, two


def test_everybody_sleeps_once_though_two_go_through_the_same_list(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, two = hosts
    people = [f"user-{number}" for number in range(24)]
    for person in people:
        one.user(person).remember("I live in Porto.", session="s")
    since = NOON - timedelta(hours=1)
    due = schedule.due_users(resources_of(one), since)
    assert sorted(due) == sorted(people)
    slept: list[str] = []

    def work(host: Memory) -> None:
        reports = sleep_all(resources_of(host), due, threading.Event(), since=since)
        slept.extend(report.user_id for report in reports)

    at_once(lambda: work(one), lambda: work(two))
    assert Counter(slept) == Counter(people)
    assert all(len(one.user(person).admin.sleep_log()) == 1 for person in people)
    work(two)
    assert len(slept) == len(people), "who comes late finds nothing to do"
    clock.advance(days=1)
    one.user("user-3").remember("And I like tea.", session="s")
    tomorrow = schedule.due_users(resources_of(two), clock.now())
    assert "user-3" in tomorrow


def test_without_the_moment_everybody_would_sleep_twice(hosts: tuple[Memory, Memory]) -> None:
    """The control: that nobody does is due to `since`."""
    one, two = hosts
    one.remember("I live in Porto.", session="s")
    for host in hosts:
        assert cycle.sleep(workspace_of(host)).finished_at
    assert len(two.admin.sleep_log()) == 2


def taken_over(hosts: tuple[Memory, Memory], clock: FrozenClock) -> SleepRun:
    """The night of a worker that stood still until another had finished it."""
    one, two = hosts
    one.remember("I live in Porto.", session="s")
    stale = SleepRun.begin(workspace_of(one), True)
    clock.advance(seconds=leases.LEASE_S + 1)
    report = two.sleep(heavy=True)
    assert report.run == stale.id and report.finished_at, "the same night went on"
    return stale


def test_who_lost_the_lease_can_write_no_more(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    stale = taken_over(hosts, clock)
    before = read_state(workspace_of(hosts[0]))
    assert not stale.holds_lease
    with pytest.raises(Overtaken):
        stale.pause("late")
    assert read_state(workspace_of(hosts[0])) == before


def test_without_the_fencing_number_the_late_word_would_be_heard(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    """The control: only the number keeps it out."""
    stale = taken_over(hosts, clock)
    workspace = workspace_of(hosts[0])
    state, version = read_state(workspace)
    assert not state.get("run")
    stale._version = version  # as if nobody had counted
    stale.pause("late")
    assert read_state(workspace)[0]["run"] == stale.id, "a finished night is open again"


def test_what_has_an_hour_is_done_by_one_of_all(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, _ = hosts
    one.remember("I live in Porto.", session="s")
    stop = threading.Event()
    assert scheduler.run_tasks(resources_of(one), stop) == {}, "it begins with the next time"
    clock.advance(days=1)
    done: list[str] = []
    at_once(
        *(
            lambda host=host: done.extend(scheduler.run_tasks(resources_of(host), stop))
            for host in hosts
        )
    )
    assert sorted(done) == ["feedback", "odds", "sweeping"]


def test_a_lease_is_taken_over_when_its_worker_is_silent(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, two = (resources_of(host) for host in hosts)
    assert leases.acquire(one, "work", NOON) is None
    clock.advance(days=1)
    dead = leases.acquire(one, "work", clock.now())
    assert dead is not None and leases.acquire(two, "work", clock.now()) is None
    clock.advance(seconds=leases.LEASE_S)
    living = leases.acquire(two, "work", clock.now())
    assert living is not None
    with pytest.raises(Overtaken):
        dead.complete()
    living.complete()
    assert leases.acquire(one, "work", clock.now()) is None, "it is done"


def test_a_lease_that_is_released_is_free_at_once(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, two = (resources_of(host) for host in hosts)
    held = leases.acquire(one, "closing", None)
    assert held is not None and leases.acquire(two, "closing", None) is None
    clock.advance(seconds=leases.LEASE_S * 0.8)
    held.renew()
    clock.advance(seconds=leases.LEASE_S * 0.8)
    assert leases.acquire(two, "closing", None) is None, "it was prolonged"
    held.release()
    assert leases.acquire(two, "closing", None) is not None


def test_clocks_that_differ_a_little_let_nobody_sleep_twice(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, two = hosts
    one.remember("I live in Porto.", session="s")
    ahead = replace(resources_of(one), clock=FrozenClock(NOON + timedelta(seconds=5)))
    since = NOON - timedelta(hours=1)
    users = ["default"]
    assert len(sleep_all(ahead, users, threading.Event(), since=since)) == 1
    assert schedule.due_users(resources_of(two), since) == []
    assert sleep_all(resources_of(two), users, threading.Event(), since=since) == []
