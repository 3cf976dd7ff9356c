"""D2: the power goes at a random moment, and of what was not synced any part may be on the disk.

The real store works through seeded adds, batches, new vectors, forgetting, accesses and saved
indexes while `disk_log` notes what goes to the disk. From the log, disks as a power cut may leave
them are rebuilt, and the real store opens each. Controls: synchronous=NORMAL loses acknowledged
memories; OFF loses or corrupts.
"""

import random
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from tests.faults.disk_log import DiskLog, Entry, Updates, after_power_cut
from tests.faults.harness import Figures, Options, Result, judged

from sharpwave import Kind, Record, SharpwaveError, Source
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sqlite.connection import SqliteSession
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.types.records import Channel, Provenance, Stage, Standing, Temperature, Trust
from sharpwave.types.storing import Change, Selection, Snapshot, Space

NAME = "d2_power_cut"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SPACES = (Space("first", "1", 32), Space("second", "1", 32))
USERS = ("alice", "bob")
SESSIONS = ("monday", "tuesday", "wednesday")
OPERATIONS = 60
FAULTS = ("lost", "came_back", "wrong", "torn", "corrupt", "unwritable")


def run(options: Options) -> Result:
    rounds, images = (10, 100) if options.long else (3, 20)
    figures = _campaign(options, "FULL", rounds, images)
    few = 4 if options.long else 1
    normal = _campaign(options, "NORMAL", few, 25)
    off = _campaign(options, "OFF", few, 25)
    control = {
        "normal": normal,
        "off": off,
        "normal_lost": normal["lost"],
        "off_lost_or_corrupt": off["lost"] + off["corrupt"],
    }
    must_show = ("normal_lost", "off_lost_or_corrupt")
    return judged(NAME, options, figures, FAULTS, control, must_show)


def _campaign(options: Options, synchronous: str, rounds: int, images: int) -> Figures:
    totals: Counter[str] = Counter(dict.fromkeys(FAULTS, 0))
    for number in range(rounds):
        rng = random.Random(f"{options.seed}.{number}")
        path = options.folder / f"{synchronous}-{number}.db"
        base, entries = _record_workload(path, synchronous, rng)
        totals["syncs"] += sum(entry.kind == "sync" for entry in entries)
        totals["acknowledged"] += sum(entry.kind == "done" for entry in entries)
        for _ in range(images):
            position = rng.randint(0, len(entries))
            files = after_power_cut(base, entries[:position], rng)
            _inspect(files, entries[:position], options.folder / "image.db", totals)
            totals["images"] += 1
    return dict(totals)


# ---- the workload


class LoggedStore(SqliteStore):
    """The real store; only its connections are followed."""

    def __init__(self, path: Path, settings: StoreSettings, log: DiskLog, checkpoint: int) -> None:
        self._log = log
        self._checkpoint = checkpoint
        super().__init__(path, settings)

    def connect(self) -> SqliteSession:
        connection = super().connect()
        connection.wal_autocheckpoint(self._checkpoint)
        self._log.attach(connection)
        return connection


@mock.patch("sharpwave.storage.sqlite.database.TOUCH_FLUSH_S", 600)
def _record_workload(
    path: Path, synchronous: str, rng: random.Random
) -> tuple[dict[str, bytes], list[Entry]]:
    log = DiskLog()
    # accesses join the next transaction instead of a timer's, so that a seed replays exactly
    settings = StoreSettings.model_validate({"synchronous": synchronous})
    SqliteStore(path, settings).close()  # so that there is a log to follow from the first moment
    # a checkpoint syncs, so frequent ones would hide what the controls are to lose
    pages = rng.choice((6, 25, 1000)) if synchronous == "FULL" else 1000
    store = LoggedStore(path, settings, log, checkpoint=pages)
    try:
        base = {"db": path.read_bytes(), "wal": path.with_name(path.name + "-wal").read_bytes()}
        log.entries.clear()
        workload = Workload(store, log, rng)
        for _ in range(OPERATIONS):
            workload.step()
        return base, list(log.entries)
    finally:
        store.close()


class Workload:
    """Calls the store at random, and notes what each call is to bring about."""

    def __init__(self, store: SqliteStore, log: DiskLog, rng: random.Random) -> None:
        self._store = store
        self._log = log
        self._rng = rng
        self._numbers: dict[str, dict[str, int]] = {user: {} for user in USERS}
        self._sessions: dict[str, str] = {}
        self._made = 0

    def step(self) -> None:
        user = self._rng.choice(USERS)
        steps = {
            self._add: 10,
            self._replace_vectors: 3,
            self._forget: 3,
            self._forget_everything: 1,
            self._touch: 3,
            self._save_snapshot: 3,
        }
        (chosen,) = self._rng.choices(list(steps), list(steps.values()))
        chosen(user)

    def _add(self, user: str) -> None:
        count = self._rng.choice((1, 1, 1, 3, 20))
        records = tuple(self._record(user) for _ in range(count))
        vectors = self._vectors(count)
        updates: dict[tuple[str, str], Any] = {}
        for record, vector in zip(records, vectors, strict=True):
            updates["memory", record.id] = zlib.crc32(record.text.encode())
            updates["vector", record.id] = _vector_value(vector, SPACES[0])
        self._log.begin(updates)
        change = Change("remember", NOW, records, vectors, SPACES[0])
        for stored in self._store.for_user(user).commit(change):
            self._numbers[user][stored.record.id] = stored.record.number
        self._log.done(updates)

    def _replace_vectors(self, user: str) -> None:
        ids = self._some(user, 5)
        vectors = self._vectors(len(ids))
        updates = {
            ("vector", id_): _vector_value(vector, SPACES[1])
            for id_, vector in zip(ids, vectors, strict=True)
        }
        self._log.begin(updates)
        numbers = [self._numbers[user][id_] for id_ in ids]
        self._store.for_user(user).replace_vectors(SPACES[1], numbers, vectors)
        self._log.done(updates)

    def _forget(self, user: str) -> None:
        session = self._rng.choice((*SESSIONS, None))
        ids = self._some(user, 3)
        if not ids:
            return
        gone = {id_ for id_ in self._numbers[user] if self._sessions[id_] == session}
        self._erase(user, Selection(tuple(ids), session), gone | set(ids))

    def _forget_everything(self, user: str) -> None:
        self._erase(user, Selection(everything=True), set(self._numbers[user]))

    def _erase(self, user: str, selection: Selection, gone: set[str]) -> None:
        updates: dict[tuple[str, str], Any] = {("snapshot", user): None}
        for id_ in gone:
            updates |= {("memory", id_): None, ("vector", id_): None}
            del self._numbers[user][id_]
        self._log.begin(updates)
        assert self._store.for_user(user).forget(selection, NOW).memories == len(gone)
        self._log.done(updates)

    def _touch(self, user: str) -> None:
        self._store.for_user(user).touch(
            [self._numbers[user][id_] for id_ in self._some(user, 5)], NOW
        )

    def _save_snapshot(self, user: str) -> None:
        payload = self._rng.randbytes(self._rng.choice((100, 20_000)))
        updates = {("snapshot", user): zlib.crc32(payload)}
        head = self._store.for_user(user).head()
        self._log.begin(updates)
        saved = self._store.for_user(user).save_snapshot(Snapshot(head, SPACES[0], payload))
        self._log.done(updates if saved else {})

    def _record(self, user: str) -> Record:
        self._made += 1
        id_ = f"mem_{self._made:06}"
        self._sessions[id_] = self._rng.choice(SESSIONS)
        text = self._rng.randbytes(self._rng.choice((10, 100, 3000))).hex()
        return make_record(id_, user, text, self._sessions[id_])

    def _vectors(self, count: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        flat = [self._rng.uniform(-1, 1) for _ in range(count * SPACES[0].dimension)]
        return np.array(flat, dtype=np.float32).reshape(count, SPACES[0].dimension)

    def _some(self, user: str, most: int) -> list[str]:
        known = list(self._numbers[user])
        return self._rng.sample(known, min(len(known), self._rng.randint(1, most)))


def make_record(id_: str, user: str, text: str, session: str | None = None) -> Record:
    return Record(
        id=id_,
        user_id=user,
        kind=Kind.TURN,
        text=text,
        provenance=Provenance(Source.USER_MESSAGE, Channel.LIBRARY, Trust.USER, user),
        standing=Standing(Stage.ACTIVE, Temperature.HOT, 0.2, 1.0, 1, NOW),
        valid_from=NOW,
        recorded_at=NOW,
        session_id=session,
    )


def _vector_value(vector: np.ndarray[Any, Any], space: Space) -> tuple[str, int]:
    return space.name, zlib.crc32(vector.astype("<f2").tobytes())


# ---- the images


def _inspect(
    files: dict[str, bytes], entries: Sequence[Entry], path: Path, totals: Counter[str]
) -> None:
    wal, shm = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    path.write_bytes(files["db"])
    wal.write_bytes(files["wal"])
    shm.unlink(missing_ok=True)
    try:
        store = SqliteStore(path, StoreSettings())
    except SharpwaveError:
        totals["corrupt"] += 1
        return
    try:
        if not store.verify().ok:
            totals["corrupt"] += 1
            return
        _compare(dict(_content(store)), entries, totals)
        after = Change("remember", NOW, (make_record("mem_after", "alice", "after"),))
        store.for_user("alice").commit(after)
        totals["unwritable"] += len(store.for_user("alice").find(["mem_after"])) != 1
    except Exception:  # noqa: BLE001 - whatever it is, this image does not hold
        totals["corrupt"] += 1
    finally:
        store.close()


def _content(store: SqliteStore) -> Iterator[tuple[tuple[str, str], Any]]:
    for user in USERS:
        for record in store.for_user(user).scan(0, 100_000):
            yield ("memory", record.id), zlib.crc32(record.text.encode())
        snapshot = store.for_user(user).load_snapshot(SPACES[0])
        if snapshot:
            yield ("snapshot", user), zlib.crc32(snapshot.payload)
    query = (
        "SELECT id, name, vector FROM memories "
        "JOIN vectors USING (key) JOIN spaces USING (space_no)"
    )
    with store.readers.snapshot() as db:
        for id_, name, vector in db.execute(query):
            yield ("vector", id_), (name, zlib.crc32(vector))


def _compare(content: Updates, entries: Sequence[Entry], totals: Counter[str]) -> None:
    """Count where the content is neither what was acknowledged nor what was being done."""
    promised: dict[tuple[str, str], Any] = {}
    begun: Updates = {}
    for entry in entries:
        if entry.kind == "done":
            promised.update(entry.updates or {})
            begun = {}
        elif entry.kind == "begin":
            begun = entry.updates or {}
    happened = {content.get(key) == value for key, value in begun.items()}
    undone = {content.get(key) == promised.get(key) for key in begun}
    totals["torn"] += bool(begun) and happened != {True} and undone != {True}
    for key in (promised.keys() | content.keys()) - begun.keys():
        expected, found = promised.get(key), content.get(key)
        if expected == found:
            continue
        if found is None:
            totals["lost"] += 1
        else:
            totals["came_back" if expected is None else "wrong"] += 1
