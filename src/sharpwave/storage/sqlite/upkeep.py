"""Looking after the file: full check, backup, clearing the log after an erasure, a new key."""

import os
from collections.abc import Callable
from pathlib import Path

import apsw

from sharpwave.errors import InvalidInput, StoreDamaged
from sharpwave.storage.sqlite import chain, rows, vectors
from sharpwave.storage.sqlite.connection import translated
from sharpwave.storage.sqlite.key import Key
from sharpwave.storage.sqlite.statements import SQL
from sharpwave.storage.sqlite.writes import Erased
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import Verification

Progress = Callable[[int, int], None] | None
_PROGRESS_STEPS = 100_000  # virtual-machine steps between two reports


def verify(db: apsw.Connection, progress: Progress) -> Verification:
    """Check every row, every vector, the audit chain, and the structure of the file."""
    total = int(db.execute("SELECT count(*) FROM memories").get)
    damaged: list[str] = []
    checked = 0
    for checked, row in enumerate(db.execute(SQL["all_memories"]), start=1):
        if rows.to_record(row) is None:
            damaged.append(str(row[4]))
        if progress and checked % 1000 == 0:
            progress(checked, total)
    bad_vectors = sum(
        vectors.checksum(blob) != check or len(blob) != 2 * dimension
        for check, blob, dimension in db.execute(SQL["all_vectors"])
    )
    audit = list(chain.entries(db))
    return Verification(
        memories=checked,
        damaged_ids=tuple(damaged),
        damaged_vectors=bad_vectors,
        audit_entries=len(audit),
        audit_broken_at=chain.first_break(audit),
        structure=_structure(db),
    )


def _structure(db: apsw.Connection) -> tuple[str, ...]:
    complaints = [line for (line,) in db.execute("PRAGMA integrity_check") if line != "ok"]
    orphans = db.execute("PRAGMA foreign_key_check").fetchall()
    return tuple(complaints) + tuple(f"orphan in {row[0]}" for row in orphans)


def clear_log(db: apsw.Connection, erased: Erased) -> Forgotten:
    """Empty the write-ahead log, which still holds the pages as they were before an erasure."""
    busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    return Forgotten(*erased, log_cleared=not busy)


def copy(db: apsw.Connection, to: Path, progress: Progress) -> None:
    """Write a compact copy of one state of the database to a new file; it appears when complete."""
    if to.exists():
        raise InvalidInput(f"{to} already exists; choose another name for the backup")
    to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = to.with_name(to.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    total = int(db.pragma("page_count")) * int(db.pragma("page_size"))

    def report() -> bool:
        if progress and unfinished.exists():
            progress(min(unfinished.stat().st_size, total), total)
        return False

    with translated(to):
        db.pragma("query_only", "OFF")
        db.set_progress_handler(report, _PROGRESS_STEPS)
        try:
            db.execute("VACUUM INTO ?", (str(unfinished),))
        finally:
            db.set_progress_handler(None)
            db.pragma("query_only", "ON")
    unfinished.chmod(0o600)
    _sync(unfinished)
    unfinished.rename(to)
    _sync(to.parent)


def check_copy(path: Path, connect: Callable[[], apsw.Connection]) -> None:
    """Open a copy and read all of it; a backup that cannot be read is no backup."""
    with translated(path):
        db = connect()
        try:
            found = verify(db, None)
        finally:
            db.close()
    if not found.ok:
        raise StoreDamaged(
            f"the copy {path} does not pass its check: {len(found.damaged_ids)} damaged memories, "
            f"{len(found.structure)} structural complaints. Run `sharpwave verify` on the original."
        )


def rekey(db: apsw.Connection, path: Path, key: Key) -> str:
    """Rewrite the file under a new key; returns the key as connections need it."""
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    new_key = key.for_file(path)
    db.pragma("cipher", "sqlcipher")
    db.pragma("legacy", 4)
    db.execute(f'PRAGMA rekey = "{new_key}"')
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return new_key


def file_bytes(path: Path) -> int:
    """Size of the database with its log."""
    parts = (path, path.with_name(path.name + "-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
