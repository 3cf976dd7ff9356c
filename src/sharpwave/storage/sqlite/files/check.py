"""The full check of a file: every row, every vector, the audit chain, the structure."""

from collections.abc import Callable

from sharpwave.storage.sql import chain, rows, vectors
from sharpwave.storage.sqlite.files import scrub
from sharpwave.storage.sqlite.statements import SQL, Connection
from sharpwave.types.storing import Verification

Progress = Callable[[int, int], None] | None
UNREADABLE = "(unreadable)"
"""Stands for the id of a record whose id cannot be read either."""


def verify(db: Connection, progress: Progress) -> Verification:
    """Check every row, every vector, the audit chain, and the structure of the file."""
    total = int(db.execute("SELECT count(*) FROM memories").get)
    damaged: list[str] = []
    checked = 0
    for checked, row in enumerate(db.readable("all_memories", {}), start=1):
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
        traces_left=scrub.is_due(db),
    )


def _structure(db: Connection) -> tuple[str, ...]:
    complaints = [line for (line,) in db.execute("PRAGMA integrity_check") if line != "ok"]
    orphans = db.execute("PRAGMA foreign_key_check").fetchall()
    return tuple(complaints) + tuple(f"orphan in {row[0]}" for row in orphans)
