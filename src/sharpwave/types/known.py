"""What is known, as a reader wants it: facts with their history, tasks, notes, contradictions."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Self

from sharpwave.types.records import Record, Source, State, Trust
from sharpwave.types.statements import Alias, EntityKind, TaskStatus


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement, since when and until when it holds, and how sure that is."""

    id: str
    subject: str
    predicate: str
    object: str
    text: str
    """The same in plain words."""
    type: str
    """What it is about: identity, location, work, preference and so on."""
    negated: bool
    state: State
    confidence: float
    importance: float
    seen_count: int
    valid_from: datetime
    valid_to: datetime | None
    first_seen: datetime
    last_seen: datetime
    recorded_at: datetime
    source: Source
    trust: Trust
    superseded_by: str | None
    """The fact that took its place, or the turn that ended it."""
    rival: str | None
    """The fact that contradicts it, until it is settled which is right."""


TASK_STATES = {
    TaskStatus.ACTIVE: State.ACTIVE,
    TaskStatus.STALLED: State.STALLED,
    TaskStatus.DONE: State.DONE,
    TaskStatus.DROPPED: State.INVALIDATED,
}
_STATUS = {state: status for status, state in TASK_STATES.items()}


@dataclass(frozen=True, slots=True)
class Task:
    """An objective or open loop [TSK-02]."""

    id: str
    title: str
    status: TaskStatus
    due: datetime | None
    """The day it is due, as its midnight in the zone of who named it, or the moment if a time of
    day was named."""
    created_at: datetime
    updated_at: datetime
    tags: tuple[str, ...]
    source: Source
    trust: Trust

    @classmethod
    def of(cls, record: Record) -> Self:
        """A record as a task."""
        return cls(
            id=record.id,
            title=record.text,
            status=_STATUS.get(record.standing.state, TaskStatus.ACTIVE),
            due=record.due,
            created_at=record.valid_from,
            updated_at=record.standing.last_seen_at,
            tags=record.tags,
            source=record.provenance.source,
            trust=record.provenance.trust,
        )

    @property
    def deadline(self) -> datetime | None:
        """When it becomes overdue: at the end of the day it is due, or at the moment named."""
        if self.due is None or self.due.time() != time() or self.due.date() == date.max:
            return self.due
        return self.due + timedelta(days=1)

    @property
    def due_text(self) -> str:
        """The day it is due, with the time of day if one was named; empty if it is never due."""
        if self.due is None:
            return ""
        return format(self.due, "%Y-%m-%d" if self.due.time() == time() else "%Y-%m-%d %H:%M")

    def is_overdue(self, at: datetime) -> bool:
        """Whether it should have been done by then, and is not."""
        is_past = self.deadline is not None and self.deadline <= at
        return is_past and self.status not in (TaskStatus.DONE, TaskStatus.DROPPED)


class NoteOrigin(StrEnum):
    """Where a rule of thumb comes from."""

    LLM_REFLECTION = "llm_reflection"
    """We did, looking back on what was said."""
    HUMAN_FEEDBACK = "human_feedback"
    """The user said so."""
    SYSTEM = "system"
    """The operator of the assistant said so."""
    AGENT = "agent"
    """The assistant or another agent said so; it stays a guess, however often it is repeated."""


@dataclass(frozen=True, slots=True)
class Note:
    """A rule of thumb for helping this user [REF-02]."""

    id: str
    text: str
    confidence: float
    seen_count: int
    created_at: datetime
    tags: tuple[str, ...]
    source: Source
    trust: Trust
    origin: NoteOrigin = NoteOrigin.HUMAN_FEEDBACK
    agreed: bool = True
    """False while it is a conclusion that was not drawn often enough: a guess [REF-06]."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two facts that cannot both be true; both are uncertain until `resolve`."""

    id: str
    """Id of the newer of the two."""
    question: str
    """What to ask the user; it quotes both."""
    older: Fact
    newer: Fact


@dataclass(frozen=True, slots=True)
class Evolution:
    """How one thing changed over time: every version, oldest first [TMP-05]."""

    subject: str
    predicate: str
    versions: tuple[Fact, ...]
    at: datetime
    """When this was asked."""

    @property
    def current(self) -> tuple[Fact, ...]:
        """The versions that held when this was asked: begun, and not yet over."""
        return tuple(
            fact
            for fact in self.versions
            if fact.state is State.ACTIVE
            and fact.valid_from <= self.at
            and (fact.valid_to is None or self.at < fact.valid_to)
        )


@dataclass(frozen=True, slots=True)
class Trend:
    """A person or thing that comes up more, or less, than before."""

    name: str
    rising: bool
    before: int
    """Mentions in the first half of the time compared."""
    after: int
    """Mentions in the second half."""
    chance: float
    """Probability of such a change by chance."""
    as_of: datetime


@dataclass(frozen=True, slots=True)
class Shift:
    """A fact that replaced another: a change of mind, of place, of habit [TMP-10]."""

    old: Fact
    new: Fact
    at: datetime


@dataclass(frozen=True, slots=True)
class Prediction:
    """Whether a fact will still hold at a moment, by how long such facts lasted [TMP-08]."""

    fact: Fact
    at: datetime
    probability: float
    changes: int
    """How often it changed so far."""
    typical_days: float
    """How long a value lasts on average."""


@dataclass(frozen=True, slots=True)
class HistoricalState:
    """What was known about the world at one moment [TMP-05]."""

    at: datetime
    known_at: datetime | None
    """What we had learned by then; None for all that we know today."""
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """A person or thing that was mentioned."""

    name: str
    kind: EntityKind
    records: int
    """How many records mention it, under any of its names."""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """How two entities are related, as a fact says it."""

    one: str
    predicate: str
    other: str
    fact: Fact


@dataclass(frozen=True, slots=True)
class Connection:
    """How two names are connected: relations, each sharing an end with the next."""

    names: tuple[str, ...]
    """The names from the first asked for to the second, one more than there are relations."""
    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """A part of who and what is known, to be drawn: entities, and how they were related."""

    at: datetime
    entities: tuple[Entity, ...]
    """The most mentioned first; around a name, the nearest first."""
    relations: tuple[Relation, ...]
    """The relations between two of the entities, by the names used here."""
    whole: bool
    """False if there are more entities than were asked for."""


@dataclass(frozen=True, slots=True)
class About:
    """All that is known of a person or thing, now or at a moment [KG-01]."""

    name: str
    aliases: tuple[Alias, ...]
    kind: EntityKind
    at: datetime
    facts: tuple[Fact, ...]
    """What held then, the most important first."""
    formerly: tuple[Fact, ...]
    """What held before, the latest first."""
    relations: tuple[Relation, ...]
    tasks: tuple[Task, ...]
    """Tasks that are not done and name it."""
    notes: tuple[Note, ...]
    """Rules of thumb that name it."""
    conflicts: tuple[Contradiction, ...]
    mentions: int
    """How many turns mention it, under any of its names."""
    first_mentioned: datetime | None
    last_mentioned: datetime | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a memory comes from."""

    record: Record
    rests_on: tuple[Record, ...]
    """The records that support it, oldest first; for a turn none."""
    supports: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """Some of what is kept, the newest first."""

    items: tuple[Record, ...]
    before: int | None
    """Where the next page continues; None at the end."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """What putting a source under quarantine, or lifting it, did."""

    turns: int
    facts: int
    """Facts that rest on nothing else."""
    reopened: int
    """Facts that hold again because of it."""
