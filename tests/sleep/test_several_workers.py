"""Several workers on one PostgreSQL: everybody sleeps once, and who lost the lease is not heard."""

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.storage.postgres import server
from tests.storage.postgres.test_together import at_once

from sharpwave.errors import Overtaken
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings
from sharpwave.sleep import cycle
from sharpwave.sleep.night import Night, read_state
from sharpwave.sleep.when import batches, claims, schedule
from sharpwave.sleep.when.watch import round_of
from sharpwave.testing import FrozenClock, HashEmbedder

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
LEASE_S = 120.0


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
    due = schedule.due_users(one._ports, one._settings.sleep, since)
    assert sorted(due) == sorted(people)
    slept: list[str] = []

    def work(host: Memory) -> None:
        reports = round_of(due, host._ports, host._settings, threading.Event(), since=since)
        slept.extend(report.user_id for report in reports)

    at_once(lambda: work(one), lambda: work(two))
    assert Counter(slept) == Counter(people)
    assert all(len(one.user(person).sleep_log()) == 1 for person in people)
    work(two)
    assert len(slept) == len(people), "who comes late finds nothing to do"
    clock.advance(days=1)
    one.user("user-3").remember("And I like tea.", session="s")
    tomorrow = schedule.due_users(two._ports, two._settings.sleep, clock.now())
    assert "user-3" in tomorrow


def test_without_the_moment_everybody_would_sleep_twice(hosts: tuple[Memory, Memory]) -> None:
    """The control: that nobody does is due to `since`."""
    one, two = hosts
    one.remember("I live in Porto.", session="s")
    for host in hosts:
        assert cycle.sleep("default", host._ports, host._settings).finished_at
    assert len(two.sleep_log()) == 2


def taken_over(hosts: tuple[Memory, Memory], clock: FrozenClock) -> Night:
    """The night of a worker that stood still until another had finished it."""
    one, two = hosts
    one.remember("I live in Porto.", session="s")
    stale = Night.begin("default", one._ports, one._settings, True)
    clock.advance(seconds=LEASE_S + 1)
    report = two.sleep(heavy=True)
    assert report.run == stale.run and report.finished_at, "the same night went on"
    return stale


def test_who_lost_the_lease_can_write_no_more(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    stale = taken_over(hosts, clock)
    before = read_state("default", hosts[0]._ports)
    assert not stale.is_mine
    with pytest.raises(Overtaken):
        stale.pause("late")
    assert read_state("default", hosts[0]._ports) == before


def test_without_the_fencing_number_the_late_word_would_be_heard(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    """The control: only the number keeps it out."""
    stale = taken_over(hosts, clock)
    ports = hosts[0]._ports
    state, version = read_state("default", ports)
    assert not state.get("run")
    stale._version = version  # as if nobody had counted
    stale.pause("late")
    assert read_state("default", ports)[0]["run"] == stale.run, "a finished night is open again"


@pytest.mark.spec("SCH-04")
def test_what_has_an_hour_is_done_by_one_of_all(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, _ = hosts
    one.remember("I live in Porto.", session="s")
    stop = threading.Event()
    assert batches.look(one._ports, one._settings, stop) == [], "it begins with the next time"
    clock.advance(days=1)
    done: list[str] = []
    at_once(
        *(
            lambda host=host: done.extend(batches.look(host._ports, host._settings, stop))
            for host in hosts
        )
    )
    assert sorted(done) == ["feedback", "odds"]


def test_a_claim_is_taken_over_when_its_worker_is_silent(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, two = (host._ports for host in hosts)
    assert claims.take("work", one, NOON, LEASE_S) is None
    clock.advance(days=1)
    dead = claims.take("work", one, clock.now(), LEASE_S)
    assert dead is not None and claims.take("work", two, clock.now(), LEASE_S) is None
    clock.advance(seconds=LEASE_S)
    living = claims.take("work", two, clock.now(), LEASE_S)
    assert living is not None
    with pytest.raises(Overtaken):
        dead.done()
    living.done()
    assert claims.take("work", one, clock.now(), LEASE_S) is None, "it is done"


def test_a_claim_that_is_let_go_is_free_at_once(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, two = (host._ports for host in hosts)
    held = claims.take("closing", one, None, LEASE_S)
    assert held is not None and claims.take("closing", two, None, LEASE_S) is None
    clock.advance(seconds=LEASE_S * 0.8)
    held.keep()
    clock.advance(seconds=LEASE_S * 0.8)
    assert claims.take("closing", two, None, LEASE_S) is None, "it was prolonged"
    held.let_go()
    assert claims.take("closing", two, None, LEASE_S) is not None


def test_clocks_that_differ_a_little_let_nobody_sleep_twice(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, two = hosts
    one.remember("I live in Porto.", session="s")
    ahead = replace(one._ports, clock=FrozenClock(NOON + timedelta(seconds=5)))
    since = NOON - timedelta(hours=1)
    users = ["default"]
    assert len(round_of(users, ahead, one._settings, threading.Event(), since=since)) == 1
    assert schedule.due_users(two._ports, two._settings.sleep, since) == []
    assert round_of(users, two._ports, Settings(), threading.Event(), since=since) == []
