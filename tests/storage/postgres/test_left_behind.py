"""What a process leaves to others: its child, a server that is away, many open files."""

import logging
import subprocess
import sys
from contextlib import closing

import pytest
from tests.storage.contract import NOW, add, example
from tests.storage.postgres import server
from tests.waiting import eventually

from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres import database
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.types.storing import Selection

FORK = """
import os, sys, threading, time
from sharpwave.errors import UnsafeStore
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.settings.storage import PostgresSettings, StoreSettings

store = PostgresStore(sys.argv[1], PostgresSettings(), StoreSettings())
heard = threading.Event()
store.listen(heard.set)
assert heard.wait(30)
with store.database.alone() as db:
    mine = db.info.backend_pid
child = os.fork()
if child == 0:
    try:
        store.listen(heard.set)
    except UnsafeStore:
        store.close()
        os._exit(7)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
began = time.process_time()
with store.database.alone() as db:
    assert db.info.backend_pid == mine, "the child closed our connection"
    db.execute("SELECT pg_sleep(0.5)")
print(time.process_time() - began)
store.close()
"""
MANY_FILES = """
import os, resource, sys, threading
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.settings.storage import PostgresSettings, StoreSettings

_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 2000), most))
held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
store = PostgresStore(sys.argv[1], PostgresSettings(), StoreSettings())
heard = threading.Event()
hearing = store.listen(heard.set)
assert heard.wait(30)
heard.clear()
with store.database.alone() as db:
    db.execute("SELECT pg_notify('sharpwave', 'events')")
print(heard.wait(30))
store.close()
"""


def ran(script: str, address: str) -> str:
    command = [sys.executable, "-W", "ignore", "-c", script, address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_forked_child_that_closes_takes_nothing_from_its_parent(emptied: str) -> None:
    assert float(ran(FORK, emptied)) < 0.25, "whoever listens waits, and does not spin"


def test_whoever_has_many_files_open_hears_too(emptied: str) -> None:
    assert ran(MANY_FILES, emptied) == "True"


def test_a_server_that_is_gone_is_waited_for_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "CONNECT_TIMEOUT_S", 1)
    monkeypatch.setattr(database, "TOUCH_FLUSH_S", 600)
    address = server.new_database()
    store = PostgresStore(address, PostgresSettings(), StoreSettings())
    for number in range(5):
        add(store, example(1, f"user-{number}"))
        store.for_user(f"user-{number}").touch([1], NOW)
    server.drop_database(address)
    with caplog.at_level(logging.WARNING, "sharpwave"):
        store.close()
    told = [record for record in caplog.records if "could not be counted" in record.message]
    assert len(told) == 1, "five users do not wait one after the other"


def test_accesses_of_a_user_whom_another_process_erased_are_dropped(emptied: str) -> None:
    one = PostgresStore(emptied, PostgresSettings(), StoreSettings())
    two = PostgresStore(emptied, PostgresSettings(), StoreSettings())
    with closing(one), closing(two):
        add(one, example(1))
        one.for_user("alice").forget(Selection(everything=True), NOW)
        two.for_user("alice").touch([1], NOW)
        assert eventually(lambda: not two.database.touches.waiting())
        (new,) = add(one, example(2))
        assert two.for_user("alice").find([new.id])[0].standing.access_count == 0
