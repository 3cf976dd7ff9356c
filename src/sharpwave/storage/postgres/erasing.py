"""Removes what an erasure leaves behind in the files of a server.

A deleted row stays where it lay until a VACUUM, and its bytes until they are written over: only
rewriting the tables removes them at once. An erasure notes in its transaction that this is due.
"""

import re
import secrets
from typing import Any

from sharpwave.storage.sql.session import SqlSession

_DUE = "scrub_due"
_KEPT = re.compile(r"[1-9]\d* dead row versions cannot be removed yet")  # of a table, in English
_TABLES = (
    "memories vectors evidence mentions tombstones snapshots outbox jobs tallies catalog "
    "catalog_sessions catalog_entries catalog_terms catalog_words catalog_vectors"
).split()
_EXISTING = "SELECT name FROM unnest(%s::text[]) AS t (name) WHERE to_regclass(name) IS NOT NULL"
_OLD_GRAPHS = """SELECT i.indexname FROM pg_indexes i
WHERE i.tablename = 'catalog_vectors' AND i.indexname ^@ 'catalog_near_'
  AND NOT EXISTS (SELECT 1 FROM catalog c WHERE i.indexname = 'catalog_near_' || c.user_no)"""


def note_due(db: SqlSession) -> None:
    """Note, inside the transaction of an erasure, that the tables must be rewritten."""
    db.change("put_meta", {"name": _DUE, "value": secrets.token_hex(8)})


def is_due(db: Any) -> bool:
    """True if something was erased and copies of it may be left."""
    return _noted(db) is not None


def scrub(db: Any) -> bool:
    """Rewrite what may hold copies.

    False if there was another erasure meanwhile, or a reader still holds an older state: then what
    was erased since is copied.
    """
    due = _noted(db)
    drop_old_graphs(db)
    details: list[str] = []

    def note(notice: Any) -> None:
        details.append(notice.message_detail or "")

    db.add_notice_handler(note)
    try:
        db.execute(f"VACUUM (FULL, VERBOSE) {_existing(db, 'users', 'meta')}")
    finally:
        db.remove_notice_handler(note)
    if any(map(_KEPT.match, details)):
        return False
    db.execute("DELETE FROM meta WHERE name = %s AND value = %s", (_DUE, due))
    return not is_due(db)


def sweep(db: Any) -> None:
    """Vacuum, and update the planner's statistics."""
    drop_old_graphs(db)
    clean(db, _existing(db))


def clean(db: Any, tables: str) -> None:
    """Vacuum some tables, but for those that are locked."""
    db.execute(f"VACUUM (ANALYZE, SKIP_LOCKED) {tables}")


def drop_old_graphs(db: Any) -> None:
    """Drop the graphs of vectors of erased users."""
    with db.transaction():
        db.execute("SELECT set_config('sharpwave.everyone', 'on', true)")
        found = db.execute(_OLD_GRAPHS).fetchall()
    for (name,) in found:
        drop_graph(db, name)


def drop_graph(db: Any, name: str) -> None:
    """Drop one graph without blocking readers or writers."""
    db.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")


def _existing(db: Any, *more: str) -> str:
    """The tables that exist: those of vectors need an extension."""
    return ", ".join(name for (name,) in db.execute(_EXISTING, ([*_TABLES, *more],)).fetchall())


def _noted(db: Any) -> str | None:
    found = db.execute("SELECT value FROM meta WHERE name = %s", (_DUE,)).fetchone()
    return found[0] if found else None
