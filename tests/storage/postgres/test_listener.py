"""What one process commits, another hears at once; and again after the server was away."""

import threading
from collections.abc import Iterator

import psycopg
import pytest
from tests.storage.contract import NOW, add, example
from tests.storage.postgres.test_together import cut_off, opened
from tests.waiting import eventually

from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.types.storing import Change, NewJob


@pytest.fixture
def two(emptied: str) -> Iterator[tuple[PostgresStore, PostgresStore]]:
    with opened(emptied) as one, opened(emptied) as other:
        yield one, other


def queued(store: PostgresStore, number: int) -> None:
    job = NewJob("extract", {"n": number})
    store.for_user("alice").commit(Change("remember", NOW, (example(number),), jobs=(job,)))


def test_each_listener_hears_what_is_theirs(two: tuple[PostgresStore, PostgresStore]) -> None:
    one, other = two
    events, alices, bobs, jobs = (threading.Event() for _ in range(4))
    hearings = [
        other.listen(events.set),
        other.for_user("alice").listen(alices.set),
        other.for_user("bob").listen(bobs.set),
        other.jobs.listen(jobs.set),
    ]
    assert eventually(lambda: all(hearing.live for hearing in hearings))
    assert eventually(lambda: all(event.is_set() for event in (events, alices, bobs, jobs)))
    for event in (events, alices, bobs, jobs):
        event.clear()  # everybody is told to look as it begins
    add(one, example(1))
    assert alices.wait(30) and events.wait(30)
    queued(one, 2)
    assert jobs.wait(30)
    assert not bobs.is_set(), "what is said of alice is not said to bob"
    alices.clear()
    hearings[1].end()
    events.clear()
    add(one, example(3))
    assert events.wait(30) and not alices.is_set(), "whoever has heard enough is told no more"


def test_a_finished_job_tells_that_the_next_may_begin(
    two: tuple[PostgresStore, PostgresStore],
) -> None:
    one, other = two
    for number in (1, 2):
        queued(one, number)
    heard = threading.Event()
    other.jobs.listen(heard.set)
    assert heard.wait(30)
    heard.clear()
    leased = one.jobs.lease(NOW, NOW - NOW.replace(minute=0))
    assert leased is not None and other.jobs.lease(NOW, NOW - NOW.replace(minute=0)) is None
    one.jobs.finish(leased, NOW)
    assert heard.wait(30)


def test_a_job_that_is_queued_again_is_told_of(two: tuple[PostgresStore, PostgresStore]) -> None:
    one, other = two
    queued(one, 1)
    heard = threading.Event()
    other.jobs.listen(heard.set)
    assert heard.wait(30)
    leased = one.jobs.lease(NOW, NOW - NOW.replace(minute=0))
    assert leased is not None and one.jobs.finish(leased, NOW, "it cannot be done")
    heard.clear()  # nothing is rung for it: nothing waits
    assert one.for_user("alice").retry_jobs(NOW) == 1
    assert heard.wait(5)


def test_nothing_is_heard_of_what_was_not_committed(
    two: tuple[PostgresStore, PostgresStore], emptied: str
) -> None:
    one, other = two
    queued(one, 1)
    heard = threading.Event()
    other.jobs.listen(heard.set)
    assert heard.wait(30)
    heard.clear()
    with psycopg.connect(emptied) as db:
        db.execute("SELECT set_config('sharpwave.everyone', 'on', true)")
        db.execute(
            "INSERT INTO jobs (user_no, kind, payload, state, not_before, created_at)"
            " SELECT user_no, 'x', '{}', 'waiting', 0, 0 FROM users"
        )
        db.rollback()
    assert not heard.wait(0.2)
    queued(one, 2)
    assert heard.wait(30)


def test_whoever_was_cut_off_looks_and_hears_again(
    two: tuple[PostgresStore, PostgresStore], emptied: str
) -> None:
    one, other = two
    heard = threading.Event()
    hearing = other.for_user("alice").listen(heard.set)
    assert heard.wait(30) and eventually(lambda: hearing.live)
    heard.clear()
    cut_off(emptied)
    assert heard.wait(30), "something may have been missed, so everybody is told to look"
    heard.clear()
    add(one, example(1))
    assert heard.wait(30)
    other.close()
    other.close()
    assert not hearing.live
