"""D1: a process that writes from several threads is killed, again and again, on one file.

The child prints a line for each acknowledgement after the call returned. What it acknowledged must
be there, what it acknowledged as forgotten must not, and all parts of a record must be together.
Each child lives for a drawn number of acknowledgements, and up to 80 ms longer; one of its threads
forgets about as often as it writes. Controls: a writer that acknowledges before COMMIT, and an
erasure that is acknowledged before it is done; its children are killed after such a line.
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
from tests.faults.harness import Figures, Options, Result, finish, judged, settings, start

from sharpwave import Forgotten, Memory
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sqlite.database import Writer
from sharpwave.storage.sqlite.store import SqliteStore

NAME = "d1_kill9"
KILL_WITHIN_S = 0.080
MOST_LINES = 60
"""A child is killed after so many acknowledgements at most, and soon after the last."""
CONTROL_KILLS = 12
"""At most: a control ends once it has shown its fault."""
THREADS = 4
FORGETS_SHARE = 0.5
FAULTS = ("lost", "came_back", "torn", "damaged", "child_failed", "nothing_forgotten")
CONTROLS = {"lost": "early_writes", "came_back": "early_erasures"}
"""Which fault each broken variant must show."""
ERASED_AFTER_S = 1.0
"""Longer than a child lives after the last line that is waited for."""


def run(options: Options) -> Result:
    kills = 300 if options.long else 5
    figures = _campaign(options.folder / "real.db", options.seed, kills)
    control = {
        fault: _campaign(options.folder / f"{broken}.db", options.seed, CONTROL_KILLS, broken)[
            fault
        ]
        for fault, broken in CONTROLS.items()
    }
    return judged(NAME, options, figures, FAULTS, control, tuple(CONTROLS))


# ---- the parent


@dataclass(slots=True)
class Ledger:
    """What the children said: `+id` remembered, `?id` about to forget, `-id` forgotten."""

    remembered: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)

    def follow(
        self, child: subprocess.Popen[bytes], lines: int, last: str, enough: threading.Event
    ) -> None:
        """Note every line of a child; `enough` is set after so many, the last of which begins
        with one of the signs in `last`, or when it ends."""
        assert child.stdout is not None
        into = {"+": self.remembered, "?": self.doubtful, "-": self.forgotten}
        for number, line in enumerate(child.stdout, start=1):
            sign = chr(line[0])
            if line.endswith(b"\n"):
                into[sign].add(line[1:].strip().decode())
            if number >= lines and sign in last:
                enough.set()
        enough.set()


def _campaign(path: Path, seed: int, kills: int, broken: str = "") -> Figures:
    rng = random.Random(seed)
    ledger = Ledger()
    totals = dict.fromkeys(FAULTS, 0)
    ready_s = 0.0
    lost: set[str] = set()
    for kill in range(kills):
        when = rng.randint(1, MOST_LINES), rng.uniform(0, KILL_WITHIN_S)
        code = _kill_one(path, f"{seed}.{kill}", broken, when, ledger)
        totals["child_failed"] += code != -signal.SIGKILL
        begin = time.perf_counter()
        store = SqliteStore(path, StoreSettings())
        ready_s = max(ready_s, time.perf_counter() - begin)
        try:
            lost |= _inspect(store, ledger, totals)
        finally:
            store.close()
        totals["lost"] = len(lost)
        if any(totals[fault] for fault, variant in CONTROLS.items() if variant == broken):
            break  # it has shown what it must
    totals["nothing_forgotten"] = int(not ledger.forgotten)
    return {
        "kills": kill + 1,
        "acknowledged": len(ledger.remembered),
        "forgotten": len(ledger.forgotten),
        **totals,
        "ready_s_max": round(ready_s, 3),
    }


def _kill_one(path: Path, seed: str, broken: str, when: tuple[int, float], ledger: Ledger) -> int:
    """Start a child, kill it so many lines and seconds later; its exit code."""
    lines, delay_s = when
    child = start(NAME, path, seed, broken, stdout=subprocess.PIPE)
    enough = threading.Event()
    last = "-" if broken == "early_erasures" else "+?-"
    listener = threading.Thread(target=ledger.follow, args=(child, lines, last, enough))
    listener.start()
    try:
        enough.wait(60)
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
    totals["came_back"] += len(present & ledger.forgotten)  # each time that it is seen
    totals["damaged"] += quick != "ok" or not store.verify().ok
    return ledger.remembered - ledger.doubtful - present


def _ids(db: apsw.Connection, query: str) -> set[str]:
    return {id_ for (id_,) in db.execute(query)}


def _audit(store: SqliteStore, action: str) -> list[Any]:
    return [entry for entry in store.audit() if entry.action == action]


# ---- the child


def child(path: Path, seed: str, broken: str) -> None:
    """Write until killed."""
    forgets = broken != "early_writes"
    if broken == "early_writes":
        Writer._do_together = _commit_later  # type: ignore[method-assign]
    if broken == "early_erasures":
        SqliteStore._erase = _erase_later  # type: ignore[method-assign]
    memory = Memory.open(path, user="alice", settings=settings())
    if forgets:  # the first time loads what forgetting needs
        memory.forget(memory.remember("nothing to tell").ids[0])
    workers = [
        threading.Thread(target=_write, args=(memory, f"{seed}.{number}", forgets and number == 0))
        for number in range(THREADS)
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
        if forgets and rng.random() < FORGETS_SHARE:
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


def _erase_later(self: SqliteStore, user_id: str, selection: Any, at: Any) -> Forgotten:
    """The fault of the other: an erasure is acknowledged, and done a moment later."""
    timer = threading.Timer(ERASED_AFTER_S, _erase, (self, user_id, selection, at))
    timer.start()
    return Forgotten(memories=1, vectors=1, snapshots=0, users=0, traces_cleared=True)


_erase = SqliteStore._erase

if __name__ == "__main__":
    child(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
