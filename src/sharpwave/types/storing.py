"""The values that pass between the flows and a store."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict

from sharpwave.types.records import Channel, Kind, Record, Stage, Standing, State, Temperature
from sharpwave.types.statements import EntityKind
from sharpwave.types.working import Job

Item = TypeVar("Item")


class Space(NamedTuple):
    """The vector space of one embedder: vectors of different spaces are never compared."""

    name: str
    version: str
    dimension: int

    def __str__(self) -> str:
        """Readable form, such as `hash-ngram 1 (384)`."""
        return f"{self.name} {self.version} ({self.dimension})"


@dataclass(frozen=True, slots=True)
class Revision:
    """The half of a known record that changes, as it is to be; accesses are counted elsewhere."""

    id: str
    standing: Standing
    valid_to: datetime | None

    @classmethod
    def closing(cls, record: Record, state: State, at: datetime, by: str | None = None) -> Self:
        """The record in a state of the past, from a moment on; `by` is what took its place."""
        standing = replace(record.standing, state=state, superseded_by=by)
        return cls(record.id, standing, max(at, record.valid_from))


class Move(NamedTuple):
    """Where a known record stands on its way to lasting knowledge; recall indexes need not know."""

    id: str
    stage: Stage
    temperature: Temperature


class Evidence(NamedTuple):
    """A record, and one more record that supports it."""

    id: str
    parent: str


class Mentioned(NamedTuple):
    """A name that a record mentions."""

    id: str
    key: str
    """The name in normal form: names with the same key are the same entity."""
    name: str
    kind: EntityKind


class Links(NamedTuple):
    """What ties a record to others, for an export: to those that were recorded before it."""

    evidence: tuple[str, ...] = ()
    """Ids of records that support it, besides its parents."""
    supports: tuple[str, ...] = ()
    """Ids of records that it supports, though they were there first."""
    mentions: tuple[Mentioned, ...] = ()


class Carried(NamedTuple):
    """One record of an export, with what ties it to others."""

    record: Record
    links: Links


class NewJob(NamedTuple):
    """Work to be done later. Its payload holds ids and numbers, never text."""

    kind: str
    payload: Mapping[str, object]
    not_before: datetime | None = None
    """When it is due; None: at once."""
    extends: int | None = None
    """Number of a waiting job that takes these ids on; a new job if a worker has begun it."""

    def onto(self, payload: Mapping[str, object]) -> dict[str, object]:
        """The payload of the job that this extends, with the ids of this one."""
        ids = (source.get("ids", ()) for source in (payload, self.payload))
        both = [id_ for group in ids if isinstance(group, list | tuple) for id_ in group]
        return {**payload, "ids": list(dict.fromkeys(both))}


class NewEvent(NamedTuple):
    """An event for listeners. Its payload holds ids and counts, never text."""

    topic: str
    payload: Mapping[str, object]


EXPERIENCE = "experience/"
"""Prefix of the topics of tallies that are learned from interactions and observations."""
BEHAVIOR = "behavior/"
"""Prefix of those that are learned from which skills were used and liked."""
LEARNED_FROM = {
    Kind.INTERACTION: EXPERIENCE,
    Kind.OBSERVATION: EXPERIENCE,
    Kind.TRAJECTORY: BEHAVIOR,
    Kind.FEEDBACK: BEHAVIOR,
}
"""With a record of this kind all tallies of this prefix are erased; they are then made anew."""
TRENDS = "sleep/trends"
"""The topic of what came up more, or less, by name; it is erased with any turn."""
TAKEN_BACK = "sleep/taken_back"
"""The topic of what a sleep learned and was undone: by the id of what it was learned from, or
by a digest of its slot and how much had spoken for it. It is not learned again without more."""
GOES_WITH = {**LEARNED_FROM, Kind.TURN: TRENDS}
"""Which tallies are forgotten with a record of each kind."""
OPEN = "open/"
"""Prefix of the topics of tallies that hold unfinished interactions, step by step [LOG-05]."""
REQUESTS = "doors/asked"
"""Prefix of the topics of tallies that note which requests were done, by a digest of their key."""
ERASED_KEYS_KEPT = timedelta(days=1)
"""How long a repeated request is refused after what it stored was erased."""
ANSWERS_TOPIC = "doors/answer"
"""The topic of answers that REST keeps for repeated requests; erased with any record."""


REMEMBERED = "memory.remembered"
TOPICS = {
    "select_skill": "memory.skill.selected",
    "feedback": "memory.feedback.received",
    "read_feedback": "memory.feedback.processed",
}
"""The topic of the event about a change, by its action [BUS-01]; others are remembering."""
SKILL_UPDATED = "memory.skill.updated"


class Tally(NamedTuple):
    """What was learned under one name, and how often it was written."""

    value: Mapping[str, object]
    version: int


class Tallied(NamedTuple):
    """A user, how far their history goes, and one tally of theirs."""

    user_id: str
    seq: int
    tally: Tally | None


class NewTally(NamedTuple):
    """What is to be known under a name from now on; None for nothing."""

    topic: str
    name: str
    value: Mapping[str, object] | None
    seen_version: int
    """The version this was decided on, 0 for none. If it has moved on, the change is refused."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one transaction does for one user. All of it becomes durable, or none."""

    action: str
    """The verb for the audit log: remember, import."""
    at: datetime
    records: tuple[Record, ...]
    vectors: NDArray[np.float32] | None = None
    """One unit vector for each record, in the same order; None stores text only. Kinds
    that are never searched are stored without theirs."""
    space: Space | None = None
    revisions: tuple[Revision, ...] = ()
    moves: tuple[Move, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    """Evidence beyond the parents that new records name themselves."""
    mentions: tuple[Mentioned, ...] = ()
    jobs: tuple[NewJob, ...] = ()
    events: tuple[NewEvent, ...] = ()
    """Events besides the store's own of new and revised records."""
    tallies: tuple[NewTally, ...] = ()
    """Left alone if every record of the change is known already: nothing is counted twice."""
    seen: Mapping[str, int] = field(default_factory=dict)
    """For each slot that was read to decide on this: the sequence number it stood at. If one has
    moved on, the change is refused with Overtaken."""
    needs: tuple[str, ...] = ()
    """Ids that this rests on, read by another call. If one is gone, it is refused likewise."""
    finishes: Job | None = None
    """The job that this is the result of: done with this change, which is refused with Busy if
    another worker holds the job by now."""


def names_a_delivery(record: Record) -> bool:
    """Whether the idempotency key of a record names one delivery, not the words themselves."""
    origin = record.provenance
    is_single = origin.channel is Channel.REST or record.kind is Kind.INTERACTION
    return is_single and origin.idempotency_key is not None


class Stored(NamedTuple):
    """One record of a committed change: new, or the one an idempotency key already named."""

    record: Record
    replayed: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """Which of a user's records to forget: by id, by session, or everything."""

    ids: tuple[str, ...] = ()
    session: str | None = None
    everything: bool = False
    unfinished: tuple[str, ...] = ()
    """Topics of tallies that go with them: an interaction each that is still going on."""


class Order(StrEnum):
    """What comes first of the facts, tasks and notes that are read."""

    RECORDED = "recorded"
    """What was recorded first."""
    FOREMOST = "foremost"
    """The most important, of these the surest, of these the last seen or used, by the day."""
    FREQUENT = "frequent"
    """What was seen most often, of these what was seen last."""
    NEWEST = "newest"
    """What was recorded last."""
    DUE = "due"
    """What is due first; then what is never due."""


class Window(NamedTuple):
    """Which part of a list is wanted: `limit` items after the first `offset`, or all."""

    offset: int = 0
    limit: int | None = None

    @property
    def end(self) -> int | None:
        """How far the list has to be read."""
        return None if self.limit is None else self.offset + self.limit

    def of(self, found: Sequence[Item]) -> list[Item]:
        """That part of a list."""
        return list(found[self.offset : self.end])


WHOLE = Window()


@dataclass(frozen=True, slots=True)
class Stated:
    """Which facts, tasks and notes to read. What is left out does not narrow."""

    slots: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    """Beginnings of slots, each ending in `|`: of a subject, or of a subject and predicate."""
    about: tuple[str, ...] = ()
    """Names in normal form: what mentions one of them, at either end of a relation."""
    among: tuple[str, ...] = ()
    """Names in normal form: what is said of one of them and mentions another."""
    kinds: AbstractSet[Kind] = frozenset()
    states: AbstractSet[State] = frozenset()
    predicates: AbstractSet[str] = frozenset()
    without: str | None = None
    order: Order = Order.RECORDED
    limit: int | None = None
    begun_by: datetime | None = None
    """Only those that hold since this moment or longer."""
    beyond: datetime | None = None
    """Only those that are not over by this moment."""
    recorded_from: datetime | None = None
    recorded_by: datetime | None = None
    """Only those that we learned in this time, both ends included."""


@dataclass(frozen=True, slots=True)
class Staged:
    """Which records to read by where they stand. What is left out does not narrow."""

    kind: Kind
    stages: frozenset[Stage] = frozenset()
    temperatures: frozenset[Temperature] = frozenset()
    before: datetime | None = None
    """Only what was said, or holds since, before this."""
    used_since: datetime | None = None
    """Only what was used at this moment or later."""
    after: int = 0
    """Only numbers above this."""
    limit: int = 1000


@dataclass(frozen=True, slots=True)
class EntityCount:
    """A name, and how many records mention it."""

    key: str
    name: str
    kind: EntityKind
    records: int


class Head(NamedTuple):
    """How far a user's history goes. A new epoch means: forget all you knew of this user."""

    epoch: int
    seq: int


class ErasureEpoch(NamedTuple):
    """What a user's row says about erasures. What was read under one epoch is not written later."""

    user_no: int = 0
    """0 if the user was unknown, or nothing was read yet."""
    erasures: int = 0


class SpokenText(NamedTuple):
    """The words of a record and who said them: enough to judge it by, not to serve it."""

    number: int
    speaker: str | None
    valid_from_us: int
    text: str


class IndexRow(NamedTuple):
    """The part of a record that the recall index needs."""

    number: int
    seq: int
    kind: str
    role: str | None
    speaker: str | None
    session_id: str | None
    valid_from_us: int
    text: str
    vector: bytes | None
    """float16, little-endian; None when the record has no vector in the asked space."""
    current: bool = True
    """False if it is not to be found any more, though it is still kept."""
    tags: str = ""
    """Tags as a JSON array; empty for none."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened to a user's records after some sequence number."""

    head: Head
    rows: tuple[IndexRow, ...]
    gone: tuple[int, ...]
    complete: bool
    """False when more rows follow: ask again from the last row's seq."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A saved recall index: valid for one epoch and space, up to one sequence number."""

    head: Head
    space: Space
    payload: bytes


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, for listeners. Holds ids and counts, never text."""

    seq: int
    at: datetime
    topic: str
    user_id: str | None
    payload: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One link of the audit chain. Holds no memory text and no user name, only a salted digest."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        ser_json_bytes="hex", val_json_bytes="hex"
    )
    seq: int
    at: datetime
    actor: str
    action: str
    counts: Mapping[str, int]
    previous: bytes
    digest: bytes


@dataclass(frozen=True, slots=True)
class Verification:
    """What a full check of a store found. `ok` means nothing at all."""

    memories: int
    damaged_ids: tuple[str, ...]
    damaged_vectors: int
    audit_entries: int
    audit_broken_at: int | None
    structure: tuple[str, ...]
    """Complaints of the database's own integrity check."""
    traces_left: bool = False
    """True if the file was not scrubbed yet after something was forgotten; no damage."""
    copies_left: int = 0
    """Copies of the file that we made before something was forgotten; `scrub` erases them."""

    @property
    def ok(self) -> bool:
        """True when nothing is wrong."""
        return not (
            self.damaged_ids
            or self.damaged_vectors
            or self.structure
            or self.audit_broken_at is not None
        )


class Tidied(NamedTuple):
    """What maintenance did."""

    scrubbed: bool
    """True if old copies of what was forgotten were there and are gone."""
    freed_bytes: int


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """Raw counts behind `Stats`."""

    users: int
    memories: int
    by_kind: Mapping[str, int]
    spaces: Mapping[Space, int]
    file_bytes: int


@dataclass(frozen=True, slots=True)
class Restored:
    """What putting a backup in place did."""

    memories: int
    re_erased: int
    """Records of the backup that were forgotten after it was made, and stay forgotten."""
    replaced_backup: Path | None
    """Where the file is kept that stood there before."""


class Moved(NamedTuple):
    """What was moved from a file to a server."""

    users: int
    memories: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What could be saved from a damaged file."""

    recovered: int
    damaged: int
    """Records that were found but do not match their checksum."""


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation: when it was, and what it was about."""

    id: str
    started_at: datetime
    """When its first turn was said."""
    ended_at: datetime
    """When its last turn was said."""
    turns: int
    summary: str | None = None
    """The summary that sleep wrote of it, if it has."""
