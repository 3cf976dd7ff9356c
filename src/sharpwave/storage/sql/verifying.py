"""The full check of a store: every row, every vector, the audit chain."""

from collections.abc import Callable, Sequence

from sharpwave.storage.sql import chain, rows, vectors
from sharpwave.storage.sql.session import Session
from sharpwave.types.storing import Verification

Progress = Callable[[int, int], None] | None
UNREADABLE = "(unreadable)"
"""Stands for the id of a record whose id cannot be read either."""


def verify(
    db: Session, progress: Progress, structure: Sequence[str], traces_left: bool
) -> Verification:
    """Check every row, every vector and the audit chain; the rest is what the database says."""
    total = int(db.row("count_memories", {})[0])
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
        for check, blob, dimension in db.readable("all_vectors", {})
    )
    audit_entries, audit_broken_at = chain.check(db)
    return Verification(
        memories=checked,
        damaged_ids=tuple(damaged),
        damaged_vectors=bad_vectors,
        audit_entries=audit_entries,
        audit_broken_at=audit_broken_at,
        structure=tuple(structure),
        traces_left=traces_left,
    )
