"""Several who use one database at once: nothing lost, nothing twice, in order."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from tests.storage.contract import NOW, add, example, keyed
from tests.storage.contract_facts import change, fact
from tests.storage.contract_work import DIGEST, KEY
from tests.storage.postgres import server
from tests.waiting import eventually

from sharpwave import InvalidInput
from sharpwave.errors import Conflict, Overtaken, StoreDegraded, UnsafeStore
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres import database, migrate
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.types.storing import Change, NewJob, Selection

MINUTE = timedelta(minutes=1)


@contextmanager
def opened(address: str) -> Iterator[PostgresStore]:
    store = PostgresStore(address, PostgresSettings(), StoreSettings())
    try:
        yield store
    finally:
        store.close()


def at_once(*calls: Callable[[], object]) -> None:
    """Let all of them begin together, and wait for the last."""
    gate = threading.Barrier(len(calls))
    failed: list[BaseException] = []

    def run(call: Callable[[], object]) -> None:
        gate.wait()
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - raised below
            failed.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_writers_of_one_user_and_of_many_lose_nothing(emptied: str) -> None:
    with opened(emptied) as one, opened(emptied) as two:

        def write(store: PostgresStore, user: str, first: int) -> Callable[[], None]:
            def work() -> None:
                for number in range(first, first + 15):
                    add(store, example(number, user))

            return work

        at_once(
            write(one, "alice", 0), write(two, "alice", 100), write(one, "bob", 0),
            write(two, "carol", 0), write(one, "carol", 0),
        )  # fmt: skip
        numbers = [record.number for record in one.for_user("alice").scan(0, 99)]
        assert numbers == list(range(1, 31)), "one after the other, without a gap"
        assert len(one.for_user("bob").scan(0, 99)) == 15 == len(two.for_user("carol").scan(0, 99))
        told = [event.seq for event in one.events(0, 999)]
        assert told == sorted(told) and len(told) == 60
        assert one.verify().ok, "the audit has one end"


def test_events_become_visible_in_their_order(emptied: str) -> None:
    with opened(emptied) as store:
        seen: list[int] = []
        done = threading.Event()

        def follow() -> None:
            while not done.is_set() or store.events(seen[-1] if seen else 0, 1):
                seen.extend(event.seq for event in store.events(seen[-1] if seen else 0, 99))

        def write(user: str) -> None:
            for number in range(20):
                add(store, example(number, user))

        follower = threading.Thread(target=follow)
        follower.start()
        at_once(*(lambda user=user: write(user) for user in ("alice", "bob", "carol")))
        done.set()
        follower.join()
        assert seen == list(range(1, 61)), "whoever follows misses none"


def test_of_two_decisions_on_one_slot_one_holds(emptied: str) -> None:
    slot, outcomes = "ana|lives_in|", []
    with opened(emptied) as one, opened(emptied) as two:

        def decide(store: PostgresStore, number: int) -> None:
            try:
                store.for_user("alice").commit(change(fact(number), seen={slot: 0}))
                outcomes.append("held")
            except Overtaken:
                outcomes.append("overtaken")

        at_once(lambda: decide(one, 1), lambda: decide(two, 2))
        assert sorted(outcomes) == ["held", "overtaken"]
        assert len(one.for_user("alice").scan(0, 9)) == 1


def test_no_job_is_done_twice(emptied: str) -> None:
    with opened(emptied) as one, opened(emptied) as two:
        for number in range(20):
            job = NewJob("extract", {"n": number})
            one.for_user(f"user-{number % 3}").commit(
                Change("remember", NOW, (example(number),), jobs=(job,))
            )
        leased: list[int] = []

        def work(store: PostgresStore) -> None:
            while job := store.jobs.lease(NOW, MINUTE):
                leased.append(job.number)
                assert store.jobs.finish(job, NOW)

        at_once(*(lambda store=store: work(store) for store in (one, two, one, two)))
        assert sorted(leased) == sorted(set(leased)) and len(leased) == 20


def test_of_two_keys_of_one_name_one_is_added(emptied: str) -> None:
    with opened(emptied) as store, ThreadPoolExecutor(1) as pool:
        with psycopg.connect(emptied) as other:
            other.execute(
                "INSERT INTO api_keys (digest, name, user_id, scopes, created_at)"
                " VALUES (%s, %s, 'ana', 'read', 1)",
                (DIGEST[::-1], KEY.name),
            )
            added = pool.submit(store.keys.add, KEY, DIGEST)
            assert eventually(lambda: waits(emptied))
        with pytest.raises(Conflict, match="choose another name"):
            added.result()


def test_an_erasure_does_not_wait_for_that_of_another_user(
    emptied: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCK_TIMEOUT_S", 1)
    with opened(emptied) as store, psycopg.connect(emptied) as other:
        add(store, example(1))
        other.execute("INSERT INTO erased_keys VALUES ('of bob', 1)")
        other.commit()
        other.execute("DELETE FROM erased_keys")  # as an erasure does that goes on for long
        assert store.for_user("alice").forget(Selection(everything=True), NOW).memories == 1


def test_a_scrub_stays_due_while_an_older_state_is_read(emptied: str) -> None:
    with opened(emptied) as store:
        add(store, example(1))
        with store.database.snapshot() as reader:
            reader.rows("api_keys", {})  # of a table that is not rewritten
            store.for_user("alice").forget(Selection(everything=True), NOW)
            assert not store.scrub() and store.verify().traces_left
        assert store.scrub() and not store.verify().traces_left


def test_a_call_that_was_cut_off_is_repeated_and_stored_once(emptied: str) -> None:
    with opened(emptied) as store:
        add(store, example(1))
        cut_off(emptied)
        add(store, keyed(example(2), "key"))
        assert (
            store.for_user("alice")
            .commit(Change("remember", NOW, (keyed(example(2), "key"),)))[0]
            .replayed
        )
        assert len(store.for_user("alice").scan(0, 9)) == 2, (
            "dead connections are let go of by themselves"
        )


def test_a_server_that_is_not_there_is_told_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "CONNECT_TIMEOUT_S", 1)
    nowhere = "postgresql://nobody@127.0.0.1:1/nothing"
    with pytest.raises(StoreDegraded, match="cannot be reached"):
        PostgresStore(nowhere, PostgresSettings(), StoreSettings())


def test_counting_takes_one_connection_at_a_time(
    emptied: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "CONNECT_TIMEOUT_S", 1)
    store = PostgresStore(emptied, PostgresSettings(connections=2), StoreSettings())
    with closing(store):
        add(store, example(1))
        with store.database.alone():  # one of the two is in use
            assert store.counts().memories == store.for_user("alice").counts().memories == 1


def test_what_cannot_be_held_is_refused_whole(emptied: str) -> None:
    with opened(emptied) as store:
        for text in ("NUL \0", "half \ud800"):
            with pytest.raises(InvalidInput):
                add(store, example(1, text=text))
            with pytest.raises(InvalidInput):
                add(store, example(1), example(2, text=text), example(3))
        assert store.users() == []
        assert len(add(store, example(1), example(2), example(3))) == 3


def test_a_schema_that_is_not_ours_is_refused(database: str) -> None:
    with opened(database):
        pass
    with psycopg.connect(database) as db:
        db.execute("UPDATE migrations SET digest = 'other' WHERE version = 1")
    with pytest.raises(UnsafeStore, match="not one of ours"), opened(database):
        pass
    with psycopg.connect(database) as db:
        db.execute("INSERT INTO migrations VALUES (99, 'later', '')")
    with pytest.raises(UnsafeStore, match="newer Sharpwave"), opened(database):
        pass


def test_processes_that_start_together_make_one_schema(database: str) -> None:
    def start() -> None:
        with opened(database):
            pass

    at_once(*[start] * 4)
    with psycopg.connect(database) as db:
        versions = db.execute("SELECT version FROM migrations ORDER BY version").fetchall()
    assert versions == [(step.version,) for step in migrate.bundled()]


ORPHAN = """
from tests.storage.contract_work import DIGEST, KEY
from tests.storage.postgres import server
from tests.waiting import eventually
print(server.new_database(), flush=True)
input()
"""


@pytest.mark.skipif("TEST_POSTGRES" in os.environ, reason="there is a server that is not ours")
def test_the_server_of_the_tests_dies_with_them() -> None:
    root = Path(__file__).resolve().parents[3]
    child = subprocess.Popen(
        [sys.executable, "-c", ORPHAN],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    address = child.stdout.readline().strip()
    psycopg.connect(address).close()
    child.kill()
    child.communicate()
    with pytest.raises(psycopg.OperationalError):
        while True:  # the test has a time limit
            psycopg.connect(address, connect_timeout=2).close()


def cut_off(address: str) -> None:
    """End every connection to a database, as a server does that is restarted."""
    with psycopg.connect(server._admin(), autocommit=True) as db:
        name = address.rpartition("/")[2].partition("?")[0]
        db.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
        )


def waits(address: str) -> bool:
    """Whether somebody waits for a lock in a database."""
    with psycopg.connect(address) as db:
        return bool(db.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone())
