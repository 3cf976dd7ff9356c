"""A store that keeps everything in dictionaries: the reference that other stores are compared to.

It does what the contract says in the plainest way. Nothing survives the process.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.storage.bells import Silence
from sharpwave.storage.in_memory import user_state
from sharpwave.storage.in_memory.keys import InMemoryKeys
from sharpwave.storage.in_memory.reading import InMemoryReading
from sharpwave.storage.in_memory.user_state import User
from sharpwave.storage.in_memory.vectors import STORED, stored_vectors
from sharpwave.storage.in_memory.work import InMemoryJobs, InMemoryLedger
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import (
    REMEMBERED,
    TOPICS,
    AuditEntry,
    Change,
    Event,
    Selection,
    Snapshot,
    Space,
    StoreCounts,
    Stored,
    Tallied,
    Tidied,
    Verification,
)


class InMemoryStore(InMemoryReading):
    """Memories for as long as the process lives."""

    def __init__(self) -> None:
        super().__init__()
        self._epochs = 0
        self._events: list[Event] = []
        self._audit: list[AuditEntry] = []
        self._jobs = InMemoryJobs()
        self._ledger = InMemoryLedger()
        self._keys = InMemoryKeys()

    @property
    def jobs(self) -> InMemoryJobs:
        """Work for later."""
        return self._jobs

    @property
    def ledger(self) -> InMemoryLedger:
        """What models cost, and what users agreed to."""
        return self._ledger

    @property
    def keys(self) -> InMemoryKeys:
        """Who may come in by the doors."""
        return self._keys

    def commit(self, change: Change) -> tuple[Stored, ...]:
        """Do what a change says, or nothing of it."""
        with self._open():
            blobs = stored_vectors(change)
            user = self._users.get(change.user_id) or User(self._epochs + 1)
            draft = replace(user, records=dict(user.records), vectors=dict(user.vectors))
            user_state.require_unchanged(draft, change)
            stored = [
                user_state.add(draft, record, change.space, blobs[position] if blobs else None)
                for position, record in enumerate(change.records)
            ]
            new = [item.record for item in stored if not item.replayed]
            user_state.require_new_parents(change, stored)
            user_state.revise(draft, change)
            user_state.move(draft, change)
            user_state.connect(draft, change, new)
            learned = user_state.learn(draft, change, stored)
            if new or learned or change.user_id in self._users:
                self._epochs = max(self._epochs, draft.epoch)
                self._users[change.user_id] = draft
            if new or change.revisions:
                self._tell_of(change, [record.id for record in new])
                if new:
                    self._jobs.add(change.user_id, change.jobs, change.at)
            for event in change.events:
                self._tell(event.topic, change.user_id, event.payload, change.at)
            return tuple(stored)

    def forget(self, user_id: str, selection: Selection, at: datetime) -> Forgotten:
        """Erase records with everything derived from them."""
        with self._open():
            user = self._users.get(user_id)
            if user is None:
                if selection.ids:
                    raise NotFound(f"no memory {selection.ids[0]!r}")
                if selection.everything:
                    self._ledger.forget(user_id)
                return Forgotten(0, 0, 0, 0, traces_cleared=True)
            numbers = user_state.targets(user, selection)
            unfinished = user_state.forget_topics(user, selection.unfinished)
            if not numbers and not selection.everything:
                return Forgotten(0, 0, 0, 0, traces_cleared=True, unfinished=unfinished)
            derived = [] if selection.everything else user_state.resting_on(user, numbers)
            numbers += derived
            went = {user.records[number].id: user.records[number] for number in numbers}
            ids = list(went)
            user_state.unlearn(user, numbers)
            vectors = sum(user.vectors.pop(number, None) is not None for number in numbers)
            for number in numbers:
                del user.records[number]
                user.seq += 1
                user.gone.append((user.seq, number))
            user_state.loosen(user, set(numbers), went)
            snapshots, user.snapshot = int(user.snapshot is not None), None
            if selection.everything:
                del self._users[user_id]
                self._jobs.forget(user_id)
                self._ledger.forget(user_id)
                self._events = [event for event in self._events if event.user_id != user_id]
            self._note("forget", {"memories": len(ids)}, at)
            owner = None if selection.everything else user_id
            told = {"ids": [] if selection.everything else ids, "count": len(ids)}
            self._tell("memory.forgotten", owner, told, at)
            users = int(selection.everything)
            return Forgotten(len(ids), vectors, snapshots, users, True, len(derived), unfinished)

    def scrub(self) -> bool:
        """Nothing to do: there is no file."""
        with self._open():
            return True

    def tidy(self) -> Tidied:
        """Nothing to do: there is no file."""
        with self._open():
            return Tidied(scrubbed=False, freed_bytes=0)

    def touch(self, user_id: str, numbers: Sequence[int], at: datetime) -> None:
        """Count an access to these records."""
        with self._open():
            user = self._users.get(user_id)
            for number in numbers:
                if user is not None and (record := user.records.get(int(number))):
                    now = record.standing
                    seen = max(now.accessed_at or at, at)
                    standing = replace(now, access_count=now.access_count + 1, accessed_at=seen)
                    user.records[int(number)] = replace(record, standing=standing)

    def replace_vectors(
        self, user_id: str, space: Space, numbers: Sequence[int], vectors: NDArray[np.float32]
    ) -> None:
        """Give records new vectors, of a new embedder."""
        with self._open():
            user = self._users[user_id]
            for number, blob in zip(numbers, vectors.astype(STORED), strict=True):
                user.seq += 1
                if number in user.records:
                    user.records[number] = replace(user.records[number], seq=user.seq)
                    user.vectors[number] = (space, blob.tobytes())

    def one_state(self) -> threading.RLock:
        """Whatever this thread reads meanwhile is of the same moment; nobody else does anything."""
        return self._open()

    def load_snapshot(self, user_id: str, space: Space) -> Snapshot | None:
        """The saved recall index of this user, if there is a valid one."""
        with self._open():
            user = self._users.get(user_id)
            snapshot = user.snapshot if user else None
            return snapshot if snapshot and snapshot.space == space else None

    def save_snapshot(self, user_id: str, snapshot: Snapshot) -> bool:
        """Save a recall index; refused (False) if something was forgotten since its head."""
        with self._open():
            user = self._users.get(user_id)
            if user is None or user.epoch != snapshot.head.epoch:
                return False
            if any(seq > snapshot.head.seq for seq, _ in user.gone):
                return False
            user.snapshot = snapshot
            return True

    def users(self) -> list[str]:
        """Every user who has a record."""
        with self._open():
            return sorted(name for name, user in self._users.items() if user.records)

    def users_with(self, topics: str) -> list[str]:
        """Every user who has a tally whose topic begins so, with records or without."""
        with self._open():
            return user_state.having(self._users, topics)

    def tallied(self, topic: str, name: str) -> list[Tallied]:
        """Every user who has a record, in order of their names, and one tally of each."""
        with self._open():
            return user_state.tallied(self._users, topic, name)

    def listen(self, hear: Callable[[], None], user_id: str | None = None) -> Silence:
        """There is one process, and it knows what it writes."""
        return Silence()

    def counts(self, user_id: str | None) -> StoreCounts:
        """Counts for one user, or for all."""
        with self._open():
            chosen = self._chosen(user_id)
            kinds = Counter(r.kind.value for user in chosen for r in user.records.values())
            return StoreCounts(
                users=sum(bool(user.records) for user in chosen),
                memories=kinds.total(),
                by_kind=dict(sorted(kinds.items())),
                spaces=Counter(own for user in chosen for own, _ in user.vectors.values()),
                file_bytes=0,
            )

    def events(self, after: int, limit: int, user_id: str | None = None) -> list[Event]:
        """Events above this sequence number, in order."""
        with self._open():
            later = (event for event in self._events if event.seq > after)
            return [event for event in later if user_id in (None, event.user_id)][:limit]

    def audit(self) -> Iterator[AuditEntry]:
        """What was done, in order; without a chain, since nothing outlives the process."""
        with self._open():
            return iter(list(self._audit))

    def audit_before(self, seq: int, limit: int) -> list[AuditEntry]:
        """The last so many entries before a number, the newest first."""
        with self._open():
            return [entry for entry in reversed(self._audit) if entry.seq < seq][:limit]

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Verification:
        """Always well: there is no disk to fail."""
        with self._open():
            memories = self.counts(None).memories
            return Verification(memories, (), 0, len(self._audit), None, ())

    def backup(self, to: Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Refused: there is no file. Use `export`."""
        raise InvalidInput("an in-memory store has no file to back up; use export")

    def close(self) -> None:
        """Further calls raise StoreClosed."""
        self._closed = True

    def _tell_of(self, change: Change, new: list[str]) -> None:
        counts, told = {"memories": len(new)}, {"ids": new}
        if change.revisions:
            counts["revised"] = len(change.revisions)
            told["revised"] = [revision.id for revision in change.revisions]
        self._note(change.action, counts, change.at)
        topic = TOPICS.get(change.action, REMEMBERED)
        self._tell(topic, change.user_id, told, change.at)

    def _chosen(self, user_id: str | None) -> list[User]:
        if user_id is None:
            return list(self._users.values())
        return [self._users[user_id]] if user_id in self._users else []

    def _note(self, action: str, counts: dict[str, int], at: datetime) -> None:
        self._audit.append(AuditEntry(len(self._audit) + 1, at, "", action, counts, b"", b""))

    def _tell(
        self, topic: str, user_id: str | None, payload: Mapping[str, object], at: datetime
    ) -> None:
        seq = self._events[-1].seq + 1 if self._events else 1
        self._events.append(Event(seq, at, topic, user_id, payload))
