"""D1: a process that writes from several threads is killed, again and again, on one file.

The child prints a line for each acknowledgement after the call returned. What it acknowledged must
be there, what it acknowledged as forgotten must not, and all parts of a record must be together.
Control: a writer that acknowledges before COMMIT.
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
from tests.faults.harness import Figures, Options, Result, finish, judged, start

from sharpwave import Memory, Settings
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sqlite.database import Writer
from sharpwave.storage.sqlite.store import SqliteStore

NAME = "d1_kill9"
KILL_WITHIN_S = 0.080
THREADS = 4
FAULTS = ("lost", "came_back", "torn", "damaged", "child_failed")


def run(options: Options) -> Result:
    kills = 300 if options.long else 8
    figures = _campaign(options.folder / "real.db", options.seed, kills, broken=False)
    control = _campaign(options.folder / "control.db", options.seed, kills, broken=True)
    return judged(NAME, options, figures, FAULTS, control, ("lost",))


# ---- the parent


@dataclass(slots=True)
class Ledger:
    """What the children said: `+id` remembered, `?id` about to forget, `-id` forgotten."""

    remembered: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)
    first: threading.Event = field(default_factory=threading.Event)

    def follow(self, child: subprocess.Popen[bytes]) -> None:
        assert child.stdout is not None
        into = {"+": self.remembered, "?": self.doubtful, "-": self.forgotten}
        for line in child.stdout:
            if line.endswith(b"\n"):
                into[chr(line[0])].add(line[1:].strip().decode())
                self.first.set()
        self.first.set()


def _campaign(path: Path, seed: int, kills: int, *, broken: bool) -> Figures:
    rng = random.Random(seed)
    ledger = Ledger()
    totals = dict.fromkeys(FAULTS, 0)
    ready_s = 0.0
    lost: set[str] = set()
    for kill in range(kills):
        code = _kill_one(path, f"{seed}.{kill}", broken, rng.uniform(0, KILL_WITHIN_S), ledger)
        totals["child_failed"] += code != -signal.SIGKILL
        begin = time.perf_counter()
        store = SqliteStore(path, StoreSettings())
        ready_s = max(ready_s, time.perf_counter() - begin)
        try:
            lost |= _inspect(store, ledger, totals)
        finally:
            store.close()
        if broken and lost:
            break  # it has shown what it must
    totals["lost"] = len(lost)
    return {
        "kills": kill + 1,
        "acknowledged": len(ledger.remembered),
        "forgotten": len(ledger.forgotten),
        **totals,
        "ready_s_max": round(ready_s, 3),
    }


def _kill_one(path: Path, seed: str, broken: bool, delay_s: float, ledger: Ledger) -> int:
    """Start a child, kill it `delay_s` after its first acknowledgement; its exit code."""
    child = start(NAME, path, seed, int(broken), stdout=subprocess.PIPE)
    ledger.first.clear()
    listener = threading.Thread(target=ledger.follow, args=(child,))
    listener.start()
    try:
        ledger.first.wait(60)
        try:
            child.wait(delay_s)
        except subprocess.TimeoutExpired:
            child.kill()
        return finish(child)
    finally:
        child.kill()
        listener.join()
        assert child.stdout is not None
        child.stdout.close()


def _inspect(store: SqliteStore, ledger: Ledger, totals: dict[str, int]) -> set[str]:
    """Count what is wrong in the file; returns the acknowledged ids that are missing."""
    with store.readers.snapshot() as db:
        present = _ids(db, "SELECT id FROM memories")
        with_vector = _ids(db, "SELECT id FROM memories JOIN vectors USING (key)")
        orphans = db.execute("SELECT count(*) FROM vectors").get - len(with_vector)
        quick = db.execute("PRAGMA quick_check").get
    added = sum(entry.counts["memories"] for entry in _audit(store, "remember"))
    gone = sum(entry.counts["memories"] for entry in _audit(store, "forget"))
    events = sum(event.topic == "memory.remembered" for event in store.events(0, 1_000_000))
    audited = sum(1 for _ in _audit(store, "remember"))
    pruned = audited > 5_000  # the outbox keeps only the latest
    totals["torn"] += (
        len(present ^ with_vector)
        + abs(orphans)
        + abs(added - gone - len(present))
        + (0 if pruned else abs(events - audited))
    )
    totals["came_back"] += len(present & ledger.forgotten)
    totals["damaged"] += quick != "ok" or not store.verify().ok
    return ledger.remembered - ledger.doubtful - present


def _ids(db: apsw.Connection, query: str) -> set[str]:
    return {id_ for (id_,) in db.execute(query)}


def _audit(store: SqliteStore, action: str) -> list[Any]:
    return [entry for entry in store.audit() if entry.action == action]


# ---- the child


def child(path: Path, seed: str, broken: bool) -> None:
    """Write until killed."""
    if broken:
        Writer._do_together = _commit_later  # type: ignore[method-assign]
    memory = Memory.open(path, user="alice", settings=Settings())
    if not broken:  # the first time loads what forgetting needs, which outlasts the time to live
        memory.forget(memory.remember("nothing to tell").ids[0])
    workers = [
        threading.Thread(target=_write, args=(memory, f"{seed}.{number}", forgets))
        for number, forgets in enumerate([not broken] + [False] * (THREADS - 1))
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def _write(memory: Memory, seed: str, forgets: bool) -> None:
    rng = random.Random(seed)
    mine: list[str] = []
    for turn in range(100_000):
        count = rng.choice((1, 1, 1, 5))
        said = [f"note {seed}/{turn}/{part} {rng.random()}" * 3 for part in range(count)]
        ids = memory.remember(said).ids
        _tell("+", *ids)
        mine += ids
        if forgets and rng.random() < 0.2:
            gone = mine.pop(rng.randrange(len(mine)))
            _tell("?", gone)
            memory.forget(gone)
            _tell("-", gone)


def _tell(sign: str, *ids: str) -> None:
    os.write(1, "".join(f"{sign}{id_}\n" for id_ in ids).encode())


def _commit_later(self: Writer, batch: Any) -> None:
    """The fault of the control: callers hear of success when the work is done, before COMMIT."""
    connection = self._connected()
    if not connection.in_transaction:
        connection.execute("BEGIN IMMEDIATE")
    for job in batch:
        job.done.set_result(job.work(connection))
    if connection.total_changes() % 8 == 0:  # now and then
        connection.execute("COMMIT")


if __name__ == "__main__":
    child(Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "1")
