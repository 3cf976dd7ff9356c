"""Encrypting the file with another key, or for the first time."""

from pathlib import Path

import apsw

from sharpwave.errors import StoreBusy
from sharpwave.storage.sqlite.key import Key
from sharpwave.storage.sqlite.statements import Connection


def rekey(db: Connection, path: Path, key: Key) -> str:
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


def take_over(db: Connection, path: Path) -> None:
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
