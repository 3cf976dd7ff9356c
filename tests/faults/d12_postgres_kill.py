"""D12: a PostgreSQL server is killed with all its processes while several threads write, again and
again, and started anew; besides, some answers get lost after the commit. Callers repeat what failed
with the same idempotency keys. What was acknowledged must be there, once.
Controls: callers without keys store things twice; and acknowledging before the commit loses some.
"""

import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest import mock

from tests.faults.harness import Figures, Options, Result, judged
from tests.storage.contract import example, keyed
from tests.storage.contract_facts import change
from tests.storage.postgres.own_server import own_server
from tests.waiting import eventually

from sharpwave import Record, StorageError
from sharpwave.errors import StoreDegraded
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres import database
from sharpwave.storage.postgres.store import PostgresStore

NAME = "d12_postgres_kill"
WRITERS = 4
UNTIL_HEALTHY_S = 10.0
FAULTS = ("lost", "duplicates", "damaged", "odd_errors", "slow_to_recover")


def run(options: Options) -> Result:
    kills = 20 if options.long else 2
    figures = _campaign(options.seed, kills, keys=True)
    with _acknowledged_early():
        early = _campaign(options.seed, min(kills, 3), keys=True)
    without = _campaign(options.seed, 1, keys=False)
    control = {"lost": early["lost"], "duplicates": without["duplicates"]}
    return judged(NAME, options, figures, FAULTS, control, ("lost", "duplicates"))


class _Writers:
    """Threads that write until they are told to stop, and repeat what failed."""

    def __init__(self, store: PostgresStore, seed: int, keys: bool) -> None:
        self.acknowledged: list[str] = []
        """The words of what was acknowledged."""
        self.errors: Counter[str] = Counter()
        self.odd = 0
        self._store, self._keys = store, keys
        self._stop, self._given_up = threading.Event(), 0.0
        self._threads = [
            threading.Thread(target=self._write, args=(random.Random(f"{seed}.{n}"), n))
            for n in range(WRITERS)
        ]

    def __enter__(self) -> "_Writers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._given_up = time.monotonic() + 30
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def wait_for(self, more: int) -> None:
        """Until so many more are acknowledged."""
        wanted = len(self.acknowledged) + more
        eventually(lambda: len(self.acknowledged) >= wanted)

    def _write(self, rng: random.Random, writer: int) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            self._insist(writer * 1_000_000 + number, lost_answer=rng.random() < 0.1)

    def _insist(self, number: int, *, lost_answer: bool) -> None:
        told = self._told(number)
        while True:
            try:
                self._store.for_user("alice").commit(change(told))
                if lost_answer:
                    lost_answer = False
                    raise StoreDegraded("the answer got lost")
            except StorageError as error:
                self.errors[error.code] += 1
                told = self._told(number)
                if self._stop.is_set() and time.monotonic() > self._given_up:
                    return
                continue
            except Exception:  # noqa: BLE001  # counted: callers are promised errors of ours only
                self.odd += 1
                return
            self.acknowledged.append(told.text)
            return

    def _told(self, number: int) -> Record:
        """Under a new id each time, as whoever repeats a call sends it."""
        words = {"text": f"said {number}", "id": uuid.uuid4().hex}
        record = example(number % 1000, **words)
        return keyed(record, f"key-{number}") if self._keys else record


@mock.patch("sharpwave.storage.postgres.database.CONNECT_TIMEOUT_S", 2)
def _campaign(seed: int, kills: int, *, keys: bool) -> Figures:
    rng = random.Random(seed)
    with own_server() as server:
        settings = PostgresSettings(search="memory")
        store = PostgresStore(server.address(), settings, StoreSettings())
        slowest = 0.0
        try:
            with _Writers(store, seed, keys) as writers:
                for _ in range(kills):
                    writers.wait_for(rng.randrange(8, 30))
                    server.kill()
                    server.start()
                    begin = time.monotonic()
                    writers.wait_for(1)
                    slowest = max(slowest, time.monotonic() - begin)
                writers.wait_for(5)
            return _inspect(store, writers, kills, slowest)
        finally:
            store.close()


def _read(store: PostgresStore) -> list[Record]:
    """All that is there, once a server that was just killed answers again."""
    found: list[Record] = []

    def reads() -> bool:
        with suppress(StoreDegraded):
            found[:] = store.for_user("alice").scan(0, 1_000_000)
            return True
        return False

    assert eventually(reads)
    return found


def _inspect(store: PostgresStore, writers: _Writers, kills: int, slowest: float) -> Figures:
    stored = Counter(record.text for record in _read(store))
    return {
        "kills": kills,
        "acknowledged": len(writers.acknowledged),
        "cut_off": sum(writers.errors.values()),
        "lost": len(set(writers.acknowledged) - stored.keys()),
        "duplicates": sum(count - 1 for count in stored.values()),
        "damaged": int(not store.verify().ok),
        "odd_errors": writers.odd,
        "slow_to_recover": int(slowest > UNTIL_HEALTHY_S),
        "slowest_recovery_s": round(slowest, 2),
    }


@contextmanager
def _acknowledged_early() -> Iterator[None]:
    """The fault of the control: a call returns before its commit, which a later one makes good."""
    real = database.PostgresDatabase.run

    def run(self: Any, work: Any, **named: Any) -> Any:
        if getattr(work, "__name__", "") != "<lambda>":
            return real(self, work, **named)
        box: list[Any] = []
        later = threading.Timer(0.2, lambda: _quietly(lambda: box.append(real(self, work))))
        later.daemon = True
        later.start()
        threading.Event().wait(0.01)
        return ()

    with mock.patch.object(database.PostgresDatabase, "run", run):
        yield


def _quietly(work: Any) -> None:
    try:
        work()
    except StorageError:
        pass  # nobody is there any more to be told: that is the fault
