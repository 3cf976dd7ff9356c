"""D4: several processes on one file: two remember, one imports, one counts, one recalls.

Nobody may hear that the file is locked, no update of the counter may be lost, and whatever one
process acknowledged must be recalled by another one, open since before, in its next call. The
newest acknowledgement is always looked for first. Control: a counter that reads and then writes in
a deferred transaction.
"""

import json
import queue
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import apsw
from tests.faults.d2_power_cut import make_record
from tests.faults.harness import Figures, Options, Result, finish, judged, settings, start

from sharpwave import Memory, SharpwaveError
from sharpwave.importers import export_format
from sharpwave.remember import flow
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sqlite.connection import connect
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.testing import resources_of
from sharpwave.types.storing import Links

NAME = "d4_many_processes"
USER = "default"
THREADS = 3
IMPORT_BATCH = 25
BUMP_EVERY = 5
ROLES = ("writer", "writer", "importer", "counter")
LONGEST_WAIT_S = 10.0
FAULTS = (
    "lost",
    "recalled_late",
    "counter_off",
    "errors",
    "damaged",
    "child_failed",
    "waited_too_long",
)


def run(options: Options) -> Result:
    turns = 5_000 if options.long else 150
    figures = _real(options, turns)
    control = _control(options, 150)
    return judged(NAME, options, figures, FAULTS, control, ("failures",))


# ---- the parent, which recalls


@dataclass(slots=True)
class Team:
    """The children, and what they say: each acknowledgement, and a summary at the end."""

    children: list[subprocess.Popen[bytes]]
    fresh: queue.LifoQueue[tuple[str, str] | None] = field(default_factory=queue.LifoQueue)
    summaries: list[Figures] = field(default_factory=list)
    listeners: list[threading.Thread] = field(default_factory=list)

    def begin(self) -> None:
        """Wait until all of them have the file open, then let them go at once."""
        for child in self.children:
            assert child.stdin and child.stdout
            child.stdout.readline()
        for child in self.children:
            self.listeners.append(threading.Thread(target=self._listen, args=(child,)))
            self.listeners[-1].start()
            assert child.stdin
            with suppress(BrokenPipeError), child.stdin:
                child.stdin.write(b"\n")

    def end(self, deadline_s: float) -> int:
        """Wait for all; how many of them failed, or said nothing at the end."""
        failed = sum(finish(child, deadline_s) != 0 for child in self.children)
        for listener in self.listeners:
            listener.join()
        return max(failed, len(self.children) - len(self.summaries))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for child in self.children:
            child.kill()
            child.wait()

    def _listen(self, child: subprocess.Popen[bytes]) -> None:
        assert child.stdout
        with child.stdout:
            for line in child.stdout:
                said = json.loads(line)
                if isinstance(said, dict):
                    self.summaries.append(said)
                else:
                    self.fresh.put((said[0], said[1]))
        self.fresh.put(None)


def _team(path: Path, seed: int, roles: tuple[str, ...], turns: int) -> Team:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return Team(
        [
            start(NAME, role, path, f"{seed}.{number}", turns, **pipes)
            for number, role in enumerate(roles)
        ]
    )


def _real(options: Options, turns: int) -> Figures:
    path = options.folder / "real.db"
    with Memory.open(path, settings=settings()) as memory:
        (first,) = memory.remember("The reader was here before the others.").ids
        memory.recall("reader")
        _make_counter(path)
        with _team(path, options.seed, ROLES, turns) as team:
            team.begin()
            _forget_under_a_long_read(memory, first)
            acknowledged, late, slowest_s = _recall_all(memory, team)
            failed = team.end(600)
        present = {json.loads(line).get("id") for line in memory.export()}
        damaged = not memory.admin.verify().ok
    waited_s = max((summary["slowest_s"] for summary in team.summaries), default=0.0)
    total: Counter[str] = Counter()
    for summary in team.summaries:
        total.update(summary["counts"])
    return {
        "processes": len(ROLES) + 1,
        "acknowledged": len(acknowledged),
        "lost": len(acknowledged - present),
        "recalled_late": late,
        "bumps": total["bumps"],
        "counter_off": abs(_counter(path) - total["bumps"]),
        "errors": total["errors"],
        "damaged": int(damaged),
        "child_failed": failed,
        "waited_too_long": int(waited_s > LONGEST_WAIT_S),
        "write_wait_s_max": waited_s,
        "recall_s_max": round(slowest_s, 3),
    }


def _forget_under_a_long_read(memory: Memory, id_: str) -> None:
    """The log cannot be emptied under a reader; nobody may be made to wait until it ends."""
    store = resources_of(memory).store
    reading = iter(store.audit())
    next(reading)
    assert memory.forget(id_).memories == 1
    assert not store.for_user(USER).find([id_])
    list(reading)


def _recall_all(memory: Memory, team: Team) -> tuple[set[str], int, float]:
    """Look for each acknowledged record once, as soon as it is heard of."""
    acknowledged: set[str] = set()
    late = ended = 0
    slowest_s = 0.0
    while ended < len(team.children) or not team.fresh.empty():
        said = team.fresh.get(timeout=120)
        if said is None:
            ended += 1
            continue
        id_, word = said
        acknowledged.add(id_)
        begin = time.perf_counter()
        found = memory.recall(word, kinds=["turn"])
        slowest_s = max(slowest_s, time.perf_counter() - begin)
        late += id_ not in {item.record.id for item in found}
    return acknowledged, late, slowest_s


def _control(options: Options, turns: int) -> Figures:
    path = options.folder / "control.db"
    SqliteStore(path, StoreSettings()).close()
    _make_counter(path)
    with _team(path, options.seed, ("deferred",) * 3, turns) as team:
        team.begin()
        failed = team.end(120)
    failures = sum(summary["counts"]["failures"] for summary in team.summaries)
    return {"updates": 3 * turns, "failures": failures, "child_failed": failed}


def _make_counter(path: Path) -> None:
    db = connect(path, None, StoreSettings())
    db.execute("CREATE TABLE fault_counter (n INTEGER NOT NULL)")
    db.execute("INSERT INTO fault_counter VALUES (0)")
    db.close()


def _counter(path: Path) -> int:
    db = connect(path, None, StoreSettings())
    try:
        return int(db.execute("SELECT n FROM fault_counter").get)
    finally:
        db.close()


# ---- the children


class Role:
    """What the children have in common: counting, timing, telling."""

    def __init__(self, path: Path, seed: str, turns: int) -> None:
        flow.BATCH_RECORDS = IMPORT_BATCH
        self._memory = Memory.open(path, user=USER)
        self._seed = seed
        self._turns = turns
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter(errors=0, bumps=0)
        self._slowest_s = 0.0

    def act(self, role: str) -> Figures:
        _tell("ready")
        sys.stdin.readline()
        {"writer": self._write, "importer": self._import, "counter": self._count}[role]()
        self._memory.close()
        return {"counts": self._counts, "slowest_s": round(self._slowest_s, 3)}

    def _write(self) -> None:
        workers = [
            threading.Thread(target=self._remember, args=(number,)) for number in range(THREADS)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def _remember(self, number: int) -> None:
        rng = random.Random(f"{self._seed}.{number}")
        for turn in range(self._turns // THREADS):
            word = _word(rng)
            receipt = self._timed(self._memory.remember, f"I met {word} today.")
            if receipt:
                _tell([receipt.ids[0], word])
            if turn % BUMP_EVERY == 0:
                self._bump()

    def _import(self) -> None:
        rng = random.Random(self._seed)
        said = [(f"mem_{self._seed}_{turn}", _word(rng)) for turn in range(self._turns)]
        lines = [
            export_format.to_line(make_record(id_, USER, f"{word} is here"), Links())
            for id_, word in said
        ]
        header = next(self._memory.export())
        for first in range(0, self._turns, IMPORT_BATCH):
            batch = slice(first, first + IMPORT_BATCH)
            if self._timed(self._memory.admin.import_, [header, *lines[batch]]):
                for one in said[batch]:
                    _tell(one)

    def _count(self) -> None:
        for _ in range(self._turns):
            self._bump()

    def _bump(self) -> None:
        store = resources_of(self._memory).store
        assert isinstance(store, SqliteStore)
        if self._timed(store._writer.run, _add_one):
            with self._lock:
                self._counts["bumps"] += 1

    def _timed(self, call: Any, *arguments: Any) -> Any:
        begin = time.perf_counter()
        try:
            result = call(*arguments)
        except SharpwaveError as error:
            with self._lock:
                self._counts["errors"] += 1
                self._counts[error.code] += 1
            return None
        took_s = time.perf_counter() - begin
        with self._lock:
            self._slowest_s = max(self._slowest_s, took_s)
        return result


def _add_one(db: apsw.Connection) -> bool:
    n = db.execute("SELECT n FROM fault_counter").get
    db.execute("UPDATE fault_counter SET n = ?", (n + 1,))
    return True


def deferred(path: Path, turns: int) -> Figures:
    """The fault of the control: the transaction reads before it asks for the right to write."""
    db = connect(path, None, StoreSettings())
    _tell("ready")
    sys.stdin.readline()
    failures = 0
    for _ in range(turns):
        db.execute("BEGIN DEFERRED")
        try:
            _add_one(db)
            db.execute("COMMIT")
        except apsw.BusyError:
            failures += 1
            if db.in_transaction:
                db.execute("ROLLBACK")
    db.close()
    return {"counts": {"failures": failures}, "slowest_s": 0.0}


def _word(rng: random.Random) -> str:
    return "".join(rng.choices("bcdfghjklmnpqrtvwxz", k=14))


_telling = threading.Lock()


def _tell(said: object) -> None:
    with _telling:
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    chosen, file, drawn_from, count = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    if chosen == "deferred":
        _tell(deferred(file, count))
    else:
        _tell(Role(file, drawn_from, count).act(chosen))
