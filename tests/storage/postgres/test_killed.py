"""A server that dies in the middle of writing loses nothing that it acknowledged.  [D12]"""

import os
import threading
from collections.abc import Callable
from functools import partial
from signal import SIGKILL
from typing import TypeVar

import psycopg
import pytest
from tests.storage.contract import example, keyed
from tests.storage.contract_facts import change

from sharpwave import StorageError
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres.store import PostgresStore

T = TypeVar("T")
KILLS, WRITERS, EACH = 3, 3, 40


def kill_one(database: str) -> bool:
    """Kill a connection's process, upon which the server ends all others and recovers."""
    try:
        with psycopg.connect(database, connect_timeout=2, autocommit=True) as db:
            found = db.execute(
                "SELECT pid FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                " AND application_name = 'sharpwave' LIMIT 1"
            ).fetchone()
        if found:
            os.kill(found[0], SIGKILL)
    except (psycopg.OperationalError, ProcessLookupError):
        return False  # it is still recovering, or ends this process itself
    return bool(found)


def repeat_until_answered(call: Callable[[], T], failures: list[str]) -> T:
    """What a caller does who is told to repeat a call."""
    while True:
        try:
            return call()
        except StorageError as error:
            failures.append(error.code)


@pytest.mark.timeout(180)
@pytest.mark.skipif("TEST_POSTGRES" in os.environ, reason="there is a server that is not ours")
def test_nothing_acknowledged_is_lost_and_nothing_repeated_is_stored_twice(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sharpwave.storage.postgres.database.CONNECT_TIMEOUT_S", 30)
    store = PostgresStore(database, PostgresSettings(), StoreSettings())
    acknowledged: list[str] = []
    failures: list[str] = []
    kills = threading.Semaphore(0)
    alice = store.for_user("alice")
    repeat = partial(repeat_until_answered, failures=failures)

    def write(first: int) -> None:
        for number in range(first, first + EACH):
            told = keyed(example(number), f"key-{number}")
            acknowledged.append(repeat(partial(alice.commit, change(told)))[0].record.id)
            if number % 10 == 5:
                kills.release()

    writers = [threading.Thread(target=write, args=(1000 * n,)) for n in range(WRITERS)]
    for writer in writers:
        writer.start()
    for _ in range(KILLS):
        kills.acquire()
        while any(writer.is_alive() for writer in writers) and not kill_one(database):
            pass
    for writer in writers:
        writer.join()
    stored = [record.id for record in repeat(partial(alice.scan, 0, 9999))]
    assert failures, "the control: calls were cut off"
    assert sorted(stored) == sorted(acknowledged) and len(set(stored)) == WRITERS * EACH
    assert repeat(store.verify).ok
    store.close()
