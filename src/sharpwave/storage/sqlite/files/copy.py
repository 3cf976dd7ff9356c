"""Consistent copies of the file, made while others go on writing, and read back."""

import os
from collections.abc import Callable
from pathlib import Path

from sharpwave.errors import InvalidInput, StoreDamaged
from sharpwave.storage.sql.verifying import Progress
from sharpwave.storage.sqlite.connection import prepare_folder, translated
from sharpwave.storage.sqlite.files.check import verify
from sharpwave.storage.sqlite.statements import Connection

_PROGRESS_STEPS = 100_000  # virtual-machine steps between two reports


def copy_to(
    db: Connection,
    to: Path,
    progress: Progress,
    connect: Callable[[Path], Connection],
) -> None:
    """Write a compact copy of one state of the database to a new file.

    It appears under its name when it is complete and was read back: a backup that cannot be read is
    none.
    """
    unfinished = to.with_name(to.name + ".unfinished")
    try:
        if to.exists():
            raise InvalidInput(f"{to} already exists; choose another name for the backup")
        unfinished.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"cannot write a backup to {to}: {error}") from error
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
    check_copy(unfinished, lambda: connect(unfinished))
    publish(unfinished, to)


def check_copy(path: Path, connect: Callable[[], Connection]) -> None:
    """Open a copy and read all of it."""
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
