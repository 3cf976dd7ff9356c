"""D14: the line to PostgreSQL is cut for a while, without anybody being told, and then heals.

Writers and readers go on calling all the time. Every call must end within its limits, in an answer
or an error of ours; what was acknowledged must be there once; and after the line heals, calls must
succeed again. Control: without the watch over answers, calls hang for as long as the line is cut.
"""

import contextlib
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest import mock

from tests.faults.harness import Figures, Options, Result, judged
from tests.storage.contract import example, keyed
from tests.storage.contract_facts import change
from tests.storage.postgres.own_server import Relay, own_server
from tests.waiting import eventually

from sharpwave import StorageError
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres.driver import Watch
from sharpwave.storage.postgres.store import PostgresStore

NAME = "d14_postgres_cut"
CONNECT_S, ANSWER_S, SLACK_S = 1.0, 1.0, 4.0
"""Limits of a connection and an answer, and what a busy machine adds to them."""
FAULTS = ("lost", "duplicates", "too_long", "odd_errors", "not_recovered", "damaged")


def run(options: Options) -> Result:
    cut_s = 30.0 if options.long else 7.0
    figures = _campaign(cut_s)
    with _unwatched():
        control = _campaign(7.5)
    return judged(NAME, options, figures, FAULTS, control, ("too_long",))


class _Callers:
    """One that writes and one that reads, without a pause."""

    def __init__(self, store: PostgresStore) -> None:
        self.acknowledged: list[str] = []
        self.read = 0
        self.errors: Counter[str] = Counter()
        self.odd = 0
        self.longest = 0.0
        self._store = store
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=one) for one in (self._write, self._read)]

    def __enter__(self) -> "_Callers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _write(self) -> None:
        number = 0
        while not self._stop.is_set():
            record = example(number % 1000, text=f"said {number}", id=uuid.uuid4().hex)
            write = partial(
                self._store.for_user("alice").commit, change(keyed(record, f"key-{number}"))
            )
            if self._called(write):
                self.acknowledged.append(record.text)
                number += 1

    def _read(self) -> None:
        while not self._stop.is_set():
            self.read += self._called(lambda: self._store.for_user("alice").head())

    def _called(self, call: Any) -> bool:
        begin = time.monotonic()
        try:
            call()
        except StorageError as error:
            self.errors[error.code] += 1
            return False
        except Exception:  # noqa: BLE001  # counted: callers are promised errors of ours only
            self.odd += 1
            return False
        finally:
            self.longest = max(self.longest, time.monotonic() - begin)
        return True


@mock.patch("sharpwave.storage.postgres.database.CONNECT_TIMEOUT_S", CONNECT_S)
@mock.patch("sharpwave.storage.postgres.database.ANSWER_TIMEOUT_S", ANSWER_S)
@mock.patch("sharpwave.storage.postgres.database.LOCK_TIMEOUT_S", 0.5)
def _campaign(cut_s: float) -> Figures:
    settings = PostgresSettings(connections=4, search="memory")
    with own_server() as server, contextlib.closing(Relay(server.folder)) as relay:
        store = PostgresStore(relay.address(), settings, StoreSettings())
        try:
            with _Callers(store) as callers:
                eventually(lambda: len(callers.acknowledged) > 5 and callers.read > 5)
                relay.cut()
                threading.Event().wait(cut_s)  # the cut lasts for as long as it lasts
                relay.heal()
                written, read = len(callers.acknowledged), callers.read
                healed = time.monotonic()
                eventually(lambda: len(callers.acknowledged) > written and callers.read > read)
                healthy_s = time.monotonic() - healed
            stored = Counter(record.text for record in store.for_user("alice").scan(0, 1_000_000))
            damaged = not store.verify().ok
        finally:
            store.close()
    return {
        "cut_s": cut_s,
        "acknowledged": len(callers.acknowledged),
        "told_of_it": sum(callers.errors.values()),
        "lost": len(set(callers.acknowledged) - stored.keys()),
        "duplicates": sum(count - 1 for count in stored.values()),
        "too_long": int(callers.longest > CONNECT_S + ANSWER_S + SLACK_S),
        "odd_errors": callers.odd,
        "not_recovered": int(healthy_s > 10),
        "damaged": int(damaged),
        "longest_call_s": round(callers.longest, 2),
        "healthy_after_s": round(healthy_s, 2),
    }


@contextmanager
def _unwatched() -> Iterator[None]:
    """The fault of the control: nobody watches over the answers."""
    with mock.patch.object(Watch, "over", lambda *_: contextlib.nullcontext()):
        yield
