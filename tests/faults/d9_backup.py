"""D9: backups while several threads write without a pause, then a restore to a new place.

Whatever was acknowledged before a backup began is in it, each record with its vector, the copy
passes its check, and the restored file holds the same. Control: the file is copied as it lies.
"""

import shutil
import threading
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from tests.faults.harness import Figures, Options, Result, judged

from sharpwave import Memory, StorageError
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sqlite.restore import restore
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.types.records import content_hash

NAME = "d9_backup"
THREADS = 4
NOW = datetime(2026, 3, 1, tzinfo=UTC)
FAULTS = ("missing", "half_written", "failed_check", "changed_by_restore", "writer_failed")


def run(options: Options) -> Result:
    turns, backups = (1500, 8) if options.long else (150, 3)
    figures = _campaign(options.folder, turns, backups)
    if options.long:
        figures |= _large(options.folder)
    control = _copied(options.folder / "copied", turns=40)
    return judged(NAME, options, figures, FAULTS, control, ("missing",))


class Writers:
    """Threads that write until they are done, and what was acknowledged so far."""

    def __init__(self, memory: Memory, turns: int) -> None:
        self._memory = memory
        self._turns = turns
        self._lock = threading.Lock()
        self._acknowledged: set[str] = set()
        self.finished = 0
        self._threads = [threading.Thread(target=self._write, args=(n,)) for n in range(THREADS)]
        for thread in self._threads:
            thread.start()

    def acknowledged(self) -> set[str]:
        with self._lock:
            return set(self._acknowledged)

    def wait_for(self, count: int) -> None:
        while len(self.acknowledged()) < count and any(one.is_alive() for one in self._threads):
            time.sleep(0.005)

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _write(self, number: int) -> None:
        memory = self._memory.user(f"user {number % 3}")
        for turn in range(self._turns):
            words = [f"note {number}.{turn}.{part} " * 8 for part in range(1 + turn % 4)]
            ids = memory.remember(words, session=f"s{turn % 5}").ids
            with self._lock:
                self._acknowledged.update(ids)
        with self._lock:
            self.finished += 1


def _campaign(folder: Path, turns: int, backups: int) -> Figures:
    figures: Figures = dict.fromkeys(FAULTS, 0)
    with Memory.open(folder / "live.db") as memory:
        writers = Writers(memory, turns)
        while_writing = 0
        for number in range(backups):
            writers.wait_for(number * turns * THREADS * 2 // backups)
            before = writers.acknowledged()
            copy = folder / f"backup-{number}.db"
            memory.admin.backup(copy)
            while_writing += writers.finished < THREADS
            _inspect(copy, before, figures)
            _restored(copy, folder / f"restored-{number}.db", figures)
        writers.join()
        figures["writer_failed"] = THREADS - writers.finished
        return {
            "acknowledged": len(writers.acknowledged()),
            "backups": backups,
            "while_writing": while_writing,
            **figures,
        }


def _copied(folder: Path, turns: int) -> Figures:
    """The fault of the control: the newest memories are in the log, which is not copied."""
    folder.mkdir()
    figures: Figures = dict.fromkeys(FAULTS, 0)
    with Memory.open(folder / "live.db") as memory:
        writers = Writers(memory, turns)
        writers.wait_for(turns * THREADS)
        before = writers.acknowledged()
        shutil.copyfile(folder / "live.db", folder / "copy.db")
        writers.join()
    try:
        _inspect(folder / "copy.db", before, figures)
    except StorageError:
        figures["missing"] += len(before)
    return figures


def _inspect(copy: Path, before: set[str], figures: Figures) -> None:
    with closing(SqliteStore(copy, StoreSettings())) as store:
        with store.readers.snapshot() as db:
            there = {id_ for (id_,) in db.execute("SELECT id FROM memories")}
            whole = {
                id_ for (id_,) in db.execute("SELECT id FROM memories JOIN vectors USING (key)")
            }
            vectors = db.execute("SELECT count(*) FROM vectors").get
        figures["missing"] += len(before - there)
        figures["half_written"] += len(there - whole) + abs(vectors - len(whole))
        figures["failed_check"] += not store.verify().ok


def _restored(copy: Path, target: Path, figures: Figures) -> None:
    done = restore(copy, target, None, StoreSettings(), now=NOW)
    figures["changed_by_restore"] += _hashes(copy) != _hashes(target)
    figures["changed_by_restore"] += done.memories != len(_hashes(target))


def _hashes(path: Path) -> dict[str, bytes]:
    with closing(SqliteStore(path, StoreSettings())) as store:
        found = [one for user in store.users() for one in store.for_user(user).scan(0, 1_000_000)]
        return {one.id: content_hash(one) for one in found}


def _large(folder: Path, count: int = 100_000) -> Figures:
    """How long 100,000 memories take. Not judged: it depends on the machine."""
    with Memory.open(folder / "large.db") as memory:
        for start in range(0, count, 500):
            memory.remember([f"a short note, number {start + n}" for n in range(500)])
        begin = time.perf_counter()
        memory.admin.backup(folder / "large-backup.db")
        backup_s = time.perf_counter() - begin
    begin = time.perf_counter()
    restore(folder / "large-backup.db", folder / "new.db", None, StoreSettings(), now=NOW)
    restore_s = time.perf_counter() - begin
    return {"backup_100k_s": round(backup_s, 1), "restore_100k_s": round(restore_s, 1)}
