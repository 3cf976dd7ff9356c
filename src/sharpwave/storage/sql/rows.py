"""Records, events, sessions and vectors to rows and back. Times are microseconds since 1970, UTC.

Vectors are stored as float16, little-endian, with a checksum.
"""

import json
import zlib
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidInput, StoreDamaged
from sharpwave.storage.sql.session import SqlSession
from sharpwave.temporal.clock import from_microseconds, to_microseconds
from sharpwave.types import records
from sharpwave.types.storing import (
    Event,
    IndexRow,
    Revision,
    Session,
    Space,
    SpokenText,
    StoreCounts,
)

NUMBER_BITS = 32
NUMBER_MASK = (1 << NUMBER_BITS) - 1


_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)

# Looking a member up by its value is several times faster than calling its class.
_KINDS = {kind.value: kind for kind in records.Kind}
_ROLES = {role.value: role for role in records.Role}
_SOURCES = {source.value: source for source in records.Source}
_CHANNELS = {channel.value: channel for channel in records.Channel}
_TRUSTS = {trust.value: trust for trust in records.Trust}
_STAGES = {stage.value: stage for stage in records.Stage}
_TEMPERATURES = {temperature.value: temperature for temperature in records.Temperature}
_STATES = {state.value: state for state in records.State}
_HASH = 30  # its place in a row; what was added to the schema later stands after it


def key_of(user_no: int, number: int) -> int:
    """A record's key: its user's number, then its own."""
    return user_no << NUMBER_BITS | number


def at(key: int) -> dict[str, int]:
    """A key as named bindings, with the number of the user it belongs to."""
    return {"key": key, "user_no": key >> NUMBER_BITS}


def key_range(user_no: int, after: int = 0, before: int | None = None) -> dict[str, int]:
    """The keys of a user's records above a number, or between two, as named bindings.

    >>> key_range(2, 3, 2**40) == {"user_no": 2, "after": 2 * 2**32 + 3, "end": 3 * 2**32}
    True
    """
    end = key_of(user_no + 1, 0) if before is None else bound(user_no, before)
    return {"user_no": user_no, "after": bound(user_no, after), "end": end}


def bound(user_no: int, number: int) -> int:
    """The key of a number within a user's range; never among those of another user.

    >>> bound(1, 2**40) == key_of(2, 0), bound(1, -5) == key_of(1, 0)
    (True, True)
    """
    return (user_no << NUMBER_BITS) + min(max(number, 0), 1 << NUMBER_BITS)


def to_row(record: records.Record, user_no: int, number: int) -> dict[str, Any]:
    """The bindings that store a new record."""
    provenance, standing = record.provenance, record.standing
    return {
        "key": key_of(user_no, number),
        "user_no": user_no,
        "seq": number,
        "id": record.id,
        "kind": record.kind.value,
        "text": record.text,
        "role": record.role.value if record.role else None,
        "speaker": record.speaker,
        "session_id": record.session_id,
        "scope": record.scope,
        "tags": to_json(record.tags),
        "metadata": to_json(record.metadata),
        "source": provenance.source.value,
        "channel": provenance.channel.value,
        "trust": int(provenance.trust),
        "author": provenance.author,
        "parents": to_json(provenance.parents),
        "idempotency_key": provenance.idempotency_key,
        "valid_from": to_microseconds(record.valid_from),
        "recorded_at": to_microseconds(record.recorded_at),
        "access_count": standing.access_count,
        "accessed_at": to_microseconds(standing.accessed_at) if standing.accessed_at else None,
        "content_hash": records.content_hash(record),
        "statement": _statement_json(record),
        "slot": record.slot,
        **_changing_columns(standing, record.valid_to),
    }


def to_revision(revision: Revision, user_no: int, seq: int) -> dict[str, Any]:
    """The bindings that change a record's standing."""
    target = {"user_no": user_no, "id": revision.id, "seq": seq}
    return target | _changing_columns(revision.standing, revision.valid_to)


def _changing_columns(standing: records.Standing, valid_to: datetime | None) -> dict[str, Any]:
    """The columns of a record that revisions change; accesses are counted elsewhere."""
    return {
        "valid_to": to_microseconds(valid_to) if valid_to else None,
        "stage": standing.stage.value,
        "temperature": standing.temperature.value,
        "importance": standing.importance,
        "confidence": standing.confidence,
        "seen_count": standing.seen_count,
        "last_seen_at": to_microseconds(standing.last_seen_at),
        "state": standing.state.value,
        "superseded_by": standing.superseded_by,
        "rival": standing.rival,
        "former": standing.former,
    }


def to_record(row: tuple[Any, ...]) -> records.Record | None:
    """The record of a row; None if the row does not match its own checksum.

    The checksum covers the user of the record, but not its key: the two must agree as well.
    """
    try:
        record = _record(row)
        genuine = records.content_hash(record) == row[_HASH] and row[1] >> NUMBER_BITS == row[2]
    except (KeyError, ValueError, TypeError, OverflowError, RecursionError):
        return None
    return record if genuine else None


RECORDS_KEPT = 4096
"""Rows of which the record is kept: a context reads the same tasks, rules and facts each time."""


@lru_cache(RECORDS_KEPT)
def _kept_record(row: tuple[Any, ...]) -> records.Record | None:
    return to_record(row)  # looked up at each call: fault checks replace it


def let_go() -> None:
    """Clear the cached records: some of them were forgotten."""
    _kept_record.cache_clear()


def to_records(found: Iterable[Any]) -> list[records.Record]:
    """The intact records among these rows."""
    return [record for row in found if row and (record := _kept_record(row)) is not None]


def read_page(db: SqlSession, name: str, query: dict[str, int]) -> list[records.Record]:
    """The next intact records; empty only at the end, whatever is damaged on the way."""
    while True:
        found = to_records(db.readable(name, query))
        if found:
            return found
        last = db.row(f"{name}_end", query)[0]
        if last is None:
            return []
        query = {**query, "after": last}


def read_known(db: SqlSession, user_no: int, keys: Iterable[str]) -> dict[str, records.Record]:
    """Records that idempotency keys already name."""
    queries = ({"user_no": user_no, "idempotency_key": key} for key in keys)
    found = to_records(db.row_each("by_idempotency_key", queries))
    return {str(record.provenance.idempotency_key): record for record in found}


def to_spoken_text(row: Any) -> SpokenText:
    """Speaker, time and text of a row; unchecked."""
    number, speaker, valid_from, text = row
    return SpokenText(
        number,
        None if speaker is None else speaker.decode("utf-8", "replace"),
        valid_from if isinstance(valid_from, int) else 0,
        (text or b"").decode("utf-8", "replace"),
    )


def to_events(found: Iterable[Any]) -> list[Event]:
    """Events, each exactly as committed."""
    try:
        return [
            Event(seq, from_microseconds(at), topic, user_id, from_json(payload))
            for seq, at, topic, user_id, payload in found
        ]
    except (ValueError, TypeError, OverflowError) as error:
        raise StoreDamaged("an event is damaged; run `sharpwave verify`") from error


def to_json(value: object) -> str:
    """Compact JSON; refuses NaN, which is not JSON."""
    return _COMPACT.encode(value)


def from_json(text: str) -> dict[str, Any]:
    """A JSON object from a column."""
    value = json.loads(text)
    return value if isinstance(value, dict) else {}


def _record(row: tuple[Any, ...]) -> records.Record:
    # By position, in the order of their fields: a record is read 26 times in one recall.
    (user_id, key, _, seq, id_, kind, text, role, speaker, session_id, scope, tags) = row[:12]
    (metadata, source, channel, trust, author, parents, idempotency_key) = row[12:19]
    (valid_from, valid_to, recorded_at) = row[19:22]
    stated, slot, *links = row[_HASH + 1 :]
    statement, negated, due = (None, False, None) if stated is None else _statement(stated)
    return records.Record(
        id_,
        user_id,
        _KINDS[kind],
        text,
        records.Provenance(
            _SOURCES[source],
            _CHANNELS[channel],
            _TRUSTS[trust],
            author,
            _list(parents),
            idempotency_key,
        ),
        _standing(row[22:_HASH], *links),
        from_microseconds(valid_from),
        from_microseconds(recorded_at),
        None if valid_to is None else from_microseconds(valid_to),
        None if role is None else _ROLES[role],
        speaker,
        session_id,
        scope,
        _list(tags),
        {} if metadata == "{}" else json.loads(metadata),
        statement,
        negated,
        due,
        slot,
        key & NUMBER_MASK,
        seq,
    )


def _statement_json(record: records.Record) -> str | None:
    if record.statement is None:
        return None
    fields, due = (*record.statement, record.negated), record.due
    if due is None:
        return to_json([*fields, None])
    # its distance from UTC too: without it the day would be lost
    offset = (due.utcoffset() or timedelta()) // timedelta(microseconds=1)
    return to_json([*fields, to_microseconds(due), offset])


def _statement(column: str) -> tuple[records.Statement, bool, datetime | None]:
    subject, predicate, object_, negated, due, *offset = json.loads(column)
    moment = None if due is None else from_microseconds(due)
    if moment is not None and any(offset):
        moment = moment.astimezone(timezone(timedelta(microseconds=offset[0])))
    return records.Statement(subject, predicate, object_), negated, moment


def _list(column: str) -> tuple[str, ...]:
    return () if column == "[]" else tuple(json.loads(column))  # mostly empty, and read often


def _standing(columns: tuple[Any, ...], state: str, *links: str | None) -> records.Standing:
    (stage, temperature, importance, confidence, seen, last_seen_at, accesses, accessed_at) = (
        columns
    )
    return records.Standing(
        _STAGES[stage],
        _TEMPERATURES[temperature],
        importance,
        confidence,
        seen,
        from_microseconds(last_seen_at),
        accesses,
        None if accessed_at is None else from_microseconds(accessed_at),
        _STATES[state],
        *links,
    )


_STORED = np.dtype("<f2")


def to_blobs(vectors: NDArray[np.float32], space: Space, count: int) -> list[bytes]:
    """One blob a vector, after checking that each is a finite vector of this space."""
    if vectors.shape != (count, space.dimension):
        raise InvalidInput(
            f"vectors of {space} must have shape ({count}, {space.dimension}), not {vectors.shape}"
        )
    with np.errstate(over="ignore"):
        stored = vectors.astype(_STORED)  # what is too large becomes infinite
    if not np.isfinite(stored).all():
        raise InvalidInput("a vector holds NaN, infinity or a huge number; fix the embedder")
    return [row.tobytes() for row in stored]


def to_matrix(blobs: Iterable[bytes], space: Space) -> NDArray[np.float32]:
    """The vectors of blobs of the right size, one a row."""
    stored = np.frombuffer(b"".join(blobs), dtype=_STORED)
    with np.errstate(invalid="ignore"):  # a damaged vector may hold NaN, which matches nothing
        return stored.reshape(-1, space.dimension).astype(np.float32)


def stored_bytes(space: Space) -> int:
    """Size of one stored vector of this space."""
    return _STORED.itemsize * space.dimension


def intact(blob: object, check: object, dimension: int) -> bool:
    """True if this is the vector that was stored; in a damaged file it may be anything."""
    return (
        isinstance(blob, bytes)
        and len(blob) == _STORED.itemsize * dimension
        and checksum(blob) == check
    )


def checksum(blob: bytes) -> int:
    """A checksum of the stored bytes."""
    return zlib.crc32(blob)


def to_index_row(row: Any, space: Space) -> IndexRow:
    """A row for the index. What is damaged may rank wrongly, but is never served: see `fetch`."""
    number, seq, *named, valid_from, text, check, vector, current, tags = row
    kind, role, speaker, session_id, text, tags = (
        None if value is None else value.decode("utf-8", "replace")
        for value in (*named, text, tags)
    )
    moment = valid_from if isinstance(valid_from, int) else 0
    whole = vector if intact(vector, check, space.dimension) else None
    who = (kind or "", role, speaker, session_id)
    return IndexRow(number, seq, *who, moment, text or "", whole, bool(current), tags or "")


def space_no(db: SqlSession, space: Space) -> int:
    """The number of a space; 0 if nothing is stored in it."""
    found = db.row("space", space._asdict())
    return int(found[0]) if found else 0


def read_counts(db: SqlSession, bounds: dict[str, Any], file_bytes: int) -> StoreCounts:
    """How many records and vectors there are of one user, or of all."""
    by_kind: dict[str, int] = dict(db.rows("count_kinds", bounds))
    all_users = bounds["user_no"] is None
    return StoreCounts(
        users=db.row("count_users", {})[0] if all_users else int(bool(by_kind)),
        memories=sum(by_kind.values()),
        by_kind=by_kind,
        spaces={Space(*space): vectors for *space, vectors in db.rows("count_spaces", bounds)},
        file_bytes=file_bytes,
    )


def read_sessions(db: SqlSession, user_no: int, limit: int) -> list[Session]:
    """The sessions with the newest last turns, the newest first."""
    found = db.rows("sessions", {"user_no": user_no, "limit": limit})
    return [_session(row) for row in found if all(isinstance(value, int) for value in row[1:])]


def _session(row: Any) -> Session:
    id_, started, ended, turns = row
    moments = from_microseconds(started), from_microseconds(ended)
    return Session(id_.decode("utf-8", "replace"), *moments, turns)
