"""Accesses that wait to be counted on disk, together with the next write or shortly after."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sharpwave.storage.sql import rows
from sharpwave.storage.sql.session import SqlSession
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.records import Record

TOUCH_FLUSH_S = 2.0
"""Access counts reach the disk at the latest after this long."""


class Touches:
    """Gathers accesses from any thread; the writer writes them with its next change."""

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
        return bool(self._waiting)

    def write(self, db: SqlSession, of_user: str | None = None) -> None:
        """Write what has gathered, or one user's part of it, inside a transaction."""
        with self._lock:
            kept = {
                place: n for place, n in self._waiting.items() if of_user not in (None, place[0])
            }
            taken = {place: n for place, n in self._waiting.items() if place not in kept}
            self._waiting = kept
        users: dict[str, int] = {}
        for user_id, _ in taken:
            if user_id not in users:
                found = db.row("user", {"user_id": user_id})
                users[user_id] = found[0] if found else 0  # no user has the number 0
        touched = (
            {**rows.at(rows.key_of(users[user], number)), "times": times, "at": to_microseconds(at)}
            for (user, number), (times, at) in sorted(taken.items())
        )
        db.change_each("touch", touched)

    def users(self) -> set[str]:
        """Ids of the users with accesses that are still to be written."""
        with self._lock:
            return {user_id for user_id, _ in self._waiting}
