"""The SQLite store: reads on a few reading connections, writes through the one writer.

Everything a change touches (rows, vectors, tombstones, audit, events) is in one transaction. What
reads return has been checked against its checksum; a damaged row is left out, never served.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import StoreDamaged, WrongKey
from sharpwave.storage import foremost
from sharpwave.storage.sqlite import (
    chain,
    migrate,
    rows,
    selecting,
    statements,
    vectors,
    writes,
)
from sharpwave.storage.sqlite.connection import connect, prepare_folder, translated
from sharpwave.storage.sqlite.files import quiet, scrub
from sharpwave.storage.sqlite.files.check import verify
from sharpwave.storage.sqlite.files.copy import copy_to, file_bytes
from sharpwave.storage.sqlite.files.rekey import rekey
from sharpwave.storage.sqlite.key import Key, is_new
from sharpwave.storage.sqlite.readers import Readers
from sharpwave.storage.sqlite.statements import SQL, readable
from sharpwave.storage.sqlite.touches import Touches
from sharpwave.storage.sqlite.work import sessions, tallies
from sharpwave.storage.sqlite.work.jobs import SqliteJobs
from sharpwave.storage.sqlite.work.keys import SqliteKeys
from sharpwave.storage.sqlite.work.ledger import SqliteLedger
from sharpwave.storage.sqlite.writer import Writer
from sharpwave.temporal.moments import from_microseconds
from sharpwave.tunables.storing import StoreSettings
from sharpwave.types.answers import Forgotten
from sharpwave.types.known import Session
from sharpwave.types.records import Record
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import (
    AuditEntry,
    Change,
    Changes,
    EntityCount,
    Event,
    Head,
    Heard,
    IndexRow,
    Mentioned,
    Selection,
    Snapshot,
    Space,
    Staged,
    Stated,
    StoreCounts,
    Stored,
    Tally,
    Tidied,
    Verification,
)

NOBODY = Head(0, 0)


class SqliteStore:
    """Memories in one SQLite file, shared safely by any number of threads and processes."""

    def __init__(
        self,
        path: Path,
        settings: StoreSettings,
        key: Key | None = None,
        *,
        migrations: list[migrate.Migration] | None = None,
    ) -> None:
        self.path = path
        self._settings = settings
        prepare_folder(path)
        was_new = is_new(path)
        self._key_text = key.for_file(path) if key else None
        with translated(path), closing(self._first_connection(key, was_new)) as first:
            migrate.migrate(first, path, migrations or migrate.bundled())
            self._salt = chain.salt_of(first, path)
        self._touches = Touches()
        self._writer = Writer(path, self._connect, settings, self._touches, self._when_idle)
        self._readers = Readers(path, self._connect, settings.readers)

    @property
    def jobs(self) -> SqliteJobs:
        """Work for later."""
        return SqliteJobs(self._writer, self._readers)

    @property
    def ledger(self) -> SqliteLedger:
        """What models cost, and what users agreed to."""
        return SqliteLedger(self._writer, self._readers, self._salt)

    @property
    def keys(self) -> SqliteKeys:
        """Who may come in by the doors."""
        return SqliteKeys(self._writer, self._readers)

    # ---- writing

    def commit(self, change: Change) -> tuple[Stored, ...]:
        """Store a change in one transaction and return once it is durable."""
        blobs: list[bytes] | None = None
        if change.vectors is not None and change.space is not None:
            blobs = vectors.to_blobs(change.vectors, change.space, len(change.records))
        return self._writer.run(
            lambda db: writes.add(db, change, blobs, self._salt, self._settings.outbox_keep)
        )

    def forget(self, user_id: str, selection: Selection, at: datetime) -> Forgotten:
        """Erase records with their vectors and everything derived, leaving no bytes behind."""
        erased = self._writer.run(lambda db: writes.forget(db, user_id, selection, at, self._salt))
        nothing = not any(erased)
        at_once = self._settings.scrub_at_once_mib
        cleared = nothing or quiet.scrubbed(self._writer, self._settings, at_once)
        return Forgotten(**erased._asdict(), traces_cleared=cleared)

    def scrub(self) -> bool:
        """Rewrite the file, so that no copy of what was forgotten is left in it."""
        return quiet.scrubbed(self._writer, self._settings, None)

    def tidy(self) -> Tidied:
        """Finish a scrub that is due, and empty the log."""
        return quiet.tidy(self._writer, self.path, self._settings)

    def touch(self, user_id: str, numbers: Sequence[int], at: datetime) -> None:
        """Count an access to these records; returns at once, durable a little later."""
        self._touches.add(user_id, numbers, at)

    def replace_vectors(
        self, user_id: str, space: Space, numbers: Sequence[int], vectors_: NDArray[np.float32]
    ) -> None:
        """Give records new vectors, of a new embedder."""
        blobs = vectors.to_blobs(vectors_, space, len(numbers))
        self._writer.run(lambda db: writes.replace_vectors(db, user_id, space, numbers, blobs))

    def save_snapshot(self, user_id: str, snapshot: Snapshot) -> bool:
        """Save a recall index; refused (False) if something was forgotten since its head."""
        return self._writer.run(lambda db: writes.save_snapshot(db, user_id, snapshot))

    # ---- reading

    def find(self, user_id: str, ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order; unknown ids are left out."""
        with self._readers.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            queries = ({"user_no": user_no, "id": id_} for id_ in ids)
            found = _records(
                row for query in queries for row in readable(db.execute(SQL["by_id"], query))
            )
        return [self._touches.on(record) for record in found]

    def fetch(self, user_id: str, numbers: Sequence[int]) -> list[Record]:
        """The records with these numbers, in this order; missing or damaged ones are left out."""
        if not len(numbers):
            return []
        query = {"user_id": user_id, "numbers": _carray(numbers)}
        with self._readers.borrow() as db:
            return _records(readable(db.execute(SQL["by_numbers"], query)))

    def heard(self, user_id: str, numbers: Sequence[int]) -> list[Heard]:
        """Who said what, of these records, in this order; unchecked, so not to be served."""
        if not len(numbers):
            return []
        query = {"user_id": user_id, "numbers": _carray(numbers)}
        with self._readers.borrow() as db:
            return list(map(rows.to_heard, statements.rows(db, "heard_by_numbers", query)))

    def scan(self, user_id: str, after: int, limit: int) -> list[Record]:
        """The next `limit` records whose number is above `after`, in order."""
        with self._readers.snapshot() as db:
            query = {**rows.key_range(self._head(db, user_id).epoch, after), "limit": limit}
            return _page(db, "scan", query)

    def latest(self, user_id: str, session: str | None, limit: int) -> list[Record]:
        """The last turns of a session, or of all, oldest first."""
        with self._readers.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            if session is None:
                every = {**rows.key_range(user_no), "limit": limit}
                return _records(readable(db.execute(SQL["latest"], every)))[::-1]
            its = {"user_no": user_no, "session": session, "limit": limit}
            return _records(readable(db.execute(SQL["latest_of_session"], its)))[::-1]

    def sessions(self, user_id: str, limit: int) -> list[Session]:
        """The sessions whose last turn is newest, that one first; without summaries."""
        with self._readers.snapshot() as db:
            return sessions.read(db, self._head(db, user_id).epoch, limit)

    def stated(self, user_id: str, wanted: Stated) -> list[Record]:
        """Facts, tasks and notes, in the order that is wanted."""
        with self._readers.snapshot() as db:
            found = _records(
                row
                for name, bindings in selecting.stated(self._head(db, user_id).epoch, wanted)
                for row in readable(db.execute(SQL[name], bindings))
            )
        return [self._touches.on(record) for record in foremost.first(found, wanted)]

    def staged(self, user_id: str, wanted: Staged) -> list[Record]:
        """Records by stage and temperature, in the order they were recorded."""
        with self._readers.snapshot() as db:
            name, bindings = selecting.staged(self._head(db, user_id).epoch, wanted)
            found = _records(readable(db.execute(SQL[name], bindings)))
        return [self._touches.on(record) for record in found]

    def slot_numbers(self, user_id: str, within: str, limit: int) -> list[int]:
        """Numbers of the newest records whose slot begins so."""
        with self._readers.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            query = {"user_no": user_no, "limit": limit, **selecting.between(within)}
            return [number for (number,) in statements.rows(db, "numbers_between", query)]

    def slot_heads(self, user_id: str, slots: Sequence[str]) -> dict[str, int]:
        """For each slot the newest change in it; 0 where there is none."""
        with self._readers.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            queries = {slot: {"user_no": user_no, "slot": slot} for slot in slots}
            return {s: statements.row(db, "slot_head", query)[0] for s, query in queries.items()}

    def known(self, user_id: str, keys: Sequence[str]) -> dict[str, Record]:
        """The records that these idempotency keys already name."""
        with self._readers.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            queries = ({"user_no": user_no, "idempotency_key": key} for key in keys)
            found = (statements.row(db, "by_idempotency_key", query) for query in queries)
            records = _records(row for row in found if row)
        return {str(record.provenance.idempotency_key): record for record in records}

    def evidence(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that support it."""
        return self._linked("evidence_of", user_id, ids)

    def derived(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that it supports."""
        return self._linked("derived_from", user_id, ids)

    def entities(self, user_id: str, limit: int, longer_than: str = "") -> list[EntityCount]:
        """The names that this user's records mention, the most mentioned first."""
        with self._readers.snapshot() as db:
            query = {"user_no": self._head(db, user_id).epoch, "limit": limit}
            bounds = {"first": f"{longer_than} ", "last": f"{longer_than}!"}
            name = "longer_names" if longer_than else "entities"
            found = statements.rows(db, name, {**query, **bounds} if longer_than else query)
        return [EntityCount(key, name, EntityKind(kind), n) for key, name, kind, n in found]

    def mentions(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[Mentioned, ...]]:
        """For each record the names that it mentions."""
        with self._readers.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            queries = {id_: {"user_no": user_no, "id": id_} for id_ in ids}
            return {
                id_: tuple(
                    Mentioned(id_, key, name, EntityKind(kind))
                    for key, name, kind in statements.rows(db, "mentions_of", query)
                )
                for id_, query in queries.items()
            }

    def mentioned(self, user_id: str, entity: str, limit: int) -> list[int]:
        """Numbers of the records that mention an entity, the newest first."""
        with self._readers.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            query = {"user_no": user_no, "entity_key": entity, "limit": limit}
            return [number for (number,) in statements.rows(db, "mentioned_in", query)]

    def tallies(
        self, user_id: str, topic: str, names: Sequence[str] | None = None
    ) -> dict[str, Tally]:
        """What was learned under a topic, or under some of its names, in order of the names."""
        with self._readers.snapshot() as db:
            return tallies.read(db, self._head(db, user_id).epoch, topic, names)

    def unembedded(self, user_id: str, space: Space, after: int, limit: int) -> list[Record]:
        """As `scan`, but only records that have no vector in this space."""
        with self._readers.snapshot() as db:
            bounds = rows.key_range(self._head(db, user_id).epoch, after)
            query = {**bounds, "space_no": _space_no(db, space), "limit": limit}
            return _page(db, "unembedded", query)

    def head(self, user_id: str) -> Head:
        """How far this user's history goes; (0, 0) for a user nobody knows."""
        with self._readers.borrow() as db:
            return self._head(db, user_id)

    def changes(self, user_id: str, since: int, space: Space, limit: int) -> Changes:
        """What the recall index must take in to get from `since` to the head."""
        with self._readers.snapshot() as db:
            head = self._head(db, user_id)
            query = {
                **rows.key_range(head.epoch, since),
                "user_no": head.epoch,
                "since": since,
                "space_no": _space_no(db, space),
                "limit": limit + 1,  # one more, to know whether the page is the last
            }
            added = statements.rows(db, "added_since", query)
            revised = statements.rows(db, "revised_since", query)
            gone = statements.rows(db, "gone_since", query)
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
        query = {"user_id": user_id, "numbers": _carray(numbers), **space._asdict()}
        with self._readers.borrow() as db:
            found = statements.rows(db, "vectors_by_numbers", query)
        # a damaged one may rank its record wrongly, but no more; `verify` finds it
        size = vectors.stored_bytes(space)
        whole = [row for row in found if isinstance(row[1], bytes) and len(row[1]) == size]
        matrix = vectors.to_matrix([blob for _, blob in whole], space)
        return np.array([number for number, _ in whole], dtype=np.int64), matrix

    def load_snapshot(self, user_id: str, space: Space) -> Snapshot | None:
        """The saved recall index of this user, if there is a valid one."""
        with self._readers.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            query = {"user_no": user_no, "space_no": _space_no(db, space)}
            saved = statements.row(db, "snapshot_head", query)
            if saved is None or saved[1] != saved[2]:
                return None
            parts = [
                data for (data,) in statements.rows(db, "snapshot_parts", {"user_no": user_no})
            ]
        if not all(isinstance(data, bytes) for data in parts):
            return None  # damaged: it is made anew
        return Snapshot(Head(user_no, saved[0]), space, b"".join(parts))

    def users(self) -> list[str]:
        """Every user who has a record."""
        with self._readers.borrow() as db:
            return [user_id for (user_id,) in db.execute(SQL["users"])]

    def counts(self, user_id: str | None) -> StoreCounts:
        """Counts for one user, or for all."""
        with self._readers.snapshot() as db:
            bounds = self._bounds(db, user_id)
            by_kind: dict[str, int] = dict(statements.rows(db, "count_kinds", bounds))
            spaces = statements.rows(db, "count_spaces", bounds)
            users = db.execute(SQL["count_users"]).get if user_id is None else int(bool(by_kind))
        return StoreCounts(
            users=users,
            memories=sum(by_kind.values()),
            by_kind=by_kind,
            vectors=sum(row[3] for row in spaces),
            file_bytes=file_bytes(self.path),
        )

    def spaces(self, user_id: str | None) -> dict[Space, int]:
        """How many vectors there are of each embedder."""
        with self._readers.snapshot() as db:
            found = statements.rows(db, "count_spaces", self._bounds(db, user_id))
        return {Space(name, version, size): count for name, version, size, count in found}

    def known_spaces(self) -> list[Space]:
        """The vector space of every embedder that this store has seen."""
        with self._readers.borrow() as db:
            return [Space(*found) for found in statements.rows(db, "all_spaces", {})]

    def events(self, after: int, limit: int, user_id: str | None = None) -> list[Event]:
        """Events above this sequence number, in order, each exactly as committed."""
        query = {"after": after, "limit": limit} | ({"user_id": user_id} if user_id else {})
        with self._readers.borrow() as db:
            found = statements.rows(db, "events_of_user" if user_id else "events", query)
        try:
            return [
                Event(seq, from_microseconds(at), topic, user_id, rows.from_json(payload))
                for seq, at, topic, user_id, payload in found
            ]
        except (ValueError, TypeError, OverflowError) as error:
            raise StoreDamaged("an event is damaged; run `sharpwave verify`") from error

    def audit(self) -> Iterator[AuditEntry]:
        """The audit chain, in order."""
        with self._readers.snapshot() as db:
            yield from chain.entries(db)

    # ---- the file as a whole

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Verification:
        """Check every row against its checksum, the audit chain, and the file's structure."""
        with self._readers.snapshot() as db:
            return verify(db, progress)

    def backup(self, to: Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Write a consistent, checked copy while others go on writing."""
        with self._readers.borrow() as db:
            copy_to(db, to, progress, lambda path: connect(path, self._key_text, self._settings))

    def rekey(self, key: Key) -> None:
        """Encrypt the file with another key, or a plain file for the first time."""
        self._readers.close()
        try:
            self._key_text = self._writer.run_alone(lambda db: rekey(db, self.path, key))
        finally:
            self._readers = Readers(self.path, self._connect, self._settings.readers)

    def close(self) -> None:
        """Flush and close. Further calls raise StoreClosed."""
        self._writer.close()
        self._readers.close()

    # ---- inside

    def _first_connection(self, key: Key | None, was_new: bool) -> apsw.Connection:
        try:
            return self._connect()
        except WrongKey:
            if key is None or not was_new:
                raise
            self._key_text = key.for_file(self.path)  # another process made the file meanwhile
            return self._connect()

    def _connect(self) -> apsw.Connection:
        return connect(self.path, self._key_text, self._settings)

    def _when_idle(self, db: apsw.Connection) -> None:
        """Finish what an earlier call, or a process that died, could not."""
        if scrub.is_due(db) and scrub.is_within(db, self._settings.scrub_at_once_mib):
            scrub.scrub(db, self._settings)

    def _linked(self, name: str, user_id: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        with self._readers.snapshot() as db:
            user_no = self._head(db, user_id).epoch
            queries = {id_: {"user_no": user_no, "id": id_} for id_ in ids}
            return {
                id_: tuple(other for (other,) in statements.rows(db, name, query))
                for id_, query in queries.items()
            }

    def _head(self, db: apsw.Connection, user_id: str) -> Head:
        found = statements.row(db, "user", {"user_id": user_id})
        return Head(*found) if found else NOBODY

    def _bounds(self, db: apsw.Connection, user_id: str | None) -> dict[str, int]:
        if user_id is None:
            return {"after": 0, "end": 2**63 - 1}
        return rows.key_range(self._head(db, user_id).epoch)


def _carray(numbers: Sequence[int]) -> Any:
    return apsw.carray(np.asarray(numbers, np.int64).tobytes(), flags=apsw.SQLITE_CARRAY_INT64)


def _space_no(db: apsw.Connection, space: Space) -> int:
    found = db.execute(SQL["space"], space._asdict()).fetchone()
    return int(found[0]) if found else 0


def _page(db: apsw.Connection, name: str, query: dict[str, int]) -> list[Record]:
    """The next intact records; empty only at the end, whatever is damaged on the way."""
    while True:
        records = _records(readable(db.execute(SQL[name], query)))
        if records:
            return records
        last = statements.row(db, f"{name}_end", query)[0]
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
