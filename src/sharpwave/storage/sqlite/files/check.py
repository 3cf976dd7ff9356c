"""The full check of a file: what it holds, and its structure."""

from sharpwave.storage.sql import verifying
from sharpwave.storage.sqlite.files import scrub
from sharpwave.storage.sqlite.statements import Connection
from sharpwave.types.storing import Verification


def verify(db: Connection, progress: verifying.Progress) -> Verification:
    """Check every row, every vector, the audit chain, and the structure of the file."""
    return verifying.verify(db, progress, _structure(db), scrub.is_due(db))


def _structure(db: Connection) -> tuple[str, ...]:
    complaints = [line for (line,) in db.execute("PRAGMA integrity_check") if line != "ok"]
    orphans = db.execute("PRAGMA foreign_key_check").fetchall()
    return tuple(complaints) + tuple(f"orphan in {row[0]}" for row in orphans)
