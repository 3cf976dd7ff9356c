"""D5: the Nth sync, write, truncation or opening of a file fails with EIO, once or for a while.

The real store remembers and forgets; below it the disk refuses, as in `disk_log`. A call whose sync
failed is not acknowledged, every error is one of ours, the memory does not count as ready while
writes fail, and goes on without a restart when the disk does. Then the power goes: whatever was
acknowledged is in the file that is left, even if the system dropped what the failed sync was to
save. Control: the same, but the store does not learn that a sync failed.
"""

import ctypes
import errno
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import apsw
from tests.faults.disk_log import DiskLog, Entry, after_power_cut
from tests.faults.harness import Figures, Options, Result, judged, settings

from sharpwave import Kind, Memory, SharpwaveError, StorageError
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sqlite.connection import SqliteSession
from sharpwave.storage.sqlite.store import SqliteStore

NAME = "d5_failing_disk"
KINDS = {"sync": 40, "write": 60, "truncate": 4, "open": 12}
"""What fails, and the last N that is tried; a trial has about so many."""
STEPS = 12
FOR_A_WHILE = 1_000
"""So many failures in a row: until the disk is repaired."""
SHORT_TRIALS = 5
CONTROL_TRIALS = 30
"""At most: the control ends with the first loss."""
FAULTS = (
    "lost",
    "came_back",
    "torn",
    "damaged",
    "foreign_errors",
    "ready_while_failing",
    "not_resumed",
    "never_failed",
)


def run(options: Options) -> Result:
    base = options.folder / "base.db"
    with Memory.open(base, settings=settings()) as memory:
        memory.remember([f"known from the start {number}" for number in range(8)])
    totals: Counter[str] = Counter(dict.fromkeys(FAULTS, 0))
    rng = random.Random(options.seed)
    for kind, last in KINDS.items():
        places = list(range(1, last + 1))
        if not options.long:
            places = rng.sample(places, min(SHORT_TRIALS, last))
        fired = sum(_trial(base, kind, place, rng, totals) for place in places)
        totals["trials"] += len(places)
        totals["failures"] += fired
        totals["never_failed"] += not fired
    return judged(NAME, options, dict(totals), FAULTS, _control(base, options.seed), ("lost",))


def _control(base: Path, seed: int) -> Figures:
    found: Counter[str] = Counter(dict.fromkeys(FAULTS, 0))
    rng = random.Random(seed)
    for number in range(CONTROL_TRIALS):
        _trial(base, "sync", 1 + number % 9, rng, found, unreported=True)
        if found["lost"]:
            break
    return {"lost": found["lost"]}


# ---- what fails


@dataclass(slots=True)
class Failing:
    """The Nth of a kind fails, and so do those after it until `left` is used up."""

    kind: str
    place: int
    left: int
    seen: int = 0
    fired: int = 0

    def __call__(self, kind: str) -> bool:
        if kind != self.kind:
            return False
        self.seen += 1
        if self.seen < self.place or not self.left:
            return False
        self.left -= 1
        self.fired += 1
        return True


_OPEN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_int, use_errno=True)


@contextmanager
def _failing_opens(fails: Callable[[str], bool]) -> Iterator[None]:
    """SQLite opens its files by our function, which refuses some."""
    unix = apsw.VFS("below", base="unix")
    address = unix.xGetSystemCall("open") or 0
    original = _OPEN(address)

    def on_open(name: bytes, flags: int, mode: int) -> int:
        if fails("open"):
            ctypes.set_errno(errno.EIO)
            return -1
        opened: int = original(name, flags, mode)
        return opened

    replaced = _OPEN(on_open)
    unix.xSetSystemCall("open", ctypes.cast(replaced, ctypes.c_void_p).value or 0)
    try:
        yield
    finally:
        unix.xSetSystemCall("open", address)
        unix.unregister()


@contextmanager
def _followed(log: DiskLog) -> Iterator[None]:
    """Every connection of a store is followed by the log."""
    connect = SqliteStore.connect

    def connect_and_follow(self: SqliteStore) -> SqliteSession:
        connection = connect(self)
        connection.wal_autocheckpoint(40)  # so that checkpoints fail, too
        try:
            log.attach(connection)
        except AssertionError:
            connection.close()
            raise
        return connection

    with mock.patch.object(SqliteStore, "connect", connect_and_follow):
        yield


# ---- a trial


@dataclass(slots=True)
class Said:
    """What was said: texts, and for each call which of them belong together."""

    live: list[tuple[str, str]] = field(default_factory=list)
    """Id and text of what may be forgotten."""
    groups: list[list[str]] = field(default_factory=list)
    failed: int = 0


def _trial(
    base: Path,
    kind: str,
    place: int,
    rng: random.Random,
    totals: Counter[str],
    *,
    unreported: bool = False,
) -> int:
    """One file, one failure or a row of them; returns how often the disk refused."""
    folder = base.with_name("trial")
    folder.mkdir()
    path = folder / "memory.db"
    shutil.copyfile(base, path)
    before = {"db": path.read_bytes(), "wal": b""}
    failing = Failing(kind, place, rng.choice((1, 1, 3, FOR_A_WHILE)))
    log = DiskLog(failing)
    log.unreported = unreported
    said = Said()
    with _followed(log), _failing_opens(failing):
        memory = _opened(path, failing, totals)
        for number in range(STEPS):
            _step(memory, f"{place}x{number}", rng, log, said, totals)
            totals["ready_while_failing"] += _is_ready_wrongly(memory, said, failing)
        failing.left = 0  # the disk is repaired
        totals["not_resumed"] += not _resumes(memory, log)
        entries = list(log.entries)
        memory.close()
    for _ in range(3 if failing.fired else 0):
        position = rng.randint(_first_failure(entries), len(entries))
        image = folder / "image.db"
        for name, content in after_power_cut(before, entries[:position], rng).items():
            end = "" if name == "db" else "-wal"
            image.with_name(image.name + end).write_bytes(content)
        image.with_name(image.name + "-shm").unlink(missing_ok=True)
        _inspect(image, entries[:position], said, totals)
    _inspect(path, entries, said, totals)
    shutil.rmtree(folder)
    return failing.fired


def _opened(path: Path, failing: Failing, totals: Counter[str]) -> Memory:
    """Open the memory; if the disk refuses, that is one of our errors, and it works later."""
    for _ in range(FOR_A_WHILE):
        try:
            return Memory.open(path, settings=settings())
        except StorageError:
            totals["refused_to_open"] += 1
            failing.left = min(failing.left, 2)
        except (apsw.Error, AssertionError) as error:
            totals["foreign_errors"] += isinstance(error, apsw.Error)
    raise AssertionError("it never opened")


def _step(
    memory: Memory,
    name: str,
    rng: random.Random,
    log: DiskLog,
    said: Said,
    totals: Counter[str],
) -> None:
    forgets = bool(said.live) and rng.random() < 0.3
    id_, text = rng.choice(said.live) if forgets else ("", "")
    texts = [text] if forgets else [f"{name}p{part} is new" for part in range(rng.choice((1, 3)))]
    updates = {("text", one): not forgets for one in texts}
    log.begin(updates)
    try:
        if forgets:
            said.live.remove((id_, text))
            memory.forget(id_)
        else:
            said.groups.append(texts)
            said.live += zip(memory.remember(texts).ids, texts, strict=True)
    except StorageError:
        said.failed += 1
        totals["not_acknowledged"] += 1
    except (apsw.Error, OSError, ValueError, LookupError):
        totals["foreign_errors"] += 1
    else:
        log.done(updates)
        said.failed = 0
        totals["acknowledged"] += 1
    try:
        memory.recall(texts[0])
    except SharpwaveError:
        totals["reads_refused"] += 1


def _is_ready_wrongly(memory: Memory, said: Said, failing: Failing) -> int:
    """After a failed write, ready although the disk goes on refusing syncs."""
    if not said.failed or failing.kind != "sync" or failing.left < FOR_A_WHILE // 2:
        return 0
    try:
        memory.admin.check_ready()
    except SharpwaveError:
        return 0
    return 1


def _resumes(memory: Memory, log: DiskLog) -> bool:
    """Whether it writes, reads and is ready again, without a restart."""
    text = "the disk works again"
    log.begin({("text", text): True})
    try:
        memory.remember(text)
        log.done({("text", text): True})
        memory.admin.check_ready()
        return any(item.record.text == text for item in memory.recall(text))
    except SharpwaveError:
        return False


def _first_failure(entries: Sequence[Entry]) -> int:
    return next((at for at, entry in enumerate(entries) if entry.kind == "failed"), 0)


def _inspect(path: Path, entries: Sequence[Entry], said: Said, totals: Counter[str]) -> None:
    """Compare the file with what was acknowledged up to here."""
    totals["files_inspected"] += 1
    try:
        with closing(SqliteStore(path, StoreSettings())) as store:
            totals["damaged"] += not store.verify().ok
            records = store.for_user("default").scan(0, 10_000)
            present = {one.text for one in records if one.kind is Kind.TURN}
    except StorageError:
        totals["damaged"] += 1
        return
    promised: dict[str, bool] = {}
    doubtful: set[str] = set()
    for entry in entries:
        texts = {text: there for (_, text), there in (entry.updates or {}).items()}
        if entry.kind == "begin":
            doubtful |= texts.keys()
        elif entry.kind == "done":
            doubtful -= texts.keys()
            promised.update(texts)
    for text in promised.keys() - doubtful:
        totals["lost"] += promised[text] and text not in present
        totals["came_back"] += not promised[text] and text in present
    gone = {text for text, there in promised.items() if not there} | doubtful
    totals["torn"] += sum(
        0 < len(present & set(group)) < len(group)
        for group in said.groups
        if not gone & set(group) or doubtful >= set(group)
    )
