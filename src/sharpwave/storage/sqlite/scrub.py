"""Removes the copies of rows that an erasure leaves behind in a file and its log.

`secure_delete` overwrites a row where it lies. But when SQLite split or joined pages earlier, old
copies of rows stayed in the unused middle of pages, out of its reach: only rewriting the whole file
removes them. And the write-ahead log holds pages as they were before, until it is emptied.

    1 an erasure notes, in its transaction, that a scrub is due, under a new number
    2 the file is rewritten, and the number noted for which that was done
    3 the log is emptied; then nothing is due, unless there was another erasure meanwhile

So it is finished even if a process dies, and a reader in the way costs no second rewriting.
"""

import secrets

from sharpwave.settings.core import MIB
from sharpwave.storage.sqlite import connection
from sharpwave.storage.sqlite.connection import SqliteSession, wait_for_others

AT_ONCE_MIB = 64
"""Largest file, in MiB, that is rewritten with every erasure."""
WAIT_S = 0.5
"""Seconds to wait for readers; no process can write meanwhile."""
_DUE, _REWRITTEN = "scrub_due", "scrub_rewritten"
_NOTHING = 0


def note_due(db: SqliteSession) -> None:
    """Note, inside the transaction of an erasure, that the file must be scrubbed."""
    _note(db, _DUE, 1 + secrets.randbits(62))


def is_due(db: SqliteSession) -> bool:
    """True if something was erased and copies of it may be left."""
    return _noted(db, _DUE) != _NOTHING


def is_within(db: SqliteSession, mib: int) -> bool:
    """True if the file is no larger than this."""
    return int(db.pragma("page_count")) * int(db.pragma("page_size")) <= mib * MIB


def scrub(db: SqliteSession) -> bool:
    """Rewrite the file and empty its log; False if a reader is in the way.

    While it waits for a reader, no process can write, so it does not wait for long. The rewriting
    takes as much memory as the file is large, and as much of the log: what is in the log already is
    merged first, or it would grow by that with each erasure while readers are in the way.
    """
    due = _noted(db, _DUE)
    if due == _NOTHING or _noted(db, _REWRITTEN) != due:
        if not empty_log(db):
            return False
        db.execute("VACUUM")
        _note(db, _REWRITTEN, due)
    emptied = empty_log(db)
    if emptied:
        db.change("settle_meta", {"name": _DUE, "value": _NOTHING, "if_still": due})
    return emptied and not is_due(db)


def empty_log(db: SqliteSession) -> bool:
    """Merge the log into the file and empty it; False if a reader is in the way."""
    wait_for_others(db, WAIT_S)
    try:
        return not db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    finally:
        wait_for_others(db, connection.BUSY_TIMEOUT_S)


def _noted(db: SqliteSession, name: str) -> int:
    found = db.row("meta", {"name": name})
    return found[0] if found and isinstance(found[0], int) else _NOTHING


def _note(db: SqliteSession, name: str, value: int) -> None:
    db.change("put_meta", {"name": name, "value": value})
