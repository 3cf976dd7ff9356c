"""D3: the disk runs full under several writers, then there is room again.

Twice: with a limit on the size of a file, which every system has, and on a small filesystem of its
own, where the kernel lets us mount one in a private namespace. The figures say which of them ran.
The limit makes the system answer "file too large" instead of "no space"; SQLite reports that as a
failed write, so that StoreDegraded with an unknown outcome is right there, and StoreFull is right
on the full filesystem. There a record can be forgotten all the same. Control: without the reserve
it cannot.
"""

import ctypes
import json
import os
import resource
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import httpx2
from tests.faults.harness import Figures, Options, Result, judged, start
from tests.interfaces.rest.serving import serving_memory, settings_for_tests

from sharpwave import Memory, Message, StorageError
from sharpwave.errors import StoreDegraded, StoreFull
from sharpwave.storage.sqlite import reserve

NAME = "d3_disk_full"
THREADS = 4
TURNS = 2_000
NO_NAMESPACE = 3
"""Exit code of a child that may not mount a filesystem."""
KIB = 1024
FILLING = "water " * 100
LOAD = {"load": "water " * 2_600}
"""Metadata takes as much of the disk as text, and is not read: the disk is tested here."""
SMALL_KIB, MIDDLE_KIB = 2560, 6 * KIB
FAULTS = ("lost", "phantom", "failed_reads", "not_resumed", "never_full", "other_error", "hung")
FAULTS_AFTER = (
    "damaged",
    "came_back",
    "forget_refused",
    "ready_when_full",
    "not_ready_again",
)
FULL = (503, "store_full")


def run(options: Options) -> Result:
    figures: Figures = dict.fromkeys((*FAULTS, *FAULTS_AFTER, "child_failed"), 0)
    ran = []
    for room in ("limit", "filesystem"):
        for repeat in range(5 if options.long else 1):
            folder = options.folder / f"{room}-{repeat}"
            folder.mkdir()
            found = _in_child(room, folder, options.seed + repeat)
            if found is None:
                continue
            ran.append(room)
            for name, count in found.items():
                figures[name] = figures.get(name, 0) + count
    figures["ran"] = sorted(set(ran))
    figures["child_failed"] += "limit" not in ran
    (options.folder / "control").mkdir()
    control = _in_child("filesystem", options.folder / "control", options.seed, reserve_mib=0)
    faults = (*FAULTS, *FAULTS_AFTER, "child_failed")
    return judged(NAME, options, figures, faults, control, ("forget_refused",))


def _in_child(
    room: str, folder: Path, seed: int, reserve_mib: int = reserve.RESERVE_MIB
) -> Figures | None:
    child = start(NAME, room, folder, seed, reserve_mib, stdout=subprocess.PIPE)
    try:
        output, _ = child.communicate(timeout=100)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return {"hung": 1}
    if child.returncode == NO_NAMESPACE:
        return None
    if child.returncode:
        return {"child_failed": 1}
    found: Figures = json.loads(output)
    return found


# ---- rooms that can be too small


class Room(Protocol):
    """A place for a file with a size that can change."""

    def grow(self, kib: int | None) -> None:
        """Make the room this large; None for as much as is needed."""


class SizeLimit:
    """No file of this process may be larger."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def grow(self, kib: int | None) -> None:
        soft = resource.RLIM_INFINITY if kib is None else kib * KIB
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, resource.RLIM_INFINITY))


class SmallFilesystem:
    """A filesystem in memory that only this process sees; it is gone with the process."""

    NEW_MOUNTS, NEW_USER = 0x00020000, 0x10000000
    REMOUNT, RECURSIVE, PRIVATE = 32, 1 << 14, 1 << 18

    def __init__(self, folder: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._folder = str(folder).encode()
        user, group = os.getuid(), os.getgid()
        if self._libc.unshare(self.NEW_MOUNTS):
            self._do(self._libc.unshare(self.NEW_MOUNTS | self.NEW_USER))
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"0 {user} 1")
            Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        self._do(self._libc.mount(b"none", b"/", None, self.RECURSIVE | self.PRIVATE, None))
        self._do(self._libc.mount(b"tmpfs", self._folder, b"tmpfs", 0, b"size=64k"))

    def grow(self, kib: int | None) -> None:
        size = f"size={kib or 64 * KIB}k".encode()
        self._do(self._libc.mount(b"tmpfs", self._folder, b"tmpfs", self.REMOUNT, size))

    def _do(self, code: int) -> None:
        if code:
            raise OSError(ctypes.get_errno(), "no namespace of our own")


# ---- the child


@dataclass(slots=True)
class Said:
    """What became of each text."""

    acknowledged: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)


def child(room: Room, path: Path, seed: int) -> Figures:
    """Fill, read, make room, go on; then once more with a restart while it is full."""
    said = Said()
    said.counts.update(dict.fromkeys(FAULTS, 0))
    room.grow(SMALL_KIB)
    memory = Memory.open(path)
    if isinstance(room, SmallFilesystem):
        with serving_memory(memory, settings_for_tests()) as served:
            key = served.key(memory.user_id)
            _fill(memory, f"{seed}.first", said)
            _read(memory, said)
            with served.http(key) as http:
                _served_while_full(http, room, said)
    else:
        _fill(memory, f"{seed}.first", said)
        _read(memory, said)
    gone = _forget_in_tight_room(memory, room, said)
    room.grow(MIDDLE_KIB)
    _resume(memory, f"{seed}.first", said)
    _fill(memory, f"{seed}.second", said)
    memory.close()
    memory = Memory.open(path)
    _read(memory, said)
    room.grow(None)
    _resume(memory, f"{seed}.second", said)
    memory.close()
    found = _inspect(path, said, gone)
    return {**said.counts, **found, "came_back": found["came_back"] + said.counts["came_back"]}


def _fill(memory: Memory, seed: str, said: Said) -> None:
    """Write from several threads until each has been refused three times."""
    workers = [
        threading.Thread(target=_write, args=(memory, f"{seed}.{number}", said), daemon=True)
        for number in range(THREADS)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    said.counts["hung"] += sum(worker.is_alive() for worker in workers)


def _write(memory: Memory, seed: str, said: Said) -> None:
    refusals = 0
    for turn in range(TURNS):
        text = f"{_word(seed, turn)} {FILLING}"
        refusals += not _say(memory, text, said)
        if refusals == 3:
            return
    said.counts["never_full"] += 1


def _say(memory: Memory, text: str, said: Said) -> bool:
    with _counting(said, text):
        (id_,) = memory.remember(Message(text, metadata=LOAD)).ids
        said.acknowledged[id_] = text
        return True
    return False


@contextmanager
def _counting(said: Said, text: str) -> Iterator[None]:
    try:
        yield
    except StoreFull:
        said.refused.add(text)
        said.counts["store_full"] += 1
    except StoreDegraded:
        said.unknown.add(text)
        said.counts["store_degraded"] += 1
    except StorageError:
        said.counts["other_error"] += 1


def _read(memory: Memory, said: Said) -> None:
    known = list(said.acknowledged.items())
    for id_, text in known[:: len(known) // 10]:
        found = memory.recall(text.split()[0])
        near = {one.id for one in found.left_out}  # the texts are alike but for a word
        said.counts["failed_reads"] += id_ not in near | {item.record.id for item in found}


def _served_while_full(http: httpx2.Client, room: Room, said: Said) -> None:
    """Whether a server says so, reads, and forgets; and is ready once there is room again."""
    told = http.get("/ready")
    said.counts["ready_when_full"] += (told.status_code, told.json().get("code")) != FULL
    refused = http.post("/v1/remember", json={"messages": LOAD["load"]})
    said.counts["other_error"] += refused.status_code != 507
    id_ = next(iter(said.acknowledged))
    gone = http.post("/v1/forget", json={"ids": [id_]}, headers={"Idempotency-Key": "k"})
    if gone.status_code == 200:
        said.acknowledged.pop(id_)
        said.counts["came_back"] += id_ in http.get("/v1/export").text
    else:
        said.counts["forget_refused"] += 1
    room.grow(MIDDLE_KIB)
    said.counts["not_ready_again"] += http.get("/ready").status_code != 200
    room.grow(SMALL_KIB)


def _forget_in_tight_room(memory: Memory, room: Room, said: Said) -> set[str]:
    """There is room to write that something is forgotten before there is room to empty the log.

    An error must mean that nothing was forgotten, or that this is unknown.
    """
    sizes = range(SMALL_KIB, MIDDLE_KIB, 32)
    for id_, kib in zip(list(said.acknowledged), sizes, strict=False):
        room.grow(kib)
        text = said.acknowledged.pop(id_)
        try:
            said.counts["log_left"] += not memory.forget(id_).traces_cleared
        except StoreFull:
            said.acknowledged[id_] = text
        except StoreDegraded:
            said.unknown.add(text)
        else:
            return {text}
    said.counts["not_resumed"] += 1
    return set()


def _resume(memory: Memory, seed: str, said: Said) -> None:
    for turn in range(20):
        said.counts["not_resumed"] += not _say(
            memory, f"{_word(seed + '.resumed', turn)} is new", said
        )


def _word(seed: str, turn: int) -> str:
    return f"{seed.replace('.', 'x')}x{turn}"


def _inspect(path: Path, said: Said, gone: set[str]) -> Figures:
    with Memory.open(path) as memory:
        present = {json.loads(line).get("text") for line in memory.export()}
        expected = set(said.acknowledged.values())
        return {
            "acknowledged": len(expected),
            "lost": len(expected - present),
            "phantom": len(said.refused & present),
            "came_back": len(gone & present),
            "unknown": len(said.unknown),
            "unknown_present": len(said.unknown & present),
            "damaged": int(not memory.admin.verify().ok),
        }


ROOMS: dict[str, Callable[[Path], Room]] = {"limit": SizeLimit, "filesystem": SmallFilesystem}

if __name__ == "__main__":
    folder = Path(sys.argv[2])
    try:
        chosen = ROOMS[sys.argv[1]](folder)
    except OSError:
        sys.exit(NO_NAMESPACE)
    reserve.RESERVE_MIB = int(sys.argv[4])
    print(json.dumps(child(chosen, folder / "memory.db", int(sys.argv[3]))))
