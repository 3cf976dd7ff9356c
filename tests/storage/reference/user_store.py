"""One user's memories in dictionaries; see `store`."""

import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray
from tests.storage.reference import user_state
from tests.storage.reference.all_users import AllUsers
from tests.storage.reference.user_state import STORED, User, stored_vectors

from sharpwave.errors import ErasedMeanwhile, NotFound
from sharpwave.storage import ordering
from sharpwave.storage.notifications import NoNotifications
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.answers import Forgotten
from sharpwave.types.records import UNSEARCHED, Kind, Record
from sharpwave.types.storing import (
    REMEMBERED,
    TOPICS,
    Change,
    Changes,
    EntityCount,
    ErasureEpoch,
    Event,
    Head,
    Mentioned,
    Selection,
    Session,
    Snapshot,
    Space,
    SpokenText,
    Staged,
    Stated,
    StoreCounts,
    Stored,
    Tally,
)
from sharpwave.types.working import Job, Purpose, Spending


class InMemoryUserStore:
    """The memories of one user, for as long as the process lives."""

    def __init__(self, user_id: str, all_users: AllUsers) -> None:
        self.user_id = user_id
        self._all = all_users
        self._epoch = ErasureEpoch()

    def commit(self, change: Change) -> tuple[Stored, ...]:
        """Do what a change says, or nothing of it."""
        with self._all.open():
            blobs = stored_vectors(change)
            self._require_not_erased()
            user = self._known() or User(self._all.epochs + 1)
            draft = replace(user, records=dict(user.records), vectors=dict(user.vectors))
            user_state.require_unchanged(draft, change)
            if change.finishes is not None:
                self._all.jobs.require_held(change.finishes)
            stored = [
                user_state.add(draft, record, change.space, blobs[position] if blobs else None)
                for position, record in enumerate(change.records)
            ]
            new = [item.record for item in stored if not item.replayed]
            self._all.require_unused_keys(self.user_id, new, change.at)
            user_state.require_new_parents(change, stored)
            user_state.revise(draft, change)
            user_state.move(draft, change)
            user_state.connect(draft, change, new)
            learned = user_state.learn(draft, change, stored)
            if new or learned or self._known():
                self._all.epochs = max(self._all.epochs, draft.epoch)
                self._all.users[self.user_id] = draft
            if new or change.revisions:
                self._tell_of(change, [record.id for record in new])
                if new:
                    self._all.jobs.add(self.user_id, change.jobs, change.at)
            for event in change.events:
                self._all.tell(event.topic, self.user_id, event.payload, change.at)
            if change.finishes is not None:
                self._all.jobs.finish(change.finishes, change.at)
            return tuple(stored)

    def forget(self, selection: Selection, at: datetime) -> Forgotten:
        """Erase records with everything derived from them."""
        with self._all.open():
            self._epoch = ErasureEpoch()
            user = self._known()
            if user is None:
                if selection.ids:
                    raise NotFound(f"no memory {selection.ids[0]!r}")
                if selection.everything:
                    self._all.ledger.forget(self.user_id)
                return Forgotten(0, 0, 0, 0, traces_cleared=True)
            numbers = user_state.targets(user, selection)
            unfinished = user_state.forget_topics(user, selection.unfinished)
            if numbers or unfinished:
                user.erasures += 1
                self._all.jobs.forget_errors(self.user_id)
            if not numbers and not selection.everything:
                return Forgotten(0, 0, 0, 0, traces_cleared=True, unfinished=unfinished)
            derived = [] if selection.everything else user_state.resting_on(user, numbers)
            numbers += derived
            went = {user.records[number].id: user.records[number] for number in numbers}
            ids = list(went)
            self._all.keep_keys(self.user_id, user, went.values(), at, selection.everything)
            user_state.unlearn(user, numbers)
            vectors = sum(user.vectors.pop(number, None) is not None for number in numbers)
            for number in numbers:
                del user.records[number]
                user.seq += 1
                user.gone.append((user.seq, number))
            user_state.loosen(user, set(numbers), went)
            snapshots, user.snapshot = int(user.snapshot is not None), None
            if selection.everything:
                del self._all.users[self.user_id]
                self._all.jobs.forget(self.user_id)
                self._all.ledger.forget(self.user_id)
                self._all.forget_events(self.user_id)
            self._all.note("forget", {"memories": len(ids)}, at)
            owner = None if selection.everything else self.user_id
            told = {"ids": [] if selection.everything else ids, "count": len(ids)}
            self._all.tell("memory.forgotten", owner, told, at)
            users = int(selection.everything)
            return Forgotten(len(ids), vectors, snapshots, users, True, len(derived), unfinished)

    def touch(self, numbers: Sequence[int], at: datetime) -> None:
        """Count an access to these records."""
        with self._all.open():
            user = self._known()
            for number in numbers:
                if user is not None and (record := user.records.get(int(number))):
                    now = record.standing
                    seen = max(now.accessed_at or at, at)
                    standing = replace(now, access_count=now.access_count + 1, accessed_at=seen)
                    user.records[int(number)] = replace(record, standing=standing)

    def replace_vectors(
        self, space: Space, numbers: Sequence[int], vectors: NDArray[np.float32]
    ) -> None:
        """Give records new vectors, of a new embedder."""
        with self._all.open():
            self._require_not_erased()
            user = self._all.users[self.user_id]
            for number, blob in zip(numbers, vectors.astype(STORED), strict=True):
                user.seq += 1
                if number in user.records:
                    user.records[number] = replace(user.records[number], seq=user.seq)
                    user.vectors[number] = (space, blob.tobytes())

    def save_snapshot(self, snapshot: Snapshot) -> bool:
        """Save a recall index; refused (False) if something was forgotten since its head."""
        with self._all.open():
            user = self._known()
            if user is None or user.epoch != snapshot.head.epoch:
                return False
            if any(seq > snapshot.head.seq for seq, _ in user.gone):
                return False
            user.snapshot = snapshot
            return True

    def one_state(self) -> threading.RLock:
        """Whatever this thread reads meanwhile is of the same moment; nobody else does anything."""
        return self._all.open()

    def find(self, ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order."""
        by_id = {record.id: record for record in self._records()}
        return [by_id[id_] for id_ in ids if id_ in by_id]

    def fetch(self, numbers: Sequence[int]) -> list[Record]:
        """The records with these numbers, in this order."""
        by_number = {record.number: record for record in self._records()}
        return [by_number[int(n)] for n in numbers if int(n) in by_number]

    def spoken_texts(self, numbers: Sequence[int]) -> list[SpokenText]:
        """Who said what, of these records, in this order."""
        return [
            SpokenText(one.number, one.speaker, to_microseconds(one.valid_from), one.text)
            for one in self.fetch(numbers)
        ]

    def scan(self, after: int, limit: int) -> list[Record]:
        """The next records above a number, in order."""
        return [record for record in self._records() if record.number > after][:limit]

    def latest(self, session: str | None, limit: int, before: int | None = None) -> list[Record]:
        """The last turns of a session, or of all, before a number, oldest first."""
        turns = user_state.turns(self._records(), before)
        return [turn for turn in turns if session in (None, turn.session_id)][-limit:]

    def latest_within(self, within: str, limit: int, before: int | None = None) -> list[Record]:
        """The last turns that count of the sessions whose name begins so, oldest first."""
        return user_state.turns_within(self._records(), within, before)[-limit:]

    def sessions(self, limit: int) -> list[Session]:
        """The sessions whose last turn is newest, that one first; without summaries."""
        return user_state.sessions_of(self._records(), limit)

    def stated(self, wanted: Stated) -> list[Record]:
        """Facts, tasks and notes, in the order that is wanted."""
        stated = [record for record in self._records() if record.slot is not None]
        fitting = [
            record
            for record in stated
            if (not wanted.kinds or record.kind in wanted.kinds)
            and (not wanted.states or record.standing.state in wanted.states)
            and user_state.is_in_time(record, wanted)
            and (not wanted.predicates or user_state.predicate(record) in wanted.predicates)
            and (wanted.without is None or user_state.predicate(record) != wanted.without)
        ]
        found = [r for slot in wanted.slots for r in fitting if r.slot == slot]
        found += [r for within in wanted.within for r in fitting if str(r.slot).startswith(within)]
        for name in wanted.about:
            numbers = set(self.mentioned(name, 2**32))
            found += [r for r in fitting if r.number in numbers]
        named = self._user().mentions
        found += [r for r in fitting if user_state.relates(r, wanted.among, named)]
        narrowed = wanted.slots or wanted.within or wanted.about or wanted.among
        return ordering.first(found if narrowed else fitting, wanted)

    def staged(self, wanted: Staged) -> list[Record]:
        """Records by stage and temperature, in the order they were recorded."""
        return [
            record
            for record in self._records()
            if record.kind is wanted.kind
            and record.number > wanted.after
            and (not wanted.stages or record.standing.stage in wanted.stages)
            and (not wanted.temperatures or record.standing.temperature in wanted.temperatures)
            and (wanted.before is None or record.valid_from < wanted.before)
            and user_state.is_used(record, wanted.used_since)
        ][: wanted.limit]

    def pending(self, kind: Kind) -> int:
        """How many records of a kind are still active or working."""
        return sum(user_state.is_pending(record, kind) for record in self._records())

    def newest(self, kinds: Collection[Kind], before: int, limit: int) -> list[int]:
        """Numbers of the newest records of some kinds, below a number, the newest first."""
        found = [r.number for r in self._records() if r.kind in kinds and r.number < before]
        return found[::-1][:limit]

    def known_since(self, within: Sequence[str]) -> datetime | None:
        """When the first of the facts began to hold whose slots begin so; None without any."""
        wanted = Stated(within=tuple(within), kinds=frozenset({Kind.FACT}))
        found = self.stated(wanted) if within else []
        return min((record.valid_from for record in found), default=None)

    def slot_numbers(self, within: str, limit: int) -> list[int]:
        """Numbers of the newest records whose slot begins so."""
        records = self._records()
        return [r.number for r in records if str(r.slot).startswith(within)][::-1][:limit]

    def newest_in_slots(self, prefixes: Sequence[str], limit: int) -> dict[str, list[int]]:
        """As `slot_numbers`, for several prefixes in one read."""
        return {prefix: self.slot_numbers(prefix, limit) for prefix in prefixes}

    def slot_heads(self, slots: Sequence[str]) -> dict[str, int]:
        """For each slot the newest change in it; 0 where there is none."""
        records = self._records()
        return {
            slot: max((record.seq for record in records if record.slot == slot), default=0)
            for slot in slots
        }

    def known(self, keys: Sequence[str]) -> dict[str, Record]:
        """The records that these idempotency keys already name."""
        named = {r.provenance.idempotency_key: r for r in self._records()}
        return {key: named[key] for key in keys if key in named}

    def was_erased(self, key: str, since: datetime) -> bool:
        """Whether what an idempotency key named was erased after a moment."""
        with self._all.open():
            return self._all.was_erased(self.user_id, key, since)

    def evidence(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that support it."""
        return self._linked(ids, of=0)

    def derived(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that it supports."""
        return self._linked(ids, of=1)

    def entities(self, limit: int, longer_than: str = "") -> list[EntityCount]:
        """The names that this user's records mention, the most mentioned first."""
        with self._all.open():
            user = self._user()
            begins = f"{longer_than} " if longer_than else ""
            counts = Counter(key for key, _ in user.mentions if key.startswith(begins))
            newest = {key: user.mentions[key, number] for key, number in sorted(user.mentions)}
        found = [EntityCount(key, *newest[key], count) for key, count in counts.items()]
        return sorted(found, key=lambda entity: (-entity.records, entity.key))[:limit]

    def mentions(self, ids: Sequence[str]) -> dict[str, tuple[Mentioned, ...]]:
        """For each record the names that it mentions."""
        with self._all.open():
            user = self._user()
            numbers = {id_: user.number_of(id_) for id_ in ids}
            return {
                id_: tuple(
                    Mentioned(id_, key, *user.mentions[key, n])
                    for key, n in sorted(user.mentions)
                    if n == number
                )
                for id_, number in numbers.items()
            }

    def mentioned(self, entity: str, limit: int) -> list[int]:
        """Numbers of the records that mention an entity, the newest first."""
        with self._all.open():
            user = self._user()
            numbers = [number for key, number in user.mentions if key == entity]
        return sorted(numbers, reverse=True)[:limit]

    def newest_mentions(self, entities: Sequence[str], limit: int) -> dict[str, list[int]]:
        """As `mentioned`, for several entities in one read."""
        return {entity: self.mentioned(entity, limit) for entity in entities}

    def topics(self, within: str) -> list[str]:
        """The topics below this one, in order, under which anything was learned."""
        with self._all.open():
            user = self._user()
            return sorted({topic for topic, _ in user.tallies if topic.startswith(f"{within}/")})

    def tallies(self, topic: str, names: Sequence[str] | None = None) -> dict[str, Tally]:
        """What was learned under a topic, or under some of its names, in order of the names."""
        with self._all.open():
            kept = self._user().tallies
            known = sorted(name for own, name in kept if own == topic)
            wanted = known if names is None else [name for name in known if name in names]
            return {name: deepcopy(kept[topic, name]) for name in wanted}

    def unembedded(self, space: Space, after: int, limit: int) -> list[Record]:
        """The next records that have no vector in this space."""
        with self._all.open():
            user = self._known()
            have = {n for n, (own, _) in user.vectors.items() if own == space} if user else set()
        rest = self.scan(after, 2**32)
        return [r for r in rest if r.number not in have and r.kind not in UNSEARCHED][:limit]

    def head(self) -> Head:
        """How far this user's history goes."""
        with self._all.open():
            user = self._known()
            return Head(user.epoch, user.seq) if user else Head(0, 0)

    def changes(self, since: int, space: Space, limit: int) -> Changes:
        """What the recall index must take in to get from `since` to the head."""
        with self._all.open():
            head = self.head()
            user = self._user()
            changed = sorted(
                (record for record in user.records.values() if record.seq > since),
                key=lambda record: record.seq,
            )
            rows = tuple(user_state.index_row(record, user, space) for record in changed[:limit])
            gone = tuple(number for seq, number in user.gone if seq > since)
            return Changes(head, rows, gone, complete=len(changed) <= limit)

    def vectors(
        self, numbers: Sequence[int], space: Space
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Vectors of these records (those that have one): their numbers, and a matrix."""
        with self._all.open():
            user = self._user()
            found = [
                (int(n), user.vectors[int(n)][1])
                for n in numbers
                if user.vectors.get(int(n), (None,))[0] == space
            ]
        blob = b"".join(data for _, data in found)
        matrix = np.frombuffer(blob, STORED).reshape(-1, space.dimension).astype(np.float32)
        return np.array([number for number, _ in found], np.int64), matrix

    def load_snapshot(self, space: Space) -> Snapshot | None:
        """The saved recall index of this user, if there is a valid one."""
        with self._all.open():
            user = self._known()
            snapshot = user.snapshot if user else None
            return snapshot if snapshot and snapshot.space == space else None

    def counts(self) -> StoreCounts:
        """How much this user has stored."""
        with self._all.open():
            return user_state.count([self._user()])

    def events(self, after: int, limit: int) -> list[Event]:
        """Events of this user above this sequence number, in order."""
        with self._all.open():
            events = (event for event in self._all.events if event.seq > after)
            return [event for event in events if event.user_id == self.user_id][:limit]

    def listen(self, hear: Callable[[], None]) -> NoNotifications:
        """There is one process, and it knows what it writes."""
        return NoNotifications()

    def jobs(self, limit: int) -> list[Job]:
        """This user's jobs, newest first."""
        return self._all.jobs.of_user(self.user_id, limit)

    def retry_jobs(self, at: datetime) -> int:
        """Queue this user's failed jobs again, as if they were new; returns how many."""
        return self._all.jobs.retry(self.user_id, at)

    def consents(self) -> dict[Purpose, bool]:
        """What the user agreed to, or not; nothing about purposes never asked for."""
        return self._all.ledger.consents(self.user_id)

    def consent(self, purpose: Purpose, granted: bool, at: datetime) -> None:
        """Record that the user agrees to a purpose, or no longer does."""
        self._all.ledger.consent(self.user_id, purpose, granted)

    def charge(self, day: date, spent: Spending) -> None:
        """Add to what language models cost this user on a day."""
        self._all.ledger.charge(self.user_id, day, spent)

    def spent(self, day: date) -> Spending:
        """What language models cost this user on a day."""
        return self._all.ledger.spent(self.user_id, day)

    def _known(self) -> User | None:
        return self._all.users.get(self.user_id)

    def _user(self) -> User:
        """The user as read, and under which epoch that was first done in this call."""
        user = self._known() or User(0)
        if not self._epoch.user_no:
            self._epoch = ErasureEpoch(user.epoch, user.erasures)
        return user

    def _require_not_erased(self) -> None:
        user = self._known() or User(0)
        if self._epoch.user_no and self._epoch != (user.epoch, user.erasures):
            raise ErasedMeanwhile("something of this user was forgotten after it was read")

    def _tell_of(self, change: Change, new: list[str]) -> None:
        counts, told = {"memories": len(new)}, {"ids": new}
        if change.revisions:
            counts["revised"] = len(change.revisions)
            told["revised"] = [revision.id for revision in change.revisions]
        self._all.note(change.action, counts, change.at)
        topic = TOPICS.get(change.action, REMEMBERED)
        self._all.tell(topic, self.user_id, told, change.at)

    def _records(self) -> list[Record]:
        with self._all.open():
            records = self._user().records
            return [records[number] for number in sorted(records)]

    def _linked(self, ids: Sequence[str], of: int) -> dict[str, tuple[str, ...]]:
        with self._all.open():
            user = self._user()
            ends: dict[int, list[int]] = {}
            for pair in sorted(user.evidence):
                ends.setdefault(pair[of], []).append(pair[1 - of])
            numbers = {id_: user.number_of(id_) for id_ in ids}
            return {
                id_: tuple(user.records[n].id for n in sorted(ends.get(number or 0, ())))
                for id_, number in numbers.items()
            }
