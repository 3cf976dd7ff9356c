"""What every store on a SQL database reads, by the named statements of its dialect.

What reads return has been checked against its checksum; a damaged row is left out, never served.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import StoreDamaged
from sharpwave.ports import Hearing
from sharpwave.storage import bells, ordering
from sharpwave.storage.sql import chain, rows, selecting, vectors
from sharpwave.storage.sql.session import Database
from sharpwave.storage.sql.session import Session as SqlSession
from sharpwave.storage.sql.steady import SteadyDatabase
from sharpwave.storage.sql.touches import Touches
from sharpwave.storage.sql.work import sessions, tallies
from sharpwave.temporal.clock import from_microseconds
from sharpwave.types.records import Kind, Record
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import (
    AuditEntry,
    Changes,
    EntityCount,
    Event,
    Head,
    Heard,
    IndexRow,
    Mentioned,
    Session,
    Snapshot,
    Space,
    Staged,
    Stated,
    StoreCounts,
    Tallied,
    Tally,
)

NOBODY = Head(0, 0)


class Reading(ABC):
    """The half of a store that only reads."""

    def __init__(self, database: Database, touches: Touches) -> None:
        self._database = SteadyDatabase(database)
        self._touches = touches

    def one_state(self) -> AbstractContextManager[None]:
        """Whatever this thread reads meanwhile is of the same moment."""
        return self._database.one_state()

    def find(self, user_id: str, ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order; unknown ids are left out."""
        with self._database.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            queries = ({"user_no": user_no, "id": id_} for id_ in ids)
            found = _records(db.readable_each("by_id", queries))
        return [self._touches.on(record) for record in found]

    def fetch(self, user_id: str, numbers: Sequence[int]) -> list[Record]:
        """The records with these numbers, in this order; missing or damaged ones are left out."""
        if not len(numbers):
            return []
        with self._database.borrow() as db:
            query = {"user_id": user_id, "numbers": db.numbers(numbers)}
            return _records(db.readable("by_numbers", query))

    def heard(self, user_id: str, numbers: Sequence[int]) -> list[Heard]:
        """Who said what, of these records, in this order; unchecked, so not to be served."""
        if not len(numbers):
            return []
        with self._database.borrow() as db:
            query = {"user_id": user_id, "numbers": db.numbers(numbers)}
            return list(map(rows.to_heard, db.rows("heard_by_numbers", query)))

    def scan(self, user_id: str, after: int, limit: int) -> list[Record]:
        """The next `limit` records whose number is above `after`, in order."""
        with self._database.snapshot() as db:
            query = {**rows.key_range(self._head(db, user_id).epoch, after), "limit": limit}
            return _page(db, "scan", query)

    def latest(
        self, user_id: str, session: str | None, limit: int, before: int | None = None
    ) -> list[Record]:
        """The last turns of a session, or of all, before a number, oldest first."""
        with self._database.snapshot() as db:
            those = rows.key_range(self._head(db, user_id).epoch, 0, before)
            if session is None:
                return _records(db.readable("latest", {**those, "limit": limit}))[::-1]
            its = {**those, "session": session, "limit": limit}
            return _records(db.readable("latest_of_session", its))[::-1]

    def latest_within(
        self, user_id: str, within: str, limit: int, before: int | None = None
    ) -> list[Record]:
        """The last turns that count of the sessions whose name begins so, oldest first."""
        with self._database.snapshot() as db:
            those = rows.key_range(self._head(db, user_id).epoch, 0, before)
            its = {**those, **selecting.beginning(within), "limit": limit}
            return _records(db.readable("latest_within", its))[::-1]

    def sessions(self, user_id: str, limit: int) -> list[Session]:
        """The sessions whose last turn is newest, that one first; without summaries."""
        with self._database.snapshot() as db:
            return sessions.read(db, self._head(db, user_id).epoch, limit)

    def stated(self, user_id: str, wanted: Stated) -> list[Record]:
        """Facts, tasks and notes, in the order that is wanted."""
        with self._database.snapshot() as db:
            asked = selecting.stated(self._head(db, user_id).epoch, wanted)
            found = _records(
                row
                for name, alike in groupby(asked, lambda query: query.name)
                for row in db.readable_each(name, [query.bindings for query in alike])
            )
        return [self._touches.on(record) for record in ordering.first(found, wanted)]

    def staged(self, user_id: str, wanted: Staged) -> list[Record]:
        """Records by stage and temperature, in the order they were recorded."""
        with self._database.snapshot() as db:
            name, bindings = selecting.staged(self._head(db, user_id).epoch, wanted)
            found = _records(db.readable(name, bindings))
        return [self._touches.on(record) for record in found]

    def pending(self, user_id: str, kind: Kind) -> int:
        """How many records of a kind are still active or working."""
        with self._database.snapshot() as db:
            query = {"user_no": self._head(db, user_id).epoch, "kind": kind.value}
            return int(db.row("count_pending", query)[0])

    def newest(self, user_id: str, kinds: Collection[Kind], before: int, limit: int) -> list[int]:
        """Numbers of the newest records of some kinds, below a number, the newest first."""
        with self._database.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            query = {"user_no": user_no, "before": rows.bound(user_no, before), "limit": limit}
            found = [
                number
                for kind in kinds
                for (number,) in db.rows("newest_of_kind", {**query, "kind": kind.value})
            ]
        return sorted(found, reverse=True)[:limit]

    def known_since(self, user_id: str, within: Sequence[str]) -> datetime | None:
        """When the first of the facts began to hold whose slots begin so; None without any."""
        with self._database.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            queries = ({"user_no": user_no, **selecting.between(begin)} for begin in within)
            found = [db.row("begun", query)[0] for query in queries]
        moments = [moment for moment in found if isinstance(moment, int)]
        return from_microseconds(min(moments)) if moments else None

    def slot_numbers(self, user_id: str, within: str, limit: int) -> list[int]:
        """Numbers of the newest records whose slot begins so."""
        with self._database.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            query = {"user_no": user_no, "limit": limit, **selecting.between(within)}
            return [number for (number,) in db.rows("numbers_between", query)]

    def slot_heads(self, user_id: str, slots: Sequence[str]) -> dict[str, int]:
        """For each slot the newest change in it; 0 where there is none."""
        with self._database.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            heads = db.row_each("slot_head", ({"user_no": user_no, "slot": s} for s in slots))
            return {slot: head for slot, (head,) in zip(slots, heads, strict=True)}

    def known(self, user_id: str, keys: Sequence[str]) -> dict[str, Record]:
        """The records that these idempotency keys already name."""
        with self._database.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            queries = ({"user_no": user_no, "idempotency_key": key} for key in keys)
            records = _records(db.row_each("by_idempotency_key", queries))
        return {str(record.provenance.idempotency_key): record for record in records}

    def evidence(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that support it."""
        return self._linked("evidence_of", user_id, ids)

    def derived(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that it supports."""
        return self._linked("derived_from", user_id, ids)

    def entities(self, user_id: str, limit: int, longer_than: str = "") -> list[EntityCount]:
        """The names that this user's records mention, the most mentioned first."""
        with self._database.snapshot() as db:
            query = {"user_no": self._head(db, user_id).epoch, "limit": limit}
            bounds = {"first": f"{longer_than} ", "last": f"{longer_than}!"}
            name = "longer_names" if longer_than else "entities"
            found = db.rows(name, {**query, **bounds} if longer_than else query)
        return [EntityCount(key, name, EntityKind(kind), n) for key, name, kind, n in found]

    def mentions(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[Mentioned, ...]]:
        """For each record the names that it mentions."""
        with self._database.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            queries = {id_: {"user_no": user_no, "id": id_} for id_ in ids}
            return {
                id_: tuple(
                    Mentioned(id_, key, name, EntityKind(kind))
                    for key, name, kind in db.rows("mentions_of", query)
                )
                for id_, query in queries.items()
            }

    def mentioned(self, user_id: str, entity: str, limit: int) -> list[int]:
        """Numbers of the records that mention an entity, the newest first."""
        with self._database.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            query = {"user_no": user_no, "entity_key": entity, "limit": limit}
            return [number for (number,) in db.rows("mentioned_in", query)]

    def tallies(
        self, user_id: str, topic: str, names: Sequence[str] | None = None
    ) -> dict[str, Tally]:
        """What was learned under a topic, or under some of its names, in order of the names."""
        with self._database.snapshot() as db:
            return tallies.read(db, self._head(db, user_id).epoch, topic, names)

    def topics(self, user_id: str, within: str) -> list[str]:
        """The topics below this one, in order, under which anything was learned."""
        with self._database.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            bounds = {"first": f"{within}/", "last": f"{within}{chr(ord('/') + 1)}"}
            return [topic for (topic,) in db.rows("topics", {"user_no": user_no, **bounds})]

    def tallied(self, topic: str, name: str) -> list[Tallied]:
        """Every user who has a record, in order of their names, and one tally of each."""
        with self._database.borrow() as db:
            found = db.rows("tallied", {"topic": topic, "name": name})
        return [
            Tallied(user_id, seq, Tally(rows.from_json(value), version) if version else None)
            for user_id, seq, value, version in found
        ]

    def users_with(self, topics: str) -> list[str]:
        """Every user who has a tally whose topic begins so, with records or without."""
        with self._database.borrow() as db:
            return [user_id for (user_id,) in db.rows("users_with", tallies.within(topics))]

    def unembedded(self, user_id: str, space: Space, after: int, limit: int) -> list[Record]:
        """As `scan`, but only records that have no vector in this space."""
        with self._database.snapshot() as db:
            bounds = rows.key_range(self._head(db, user_id).epoch, after)
            query = {**bounds, "space_no": _space_no(db, space), "limit": limit}
            return _page(db, "unembedded", query)

    def head(self, user_id: str) -> Head:
        """How far this user's history goes; (0, 0) for a user nobody knows."""
        with self._database.borrow() as db:
            return self._head(db, user_id)

    def changes(self, user_id: str, since: int, space: Space, limit: int) -> Changes:
        """What the recall index must take in to get from `since` to the head."""
        with self._database.snapshot() as db:
            head = self._head(db, user_id)
            query = {
                **rows.key_range(head.epoch, since),
                "user_no": head.epoch,
                "since": since,
                "space_no": _space_no(db, space),
                "limit": limit + 1,  # one more, to know whether the page is the last
            }
            added = db.rows("added_since", query)
            revised = db.rows("revised_since", query)
            gone = db.rows("gone_since", query)
        # in order of seq, so that the reader can go on from the last one it got
        found = [_index_row(row, space) for row in added + revised if isinstance(row[1], int)]
        found.sort(key=lambda row: row.seq)
        gone_numbers = tuple(number for (number,) in gone)
        return Changes(head, tuple(found[:limit]), gone_numbers, complete=len(found) <= limit)

    def vectors(
        self, user_id: str, numbers: Sequence[int], space: Space
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Vectors of these records (those that have one): their numbers, and a matrix."""
        if not len(numbers):
            return np.empty(0, np.int64), np.empty((0, space.dimension), np.float32)
        with self._database.borrow() as db:
            query = {"user_id": user_id, "numbers": db.numbers(numbers), **space._asdict()}
            found = db.rows("vectors_by_numbers", query)
        # a damaged one may rank its record wrongly, but no more; `verify` finds it
        size = vectors.stored_bytes(space)
        whole = [row for row in found if isinstance(row[1], bytes) and len(row[1]) == size]
        matrix = vectors.to_matrix([blob for _, blob in whole], space)
        return np.array([number for number, _ in whole], dtype=np.int64), matrix

    def load_snapshot(self, user_id: str, space: Space) -> Snapshot | None:
        """The saved recall index of this user, if there is a valid one."""
        with self._database.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            query = {"user_no": user_no, "space_no": _space_no(db, space)}
            saved = db.row("snapshot_head", query)
            if saved is None or saved[1] != saved[2]:
                return None
            parts = [data for (data,) in db.rows("snapshot_parts", {"user_no": user_no})]
        if not all(isinstance(data, bytes) for data in parts):
            return None  # damaged: it is made anew
        return Snapshot(Head(user_no, saved[0]), space, b"".join(parts))

    def users(self) -> list[str]:
        """Every user who has a record."""
        with self._database.borrow() as db:
            return [user_id for (user_id,) in db.rows("users", {})]

    def counts(self, user_id: str | None) -> StoreCounts:
        """Counts for one user, or for all."""
        with self._database.snapshot() as db:
            bounds = self._bounds(db, user_id)
            by_kind: dict[str, int] = dict(db.rows("count_kinds", bounds))
            spaces = db.rows("count_spaces", bounds)
            users = db.row("count_users", {})[0] if user_id is None else int(bool(by_kind))
        return StoreCounts(
            users=users,
            memories=sum(by_kind.values()),
            by_kind=by_kind,
            spaces={Space(*space): vectors for *space, vectors in spaces},
            file_bytes=self.stored_bytes(),
        )

    def known_spaces(self) -> list[Space]:
        """The vector space of every embedder that this store has seen."""
        with self._database.borrow() as db:
            return [Space(*found) for found in db.rows("all_spaces", {})]

    def events(self, after: int, limit: int, user_id: str | None = None) -> list[Event]:
        """Events above this sequence number, in order, each exactly as committed."""
        query = {"after": after, "limit": limit} | ({"user_id": user_id} if user_id else {})
        with self._database.borrow() as db:
            found = db.rows("events_of_user" if user_id else "events", query)
        try:
            return [
                Event(seq, from_microseconds(at), topic, user_id, rows.from_json(payload))
                for seq, at, topic, user_id, payload in found
            ]
        except (ValueError, TypeError, OverflowError) as error:
            raise StoreDamaged("an event is damaged; run `sharpwave verify`") from error

    def listen(self, hear: Callable[[], None], user_id: str | None = None) -> Hearing:
        """Call `hear` as soon as there may be an event, if the database can tell."""
        topic = bells.EVENTS if user_id is None else bells.events_of(user_id)
        return self._database.listen(topic, hear)

    def audit(self) -> Iterator[AuditEntry]:
        """The audit chain, in order."""
        with self._database.snapshot() as db:
            yield from chain.entries(db)

    def audit_before(self, seq: int, limit: int) -> list[AuditEntry]:
        """The last so many entries of the audit chain before a number, the newest first."""
        with self._database.snapshot() as db:
            return list(chain.entries(db, "audit_before", {"before": seq, "limit": limit}))

    @abstractmethod
    def stored_bytes(self) -> int:
        """How much room the store takes; only its database can say."""

    # ---- inside

    def _linked(self, name: str, user_id: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        with self._database.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            queries = {id_: {"user_no": user_no, "id": id_} for id_ in ids}
            return {
                id_: tuple(other for (other,) in db.rows(name, query))
                for id_, query in queries.items()
            }

    def _head(self, db: SqlSession, user_id: str) -> Head:
        found = db.row("user", {"user_id": user_id})
        return Head(*found[:2]) if found else NOBODY

    def _bounds(self, db: SqlSession, user_id: str | None) -> dict[str, Any]:
        if user_id is None:
            return {"user_no": None, "after": 0, "end": 2**63 - 1}
        return rows.key_range(self._head(db, user_id).epoch)


def _space_no(db: SqlSession, space: Space) -> int:
    found = db.row("space", space._asdict())
    return int(found[0]) if found else 0


def _page(db: SqlSession, name: str, query: dict[str, int]) -> list[Record]:
    """The next intact records; empty only at the end, whatever is damaged on the way."""
    while True:
        records = _records(db.readable(name, query))
        if records:
            return records
        last = db.row(f"{name}_end", query)[0]
        if last is None:
            return []
        query = {**query, "after": last}


def _records(found: Iterable[Any]) -> list[Record]:
    return [record for row in found if row and (record := rows.to_record(row)) is not None]


def _index_row(row: Any, space: Space) -> IndexRow:
    """A row for the index. What is damaged may rank wrongly, but is never served: see `fetch`."""
    number, seq, *named, valid_from, text, check, vector, current, tags = row
    kind, role, speaker, session_id, text, tags = (
        None if value is None else value.decode("utf-8", "replace")
        for value in (*named, text, tags)
    )
    moment = valid_from if isinstance(valid_from, int) else 0
    whole = vector if vectors.intact(vector, check, space.dimension) else None
    who = (kind or "", role, speaker, session_id)
    return IndexRow(number, seq, *who, moment, text or "", whole, bool(current), tags or "")
