"""Removes what an erasure leaves behind in the files of a server.

A deleted row stays where it lay until a VACUUM, and its bytes until they are written over: only
rewriting the tables removes them at once. An erasure notes in its transaction that this is due.
"""

import secrets
from typing import Any

from sharpwave.storage.sql.session import Session

_DUE = "scrub_due"
_TABLES = "memories vectors evidence mentions tombstones snapshots outbox jobs tallies".split()


def note_due(db: Session) -> None:
    """Note, inside the transaction of an erasure, that the tables must be rewritten."""
    db.change("put_meta", {"name": _DUE, "value": secrets.token_hex(8)})


def is_due(db: Any) -> bool:
    """True if something was erased and copies of it may be left."""
    return _noted(db) is not None


def scrub(db: Any) -> bool:
    """Rewrite what may hold copies; False if there was another erasure meanwhile."""
    due = _noted(db)
    db.execute(f"VACUUM (FULL) {', '.join([*_TABLES, 'users', 'meta'])}")
    db.execute("DELETE FROM meta WHERE name = %s AND value = %s", (_DUE, due))
    return not is_due(db)


def sweep(db: Any) -> None:
    """Give room back to be used again, and count what there is for the planner."""
    db.execute(f"VACUUM (ANALYZE) {', '.join(_TABLES)}")


def _noted(db: Any) -> str | None:
    found = db.execute("SELECT value FROM meta WHERE name = %s", (_DUE,)).fetchone()
    return found[0] if found else None
