"""What the in-memory stores of all users share; see `store`."""

import threading
from collections.abc import Iterable, Mapping
from datetime import datetime

from tests.storage.reference.user_state import User
from tests.storage.reference.work import InMemoryJobs, InMemoryLedger

from sharpwave.errors import Conflict, StoreClosed
from sharpwave.types.records import Record
from sharpwave.types.storing import (
    ERASED_KEYS_KEPT,
    REQUESTS,
    AuditEntry,
    Event,
    names_a_delivery,
)


class AllUsers:
    """What the stores of all users share."""

    def __init__(self) -> None:
        self.users: dict[str, User] = {}
        self.epochs = 0
        self.events: list[Event] = []
        self.audit: list[AuditEntry] = []
        self.jobs = InMemoryJobs()
        self.ledger = InMemoryLedger()
        self.erased_keys: dict[tuple[str, str], datetime] = {}
        self.closed = False
        self._lock = threading.RLock()

    def open(self) -> threading.RLock:
        """The lock of all memories; StoreClosed once they are closed."""
        if self.closed:
            raise StoreClosed("this memory is closed; open it again")
        return self._lock

    def note(self, action: str, counts: dict[str, int], at: datetime) -> None:
        """Add to the audit."""
        self.audit.append(AuditEntry(len(self.audit) + 1, at, "", action, counts, b"", b""))

    def tell(
        self, topic: str, user_id: str | None, payload: Mapping[str, object], at: datetime
    ) -> None:
        """Add an event."""
        seq = self.events[-1].seq + 1 if self.events else 1
        self.events.append(Event(seq, at, topic, user_id, payload))

    def forget_events(self, user_id: str) -> None:
        """Drop the events of a user."""
        self.events = [event for event in self.events if event.user_id != user_id]

    def was_erased(self, user_id: str, key: str, since: datetime) -> bool:
        """Whether what an idempotency key named was erased after a moment."""
        return self.erased_keys.get((user_id, key), since) > since

    def keep_keys(
        self, user_id: str, user: User, went: Iterable[Record], at: datetime, everything: bool
    ) -> None:
        """Remember the keys of records that go, and with a whole user those of its requests."""
        lately = [record for record in went if record.recorded_at > at - ERASED_KEYS_KEPT]
        keys = [record.provenance.idempotency_key for record in filter(names_a_delivery, lately)]
        if everything:
            keys += [name for topic, name in user.tallies if topic.startswith(REQUESTS)]
        new = {(user_id, str(key)): at for key in keys}
        kept = {key: then for key, then in self.erased_keys.items() if then > at - ERASED_KEYS_KEPT}
        self.erased_keys = kept | new

    def require_unused_keys(self, user_id: str, new: Iterable[Record], at: datetime) -> None:
        """Refuse new records whose key named something that was erased."""
        for record in filter(names_a_delivery, new):
            key = str(record.provenance.idempotency_key)
            if self.was_erased(user_id, key, at - ERASED_KEYS_KEPT):
                raise Conflict(f"what the idempotency key {key!r} stored was forgotten")
