"""One user's records in dictionaries, and how a change or an erasure alters them."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np

from sharpwave.errors import Conflict, InvalidInput, KeyReused, NotFound, Overtaken
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.records import (
    CURRENT,
    UNSEARCHED,
    Channel,
    Kind,
    Record,
    Stage,
    State,
    content_hash,
    same_content,
)
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import (
    ANSWERS_TOPIC,
    GOES_WITH,
    Change,
    IndexRow,
    Selection,
    Session,
    Snapshot,
    Space,
    Stated,
    StoreCounts,
    Stored,
    Tallied,
    Tally,
)


@dataclass(slots=True)
class User:
    """Everything that is kept of one user."""

    epoch: int
    seq: int = 0
    erasures: int = 0
    records: dict[int, Record] = field(default_factory=dict)
    vectors: dict[int, tuple[Space, bytes]] = field(default_factory=dict)
    gone: list[tuple[int, int]] = field(default_factory=list)
    evidence: frozenset[tuple[int, int]] = frozenset()
    """Pairs of a record's number and that of a record which supports it."""
    mentions: Mapping[tuple[str, int], tuple[str, EntityKind]] = field(default_factory=dict)
    """Name and kind of an entity, by its key and the number of a record that mentions it."""
    snapshot: Snapshot | None = None
    tallies: Mapping[tuple[str, str], Tally] = field(default_factory=dict)
    """By topic and name."""

    def number_of(self, id_: str) -> int | None:
        """The number of the record with this id."""
        return next((n for n, record in self.records.items() if record.id == id_), None)

    def revise(self, number: int, **changes: Any) -> None:
        """Change how a record stands; `valid_to` may be among the changes."""
        self.seq += 1
        record = self.records[number]
        valid_to = changes.pop("valid_to", record.valid_to)
        standing = replace(record.standing, **changes)
        self.records[number] = replace(record, standing=standing, valid_to=valid_to, seq=self.seq)


def add(user: User, record: Record, space: Space | None, blob: bytes | None) -> Stored:
    """Store a record, or find that it is known."""
    key = record.provenance.idempotency_key
    for known in user.records.values():
        if key is not None and known.provenance.idempotency_key == key:
            if not same_content(known, record):
                raise KeyReused(f"idempotency key {key!r} already belongs to {known.id}")
            return Stored(known, replayed=True)
    for known in user.records.values():
        if known.id == record.id:
            if content_hash(known) != content_hash(record):
                raise Conflict(f"there is already another memory with the id {record.id}")
            return Stored(known, replayed=True)
    user.seq += 1
    stored = replace(record, number=user.seq, seq=user.seq)
    user.records[user.seq] = stored
    if space is not None and blob is not None and record.kind not in UNSEARCHED:
        user.vectors[user.seq] = (space, blob)
    return Stored(stored, replayed=False)


def require_unchanged(user: User, change: Change) -> None:
    """Refuse a change that was decided on what has moved on since."""
    for slot, seen in change.seen.items():
        if seen != max((r.seq for r in user.records.values() if r.slot == slot), default=0):
            raise Overtaken(f"somebody else wrote about {slot!r} meanwhile; read it again")
    if not set(change.needs) <= {record.id for record in user.records.values()}:
        raise Overtaken("what this rests on is gone; nothing is learned from it")


def require_new_parents(change: Change, stored: Sequence[Stored]) -> None:
    """Refuse what was derived from a record that turns out to be known under another id."""
    pairs = zip(change.records, stored, strict=True)
    known = {given.id for given, item in pairs if item.replayed and item.record.id != given.id}
    used = {parent for record in change.records for parent in record.provenance.parents}
    if known & (used | {parent for _, parent in change.evidence}):
        raise Overtaken("what this was derived from is known already")


def revise(user: User, change: Change) -> None:
    """Change how known records stand."""
    for revision in change.revisions:
        number = user.number_of(revision.id)
        if number is None:
            raise Overtaken(f"the memory {revision.id!r} is gone; read again what there is")
        known = user.records[number].standing
        standing = replace(
            revision.standing, access_count=known.access_count, accessed_at=known.accessed_at
        )
        user.revise(number, valid_to=revision.valid_to)
        user.records[number] = replace(user.records[number], standing=standing)


def move(user: User, change: Change) -> None:
    """Change where known records stand; whoever is gone meanwhile stays gone."""
    numbers = {record.id: number for number, record in user.records.items()}
    for id_, stage, temperature in change.moves:
        if id_ in numbers:
            record = user.records[numbers[id_]]
            standing = replace(record.standing, stage=stage, temperature=temperature)
            user.records[numbers[id_]] = replace(record, standing=standing)


def connect(user: User, change: Change, new: Sequence[Record]) -> None:
    """Note what supports the new records and who is mentioned where."""
    pairs = [(record.id, parent) for record in new for parent in record.provenance.parents]
    numbers = {record.id: number for number, record in user.records.items()}
    user.evidence |= {
        (numbers[id_], numbers[parent])
        for id_, parent in [*pairs, *change.evidence]
        if id_ in numbers and parent in numbers
    }
    mentions = dict(user.mentions)
    for id_, key, name, kind in change.mentions:
        if id_ in numbers:
            mentions.setdefault((key, numbers[id_]), (name, kind))
    user.mentions = mentions


def learn(user: User, change: Change, stored: Sequence[Stored]) -> bool:
    """Write the tallies of a change; True if there were any to write."""
    if not change.tallies or (stored and all(item.replayed for item in stored)):
        return False
    if any(item.replayed for item in stored):
        raise Overtaken("some of what this was learned from is known already; leave it out")
    tallies = dict(user.tallies)
    for topic, name, value, seen in change.tallies:
        known = tallies.pop((topic, name), None)
        if (known.version if known else 0) != seen:
            raise Overtaken(f"somebody else learned about {topic} {name!r} meanwhile")
        if value is not None:
            tallies[topic, name] = Tally(json.loads(json.dumps(value)), seen + 1)
    user.tallies = tallies
    return True


def unlearn(user: User, numbers: Sequence[int]) -> None:
    """Drop whatever was learned from records that are about to be erased."""
    kinds = {user.records[number].kind for number in numbers}
    prefixes = (ANSWERS_TOPIC, *(GOES_WITH[kind] for kind in kinds & GOES_WITH.keys()))
    user.tallies = {k: v for k, v in user.tallies.items() if not k[0].startswith(prefixes)}


def resting_on(user: User, numbers: Sequence[int]) -> list[int]:
    """Records that rest on nothing but these, or quote one of them; and what rests on those."""
    doomed, before = set(numbers), -1
    while len(doomed) != before:
        before = len(doomed)
        for number, record in user.records.items():
            parents = {parent for child, parent in user.evidence if child == number}
            quotes = record.provenance.channel is Channel.SLEEP
            if parents and (parents <= doomed or (quotes and parents & doomed)):
                doomed.add(number)
    return sorted(doomed - set(numbers))


def loosen(user: User, gone: set[int], went: Mapping[str, Record]) -> None:
    """What stays, but stood in relation to what went."""
    ids = set(went)
    lost = Counter(child for child, parent in user.evidence if parent in gone)
    user.evidence = frozenset(pair for pair in user.evidence if not gone & set(pair))
    user.mentions = {key: name for key, name in user.mentions.items() if key[1] not in gone}
    for number in sorted(set(lost) & set(user.records)):
        seen = user.records[number].standing.seen_count
        user.revise(number, seen_count=max(1, seen - lost[number]))
    for number in sorted(user.records):
        standing = user.records[number].standing
        if standing.superseded_by in ids:
            last = went[standing.superseded_by]
            while last.standing.superseded_by in ids:
                last = went[last.standing.superseded_by]
            heir = last.standing.superseded_by
            if standing.state is not State.SUPERSEDED:
                user.revise(number, superseded_by=None)
            elif heir is None:
                user.revise(number, state=State.ACTIVE, superseded_by=None, valid_to=None)
            else:
                user.revise(number, superseded_by=heir, valid_to=last.valid_to)
    for number in sorted(user.records):
        standing = user.records[number].standing
        if standing.rival in ids:
            doubted = standing.state is State.UNCERTAIN
            user.revise(number, state=State.ACTIVE if doubted else standing.state, rival=None)


def targets(user: User, selection: Selection) -> list[int]:
    """Numbers of the selected records."""
    if selection.everything:
        return sorted(user.records)
    by_id = {record.id: number for number, record in user.records.items()}
    numbers = []
    for id_ in dict.fromkeys(selection.ids):
        if id_ not in by_id:
            raise NotFound(f"no memory {id_!r}; nothing was forgotten")
        numbers.append(by_id[id_])
    if selection.session is not None:
        numbers += [
            number
            for number, record in user.records.items()
            if record.session_id == selection.session and number not in numbers
        ]
    return numbers


def index_row(record: Record, user: User, space: Space) -> IndexRow:
    """The part of a record that the recall index needs."""
    own, blob = user.vectors.get(record.number, (None, None))
    return IndexRow(
        record.number,
        record.seq,
        record.kind.value,
        record.role.value if record.role else None,
        record.speaker,
        record.session_id,
        to_microseconds(record.valid_from),
        record.text,
        blob if own == space else None,
        record.standing.state in CURRENT and record.kind not in UNSEARCHED,
        json.dumps(record.tags, ensure_ascii=False, separators=(",", ":")) if record.tags else "",
    )


def forget_topics(user: User, topics: Sequence[str]) -> int:
    """Drop whatever stands under these topics; returns how many of them held anything."""
    gone = {topic for topic, _ in user.tallies} & set(topics)
    user.tallies = {key: tally for key, tally in user.tallies.items() if key[0] not in gone}
    for _ in gone:
        user.seq += 1
        user.gone.append((user.seq, 0))
    return len(gone)


def having(users: Mapping[str, User], topics: str) -> list[str]:
    """Everybody who has a tally whose topic begins so."""
    return sorted(
        name
        for name, user in users.items()
        if any(topic.startswith(topics) for topic, _ in user.tallies)
    )


def tallied(users: Mapping[str, User], topic: str, name: str) -> list[Tallied]:
    """Everybody who has a record, how far they are, and one tally of each."""
    return [
        Tallied(user_id, user.seq, deepcopy(user.tallies.get((topic, name))))
        for user_id, user in sorted(users.items())
        if user.records
    ]


def count(users: Iterable[User]) -> StoreCounts:
    """How many records and vectors these users have."""
    counted = list(users)
    kinds = Counter(record.kind.value for user in counted for record in user.records.values())
    return StoreCounts(
        users=sum(bool(user.records) for user in counted),
        memories=kinds.total(),
        by_kind=dict(sorted(kinds.items())),
        spaces=Counter(own for user in counted for own, _ in user.vectors.values()),
        file_bytes=0,
    )


def turns(records: Sequence[Record], before: int | None) -> list[Record]:
    """The turns before a number."""
    said = (one for one in records if one.kind is Kind.TURN)
    return [one for one in said if before is None or one.number < before]


def turns_within(records: Sequence[Record], begin: str, before: int | None) -> list[Record]:
    """The turns that count of the sessions whose name begins so."""
    return [
        turn
        for turn in turns(records, before)
        if (turn.session_id or "").startswith(begin) and turn.standing.state in CURRENT
    ]


def sessions_of(records: Sequence[Record], limit: int) -> list[Session]:
    """The sessions whose last turn is newest, that one first."""
    turns: dict[str, list[Record]] = {}
    for one in records:
        if one.kind is Kind.TURN and one.session_id and one.standing.state in CURRENT:
            turns.setdefault(one.session_id, []).append(one)
    found = []
    for id_, said in turns.items():
        moments = [turn.valid_from for turn in said]
        found.append(Session(id_, min(moments), max(moments), len(said)))
    return sorted(sorted(found, key=lambda one: one.id), key=lambda one: one.ended_at)[::-1][:limit]


_UNSETTLED = frozenset({Stage.ACTIVE, Stage.WORKING})


def predicate(record: Record) -> str:
    """What a record states about its subject."""
    return record.statement.predicate if record.statement else ""


def relates(record: Record, names: Collection[str], mentions: Collection[tuple[str, int]]) -> bool:
    """Whether a record is about one of some names and mentions another of them."""
    subject = str(record.slot).partition("|")[0]
    return subject in names and any(
        (name, record.number) in mentions for name in names if name != subject
    )


def is_in_time(record: Record, wanted: Stated) -> bool:
    """Whether a record holds, and was learned, in the time that is asked for."""
    over, learned = record.valid_to, record.recorded_at
    return (
        (wanted.begun_by is None or record.valid_from <= wanted.begun_by)
        and (wanted.beyond is None or over is None or over > wanted.beyond)
        and (wanted.recorded_from is None or learned >= wanted.recorded_from)
        and (wanted.recorded_by is None or learned <= wanted.recorded_by)
    )


def is_used(record: Record, since: datetime | None) -> bool:
    """Whether a record was asked for since then."""
    used = record.standing.accessed_at
    return since is None or (used is not None and used >= since)


def is_pending(record: Record, kind: Kind) -> bool:
    """Whether a record of a kind has not settled yet."""
    return record.kind is kind and record.standing.stage in _UNSETTLED


STORED = np.dtype("<f2")


def stored_vectors(change: Change) -> list[bytes] | None:
    """The vectors of a change, if it has any; InvalidInput if they do not fit."""
    if change.vectors is None or change.space is None:
        return None
    if change.vectors.shape != (len(change.records), change.space.dimension):
        raise InvalidInput(f"vectors do not fit {change.space}: shape {change.vectors.shape}")
    with np.errstate(over="ignore"):
        stored = change.vectors.astype(STORED)  # what is too large becomes infinite
    if not np.isfinite(stored).all():
        raise InvalidInput("a vector holds NaN, infinity or a huge number; fix the embedder")
    return [row.tobytes() for row in stored]
