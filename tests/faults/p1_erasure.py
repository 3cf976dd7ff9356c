"""P1: what is forgotten leaves no byte behind, in any file, as text or as a vector.

Three users are erased in three ways: everything, by ids in random order, by session; a fourth
stays. Each message also states facts, which must go with it. Their rows are written in turns, so
that pages are split and joined, and some are longer than a page. Each has an interaction, too, that
is still going on. Beside the file lie the copy from before a migration and what a killed backup
left. Then every file of the folders and a new backup are searched for the canaries. Controls:
SQLite's own `secure_delete` off and no rewriting; only the rewriting left out; and only our own
copies left alone.
"""

import os
import random
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
from numpy.typing import NDArray
from tests.faults.harness import Figures, Options, Result, finish, judged, start

from sharpwave import Forgotten, Memory, Message
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sql.migrations import Migration
from sharpwave.storage.sqlite import connection, copies, migrate, scrub, whole_file
from sharpwave.storage.sqlite.connection import SqliteSession
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.testing import resources_of
from sharpwave.types.records import content_hash
from sharpwave.types.storing import Snapshot, Space

NAME = "p1_erasure"
DIMENSION = 256
COPIES = 2
"""That of the migration, and that of the killed backup."""
CANARY = re.compile(rb"CANARY[ABC]\d{6}Z")
Forget = Callable[[], Forgotten]
FAULTS = (
    "left_halfway",
    "text_left",
    "vector_left",
    "others_changed",
    "log_not_cleared",
    "nothing_learned",
    "copies_not_counted",
)


def run(options: Options) -> Result:
    count = 2500 if options.long else 100
    campaign = Campaigns(options.folder, options.seed)
    figures = campaign("real", count)
    with mock.patch.object(connection, "SECURE_DELETE", "OFF"), _without_rewriting():
        control = campaign("control", min(count, 600))
    with _without_rewriting():
        gaps = campaign("gaps", min(count, 1200))
    with mock.patch.object(copies, "_found", lambda db: []):
        kept = campaign("copies", min(count, 100))
    figures["left_without_rewriting"] = gaps["left_halfway"] + gaps["text_left"]
    control["copies_left"] = kept["text_left"]
    shown = ("text_left", "vector_left", "copies_left")
    return judged(NAME, options, figures, FAULTS, control, shown)


# ---- planting


class MarkedEmbedder:
    """Vectors of +-1/16, exact in float16. Those of canaries share a pattern to search for."""

    space = Space("marked", "1", DIMENSION)

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.embed_question(one) for one in statements])

    def embed_question(self, question: str) -> NDArray[np.float32]:
        signs = np.random.default_rng(len(question)).choice([-1.0, 1.0], DIMENSION)
        if "CANARY" in question:
            signs[96:160] = PATTERN
        return (signs / 16).astype(np.float32)


PATTERN = np.random.default_rng(77).choice([-1.0, 1.0], 64)
NEEDLES = [(PATTERN[start : start + 16] / 16).astype("<f2").tobytes() for start in (0, 16, 32, 48)]


def _said(user: str, number: int, rng: random.Random) -> Message:
    if user == "D":
        return Message("someone else's words " * rng.choice((1, 5, 40, 400)))
    mark = f"CANARY{user}{number:06d}Z"
    filler = "and more words " * rng.choice((0, 1, 1, 2, 5, 10, 30, 80, 500))
    return Message(
        f"{mark} {filler} I work at {mark}. My sister Ana lives in {mark}.",
        speaker=f"speaker {mark}",
        session="kept apart" if user == "C" else f"session {mark}",
        tags=(f"tag-{mark}",),
        metadata={f"key-{mark}": f"value-{mark}"},
        idempotency_key=f"key-{mark}",
    )


def _plant(memory: Memory, count: int, rng: random.Random) -> dict[str, list[str]]:
    ids: dict[str, list[str]] = {user: [] for user in "ABCD"}
    numbers = dict.fromkeys(ids, 0)
    while min(len(found) for found in ids.values()) < count:
        user = rng.choice("ABCD")
        batch = [_said(user, numbers[user] + part, rng) for part in range(rng.randint(1, 40))]
        numbers[user] += len(batch)
        ids[user] += memory.user(user).remember(batch).ids
    for user in "ABC":
        ids[user].append(_left_open(memory.user(user), user, len(ids[user])))
    store = resources_of(memory).store
    for user in "ABC":
        payload = b"".join(b"CANARY%s%06dZ " % (user.encode(), n) for n in range(50_000))
        own = store.for_user(user)
        assert own.save_snapshot(Snapshot(own.head(), MarkedEmbedder().space, payload))
    return ids


def _left_open(memory: Memory, user: str, number: int) -> str:
    """An interaction that is still going on, kept step by step; returns its id."""
    mark = f"CANARY{user}{number:06d}Z"
    session = "kept apart" if user == "C" else f"session {mark}"
    opened = memory.agents.start(f"find {mark}", session=session, context={mark: mark})
    opened.interpretation(f"about {mark}", [f"look for {mark}"], active_role=mark)
    for step in range(20):
        opened.action(f"act_{mark}", mark, error=mark, step=step, long=f"{mark} " * 90)
    return opened.id


def _plant_copies(path: Path, later: list[Migration]) -> None:
    """The copy from before a migration, and what a backup leaves that is killed at its end."""
    SqliteStore(path, StoreSettings(), migrations=later).close()
    assert path.with_name(f"{path.name}.schema-{later[-2].version}.backup").exists()
    (path.parent / "elsewhere").mkdir()
    killed = start("p1_erasure", path, path.parent / "elsewhere" / "copy.db", later[-1].sql)
    assert finish(killed) == -signal.SIGKILL
    assert (path.parent / "elsewhere" / "copy.db.unfinished").stat().st_size


def _one_more(sql: str) -> list[Migration]:
    known = migrate.bundled()
    return [*known, Migration(known[-1].version + 1, "later", sql)]


def _killed_backup(path: Path, to: Path, sql: str) -> None:
    store = SqliteStore(path, StoreSettings(), migrations=_one_more(sql))
    with mock.patch.object(whole_file, "check_copy", lambda *_: os.kill(os.getpid(), 9)):
        store.backup(to)


# ---- forgetting and searching


class Campaigns:
    """Each erases from a copy of one planted file for each number of records."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._seed = folder, seed
        self._planted: dict[int, dict[str, list[str]]] = {}

    def __call__(self, name: str, count: int) -> Figures:
        planted = self._folder / f"planted-{count}" / "m.db"
        if count not in self._planted:
            with Memory.open(planted, user="D", embedder=MarkedEmbedder()) as memory:
                self._planted[count] = _plant(memory, count, random.Random(self._seed))
        path = self._folder / name / "m.db"
        path.parent.mkdir()
        shutil.copyfile(planted, path)
        later = _one_more("CREATE TABLE later (number INTEGER) STRICT")
        _plant_copies(path, later)
        with mock.patch.object(migrate, "bundled", lambda: later):
            return _forgotten(path, self._planted[count], random.Random(self._seed))


def _forgotten(path: Path, ids: dict[str, list[str]], rng: random.Random) -> Figures:
    uncleared, slowest, copied, folder = 0, 0.0, 0, path.parent
    count = min(map(len, ids.values()))
    with Memory.open(path, user="D", embedder=MarkedEmbedder()) as memory:
        others = _hashes(memory)
        planted = sum(_search(folder))
        learned = sum(memory.user(user).admin.stats().by_kind.get("fact", 0) for user in "ABC")
        order = rng.sample(range(len(ids["B"])), len(ids["B"]))
        half = len(order) // 2
        for forget in _by_ids(memory, ids["B"], order[:half], rng):
            begin = time.perf_counter()
            receipt = forget()
            uncleared, copied = uncleared + (not receipt.traces_cleared), copied + receipt.copies
            slowest = max(slowest, time.perf_counter() - begin)
        halfway = _forgotten_but_there(path, order[:half])
        for forget in (*_by_ids(memory, ids["B"], order[half:], rng), *_at_once(memory)):
            uncleared += not forget().traces_cleared
        memory.admin.backup(folder / "backup.db")
        text, vector = _search(folder)
        found = memory.admin.verify()
        changed = _hashes(memory) != others or not found.ok
    closed_text, closed_vector = _search(folder)
    return {
        "records": sum(map(len, ids.values())),
        "planted": planted,
        "facts": learned,
        "nothing_learned": int(learned < count),
        "copies_not_counted": abs(copied - COPIES) + found.copies_left + found.traces_left,
        "left_halfway": halfway,
        "text_left": text + closed_text,
        "vector_left": vector + closed_vector,
        "others_changed": int(changed),
        "log_not_cleared": uncleared,
        "slowest_forget_s": round(slowest, 3),
        "file_mib": round(path.stat().st_size / 2**20, 1),
    }


def _by_ids(
    memory: Memory, ids: list[str], order: list[int], rng: random.Random
) -> Iterator[Forget]:
    """A few at a time and in any order, which moves rows between pages."""
    while order:
        size = rng.choice((1, 3, 10, 80))
        part, order = order[:size], order[size:]
        yield partial(memory.user("B").forget, *(ids[number] for number in part))


def _at_once(memory: Memory) -> Iterator[Forget]:
    yield partial(memory.user("C").forget, session="kept apart")
    yield partial(memory.user("A").forget, everything=True)


def _forgotten_but_there(path: Path, numbers: list[int]) -> int:
    """Records of B that are forgotten, while their neighbours in the file are not."""
    gone = {b"CANARYB%06dZ" % number for number in numbers}
    found = [set(CANARY.findall(file.read_bytes())) for file in _files(path.parent)]
    return sum(len(gone & each) for each in found)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _search(folder: Path) -> tuple[int, int]:
    """Canaries in all files of the folder: as text, and as pieces of a vector."""
    text = vector = 0
    for file in _files(folder):
        content = file.read_bytes()
        text += len(CANARY.findall(content))
        vector += sum(content.count(needle) for needle in NEEDLES)
    return text, vector


def _hashes(memory: Memory) -> list[bytes]:
    return [
        content_hash(one) for one in resources_of(memory).store.for_user("D").scan(0, 1_000_000)
    ]


@contextmanager
def _without_rewriting() -> Iterator[None]:
    """Leave out the rewriting of the file, as before we knew of the copies between cells."""

    def only_empty_the_log(db: SqliteSession) -> bool:
        return scrub.empty_log(db)

    with mock.patch.object(scrub, "scrub", only_empty_the_log):
        yield


if __name__ == "__main__":
    _killed_backup(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
