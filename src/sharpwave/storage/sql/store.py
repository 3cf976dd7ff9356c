"""What every store on a SQL database does, whatever the database."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from datetime import datetime

from sharpwave.ports import CommitSubscription
from sharpwave.storage import notifications
from sharpwave.storage.sql import audit, rows
from sharpwave.storage.sql.jobs_and_keys import SqlJobs, SqlKeys
from sharpwave.storage.sql.selecting import beginning
from sharpwave.storage.sql.session import Database, SharedReads
from sharpwave.storage.sql.touches import Touches
from sharpwave.storage.sql.user_store import SqlUserStore
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import AuditEntry, Event, Selection, Space, StoreCounts, Tallied, Tally

SCRUB_IN_SLEEP_MIB = 1024
"""Largest store, in MiB, that sleep rewrites after something was forgotten."""
_ALL_KEYS = {"user_no": None, "after": 0, "end": 2**63 - 1}


class SqlStore(ABC):
    """See `ports.Store`; each database defines how to erase permanently."""

    def __init__(self, database: Database, touches: Touches, salt: bytes) -> None:
        self._database = SharedReads(database)
        self._touches = touches
        self._salt = salt

    def for_user(self, user_id: str) -> SqlUserStore:
        return SqlUserStore(
            user_id, self._database, self._touches, self._salt, self._erase, self.stored_bytes
        )

    @property
    def jobs(self) -> SqlJobs:
        return SqlJobs(self._database)

    @property
    def keys(self) -> SqlKeys:
        return SqlKeys(self._database)

    def tallied(self, topic: str, name: str) -> list[Tallied]:
        with self._database.borrow() as db:
            found = db.rows("tallied", {"topic": topic, "name": name})
        return [
            Tallied(user_id, seq, Tally(rows.from_json(value), version) if version else None)
            for user_id, seq, value, version in found
        ]

    def users(self) -> list[str]:
        with self._database.borrow() as db:
            return [user_id for (user_id,) in db.rows("users", {})]

    def users_with(self, topics: str) -> list[str]:
        with self._database.borrow() as db:
            return [user_id for (user_id,) in db.rows("users_with", beginning(topics))]

    def counts(self) -> StoreCounts:
        stored_bytes = self.stored_bytes()  # first: it may need a connection of its own
        with self._database.snapshot() as db:
            return rows.read_counts(db, _ALL_KEYS, stored_bytes)

    def known_spaces(self) -> list[Space]:
        """The vector space of every embedder that this store has seen."""
        with self._database.borrow() as db:
            return [Space(*found) for found in db.rows("all_spaces", {})]

    def events(self, after: int, limit: int) -> list[Event]:
        with self._database.borrow() as db:
            return rows.to_events(db.rows("events", {"after": after, "limit": limit}))

    def listen(self, notify: Callable[[], None]) -> CommitSubscription:
        return self._database.listen(notifications.EVENTS, notify)

    def audit(self) -> Iterator[AuditEntry]:
        with self._database.snapshot() as db:
            yield from audit.entries(db)

    def audit_before(self, seq: int, limit: int) -> list[AuditEntry]:
        with self._database.snapshot() as db:
            return list(audit.entries(db, "audit_before", before=seq, limit=limit))

    @abstractmethod
    def stored_bytes(self) -> int:
        """The size of the store on disk."""

    @abstractmethod
    def _erase(self, user_id: str, selection: Selection, at: datetime) -> Forgotten:
        """Erase records of a user with their vectors and everything derived."""
