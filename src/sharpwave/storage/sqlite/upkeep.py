"""Looking after the file: full check, backup, clearing the log after an erasure, a new key."""

import os
from collections.abc import Callable
from pathlib import Path

import apsw

from sharpwave.errors import InvalidInput, StoreBusy, StoreDamaged
from sharpwave.storage.sqlite import chain, rows, statements, vectors
from sharpwave.storage.sqlite.connection import prepare_folder, translated
from sharpwave.storage.sqlite.key import Key
from sharpwave.storage.sqlite.statements import SQL, readable
from sharpwave.storage.sqlite.writes import Erased
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import Verification

Progress = Callable[[int, int], None] | None
UNREADABLE = "(unreadable)"
"""Stands for the id of a record whose id cannot be read either."""

_PROGRESS_STEPS = 100_000  # virtual-machine steps between two reports


def verify(db: apsw.Connection, progress: Progress) -> Verification:
    """Check every row, every vector, the audit chain, and the structure of the file."""
    total = int(db.execute("SELECT count(*) FROM memories").get)
    damaged: list[str] = []
    checked = 0
    for checked, row in enumerate(readable(db.execute(SQL["all_memories"])), start=1):
        if row is None:
            damaged.append(UNREADABLE)
        elif rows.to_record(row) is None:
            damaged.append(str(row[4]))
        if progress and checked % 1000 == 0:
            progress(checked, total)
    bad_vectors = sum(
        not vectors.intact(blob, check, dimension)
        for check, blob, dimension in db.execute(SQL["all_vectors"])
    )
    audit_entries, audit_broken_at = chain.check(db)
    return Verification(
        memories=checked,
        damaged_ids=tuple(damaged),
        damaged_vectors=bad_vectors,
        audit_entries=audit_entries,
        audit_broken_at=audit_broken_at,
        structure=_structure(db),
    )


def actor_salt(db: apsw.Connection, path: Path) -> bytes:
    """What this store mixes into the digests of its users' names."""
    found = statements.row(db, "meta", {"name": "actor_salt"})
    if found is None or not isinstance(found[0], bytes):
        raise StoreDamaged(
            f"{path} is damaged: the salt of its audit is missing. Run `sharpwave doctor "
            "--recover`, or restore a backup."
        )
    return found[0]


def _structure(db: apsw.Connection) -> tuple[str, ...]:
    complaints = [line for (line,) in db.execute("PRAGMA integrity_check") if line != "ok"]
    orphans = db.execute("PRAGMA foreign_key_check").fetchall()
    return tuple(complaints) + tuple(f"orphan in {row[0]}" for row in orphans)


def clear_log(db: apsw.Connection, erased: Erased) -> Forgotten:
    """Remove the copies that an erasure leaves behind.

    When SQLite splits or joins pages, old copies of rows stay in the unused middle of a page, out
    of reach of `secure_delete`: only rewriting the file removes them. The write-ahead log holds the
    pages as they were before the erasure, until it is emptied.
    """
    if erased.memories:
        db.execute("VACUUM")
    busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    return Forgotten(*erased, log_cleared=not busy)


def copy(db: apsw.Connection, to: Path, progress: Progress) -> None:
    """Write a compact copy of one state of the database to a new file; it appears when complete."""
    if to.exists():
        raise InvalidInput(f"{to} already exists; choose another name for the backup")
    unfinished = to.with_name(to.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    prepare_folder(unfinished)  # SQLite writes into the empty file, which nobody else can read
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
    publish(unfinished, to)


def publish(finished: Path, to: Path) -> None:
    """Give a complete file its name, in one step that survives a power cut."""
    finished.chmod(0o600)
    _sync(finished)
    finished.replace(to)
    _sync(to.parent)


def take_over(db: apsw.Connection, path: Path) -> None:
    """Empty and leave the write-ahead log, which works only if nobody else has the file open."""
    try:
        mode = db.pragma("journal_mode", "DELETE")
    except (apsw.BusyError, apsw.LockedError):
        mode = "wal"
    if mode != "delete":
        raise StoreBusy(
            f"another process has {path} open. Stop every program that uses this memory, then "
            "try again; nothing was changed."
        )


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
    take_over(db, path)
    try:
        new_key = key.for_rekey(path)
        db.pragma("cipher", "sqlcipher")
        db.pragma("legacy", 4)
        db.execute(f'PRAGMA rekey = "{new_key}"')
    finally:
        db.pragma("journal_mode", "WAL")
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
