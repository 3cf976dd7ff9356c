"""One user's memories in a SQL database, by the named statements of its dialect.

What reads return has been checked against its checksum; a damaged row is left out, never served.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from datetime import date, datetime
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sharpwave.ports import CommitSubscription
from sharpwave.storage import notifications, ordering
from sharpwave.storage.sql import (
    audit,
    erased_keys,
    jobs_and_keys,
    rows,
    selecting,
    tallies_and_consents,
    writes,
)
from sharpwave.storage.sql.session import SharedReads, SqlSession
from sharpwave.storage.sql.touches import Touches
from sharpwave.temporal.clock import from_microseconds, to_microseconds
from sharpwave.types import storing
from sharpwave.types.answers import Forgotten
from sharpwave.types.records import Kind, Record
from sharpwave.types.statements import EntityKind
from sharpwave.types.working import Job, Purpose, Spending

T = TypeVar("T")
Erase = Callable[[str, storing.Selection, datetime], Forgotten]


class SqlUserStore:
    """See `ports.UserStore`; for one call: the user's number is looked up once."""

    def __init__(
        self,
        user_id: str,
        database: SharedReads,
        touches: Touches,
        salt: bytes,
        erase: Erase,
        stored_bytes: Callable[[], int],
    ) -> None:
        self.user_id = user_id
        self._database = database
        self._touches = touches
        self._actor, self._salt = audit.actor_digest(salt, user_id), salt
        self._erase = erase
        self._stored_bytes = stored_bytes
        self._user_no = 0
        self._epoch = storing.ErasureEpoch()
        """As of the first read. Not renewed by later reads: what was read first may be in use."""
        self._unused_head: storing.Head | None = None
        """The head read with the user's row, for the first use of it in this call."""
        self._vectors_of: storing.Space | None = None
        """The space of the vectors that were read last: a recall compares those that it ranked."""
        self._vectors_read: frozenset[int] = frozenset()
        self._numbers = np.empty(0, np.int64)
        self._matrix = np.empty((0, 0), np.float32)
        self._places: dict[int, int] = {}

    # ---- writing

    @property
    def _author(self) -> writes.Author:
        return writes.Author(self.user_id, self._actor, self._epoch, self._salt)

    def commit(self, change: storing.Change) -> tuple[storing.Stored, ...]:
        blobs: list[bytes] | None = None
        if change.vectors is not None and change.space is not None:
            blobs = rows.to_blobs(change.vectors, change.space, len(change.records))
        return self._write(lambda db: writes.add(db, self._author, change, blobs))

    def forget(self, selection: storing.Selection, at: datetime) -> Forgotten:
        try:
            return self._erase(self.user_id, selection, at)
        finally:
            self._drop_known()
            rows.let_go()
            self._epoch = storing.ErasureEpoch()

    def touch(self, numbers: Sequence[int], at: datetime) -> None:
        self._touches.add(self.user_id, numbers, at)

    def replace_vectors(
        self, space: storing.Space, numbers: Sequence[int], vectors_: NDArray[np.float32]
    ) -> None:
        blobs = rows.to_blobs(vectors_, space, len(numbers))
        self._write(lambda db: writes.replace_vectors(db, self._author, space, numbers, blobs))

    def save_snapshot(self, snapshot: storing.Snapshot) -> bool:
        return self._write(lambda db: writes.save_snapshot(db, self.user_id, snapshot))

    # ---- records

    def one_state(self) -> AbstractContextManager[None]:
        return self._database.one_state()

    def find(self, ids: Sequence[str]) -> list[Record]:
        with self._reading() as (db, user_no):
            queries = ({"user_no": user_no, "id": id_} for id_ in ids)
            found = rows.to_records(db.readable_each("by_id", queries))
        return [self._touches.on(record) for record in found]

    def fetch(self, numbers: Sequence[int]) -> list[Record]:
        if not len(numbers):
            return []
        with self._reading() as (db, user_no):
            query = {"user_no": user_no, "numbers": db.numbers(numbers)}
            return rows.to_records(db.readable("by_numbers", query))

    def spoken_texts(self, numbers: Sequence[int]) -> list[storing.SpokenText]:
        if not len(numbers):
            return []
        with self._reading() as (db, user_no):
            query = {"user_no": user_no, "numbers": db.numbers(numbers)}
            return list(map(rows.to_spoken_text, db.rows("spoken_by_numbers", query)))

    def scan(self, after: int, limit: int) -> list[Record]:
        with self._snapshot() as (db, user_no):
            return rows.read_page(db, "scan", {**rows.key_range(user_no, after), "limit": limit})

    def latest(self, session: str | None, limit: int, before: int | None = None) -> list[Record]:
        with self._reading() as (db, user_no):
            bounds = rows.key_range(user_no, 0, before)
            name = "latest" if session is None else "latest_of_session"
            found = db.readable(name, {**bounds, "session": session, "limit": limit})
            return rows.to_records(found)[::-1]

    def latest_within(self, within: str, limit: int, before: int | None = None) -> list[Record]:
        with self._reading() as (db, user_no):
            bounds = rows.key_range(user_no, 0, before)
            query = {**bounds, **selecting.beginning(within), "limit": limit}
            return rows.to_records(db.readable("latest_within", query))[::-1]

    def sessions(self, limit: int) -> list[storing.Session]:
        with self._reading() as (db, user_no):
            return rows.read_sessions(db, user_no, limit)

    def stated(self, wanted: storing.Stated) -> list[Record]:
        slots = bool(wanted.slots) if wanted.order is storing.Order.RECORDED else len(wanted.slots)
        statements = slots + len(wanted.within) + len(wanted.about) + bool(wanted.among)
        with self._snapshot() if statements > 1 else self._reading() as (db, user_no):
            queries = selecting.stated(user_no, wanted)
            found = rows.to_records(
                row
                for name, group in groupby(queries, lambda query: query.name)
                for row in db.readable_each(name, [query.bindings for query in group])
            )
        return [self._touches.on(record) for record in ordering.first(found, wanted)]

    def staged(self, wanted: storing.Staged) -> list[Record]:
        with self._reading() as (db, user_no):
            name, bindings = selecting.staged(user_no, wanted)
            found = rows.to_records(db.readable(name, bindings))
        return [self._touches.on(record) for record in found]

    def pending(self, kind: Kind) -> int:
        return int(self._rows("count_pending", kind=kind.value)[0][0])

    def newest(self, kinds: Collection[Kind], before: int, limit: int) -> list[int]:
        with self._snapshot() as (db, user_no):
            query = {"user_no": user_no, "before": rows.bound(user_no, before), "limit": limit}
            numbers = [
                number
                for kind in kinds
                for (number,) in db.rows("newest_of_kind", {**query, "kind": kind.value})
            ]
        return sorted(numbers, reverse=True)[:limit]

    def known_since(self, within: Sequence[str]) -> datetime | None:
        with self._snapshot() as (db, user_no):
            queries = ({"user_no": user_no, **selecting.beginning(begin)} for begin in within)
            found = [db.row("begun", query)[0] for query in queries]
        moments = [moment for moment in found if isinstance(moment, int)]
        return from_microseconds(min(moments)) if moments else None

    def slot_numbers(self, within: str, limit: int) -> list[int]:
        bounds = selecting.beginning(within)
        return [number for (number,) in self._rows("numbers_between", limit=limit, **bounds)]

    def newest_in_slots(self, prefixes: Sequence[str], limit: int) -> dict[str, list[int]]:
        bounds = (selecting.beginning(prefix) for prefix in prefixes)
        ranges = rows.to_json([[bound["first"], bound["last"]] for bound in bounds])
        return self._by_place(prefixes, "newest_in_ranges", ranges=ranges, limit=limit)

    def slot_heads(self, slots: Sequence[str]) -> dict[str, int]:
        with self._snapshot() as (db, user_no):
            heads = db.row_each("slot_head", ({"user_no": user_no, "slot": s} for s in slots))
            return {slot: head for slot, (head,) in zip(slots, heads, strict=True)}

    def known(self, keys: Sequence[str]) -> dict[str, Record]:
        with self._snapshot() as (db, user_no):
            return rows.read_known(db, user_no, keys)

    def was_erased(self, key: str, since: datetime) -> bool:
        with self._database.borrow() as db:
            return erased_keys.was_erased(db, self._salt, self.user_id, key, since)

    def evidence(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return self._linked("evidence_of", ids)

    def derived(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return self._linked("derived_from", ids)

    def entities(self, limit: int, longer_than: str = "") -> list[storing.EntityCount]:
        if longer_than:
            bounds = selecting.beginning(f"{longer_than} ")
            found = self._rows("longer_names", limit=limit, **bounds)
        else:
            found = self._rows("entities", limit=limit)
        return [storing.EntityCount(key, name, EntityKind(kind), n) for key, name, kind, n in found]

    def mentions(self, ids: Sequence[str]) -> dict[str, tuple[storing.Mentioned, ...]]:
        with self._snapshot() as (db, user_no):
            queries = {id_: {"user_no": user_no, "id": id_} for id_ in ids}
            return {
                id_: tuple(
                    storing.Mentioned(id_, key, name, EntityKind(kind))
                    for key, name, kind in db.rows("mentions_of", query)
                )
                for id_, query in queries.items()
            }

    def mentioned(self, entity: str, limit: int) -> list[int]:
        found = self._rows("mentioned_in", entity_key=entity, limit=limit)
        return [number for (number,) in found]

    def newest_mentions(self, entities: Sequence[str], limit: int) -> dict[str, list[int]]:
        names = rows.to_json(list(entities))
        return self._by_place(entities, "newest_mentions", entities=names, limit=limit)

    def _by_place(self, wanted: Sequence[str], query: str, **bindings: Any) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {name: [] for name in wanted}
        if found:
            for place, number in self._rows(query, **bindings):
                found[wanted[place]].append(number)
        return found

    def unembedded(self, space: storing.Space, after: int, limit: int) -> list[Record]:
        with self._snapshot() as (db, user_no):
            bounds = {**rows.key_range(user_no, after), "limit": limit}
            wanted = {**bounds, "space_no": rows.space_no(db, space)}
            return rows.read_page(db, "unembedded", wanted)

    def counts(self) -> storing.StoreCounts:
        stored_bytes = self._stored_bytes()  # first: it may need a connection of its own
        with self._snapshot() as (db, user_no):
            return rows.read_counts(db, rows.key_range(user_no), stored_bytes)

    # ---- what was learned, as running numbers

    def tallies(self, topic: str, names: Sequence[str] | None = None) -> dict[str, storing.Tally]:
        with self._snapshot() as (db, user_no):
            return tallies_and_consents.read_tallies(db, user_no, topic, names)

    def topics(self, within: str) -> list[str]:
        found = self._rows("topics", **selecting.beginning(f"{within}/"))
        return [topic for (topic,) in found]

    # ---- what the recall index follows

    def head(self) -> storing.Head:
        known, self._unused_head = self._unused_head, None
        if known is not None:
            return known
        with self._database.borrow() as db:
            return self._head(db)

    def changes(self, since: int, space: storing.Space, limit: int) -> storing.Changes:
        with self._database.snapshot() as db:
            head = self._head(db)
            query = {
                **rows.key_range(head.epoch, since),
                "since": since,
                "space_no": rows.space_no(db, space),
                "limit": limit + 1,  # one more, to know whether the page is the last
            }
            added = db.rows("added_since", query)
            revised = db.rows("revised_since", query)
            gone = db.rows("gone_since", query)
        # in order of seq, so that the reader can go on from the last one it got
        found = [
            rows.to_index_row(row, space) for row in added + revised if isinstance(row[1], int)
        ]
        found.sort(key=lambda row: row.seq)
        gone_numbers = tuple(number for (number,) in gone)
        return storing.Changes(
            head, tuple(found[:limit]), gone_numbers, complete=len(found) <= limit
        )

    def vectors(
        self, numbers: Sequence[int], space: storing.Space
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        if not len(numbers):
            return np.empty(0, np.int64), np.empty((0, space.dimension), np.float32)
        if space == self._vectors_of and self._vectors_read.issuperset(numbers):
            matrix = self._matrix
            places = [place for place in map(self._places.get, numbers) if place is not None]
            return self._numbers[places], matrix[places]
        found_numbers, matrix = self._read_vectors(numbers, space)
        self._vectors_of, self._vectors_read = space, frozenset(numbers)
        self._numbers, self._matrix = found_numbers, matrix
        self._places = {number: place for place, number in enumerate(found_numbers.tolist())}
        return found_numbers, matrix

    def _read_vectors(
        self, numbers: Sequence[int], space: storing.Space
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        with self._reading() as (db, user_no):
            query = {"user_no": user_no, "numbers": db.numbers(numbers), **space._asdict()}
            found = db.rows("vectors_by_numbers", query)
        # a damaged vector may rank its record wrongly, nothing worse; `verify` finds it
        size = rows.stored_bytes(space)
        whole = [row for row in found if isinstance(row[1], bytes) and len(row[1]) == size]
        matrix = rows.to_matrix([blob for _, blob in whole], space)
        return np.array([number for number, _ in whole], dtype=np.int64), matrix

    def load_snapshot(self, space: storing.Space) -> storing.Snapshot | None:
        with self._snapshot() as (db, user_no):
            query = {"user_no": user_no, "space_no": rows.space_no(db, space)}
            saved = db.row("snapshot_head", query)
            if saved is None or saved[1] != saved[2]:
                return None
            parts = [data for (data,) in db.rows("snapshot_parts", {"user_no": user_no})]
        if not all(isinstance(data, bytes) for data in parts):
            return None  # damaged: it is made anew
        return storing.Snapshot(storing.Head(user_no, saved[0]), space, b"".join(parts))

    # ---- events, jobs, consent and cost

    def events(self, after: int, limit: int) -> list[storing.Event]:
        return rows.to_events(self._rows("events_of_user", after=after, limit=limit))

    def listen(self, notify: Callable[[], None]) -> CommitSubscription:
        return self._database.listen(notifications.events_of(self.user_id), notify)

    def jobs(self, limit: int) -> list[Job]:
        return [jobs_and_keys.to_job(row) for row in self._rows("jobs_of_user", limit=limit)]

    def retry_jobs(self, at: datetime) -> int:
        def work(db: SqlSession) -> int:
            user = db.row("lock_user", {"user_id": self.user_id})
            query = {"user_no": user[0] if user else 0, "at": to_microseconds(at)}
            return db.change("retry_jobs", query)

        return self._write(work)

    def consents(self) -> dict[Purpose, bool]:
        with self._reading() as (db, user_no):
            given, withdrawn = tallies_and_consents.read_consents(db, user_no, self._actor)
        given = dict.fromkeys(withdrawn, 0) | given
        return {Purpose(purpose): bool(granted) for purpose, granted in sorted(given.items())}

    def consent(self, purpose: Purpose, granted: bool, at: datetime) -> None:
        row = {"purpose": purpose.value, "granted": int(granted), "at": to_microseconds(at)}

        def work(db: SqlSession) -> None:
            user_no, _ = writes.unerased_user(db, self.user_id, storing.ErasureEpoch())
            db.change("put_consent", {"user_no": user_no, **row})
            _, withdrawn = tallies_and_consents.read_consents(db, user_no, self._actor)
            tallies_and_consents.put_withdrawn(db, self._actor, withdrawn - {purpose.value})

        self._write(work)

    def charge(self, day: date, spent: Spending) -> None:
        row = {"day": day.isoformat(), **asdict(spent)}

        def work(db: SqlSession) -> None:
            if user := db.row("lock_user", {"user_id": self.user_id}):
                db.change("charge", {"user_no": user[0], **row})

        self._write(work)

    def spent(self, day: date) -> Spending:
        found = self._rows("spent", day=day.isoformat())
        return Spending(*found[0]) if found else Spending()

    # ---- inside

    def _write(self, work: Callable[[SqlSession], T]) -> T:
        try:
            return self._database.run(work)
        finally:
            self._drop_known()  # it may have added the user, or found another of the same name

    @contextmanager
    def _snapshot(self) -> Iterator[tuple[SqlSession, int]]:
        """A session that sees one state, for several statements; and the user's number."""
        with self._database.snapshot() as db:
            yield db, self._number(db)

    @contextmanager
    def _reading(self) -> Iterator[tuple[SqlSession, int]]:
        """A session for one statement, and the user's number."""
        with self._database.borrow() as db:
            yield db, self._number(db)

    def _rows(self, name: str, **bindings: Any) -> list[Any]:
        with self._reading() as (db, user_no):
            return db.rows(name, {"user_no": user_no, **bindings})

    def _number(self, db: SqlSession) -> int:
        """The user's number, 0 if unknown: numbers are never reused, so it is looked up once."""
        if not self._user_no:
            self._unused_head = self._head(db)
        else:
            db.see_only(self._user_no)
        return self._user_no

    def _drop_known(self) -> None:
        self._user_no, self._unused_head, self._vectors_of = 0, None, None

    def _head(self, db: SqlSession) -> storing.Head:
        found = db.row("user", {"user_id": self.user_id})
        head = storing.Head(*found[:2]) if found else storing.Head(0, 0)
        self._user_no = head.epoch
        if found and not self._epoch.user_no:
            self._epoch = storing.ErasureEpoch(found[0], found[2])
        return head

    def _linked(self, name: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        linked: dict[str, list[str]] = {id_: [] for id_ in ids}
        for id_, linked_id in self._rows(name, ids=rows.to_json(list(linked))) if linked else ():
            linked[id_].append(linked_id)
        return {id_: tuple(linked_ids) for id_, linked_ids in linked.items()}
