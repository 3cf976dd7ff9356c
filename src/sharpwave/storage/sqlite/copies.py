"""Copies of a memory file that we made ourselves: they hold what is forgotten later.

    m.db.schema-9.backup    before a migration
    *.unfinished            a backup that was cut off, wherever it was to be written
    m.db.restoring…         a restore that was cut off
    m.db.replaced-…         what stood in the place of a restored backup

An erasure in the file erases all but the last kind, which is kept in case of a wrong
backup: it is counted until `scrub` erases it. Finished backups belong to the user; what was
forgotten since does not come back when one is restored. A copy that is being written is locked.
"""

import fcntl
import glob
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from sharpwave.storage.sql.session import SqlSession
from sharpwave.storage.sqlite.connection import SqliteSession
from sharpwave.temporal.clock import from_microseconds

_NOTE = "copy/"
_BESIDE = (".schema-[0-9]*.backup", ".schema-[0-9]*.unfinished", ".restoring*")
_REPLACED = ".replaced-[0-9]*-[0-9]*"


class Copies(NamedTuple):
    """How many copies were erased, and how many are left."""

    erased: int
    left: int


@contextmanager
def being_written(path: Path) -> Iterator[None]:
    """Lock a copy while it is written; the lock ends with the process."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        with suppress(OSError):  # a filesystem without such locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def note(db: SqlSession, path: Path) -> None:
    """Note that a copy is about to be written, to find it should it be cut off."""
    db.change("put_meta", {"name": f"{_NOTE}{path.absolute()}", "value": socket.gethostname()})


def unnote(db: SqlSession, path: Path) -> None:
    """Note that it is finished, or was removed."""
    db.change("drop_meta", {"name": f"{_NOTE}{path.absolute()}"})


def erase(db: SqliteSession, with_replaced: bool = False) -> Copies:
    """Erase the copies of the file, but for those that are being written."""
    found, replaced = _found(db), f"{Path(db.filename).name}.replaced-"
    kept = [path for path in found if path.name.startswith(replaced) and not with_replaced]
    rest = [path for path in found if path not in kept]
    erased = sum(map(_removed, rest))
    _drop_notes(db)
    return Copies(erased, len(kept) + len(rest) - erased)


def erase_noted(db: SqlSession) -> Copies:
    """Erase what backups of a server left on this machine, but for those that are being written."""
    found = noted(db)
    erased = sum(map(_removed, found))
    _drop_notes(db)
    return Copies(erased, len(found) - erased)


def noted(db: SqlSession) -> list[Path]:
    """Copies that were begun and not finished, as far as they are on this machine."""
    return [path for path, _ in _notes(db) if path.exists()]


def _drop_notes(db: SqlSession) -> None:
    """Drop the notes of copies that are gone; those of other machines stay, as they may exist."""
    for path, machine in _notes(db):
        if machine == socket.gethostname() and not path.exists():
            unnote(db, path)


def _notes(db: SqlSession) -> list[tuple[Path, str]]:
    found = db.rows("noted_copies", {})
    return [(Path(name.removeprefix(_NOTE)), machine) for name, machine in found]


def outdated(db: SqliteSession) -> list[Path]:
    """Copies from before the last erasure, which may hold what was erased."""
    (last,) = db.row("last_erasure", {})
    if last is None:
        return []
    then = from_microseconds(last).timestamp()
    return [path for path in _found(db) if path.stat().st_mtime <= then]


def _found(db: SqliteSession) -> list[Path]:
    file = Path(db.filename)
    name = glob.escape(file.name)
    beside = [path for end in (*_BESIDE, _REPLACED) for path in file.parent.glob(name + end)]
    return sorted({path.absolute() for path in (*beside, *noted(db))})


def parts_of(path: Path) -> list[Path]:
    """A database file, and the files that SQLite may keep beside it."""
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm", "-journal")]


def remove(path: Path) -> None:
    """Remove a database with all its parts, as far as they are there."""
    for part in parts_of(path):
        part.unlink(missing_ok=True)


def _removed(path: Path) -> bool:
    """Remove a copy, unless a process writes it or it may not be removed."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove(path)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
