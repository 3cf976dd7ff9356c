"""L3: a server with several workers, writers, readers, sleep, erasures and kills, all at once.

One store, two workers, five writers of three users and three readers. Every few seconds a worker,
the parent or all of them are killed with SIGKILL, and started again by the parent or by us; the
last third of the time is without kills. In the end: nothing acknowledged is lost or there twice,
nothing forgotten is in any answer, file or log, no answer held a mark of another user, and memory,
open files, the write-ahead log and the file stayed within the bounds below. Control: a server that
acknowledges before COMMIT and before it erases, and now and then answers for another user.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import httpx2
from tests.faults.harness import ROOT, Figures, Options, Result, environment, judged, settings
from tests.faults.soak_clients import MARK, Account, Client, Marks, Reader, Writer, keep_going

from sharpwave import Forgotten, Kind, Memory
from sharpwave.storage.sqlite.database import Writer as StoreWriter
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.testing import resources_of
from sharpwave.types.access import Scope

NAME = "l3_soak"
MIB = 2**20
WORKERS = 2
USERS = {"ana": "a", "ben": "b", "cleo": "c"}
WRITERS = ("ana", "ana", "ben", "ben", "cleo")
SHORT_MINUTES, LONG_MINUTES, CONTROL_MINUTES = 1.0, 30.0, 4.0
"""The control takes no longer than it needs to do enough, and then be killed once."""
ENOUGH = (100, 20)
"""Acknowledged and forgotten in the control."""
SESSIONS = 6
"""Most sessions that a writer keeps; older ones are forgotten, so that the store stops growing."""
PAUSE_S = 0.05
PROCESSES = Path("/proc")
WORKER_KILLS = 4
"""Of one server: it gives up on a worker that dies seven times soon after its start."""

MOST_WORKER_MIB = 350
MOST_GROWTH_MIB = 8
"""By how much a worker may grow in the last sixth of the time, if that is a minute or more."""
MOST_LOG_MIB = 64
MOST_FILES = 100
"""Open files of a worker."""
MOST_BYTES = (4 * MIB, 16_000, 800)
"""The file in the end: to begin with, for each memory that is left, for each acknowledged call."""
MOST_READY_S = 180.0
"""To start or to end: it tells a server that hangs, not a machine that is busy."""

FAULTS = (
    "lost",
    "twice",
    "came_back",
    "left_in_files",
    "crossed_users",
    "server_errors",
    "damaged",
    "not_scrubbed",
    "not_stopped",
    "not_ready",
    "outlived_the_server",
    "memory_over",
    "files_over",
    "log_over",
    "file_over",
    "strays",
)
CONTROL_SHOWS = ("lost", "came_back", "left_in_files", "crossed_users")
BROKEN = "SOAK_BROKEN"
"""Set in the environment of the control's server, whose workers are processes of their own."""


def run(options: Options) -> Result:
    minutes = options.minutes or (LONG_MINUTES if options.long else SHORT_MINUTES)
    figures = Soak(options.folder / "real", options.seed, minutes).run()
    control = Soak(options.folder / "control", options.seed, CONTROL_MINUTES, broken=True).run()
    return judged(NAME, options, figures, FAULTS, control, CONTROL_SHOWS)


# ---- the server


class Served:
    """`sharpwave serve` with workers, in a group of processes of its own, on one port."""

    def __init__(self, path: Path, log: Path, broken: bool) -> None:
        self._path = path
        self._log = log
        self._broken = broken
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}"
        self.worker_kills = 0

    def start(self) -> float:
        """Start it; returns after how many seconds it was ready, if within the limit."""
        begin = time.monotonic()
        options = ["serve", "--workers", WORKERS, "--port", self._port, "--db", self._path]
        command = [sys.executable, "-m", f"tests.faults.{NAME}", *map(str, options)]
        given = {**environment(), **_settings(), **({BROKEN: "1"} if self._broken else {})}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, env=given, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
            )
        self.worker_kills = 0
        while time.monotonic() - begin < MOST_READY_S and self._process.poll() is None:
            with suppress(httpx2.HTTPError):
                if httpx2.get(f"{self.url}/ready", timeout=5, trust_env=False).is_success:
                    return time.monotonic() - begin
            time.sleep(0.05)
        return MOST_READY_S + 1

    def workers(self) -> list[int]:
        """The processes that serve now."""
        assert self._process is not None
        pid = self._process.pid
        with suppress(OSError):
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            return [int(child) for child in children if "spawn_main" in _command(int(child))]
        return []

    def kill_worker(self, rng: random.Random) -> None:
        self.worker_kills += 1
        if workers := self.workers():
            _kill(rng.choice(workers))

    def kill_parent(self) -> bool:
        """Kill the parent alone; False if its workers do not end by themselves."""
        assert self._process is not None
        left = self.workers()
        self._process.kill()
        self._process.wait()
        until = time.monotonic() + MOST_READY_S
        while any(_runs(pid) for pid in left):
            if time.monotonic() > until:
                self.kill_all()
                return False
            time.sleep(0.05)
        return True

    def kill_all(self) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> bool:
        """End it as a service manager does; False if it did not end well."""
        assert self._process is not None
        self._process.terminate()
        try:
            return self._process.wait(MOST_READY_S) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            self.kill_all()


def _settings() -> dict[str, str]:
    return {
        "SHARPWAVE_PRIVACY__CONSENT_ASSUMED": "true",
        "SHARPWAVE_SERVER__RATE_PER_S": "0",
        "SHARPWAVE_SLEEP__CRON": "* * * * *",
        "SHARPWAVE_SLEEP__REQUIRE_IDLE": "false",
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def _command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def _runs(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


# ---- the soak


@dataclass(slots=True)
class Samples:
    """Sizes, seen from outside."""

    worker_bytes: dict[int, list[tuple[float, int]]] = field(default_factory=dict)
    """By process: when, and how much of the machine's memory it held."""
    files_max: int = 0
    log_max: int = 0

    def take(self, workers: list[int], path: Path) -> None:
        for pid in workers:
            with suppress(OSError, IndexError):
                pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
                size = pages * os.sysconf("SC_PAGE_SIZE")
                self.worker_bytes.setdefault(pid, []).append((time.monotonic(), size))
                self.files_max = max(self.files_max, len(os.listdir(f"/proc/{pid}/fd")))
        with suppress(OSError):
            log = path.with_name(path.name + "-wal").stat().st_size
            self.log_max = max(self.log_max, log)

    def worker_max(self) -> int:
        return max((size for seen in self.worker_bytes.values() for _, size in seen), default=0)

    def growth(self, since: float) -> int:
        """How much the worker that grew most did: the last third of its samples over the first."""
        grown = [0]
        for seen in self.worker_bytes.values():
            sizes = [size for at, size in seen if at >= since]
            third = len(sizes) // 3
            if third:
                grown.append(round(median(sizes[-third:]) - median(sizes[:third])))
        return max(grown)


class Soak:
    """One store and everything that happens to it."""

    def __init__(self, folder: Path, seed: int, minutes: float, *, broken: bool = False) -> None:
        folder.mkdir(parents=True)
        self._path = folder / "memory.db"
        self._log = folder.with_name(f"{folder.name}.log")
        self._rng = random.Random(seed)
        self._seed = seed
        self._seconds = minutes * 60
        self._broken = broken
        self._marks = Marks()
        self._samples = Samples()
        self._kills: Counter[str] = Counter()
        self._figures: Figures = dict.fromkeys(FAULTS, 0)
        self._ready_s: list[float] = []

    def run(self) -> Figures:
        accounts = self._accounts()
        self._served = Served(self._path, self._log, self._broken)
        self._begin()
        began = time.monotonic()
        try:
            with self._clients(accounts):
                if self._broken:
                    self._kill_when_enough(began)
                else:
                    self._disturb(began)
            self._figures["not_stopped"] += not self._served.stop()
        finally:
            self._served.kill_all()
        self._inspect(accounts)
        last_sixth_s = self._seconds / 6
        grown = self._samples.growth(began + self._seconds - last_sixth_s)
        too_large = self._samples.worker_max() > MOST_WORKER_MIB * MIB
        leaks = last_sixth_s >= 60 and grown > MOST_GROWTH_MIB * MIB
        self._figures |= {
            "memory_over": int(too_large) + int(leaks),
            "files_over": int(self._samples.files_max > MOST_FILES),
            "log_over": int(self._samples.log_max > MOST_LOG_MIB * MIB),
            "server_errors": len(self._marks.errors),
            "crossed_users": self._marks.crossed,
        }
        return self._done(grown) | self._figures

    def _accounts(self) -> list[Account]:
        with Memory.open(self._path, settings=settings()) as memory:
            scopes = (Scope.READ, Scope.WRITE)
            return [
                Account(user, letter, memory.admin.keys.create(user, user, scopes).secret)
                for user, letter in USERS.items()
            ]

    def _begin(self) -> None:
        ready_s = self._served.start()
        self._ready_s.append(ready_s)
        self._figures["not_ready"] += ready_s > MOST_READY_S

    @contextmanager
    def _clients(self, accounts: list[Account]) -> Iterator[None]:
        """All clients at work; at the end each finishes the call it is at."""
        stop = threading.Event()
        threads, clients = [], []
        by_user = {account.user: account for account in accounts}
        for place, user in enumerate([*WRITERS, *USERS]):
            account = by_user[user]
            patient = not self._broken
            clients.append(Client(self._served.url, account, self._marks, stop, patient))
            seed = f"{self._seed}.{place}"
            steps = (
                Writer(clients[-1], account, self._marks, seed, SESSIONS).steps()
                if place < len(WRITERS)
                else Reader(clients[-1], seed).steps()
            )
            threads.append(threading.Thread(target=keep_going, args=(steps, stop, PAUSE_S)))
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join()
            for client in clients:
                client.close()

    def _disturb(self, began: float) -> None:
        """Kill and sample until the time is over."""
        every_s = 1.0 if self._seconds < 300 else 5.0
        calm = began + self._seconds * 2 / 3
        next_kill = began + self._next_kill_s()
        while (now := time.monotonic()) < began + self._seconds:
            if next_kill <= now < calm:
                self._kill_one()
                next_kill = time.monotonic() + self._next_kill_s()
            self._samples.take(self._served.workers(), self._path)
            time.sleep(min(every_s, max(0.0, next_kill - now) if now < calm else every_s))

    def _kill_when_enough(self, began: float) -> None:
        """The control: one kill, in the middle of everything."""
        while time.monotonic() < began + self._seconds:
            marks, forgotten = self._marks, len(self._marks.gone())
            done = forgotten + len(marks.kept) >= ENOUGH[0] and forgotten >= ENOUGH[1]
            if done and marks.crossed:
                break
            time.sleep(0.05)
        self._served.kill_all()

    def _next_kill_s(self) -> float:
        return self._rng.uniform(4, 10) if self._seconds < 300 else self._rng.uniform(5, 40)

    def _kill_one(self) -> None:
        kinds = ["all"]
        if PROCESSES.exists():  # elsewhere there is no telling which processes are workers
            workers = self._served.worker_kills < WORKER_KILLS
            kinds += ["parent"] + ["worker"] * 3 * workers
        kind = self._rng.choice(kinds)
        self._kills[kind] += 1
        if kind == "worker":
            self._served.kill_worker(self._rng)
            return
        if kind == "parent":
            self._figures["outlived_the_server"] += not self._served.kill_parent()
        else:
            self._served.kill_all()
        self._begin()

    def _inspect(self, accounts: list[Account]) -> None:
        """What is in the store, and in every file, when all is over."""
        gone = self._marks.gone()
        found: Counter[str] = Counter()
        with Memory.open(self._path, settings=settings()) as memory:
            self._figures["not_scrubbed"] += not _becomes_scrubbed(memory)
            self._figures["damaged"] += not memory.admin.verify().ok
            for account in accounts:
                records = resources_of(memory).store.for_user(account.user).scan(0, 1_000_000)
                turns = [one.text for one in records if one.kind is Kind.TURN]
                found.update(mark.lower() for text in turns for mark in MARK.findall(text))
                self._marks.inspect("store", account.letter, repr(records), gone)
            left = memory.admin.stats(all_users=True).memories
        self._figures["lost"] = len(self._marks.kept.keys() - found.keys())
        self._figures["twice"] = sum(times > 1 for times in found.values())
        self._figures["came_back"] = self._marks.came_back
        self._figures["left_in_files"] = sum(
            len(gone & _marks_in(file)) for file in (*self._path.parent.iterdir(), self._log)
        )
        allowed = {self._path.name, "local.key", "server.key"}
        self._strays = [f.name for f in self._path.parent.iterdir() if f.name not in allowed]
        self._figures["strays"] = len(self._strays)
        begin, each, call = MOST_BYTES
        calls = sum(self._marks.counts.values())
        self._size = self._path.stat().st_size
        self._figures["file_over"] = int(self._size > begin + each * left + call * calls)
        self._left = left

    def _done(self, grown: int) -> Figures:
        counts = self._marks.counts
        return {
            "minutes": round(self._seconds / 60, 1),
            "acknowledged": len(self._marks.kept) + len(self._marks.forgotten),
            "forgotten": len(self._marks.forgotten),
            "memories_left": self._left,
            "reads": sum(count for name, count in counts.items() if name not in NO_READS),
            "sleeps": counts.get("sleep", 0),
            "repeated": counts.get("repeated", 0),
            **{f"{kind}_killed": count for kind, count in sorted(self._kills.items())},
            "slowest_call_s": round(self._marks.slowest_s, 1),
            "ready_s_max": round(max(self._ready_s), 1),
            "worker_mib_max": self._samples.worker_max() // MIB,
            "grown_mib": round(grown / MIB, 1),
            "files_max": self._samples.files_max,
            "log_mib_max": round(self._samples.log_max / MIB, 1),
            "file_mib": round(self._size / MIB, 1),
            "errors": self._marks.errors[:5],
            "seen_again": self._marks.seen_again,
            "stray_files": self._strays,
        }


NO_READS = {"remember", "forget", "sleep", "repeated"}


def _becomes_scrubbed(memory: Memory) -> bool:
    """An erasure that could not be finished is finished soon after the file is opened."""
    for _ in range(100):
        if not memory.admin.verify().traces_left:
            return True
        time.sleep(0.2)
    return False


def _marks_in(file: Path) -> set[str]:
    content = file.read_bytes().decode("latin-1") if file.is_file() else ""
    return {mark.lower() for mark in MARK.findall(content)}


# ---- the server of the control


def _break() -> None:
    """Acknowledge before COMMIT and before erasing; now and then answer for another user."""
    rng = random.Random(os.getpid())
    of_user, erase = SqliteStore.for_user, SqliteStore._erase

    def commit_later(self: StoreWriter, batch: Any) -> None:
        connection = self._connected()
        connection.execute("BEGIN IMMEDIATE")
        replies = [self._do_one(connection, job) for job in batch]
        for reply in replies:
            reply()
        time.sleep(0.25)
        connection.execute("COMMIT")

    def erase_later(self: SqliteStore, user_id: str, selection: Any, at: Any) -> Forgotten:
        threading.Timer(1.0, erase, (self, user_id, selection, at)).start()
        return Forgotten(memories=1, vectors=1, snapshots=0, users=0, traces_cleared=True)

    def of_anyone(self: SqliteStore, user_id: str) -> Any:
        return of_user(self, rng.choice(list(USERS)) if rng.random() < 0.02 else user_id)

    StoreWriter._do_together = commit_later  # type: ignore[method-assign]
    SqliteStore._erase = erase_later  # type: ignore[method-assign]
    SqliteStore.for_user = of_anyone  # type: ignore[assignment,method-assign]


if os.environ.get(BROKEN):  # in the server, and again in each of its workers
    _break()

if __name__ == "__main__":
    from sharpwave.interfaces.start import main

    main()
