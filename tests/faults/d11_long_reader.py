"""D11: a reader in another process stays open for a minute while threads write without a pause.

The write-ahead log cannot be emptied under it. Past its limit there must be a warning; five seconds
after the reader ended (on a slow disk, and the time that writing as much takes there) the log is
back within the limit, though nothing more is written; writers are about as fast as without the
reader, and nothing acknowledged is lost. Control: a store that neither limits nor empties its log.
The short form has a lower limit, which any disk reaches in seconds.
"""

import itertools
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import quantiles
from unittest import mock

from tests.faults.d2_power_cut import NOW, make_record
from tests.faults.harness import Figures, Options, Result, finish, judged, start

from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sqlite import connection
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.types.storing import Change

NAME = "d11_long_reader"
MIB = 2**20
SHORT_LIMIT_MIB = 4
THREADS = 4
TEXT = "water " * 40_000
PAUSE_SHARE = 1 / 100
"""Of the time, between two writes of a thread: a fast disk is not filled, however long it is."""
SETTLES_S = 5.0
AS_MUCH = 4
"""A log is read, written into the file, and synced: so many times what writing as much costs."""
SHORT_S = 2.0
FILLED_S = 120.0
"""The longest that a disk may take to fill the log."""
FAULTS = ("lost", "unwarned", "log_left", "damaged", "child_failed", "log_small")


def run(options: Options) -> Result:
    seconds = 60.0 if options.long else SHORT_S
    limit_mib = connection.LOG_LIMIT_MIB if options.long else SHORT_LIMIT_MIB
    with mock.patch.object(connection, "LOG_LIMIT_MIB", limit_mib):
        figures = _campaign(options.folder / "real.db", seconds, limit_mib)
    with (
        mock.patch.object(connection, "LOG_LIMIT_MIB", 100_000),
        mock.patch.object(SqliteStore, "_when_idle", lambda self, db: None),
    ):
        control = _campaign(options.folder / "control.db", SHORT_S, limit_mib)
    return judged(NAME, options, figures, FAULTS, control, ("log_left",))


def _campaign(path: Path, seconds: float, limit_mib: int) -> Figures:
    limit = limit_mib * MIB
    warnings = Warnings()
    logging.getLogger("sharpwave").addHandler(warnings)
    try:
        with closing(SqliteStore(path, StoreSettings())) as store:
            alone = Writers(store, "alone")
            alone.write_for(seconds / 4)
            with start(NAME, path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
                assert child.stdin and child.stdout
                child.stdout.readline()
                beside = Writers(store, "beside")
                began = time.monotonic()
                beside.write_for(seconds)
                while _log_bytes(path) <= limit and time.monotonic() - began < FILLED_S:
                    beside.write_for(seconds)
                largest = _log_bytes(path)
                within_s = SETTLES_S + AS_MUCH * _cost_of_writing(
                    path.with_suffix(".plain"), largest
                )
                child.stdin.write(b"\n")
                child.stdin.close()
                code = finish(child)
            settled_s = _until(lambda: _log_bytes(path) <= limit, within_s)
            present = {one.id for one in store.for_user("ana").scan(0, 10_000_000)}
            acknowledged = alone.acknowledged | beside.acknowledged
            damaged = not store.verify().ok
    finally:
        logging.getLogger("sharpwave").removeHandler(warnings)
    p99_alone, p99_beside = alone.p99_s(), beside.p99_s()
    return {
        "seconds_open": seconds,
        "acknowledged": len(acknowledged),
        "log_mib_max": largest // MIB,
        "settled_s": round(settled_s, 1),
        "within_s": round(within_s, 1),
        "p99_s_alone": round(p99_alone, 3),
        "p99_s_beside": round(p99_beside, 3),
        "lost": len(acknowledged - present),
        "log_small": int(largest <= limit),
        "unwarned": int(largest > limit and not warnings.seen),
        "log_left": int(settled_s > within_s),
        "damaged": int(damaged),
        "child_failed": int(code != 0),
    }


class Warnings(logging.Handler):
    """Counts warnings about the log."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.seen = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.seen += "write-ahead log" in record.getMessage()


class Writers:
    """Threads that write large records for a while."""

    def __init__(self, store: SqliteStore, name: str) -> None:
        self._store = store
        self._name = name
        self._lock = threading.Lock()
        self._took_s: list[float] = []
        self._turns = itertools.count()
        self.acknowledged: set[str] = set()

    def write_for(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        threads = [
            threading.Thread(target=self._write, args=(number, until, seconds * PAUSE_SHARE))
            for number in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def p99_s(self) -> float:
        return quantiles(self._took_s, n=100)[98]

    def _write(self, number: int, until: float, pause_s: float) -> None:
        for turn in self._turns:
            begin = time.monotonic()
            if begin > until:
                return
            id_ = f"mem_{self._name}_{number}_{turn}"
            record = make_record(id_, "ana", f"{id_} {TEXT}")
            self._store.for_user("ana").commit(Change("remember", NOW, (record,)))
            with self._lock:
                self.acknowledged.add(id_)
                self._took_s.append(time.monotonic() - begin)
            time.sleep(pause_s)


def _log_bytes(path: Path) -> int:
    log = path.with_name(path.name + "-wal")
    return log.stat().st_size if log.exists() else 0


def _cost_of_writing(path: Path, size: int) -> float:
    """How many seconds this disk takes to write and sync a file of that size, right now."""
    begin = time.monotonic()
    with path.open("wb") as file:
        file.write(bytes(size))
        file.flush()
        os.fsync(file.fileno())
    path.unlink()
    return time.monotonic() - begin


def _until(done: Callable[[], bool], within_s: float) -> float:
    """After how many seconds it was so; a little more than may be, if it never was."""
    begin = time.monotonic()
    while not done() and time.monotonic() - begin < within_s + 1:
        time.sleep(0.05)
    return time.monotonic() - begin


def _read(path: Path) -> None:
    """See one state of the file until told to end; a store would empty the log by itself."""
    with closing(connection.connect(path, None, StoreSettings())) as db:
        db.execute("BEGIN")
        seen = db.execute("SELECT count(*) FROM memories").get
        print("open", flush=True)
        sys.stdin.readline()
        assert db.execute("SELECT count(*) FROM memories").get == seen


if __name__ == "__main__":
    _read(Path(sys.argv[1]))
