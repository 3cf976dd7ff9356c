"""Accesses that wait to be counted on disk, together with the next write or shortly after."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from sharpwave.storage.sqlite import rows, statements
from sharpwave.storage.sqlite.statements import SQL
from sharpwave.temporal.moments import to_microseconds
from sharpwave.types.records import Record


class Touches:
    """Gathers accesses from any thread; the writer takes them along."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[tuple[str, int], tuple[int, datetime]] = {}

    def add(self, user_id: str, numbers: Sequence[int], at: datetime) -> None:
        """Count one access to each of these records."""
        with self._lock:
            for number in numbers:
                times, latest = self._waiting.get((user_id, number), (0, at))
                self._waiting[user_id, number] = (times + 1, max(latest, at))

    def on(self, record: Record) -> Record:
        """The record with the accesses that are still to be written."""
        with self._lock:
            times, at = self._waiting.get((record.user_id, record.number), (0, None))
        if at is None:
            return record
        standing = record.standing
        latest = max(standing.accessed_at or at, at)
        counted = replace(standing, access_count=standing.access_count + times, accessed_at=latest)
        return replace(record, standing=counted)

    def waiting(self) -> bool:
        """True if there is something to write."""
        return bool(self._waiting)

    def write(self, db: apsw.Connection) -> None:
        """Write what has gathered, inside a transaction."""
        with self._lock:
            taken, self._waiting = self._waiting, {}
        users: dict[str, int] = {}
        for user_id, _ in taken:
            if user_id not in users:
                found = statements.row(db, "user", {"user_id": user_id})
                users[user_id] = found[0] if found else 0  # nobody has the number 0
        db.executemany(
            SQL["touch"],
            (
                {"key": rows.key_of(users[user], number), "times": times, "at": to_microseconds(at)}
                for (user, number), (times, at) in taken.items()
            ),
        )
