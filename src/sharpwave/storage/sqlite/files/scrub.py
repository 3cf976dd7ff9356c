"""Removes the copies of rows that an erasure leaves behind in a file and its log.

`secure_delete` overwrites a row where it lies. But when SQLite split or joined pages earlier, old
copies of rows stayed in the unused middle of pages, out of its reach: only rewriting the whole file
removes them. And the write-ahead log holds pages as they were before, until it is emptied. A note
in the database says that this is due, so that it is finished even if the process dies.
"""

import apsw

from sharpwave.settings import MIB, StoreSettings
from sharpwave.storage.sqlite import statements
from sharpwave.storage.sqlite.statements import SQL

_DUE = "scrub_due"


def note_due(db: apsw.Connection) -> None:
    """Note, inside the transaction of an erasure, that the file must be scrubbed."""
    db.execute(SQL["put_meta"], {"name": _DUE, "value": 1})


def is_due(db: apsw.Connection) -> bool:
    """True if something was erased and copies of it may be left."""
    found = statements.row(db, "meta", {"name": _DUE})
    return found is not None and found[0] == 1


def is_quick(db: apsw.Connection, settings: StoreSettings) -> bool:
    """True if the file is small enough to be rewritten at once."""
    size = int(db.pragma("page_count")) * int(db.pragma("page_size"))
    return size <= settings.scrub_at_once_mib * MIB


def scrub(db: apsw.Connection, settings: StoreSettings) -> bool:
    """Rewrite the file and empty its log; False if a reader is in the way.

    While it waits for a reader, no process can write, so it does not wait for long.
    """
    db.execute("VACUUM")
    db.set_busy_timeout(int(settings.scrub_wait_s * 1000))
    try:
        if not _empty_log(db):
            return False
        db.execute(SQL["put_meta"], {"name": _DUE, "value": 0})
        return True
    finally:
        db.set_busy_timeout(int(settings.busy_timeout_s * 1000))


def _empty_log(db: apsw.Connection) -> bool:
    busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    return not busy
