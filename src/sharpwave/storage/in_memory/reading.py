"""What is asked of the store in dictionaries; see `store`."""

import threading
from collections import Counter
from collections.abc import Collection, Sequence
from copy import deepcopy
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import StoreClosed
from sharpwave.storage import ordering
from sharpwave.storage.in_memory import choosing, sessions, user_state
from sharpwave.storage.in_memory.user_state import User
from sharpwave.storage.in_memory.vectors import STORED
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.records import UNSEARCHED, Kind, Record
from sharpwave.types.storing import (
    Changes,
    EntityCount,
    Head,
    Heard,
    Mentioned,
    Session,
    Space,
    Staged,
    Stated,
    Tally,
)


class InMemoryReading:
    """Reads what is held of each user."""

    def __init__(self) -> None:
        self._users: dict[str, User] = {}
        self._lock = threading.RLock()
        self._closed = False

    def find(self, user_id: str, ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order."""
        by_id = {record.id: record for record in self._records(user_id)}
        return [by_id[id_] for id_ in ids if id_ in by_id]

    def fetch(self, user_id: str, numbers: Sequence[int]) -> list[Record]:
        """The records with these numbers, in this order."""
        by_number = {record.number: record for record in self._records(user_id)}
        return [by_number[int(n)] for n in numbers if int(n) in by_number]

    def heard(self, user_id: str, numbers: Sequence[int]) -> list[Heard]:
        """Who said what, of these records, in this order."""
        return [
            Heard(one.number, one.speaker, to_microseconds(one.valid_from), one.text)
            for one in self.fetch(user_id, numbers)
        ]

    def scan(self, user_id: str, after: int, limit: int) -> list[Record]:
        """The next records above a number, in order."""
        return [record for record in self._records(user_id) if record.number > after][:limit]

    def latest(
        self, user_id: str, session: str | None, limit: int, before: int | None = None
    ) -> list[Record]:
        """The last turns of a session, or of all, before a number, oldest first."""
        turns = sessions.turns(self._records(user_id), before)
        return [turn for turn in turns if session in (None, turn.session_id)][-limit:]

    def latest_within(
        self, user_id: str, within: str, limit: int, before: int | None = None
    ) -> list[Record]:
        """The last turns that count of the sessions whose name begins so, oldest first."""
        return sessions.within(self._records(user_id), within, before)[-limit:]

    def sessions(self, user_id: str, limit: int) -> list[Session]:
        """The sessions whose last turn is newest, that one first; without summaries."""
        return sessions.of(self._records(user_id), limit)

    def stated(self, user_id: str, wanted: Stated) -> list[Record]:
        """Facts, tasks and notes, in the order that is wanted."""
        stated = [record for record in self._records(user_id) if record.slot is not None]
        fitting = [
            record
            for record in stated
            if (not wanted.kinds or record.kind in wanted.kinds)
            and (not wanted.states or record.standing.state in wanted.states)
            and choosing.is_in_time(record, wanted)
            and (not wanted.predicates or choosing.predicate(record) in wanted.predicates)
        ]
        found = [r for slot in wanted.slots for r in fitting if r.slot == slot]
        found += [r for within in wanted.within for r in fitting if str(r.slot).startswith(within)]
        for name in wanted.about:
            numbers = set(self.mentioned(user_id, name, 2**32))
            found += [r for r in fitting if r.number in numbers]
        named = (self._users.get(user_id) or User(0)).mentions
        found += [r for r in fitting if choosing.relates(r, wanted.among, named)]
        narrowed = wanted.slots or wanted.within or wanted.about or wanted.among
        return ordering.first(found if narrowed else fitting, wanted)

    def staged(self, user_id: str, wanted: Staged) -> list[Record]:
        """Records by stage and temperature, in the order they were recorded."""
        return [
            record
            for record in self._records(user_id)
            if record.kind is wanted.kind
            and record.number > wanted.after
            and (not wanted.stages or record.standing.stage in wanted.stages)
            and (not wanted.temperatures or record.standing.temperature in wanted.temperatures)
            and (wanted.before is None or record.valid_from < wanted.before)
            and choosing.is_used(record, wanted.used_since)
        ][: wanted.limit]

    def pending(self, user_id: str, kind: Kind) -> int:
        """How many records of a kind are still active or working."""
        return sum(choosing.is_pending(record, kind) for record in self._records(user_id))

    def newest(self, user_id: str, kinds: Collection[Kind], before: int, limit: int) -> list[int]:
        """Numbers of the newest records of some kinds, below a number, the newest first."""
        found = [r.number for r in self._records(user_id) if r.kind in kinds and r.number < before]
        return found[::-1][:limit]

    def known_since(self, user_id: str, within: Sequence[str]) -> datetime | None:
        """When the first of the facts began to hold whose slots begin so; None without any."""
        wanted = Stated(within=tuple(within), kinds=frozenset({Kind.FACT}))
        found = self.stated(user_id, wanted) if within else []
        return min((record.valid_from for record in found), default=None)

    def slot_numbers(self, user_id: str, within: str, limit: int) -> list[int]:
        """Numbers of the newest records whose slot begins so."""
        records = self._records(user_id)
        return [r.number for r in records if str(r.slot).startswith(within)][::-1][:limit]

    def slot_heads(self, user_id: str, slots: Sequence[str]) -> dict[str, int]:
        """For each slot the newest change in it; 0 where there is none."""
        records = self._records(user_id)
        return {
            slot: max((record.seq for record in records if record.slot == slot), default=0)
            for slot in slots
        }

    def known(self, user_id: str, keys: Sequence[str]) -> dict[str, Record]:
        """The records that these idempotency keys already name."""
        named = {r.provenance.idempotency_key: r for r in self._records(user_id)}
        return {key: named[key] for key in keys if key in named}

    def evidence(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that support it."""
        return self._linked(user_id, ids, of=0)

    def derived(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that it supports."""
        return self._linked(user_id, ids, of=1)

    def entities(self, user_id: str, limit: int, longer_than: str = "") -> list[EntityCount]:
        """The names that this user's records mention, the most mentioned first."""
        with self._open():
            user = self._users.get(user_id) or User(0)
            begins = f"{longer_than} " if longer_than else ""
            counts = Counter(key for key, _ in user.mentions if key.startswith(begins))
            newest = {key: user.mentions[key, number] for key, number in sorted(user.mentions)}
        found = [EntityCount(key, *newest[key], count) for key, count in counts.items()]
        return sorted(found, key=lambda entity: (-entity.records, entity.key))[:limit]

    def mentions(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[Mentioned, ...]]:
        """For each record the names that it mentions."""
        with self._open():
            user = self._users.get(user_id) or User(0)
            numbers = {id_: user.number_of(id_) for id_ in ids}
            return {
                id_: tuple(
                    Mentioned(id_, key, *user.mentions[key, n])
                    for key, n in sorted(user.mentions)
                    if n == number
                )
                for id_, number in numbers.items()
            }

    def mentioned(self, user_id: str, entity: str, limit: int) -> list[int]:
        """Numbers of the records that mention an entity, the newest first."""
        with self._open():
            user = self._users.get(user_id) or User(0)
            numbers = [number for key, number in user.mentions if key == entity]
        return sorted(numbers, reverse=True)[:limit]

    def topics(self, user_id: str, within: str) -> list[str]:
        """The topics below this one, in order, under which anything was learned."""
        with self._open():
            user = self._users.get(user_id) or User(0)
            return sorted({topic for topic, _ in user.tallies if topic.startswith(f"{within}/")})

    def tallies(
        self, user_id: str, topic: str, names: Sequence[str] | None = None
    ) -> dict[str, Tally]:
        """What was learned under a topic, or under some of its names, in order of the names."""
        with self._open():
            kept = (self._users.get(user_id) or User(0)).tallies
            known = sorted(name for own, name in kept if own == topic)
            wanted = known if names is None else [name for name in known if name in names]
            return {name: deepcopy(kept[topic, name]) for name in wanted}

    def unembedded(self, user_id: str, space: Space, after: int, limit: int) -> list[Record]:
        """The next records that have no vector in this space."""
        with self._open():
            user = self._users.get(user_id)
            have = {n for n, (own, _) in user.vectors.items() if own == space} if user else set()
        rest = self.scan(user_id, after, 2**32)
        return [r for r in rest if r.number not in have and r.kind not in UNSEARCHED][:limit]

    def head(self, user_id: str) -> Head:
        """How far this user's history goes."""
        with self._open():
            user = self._users.get(user_id)
            return Head(user.epoch, user.seq) if user else Head(0, 0)

    def changes(self, user_id: str, since: int, space: Space, limit: int) -> Changes:
        """What the recall index must take in to get from `since` to the head."""
        with self._open():
            head = self.head(user_id)
            user = self._users.get(user_id) or User(0)
            changed = sorted(
                (record for record in user.records.values() if record.seq > since),
                key=lambda record: record.seq,
            )
            rows = tuple(user_state.index_row(record, user, space) for record in changed[:limit])
            gone = tuple(number for seq, number in user.gone if seq > since)
            return Changes(head, rows, gone, complete=len(changed) <= limit)

    def vectors(
        self, user_id: str, numbers: Sequence[int], space: Space
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Vectors of these records (those that have one): their numbers, and a matrix."""
        with self._open():
            user = self._users.get(user_id) or User(0)
            found = [
                (int(n), user.vectors[int(n)][1])
                for n in numbers
                if user.vectors.get(int(n), (None,))[0] == space
            ]
        blob = b"".join(data for _, data in found)
        matrix = np.frombuffer(blob, STORED).reshape(-1, space.dimension).astype(np.float32)
        return np.array([number for number, _ in found], np.int64), matrix

    def _open(self) -> threading.RLock:
        if self._closed:
            raise StoreClosed("this memory is closed; open it again")
        return self._lock

    def _records(self, user_id: str) -> list[Record]:
        with self._open():
            user = self._users.get(user_id)
            return [user.records[number] for number in sorted(user.records)] if user else []

    def _linked(self, user_id: str, ids: Sequence[str], of: int) -> dict[str, tuple[str, ...]]:
        with self._open():
            user = self._users.get(user_id) or User(0)
            ends: dict[int, list[int]] = {}
            for pair in sorted(user.evidence):
                ends.setdefault(pair[of], []).append(pair[1 - of])
            numbers = {id_: user.number_of(id_) for id_ in ids}
            return {
                id_: tuple(user.records[n].id for n in sorted(ends.get(number or 0, ())))
                for id_, number in numbers.items()
            }
