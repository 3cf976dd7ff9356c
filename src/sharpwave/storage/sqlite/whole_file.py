"""What is done to the file as a whole: checked copies, a full check, a new key, tidying.

No ANALYZE: SQLite keeps samples of what it counts, names among them, where forgetting does not
reach. Statements name the index that they need instead.
"""

import glob
import os
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

import apsw

from sharpwave.errors import InvalidInput, StoreBusy, StoreDamaged, StoreDegraded, StoreFull
from sharpwave.storage.sql import audit
from sharpwave.storage.sql.audit import Progress
from sharpwave.storage.sql.store import SCRUB_IN_SLEEP_MIB
from sharpwave.storage.sqlite import copies, scrub
from sharpwave.storage.sqlite.connection import SqliteSession, prepare_folder, translated
from sharpwave.storage.sqlite.database import Writer
from sharpwave.storage.sqlite.key import Key
from sharpwave.types.storing import Tidied, Verification

_PROGRESS_STEPS = 100_000  # virtual-machine steps between two reports


def unfinished_copy(to: Path, replace: bool) -> Path:
    """Where a backup is written until it is complete; InvalidInput if it cannot be written."""
    unfinished = to.with_name(to.name + ".unfinished")
    try:
        if to.exists() and not replace:
            raise InvalidInput(f"{to} already exists; choose another name for the backup")
        unfinished.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"cannot write a backup to {to}: {error}") from error
    prepare_folder(unfinished)  # SQLite writes into the empty file, which only its owner can read
    return unfinished


def copy_to(
    db: SqliteSession,
    to: Path,
    progress: Progress,
    connect: Callable[[Path], SqliteSession],
    replace: bool = False,
) -> None:
    """Write a compact copy of one state of the database to a new file.

    It appears under its name when it is complete and was read back: an unreadable backup is none.
    """
    unfinished = unfinished_copy(to, replace)
    with copies.being_written(unfinished):
        _write_copy(db, unfinished, to, progress)
        check_copy(unfinished, lambda: connect(unfinished))
        publish(unfinished, to)


def _write_copy(db: SqliteSession, unfinished: Path, to: Path, progress: Progress) -> None:
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


def check_copy(path: Path, connect: Callable[[], SqliteSession]) -> None:
    """Open a copy and read all of it."""
    with translated(path), closing(connect()) as db:
        found = verify_file(db, None)
    if not found.ok:
        raise StoreDamaged(
            f"the copy {path} does not pass its check: {len(found.damaged_ids)} damaged memories, "
            f"{len(found.structure)} structural complaints. Run `sharpwave verify` on the original."
        )


def publish(finished: Path, to: Path) -> None:
    """Give a complete file its name, in one step that survives a power cut."""
    finished.chmod(0o600)
    _sync(finished)
    finished.replace(to)
    if os.name == "posix":  # elsewhere a folder cannot be synced
        _sync(to.parent)


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


def verify_file(db: SqliteSession, progress: audit.Progress) -> Verification:
    """Check every row, every vector, the audit chain, and the structure of the file."""
    left = len(copies.outdated(db))
    found = audit.verify(db, progress, _structure(db), bool(left) or scrub.is_due(db))
    return replace(found, copies_left=left)


def _structure(db: SqliteSession) -> tuple[str, ...]:
    complaints = [line for (line,) in db.execute("PRAGMA integrity_check") if line != "ok"]
    orphans = db.execute("PRAGMA foreign_key_check").fetchall()
    return tuple(complaints) + tuple(f"orphan in {row[0]}" for row in orphans)


def rekey(db: SqliteSession, path: Path, key: Key) -> str:
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


def take_over(db: SqliteSession, path: Path) -> None:
    """Empty and leave the write-ahead log; works only if no other process has the file open."""
    try:
        mode = db.pragma("journal_mode", "DELETE")
    except (apsw.BusyError, apsw.LockedError):
        mode = "wal"
    if mode != "delete":
        raise StoreBusy(
            f"another process has {path} open. Stop every program that uses this memory, then "
            "try again; nothing was changed."
        )


Backup = Callable[[Path, Progress, bool], None]


def keep_copies(
    backup: Backup, file: Path, folder: Path, day: date, most: int, progress: Progress
) -> Path:
    """Write the copy of a day, in place of an earlier one of that day, and delete older ones.

    An earlier copy is deleted only once the new one is complete and was read back.
    """
    target = folder / f"{file.stem}-{day.isoformat()}{file.suffix}"
    name = f"{glob.escape(file.stem)}-????-??-??{glob.escape(file.suffix)}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        backup(target, progress, True)
        for old in sorted(folder.glob(name))[:-most]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise StoreDegraded(f"cannot keep a copy in {folder}: {error}") from error
    finally:
        with suppress(OSError):
            for cut_off in folder.glob(f"{name}.unfinished"):
                cut_off.unlink(missing_ok=True)
    return target


def scrubbed(writer: Writer, up_to_mib: int | None) -> bool:
    """Rewrite the file if it is no larger than this; False if it is, or a reader is in the way."""

    def work(db: SqliteSession) -> bool:
        if up_to_mib is not None and not scrub.is_within(db, up_to_mib):
            return False
        return scrub.scrub(db)

    try:
        return writer.run_alone(work)
    except (StoreBusy, StoreDegraded, StoreFull):
        return False  # the erasure itself is durable: an error would say that it is not


def erase_copies(writer: Writer, with_replaced: bool = False) -> copies.Copies:
    """Erase the copies of the file that we made ourselves."""
    try:
        return writer.run_alone(lambda db: copies.erase(db, with_replaced))
    except (StoreBusy, StoreDegraded, StoreFull):
        return copies.Copies(0, 1)  # as below: the next erasure tries again


def tidy_file(writer: Writer, path: Path) -> Tidied:
    """Finish a scrub that is due, and empty the log."""
    before = file_bytes(path)
    if writer.run_alone(copies.outdated):
        erase_copies(writer)
    if writer.run_alone(scrub.is_due):
        done = scrubbed(writer, SCRUB_IN_SLEEP_MIB)
    else:
        done = False
        writer.run_alone(scrub.empty_log)
    return Tidied(done, max(0, before - file_bytes(path)))
