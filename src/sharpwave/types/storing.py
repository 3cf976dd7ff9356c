"""Arguments and results of a store."""

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
    """The new standing of a known record; accesses are counted elsewhere."""

    id: str
    standing: Standing
    valid_to: datetime | None

    @classmethod
    def closing(cls, record: Record, state: State, at: datetime, by: str | None = None) -> Self:
        """The record in a past state from a moment on; `by` is the id of what replaced it."""
        standing = replace(record.standing, state=state, superseded_by=by)
        return cls(record.id, standing, max(at, record.valid_from))


class Move(NamedTuple):
    """The new stage and temperature of a known record; not relevant for recall indexes."""

    id: str
    stage: Stage
    temperature: Temperature


class Evidence(NamedTuple):
    """A record, and another record that supports it."""

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
    """Links of a record to records stored before it, for an export."""

    evidence: tuple[str, ...] = ()
    """Ids of records that support it, in addition to its parents."""
    supports: tuple[str, ...] = ()
    """Ids of earlier records that it supports."""
    mentions: tuple[Mentioned, ...] = ()


class Carried(NamedTuple):
    """One record of an export, with its links to others."""

    record: Record
    links: Links


class NewJob(NamedTuple):
    """A background job to queue. Its payload has ids and numbers, never text."""

    kind: str
    payload: Mapping[str, object]
    not_before: datetime | None = None
    """When it is due; None: at once."""
    extends: int | None = None
    """Number of a waiting job to add these ids to; a new job if a worker has started it."""

    def onto(self, payload: Mapping[str, object]) -> dict[str, object]:
        """The payload of the job that this extends, with the ids of this one."""
        ids = (source.get("ids", ()) for source in (payload, self.payload))
        both = [id_ for group in ids if isinstance(group, list | tuple) for id_ in group]
        return {**payload, "ids": list(dict.fromkeys(both))}


class NewEvent(NamedTuple):
    """An event to publish. Its payload has ids and counts, never text."""

    topic: str
    payload: Mapping[str, object]


EXPERIENCE = "experience/"
"""Topic prefix of tallies learned from interactions and observations."""
BEHAVIOR = "behavior/"
"""Topic prefix of tallies learned from skill choices and ratings."""
LEARNED_FROM = {
    Kind.INTERACTION: EXPERIENCE,
    Kind.OBSERVATION: EXPERIENCE,
    Kind.TRAJECTORY: BEHAVIOR,
    Kind.FEEDBACK: BEHAVIOR,
}
"""Erasing a record of this kind erases all tallies with this prefix; they are then recomputed."""
TRENDS = "sleep/trends"
"""Topic of trends, by name; erased with any turn."""
TAKEN_BACK = "sleep/taken_back"
"""Topic of what sleep learned and was undone: by the id of its evidence, or by a digest of its slot
and the amount of evidence. It is not learned again without more evidence."""
GOES_WITH = {**LEARNED_FROM, Kind.TURN: TRENDS}
"""Topic prefix of the tallies that are erased with a record of each kind."""
OPEN = "open/"
"""Topic prefix of tallies with the steps of unfinished interactions [LOG-05]."""
REQUESTS = "doors/asked"
"""Topic prefix of tallies of executed requests, by a digest of their key."""
ERASED_KEYS_KEPT = timedelta(days=1)
"""How long a repeated request is refused after its records were erased."""
ANSWERS_TOPIC = "doors/answer"
"""Topic of responses that REST stores for repeated requests; erased with any record."""


REMEMBERED = "memory.remembered"
TOPICS = {
    "select_skill": "memory.skill.selected",
    "feedback": "memory.feedback.received",
    "read_feedback": "memory.feedback.processed",
}
"""Topic of the event of a change, by its action [BUS-01]; `REMEMBERED` for other actions."""
SKILL_UPDATED = "memory.skill.updated"


class Tally(NamedTuple):
    """The value stored under one name, and how often it was written."""

    value: Mapping[str, object]
    version: int


class Tallied(NamedTuple):
    """A user, their sequence number, and one of their tallies."""

    user_id: str
    seq: int
    tally: Tally | None


class NewTally(NamedTuple):
    """A value to store under a name; None deletes it."""

    topic: str
    name: str
    value: Mapping[str, object] | None
    seen_version: int
    """The version this was based on, 0 for none. If it has changed, the change is refused."""


@dataclass(frozen=True, slots=True)
class Change:
    """One transaction for one user: all of it becomes durable, or nothing."""

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
    """Evidence in addition to the parents of new records."""
    mentions: tuple[Mentioned, ...] = ()
    jobs: tuple[NewJob, ...] = ()
    events: tuple[NewEvent, ...] = ()
    """Events in addition to those of the store for new and revised records."""
    tallies: tuple[NewTally, ...] = ()
    """Not written if every record of the change is already stored, to avoid counting twice."""
    seen: Mapping[str, int] = field(default_factory=dict)
    """The sequence number of each slot that was read to decide on this. If one has changed, the
    change is refused with Overtaken."""
    needs: tuple[str, ...] = ()
    """Ids that this is based on, read by another call. If one is gone, it is refused likewise."""
    finishes: Job | None = None
    """The job that this completes: marked as done with this change, which is refused with Busy if
    another worker holds the job by now."""


def names_a_delivery(record: Record) -> bool:
    """Whether the idempotency key of a record identifies one delivery, not the content."""
    origin = record.provenance
    is_single = origin.channel is Channel.REST or record.kind is Kind.INTERACTION
    return is_single and origin.idempotency_key is not None


class Stored(NamedTuple):
    """One record of a committed change: new, or already stored under its idempotency key."""

    record: Record
    replayed: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """Which of a user's records to forget: by id, by session, or everything."""

    ids: tuple[str, ...] = ()
    session: str | None = None
    everything: bool = False
    unfinished: tuple[str, ...] = ()
    """Topics of the tallies of unfinished interactions to erase too."""


class Order(StrEnum):
    """The order in which facts, tasks and notes are read."""

    RECORDED = "recorded"
    """Oldest first."""
    FOREMOST = "foremost"
    """By importance, then confidence, then the day last seen or used, highest first."""
    FREQUENT = "frequent"
    """By number of times seen, then last seen, highest first."""
    NEWEST = "newest"
    """Newest first."""
    DUE = "due"
    """By due date; those without one last."""


class Window(NamedTuple):
    """A part of a list: `limit` items after the first `offset`, or all."""

    offset: int = 0
    limit: int | None = None

    @property
    def end(self) -> int | None:
        """The number of items to read; None for all."""
        return None if self.limit is None else self.offset + self.limit

    def of(self, found: Sequence[Item]) -> list[Item]:
        """That part of a list."""
        return list(found[self.offset : self.end])


WHOLE = Window()


@dataclass(frozen=True, slots=True)
class Stated:
    """A filter of facts, tasks and notes. Empty fields do not filter."""

    slots: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    """Prefixes of slots, each ending in `|`: of a subject, or of a subject and predicate."""
    about: tuple[str, ...] = ()
    """Names in normal form: records that mention one of them, at either end of a relation."""
    among: tuple[str, ...] = ()
    """Names in normal form: records about one of them that mention another."""
    kinds: AbstractSet[Kind] = frozenset()
    states: AbstractSet[State] = frozenset()
    predicates: AbstractSet[str] = frozenset()
    without: str | None = None
    order: Order = Order.RECORDED
    limit: int | None = None
    begun_by: datetime | None = None
    """Only those valid since this moment or earlier."""
    beyond: datetime | None = None
    """Only those still valid after this moment."""
    recorded_from: datetime | None = None
    recorded_by: datetime | None = None
    """Only those recorded in this time, both ends inclusive."""


@dataclass(frozen=True, slots=True)
class Staged:
    """A filter of records by stage and temperature. Empty fields do not filter."""

    kind: Kind
    stages: frozenset[Stage] = frozenset()
    temperatures: frozenset[Temperature] = frozenset()
    before: datetime | None = None
    """Only those with `valid_from` before this."""
    used_since: datetime | None = None
    """Only those used at this moment or later."""
    after: int = 0
    """Only numbers above this."""
    limit: int = 1000


@dataclass(frozen=True, slots=True)
class EntityCount:
    """A name, and the number of records that mention it."""

    key: str
    name: str
    kind: EntityKind
    records: int


class Head(NamedTuple):
    """The end of a user's history. A new epoch means that everything of this user was erased."""

    epoch: int
    seq: int


class ErasureEpoch(NamedTuple):
    """The erasure counter of a user's row. Data read under an older count is not written."""

    user_no: int = 0
    """0 if the user was unknown, or nothing was read yet."""
    erasures: int = 0


class SpokenText(NamedTuple):
    """Text and speaker of a record: enough to score it, not to return it."""

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
    """float16, little-endian; None if the record has no vector in the requested space."""
    current: bool = True
    """False if it is still stored but must not be found any more."""
    tags: str = ""
    """Tags as a JSON array; empty for none."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of a user's records after a sequence number."""

    head: Head
    rows: tuple[IndexRow, ...]
    gone: tuple[int, ...]
    complete: bool
    """False if more rows follow: call again with the last row's seq."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A saved recall index: valid for one epoch and space, up to one sequence number."""

    head: Head
    space: Space
    payload: bytes


@dataclass(frozen=True, slots=True)
class Event:
    """An event for subscribers, with ids and counts, never text."""

    seq: int
    at: datetime
    topic: str
    user_id: str | None
    payload: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry of the audit chain, without text or user names: users are salted digests."""

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
    """Result of a full check of a store."""

    memories: int
    damaged_ids: tuple[str, ...]
    damaged_vectors: int
    audit_entries: int
    audit_broken_at: int | None
    structure: tuple[str, ...]
    """Errors of the database's own integrity check."""
    traces_left: bool = False
    """True if the file was not scrubbed yet after something was forgotten; not damage."""
    copies_left: int = 0
    """Copies of the file made by Sharpwave before something was forgotten; `scrub` erases them."""

    @property
    def ok(self) -> bool:
        """True if no damage was found."""
        return not (
            self.damaged_ids
            or self.damaged_vectors
            or self.structure
            or self.audit_broken_at is not None
        )


class Tidied(NamedTuple):
    """Result of maintenance."""

    scrubbed: bool
    """True if old copies of forgotten data were found and erased."""
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
    """Result of restoring a backup."""

    memories: int
    re_erased: int
    """Records of the backup that were forgotten after it was made, and stay forgotten."""
    replaced_backup: Path | None
    """Copy of the file that was replaced."""


class Moved(NamedTuple):
    """What was moved from a file to a server."""

    users: int
    memories: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Salvaged:
    """Result of recovering a damaged file."""

    recovered: int
    damaged: int
    """Records that were found but do not match their checksum."""


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation: its times, and its summary."""

    id: str
    started_at: datetime
    """Time of its first turn."""
    ended_at: datetime
    """Time of its last turn."""
    turns: int
    summary: str | None = None
    """The summary by sleep, if there is one."""
