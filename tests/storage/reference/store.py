"""A store that keeps everything in dictionaries: the reference that other stores are compared to.

It does what the contract says in the plainest way. Nothing survives the process.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.storage.reference import user_state
from tests.storage.reference.all_users import AllUsers
from tests.storage.reference.user_store import InMemoryUserStore
from tests.storage.reference.work import InMemoryJobs, InMemoryKeys

from sharpwave.errors import InvalidInput
from sharpwave.storage.notifications import NoNotifications
from sharpwave.types.storing import (
    AuditEntry,
    Event,
    StoreCounts,
    Tallied,
    Tidied,
    Verification,
)


class InMemoryStore:
    """Memories for as long as the process lives."""

    def __init__(self) -> None:
        self._all = AllUsers()
        self._keys = InMemoryKeys()

    def for_user(self, user_id: str) -> InMemoryUserStore:
        """The memories of one user."""
        return InMemoryUserStore(user_id, self._all)

    @property
    def jobs(self) -> InMemoryJobs:
        """Background jobs of all users."""
        return self._all.jobs

    @property
    def keys(self) -> InMemoryKeys:
        """Who may come in by the doors."""
        return self._keys

    def scrub(self) -> bool:
        """Nothing to do: there is no file."""
        with self._all.open():
            return True

    def tidy(self) -> Tidied:
        """Nothing to do: there is no file."""
        with self._all.open():
            return Tidied(scrubbed=False, freed_bytes=0)

    def users(self) -> list[str]:
        """Every user who has a record."""
        with self._all.open():
            return sorted(name for name, user in self._all.users.items() if user.records)

    def users_with(self, topics: str) -> list[str]:
        """Every user who has a tally whose topic begins so, with records or without."""
        with self._all.open():
            return user_state.having(self._all.users, topics)

    def tallied(self, topic: str, name: str) -> list[Tallied]:
        """Every user who has a record, in order of their names, and one tally of each."""
        with self._all.open():
            return user_state.tallied(self._all.users, topic, name)

    def listen(self, hear: Callable[[], None]) -> NoNotifications:
        """There is one process, and it knows what it writes."""
        return NoNotifications()

    def counts(self) -> StoreCounts:
        """How much is stored, of all users."""
        with self._all.open():
            return user_state.count(self._all.users.values())

    def events(self, after: int, limit: int) -> list[Event]:
        """Events of all users above this sequence number, in order."""
        with self._all.open():
            return [event for event in self._all.events if event.seq > after][:limit]

    def audit(self) -> Iterator[AuditEntry]:
        """What was done, in order; without a chain, since nothing outlives the process."""
        with self._all.open():
            return iter(list(self._all.audit))

    def audit_before(self, seq: int, limit: int) -> list[AuditEntry]:
        """The last so many entries before a number, the newest first."""
        with self._all.open():
            return [entry for entry in reversed(self._all.audit) if entry.seq < seq][:limit]

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Verification:
        """Always well: there is no disk to fail."""
        with self._all.open():
            memories = self.counts().memories
            return Verification(memories, (), 0, len(self._all.audit), None, ())

    def require_space(self) -> None:
        """Nothing to check: there is no disk."""

    def backup(self, to: Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Refused: there is no file. Use `export`."""
        raise InvalidInput("an in-memory store has no file to back up; use export")

    def close(self) -> None:
        """Further calls raise StoreClosed."""
        self._all.closed = True
