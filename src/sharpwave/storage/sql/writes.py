"""What each kind of write does inside its transaction. Nothing here begins or ends one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from sharpwave.errors import Conflict, ErasedMeanwhile, KeyReused, NotFound
from sharpwave.storage.sql import (
    audit,
    erased_keys,
    jobs_and_keys,
    links,
    rows,
    tallies_and_consents,
)
from sharpwave.storage.sql.session import SqlSession
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types import storing
from sharpwave.types.records import UNSEARCHED, Record, content_hash, same_content

SNAPSHOT_PART_BYTES = 1 << 20
OUTBOX_KEEP = 10_000
"""Events kept for listeners to catch up."""
_PRUNE_EVERY = 256  # events between two prunings: how often, not how many are kept


class Erased(NamedTuple):
    """How many of each kind an erasure removed."""

    memories: int
    vectors: int
    snapshots: int
    users: int
    derived: int = 0
    unfinished: int = 0


class Author(NamedTuple):
    """The user of a change, and what was known of erasures when it was decided."""

    user_id: str
    actor: str
    """Digest of the user id for the audit."""
    epoch: storing.ErasureEpoch
    salt: bytes


def add(
    db: SqlSession, author: Author, change: storing.Change, blobs: list[bytes] | None
) -> tuple[storing.Stored, ...]:
    """Do what a change says, with vectors, links, audit entry and event."""
    user_no, seq = unerased_user(db, author.user_id, author.epoch)
    links.require_unchanged(db, user_no, change)
    space_no = _space(db, change.space) if blobs is not None and change.space else 0
    stored = place_records(db, user_no, seq, change.records)
    new = [item.record for item in stored if not item.replayed]
    erased_keys.require_unused(db, author.salt, author.user_id, new, change.at)
    seq = max([seq, *(record.number for record in new)])
    if blobs is not None:
        added = {
            rows.key_of(user_no, item.record.number): blob
            for item, blob in zip(stored, blobs, strict=True)
            if not item.replayed and item.record.kind not in UNSEARCHED
        }
        _put_vectors(db, space_no, added)
    links.require_new_parents(change, stored)
    seq = links.revise(db, user_no, seq, change)
    move_records(db, user_no, change)
    links.connect(db, user_no, change, new)
    tallies_and_consents.write_tallies(db, user_no, change, stored)
    for job in change.jobs if new else ():
        jobs_and_keys.add_job(db, user_no, job, change.at)
    if new or change.revisions:
        db.change("advance_user", {"user_no": user_no, "seq": seq})
        payload = {"ids": [record.id for record in new]}
        counts = {"memories": len(new)}
        if change.revisions:
            payload["revised"] = [revision.id for revision in change.revisions]
            counts["revised"] = len(change.revisions)
        audit.append(db, author.actor, change.action, counts, change.at)
        topic = storing.TOPICS.get(change.action, storing.REMEMBERED)
        _event(db, change.at, topic, user_no, payload, OUTBOX_KEEP)
    for event in change.events:
        _event(db, change.at, event.topic, user_no, event.payload, OUTBOX_KEEP)
    if change.finishes is not None:
        jobs_and_keys.finish_with(db, change.finishes, change.at)
    return tuple(stored)


def forget(
    db: SqlSession, user_id: str, selection: storing.Selection, at: datetime, salt: bytes
) -> Erased:
    """Erase the selected records and everything derived from them."""
    found = db.row("lock_user", {"user_id": user_id})
    if found is None:
        if selection.ids:
            raise NotFound(f"no memory {selection.ids[0]!r}")
        return Erased(0, 0, 0, 0)
    user_no, seq = found[:2]
    actor = audit.actor_digest(salt, user_id)
    if selection.everything:
        erased_keys.keep(db, salt, user_id, erased_keys.of_user(db, user_no, at), at)
        return _forget_everything(db, user_no, actor, at)
    targets = _targets(db, user_no, selection)
    ended = tallies_and_consents.forget_topics(db, user_no, selection.unfinished)
    for topic in ended:  # 0 is no record's number
        seq += 1
        id_ = topic.removeprefix(storing.OPEN)
        bury(db, rows.key_of(user_no, 0), seq, id_, to_microseconds(at))
    if not targets:
        erased = Erased(0, 0, 0, 0, unfinished=len(ended))
        if ended:
            db.change("advance_user", {"user_no": user_no, "seq": seq})
            _note_erasure(db, user_no)
            audit.append(db, actor, "forget", erased._asdict(), at)
        return erased
    derived = links.resting_on(db, [key for key, _ in targets])
    targets += derived
    link_updates = links.survivors(db, user_no, targets)
    tallies_and_consents.forget_tallies(db, user_no, (key for key, _ in targets))
    keys = erased_keys.of_records(db, (rows.at(key) for key, _ in targets), at)
    erased_keys.keep(db, salt, user_id, keys, at)
    gone_vectors = 0
    for key, memory_id in targets:
        seq += 1
        gone_vectors += links.erase(db, key)
        bury(db, key, seq, memory_id, to_microseconds(at))
    seq = link_updates.write(db, seq)
    snapshots = int(db.change("forget_snapshots", {"user_no": user_no}) > 0)
    db.change("advance_user", {"user_no": user_no, "seq": seq})
    _note_erasure(db, user_no)
    erased = Erased(len(targets), gone_vectors, snapshots, 0, len(derived), len(ended))
    audit.append(db, actor, "forget", erased._asdict(), at)
    payload = {"ids": [memory_id for _, memory_id in targets], "count": len(targets)}
    _event(db, at, "memory.forgotten", user_no, payload, None)
    return erased


def bury(db: SqlSession, key: int, seq: int, memory_id: str, at: int) -> None:
    """Add a tombstone, which later restores apply."""
    user_no, number = key >> rows.NUMBER_BITS, key & rows.NUMBER_MASK
    tombstone = {"user_no": user_no, "seq": seq, "number": number}
    db.change("add_tombstone", {**tombstone, "memory_id": memory_id, "at": at})


def _note_erasure(db: SqlSession, user_no: int) -> None:
    """Keep what was read before from being written; erase errors of providers that quote it."""
    db.change("note_erasure", {"user_no": user_no})
    db.change("forget_job_errors", {"user_no": user_no})


def replace_vectors(
    db: SqlSession, author: Author, space: storing.Space, numbers: Sequence[int], blobs: list[bytes]
) -> None:
    """Give records new vectors; records that were forgotten meanwhile are left out."""
    user_no, seq = unerased_user(db, author.user_id, author.epoch)
    space_no = _space(db, space)
    keys = [rows.key_of(user_no, number) for number in numbers]
    revised = ({**rows.at(key), "seq": place} for place, key in enumerate(keys, start=seq + 1))
    found = zip(keys, blobs, db.change_each("revise", revised), strict=True)
    _put_vectors(db, space_no, {key: blob for key, blob, is_there in found if is_there})
    seq += len(keys)
    db.change("advance_user", {"user_no": user_no, "seq": seq})


def save_snapshot(db: SqlSession, user_id: str, snapshot: storing.Snapshot) -> bool:
    """Save a recall index, unless it may hold something that was forgotten since."""
    found = db.row("lock_user", {"user_id": user_id})
    if found is None or found[0] != snapshot.head.epoch:
        return False
    user_no, since = snapshot.head
    if db.row("gone_since", {"user_no": user_no, "since": since}):
        return False
    db.change("forget_snapshots", {"user_no": user_no})
    payload, size = snapshot.payload, SNAPSHOT_PART_BYTES
    parts = [payload[start : start + size] for start in range(0, len(payload), size)]
    bindings = {
        "user_no": user_no,
        "seq": since,
        "space_no": _space(db, snapshot.space),
        "parts": len(parts),
    }
    for part, data in enumerate(parts):
        db.change("add_snapshot_part", {**bindings, "part": part, "data": data})
    return True


def unerased_user(db: SqlSession, user_id: str, epoch: storing.ErasureEpoch) -> tuple[int, int]:
    """A user's number and sequence, for a change; a new user is added.

    ErasedMeanwhile if something was erased since the epoch.
    """
    found = db.row("lock_user", {"user_id": user_id})
    require_not_erased(found, epoch)
    found = found or db.row("add_user", {"user_id": user_id})
    return int(found[0]), int(found[1])


def require_not_erased(found: Sequence[int] | None, epoch: storing.ErasureEpoch) -> None:
    """Refuse what was read under another epoch than the user's row has now."""
    now = storing.ErasureEpoch(found[0], found[2]) if found else storing.ErasureEpoch()
    if epoch.user_no and now != epoch:
        raise ErasedMeanwhile(
            "something of this user was forgotten after it was read; read again and repeat"
        )


def _space(db: SqlSession, space: storing.Space) -> int:
    return rows.space_no(db, space) or int(db.row("add_space", space._asdict())[0])


def _put_vectors(db: SqlSession, space_no: int, blobs: Mapping[int, bytes]) -> None:
    """Keep vectors, by the key of their record."""
    put = (
        {**rows.at(key), "space_no": space_no, "checksum": rows.checksum(blob), "vector": blob}
        for key, blob in blobs.items()
    )
    db.change_each("put_vector", put)


def _targets(db: SqlSession, user_no: int, selection: storing.Selection) -> list[tuple[int, str]]:
    targets: list[tuple[int, str]] = []
    for memory_id in dict.fromkeys(selection.ids):
        row = db.row("keys_of_ids", {"user_no": user_no, "id": memory_id})
        if row is None:
            raise NotFound(f"no memory {memory_id!r}; nothing was forgotten")
        targets.append(row)
    if selection.session is not None:
        query = {"user_no": user_no, "session": selection.session}
        chosen = {key for key, _ in targets}
        found = db.rows("keys_of_session", query)
        targets += [row for row in found if row[0] not in chosen]
    return targets


def erase_user(db: SqlSession, user_no: int) -> Erased:
    """Erase a whole user, table by table: a few statements, whatever the size."""
    bounds = rows.key_range(user_no)
    names = ("vectors", "evidence", "mentions", "memories")
    gone = {name: db.change(f"forget_all_{name}", bounds) for name in names}
    snapshots = int(db.change("forget_snapshots", {"user_no": user_no}) > 0)
    for name in ("forget_tombstones", "forget_events", "forget_user"):
        db.change(name, {"user_no": user_no})
    return Erased(gone["memories"], gone["vectors"], snapshots, 1)


def _forget_everything(db: SqlSession, user_no: int, actor: str, at: datetime) -> Erased:
    tallies_and_consents.keep_withdrawn(db, user_no, actor)
    erased = erase_user(db, user_no)
    audit.append(db, actor, "forget", erased._asdict(), at)
    db.change("add_erased_user", {"actor": actor, "at": to_microseconds(at)})
    _event(db, at, "memory.forgotten", None, {"ids": [], "count": erased.memories}, None)
    return erased


def _event(
    db: SqlSession,
    at: datetime,
    topic: str,
    user_no: int | None,
    payload: Mapping[str, object],
    keep: int | None,
) -> None:
    event = {"at": to_microseconds(at), "topic": topic, "user_no": user_no}
    seq = int(db.row("add_event", {**event, "payload": rows.to_json(payload)})[0])
    if keep is not None and seq % _PRUNE_EVERY == 0:
        db.change("prune_events", {"upto": seq - keep})


def place_records(
    db: SqlSession, user_no: int, seq: int, records: Sequence[Record]
) -> list[storing.Stored]:
    """Each record, numbered on from `seq`; or the one that its idempotency key or id names."""
    given = (record.provenance.idempotency_key for record in records)
    keyed = rows.read_known(db, user_no, dict.fromkeys(key for key in given if key is not None))
    ids = ({"user_no": user_no, "id": record.id} for record in records)
    named = {record.id: record for record in rows.to_records(db.row_each("by_id", ids))}
    stored = []
    for record in records:
        key = record.provenance.idempotency_key
        if key is not None and key in keyed:
            stored.append(storing.Stored(_same(keyed[key], record), replayed=True))
        elif record.id in named:
            if content_hash(named[record.id]) != content_hash(record):
                raise _taken(record)
            stored.append(storing.Stored(named[record.id], replayed=True))
        else:
            seq += 1
            numbered = named[record.id] = replace(record, number=seq, seq=seq)
            stored.append(storing.Stored(numbered, replayed=False))
            if key is not None:
                keyed[key] = numbered
    added = [item.record for item in stored if not item.replayed]
    listed = [rows.to_row(record, user_no, record.number) for record in added]
    for record, is_there in zip(added, db.change_each("add_memory", listed), strict=True):
        if not is_there:  # a record of that id is damaged, or it would have been found
            raise _taken(record)
    return stored


def _same(known: Record, record: Record) -> Record:
    if same_content(known, record):
        return known
    raise KeyReused(
        f"idempotency key {record.provenance.idempotency_key!r} already belongs to {known.id}, "
        "which says something else; use a new key for new content"
    )


def _taken(record: Record) -> Conflict:
    return Conflict(f"there is already another memory with the id {record.id}")


def move_records(db: SqlSession, user_no: int, change: storing.Change) -> None:
    """Change stage and temperature of known records; erased ones stay erased."""
    moved = (
        {"user_no": user_no, "id": id_, "stage": stage.value, "temperature": temperature.value}
        for id_, stage, temperature in change.moves
    )
    db.change_each("move", moved)
