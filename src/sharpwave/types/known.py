"""Facts with their history, tasks, notes, contradictions and entities."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Self

from sharpwave.types.records import Record, Source, State, Trust
from sharpwave.types.statements import Alias, EntityKind, TaskStatus


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement, with its validity and confidence."""

    id: str
    subject: str
    predicate: str
    object: str
    text: str
    """The statement as a sentence."""
    type: str
    """Its topic: identity, location, work, preference and so on."""
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
    """Id of the fact that replaced it, or of the turn that ended it."""
    rival: str | None
    """Id of the fact that contradicts it, until the conflict is resolved."""


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
    """The day it is due, as midnight in the speaker's time zone, or the moment if a time of day was
    given."""
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
        """When it becomes overdue: at the end of the due day, or at the given time."""
        if self.due is None or self.due.time() != time() or self.due.date() == date.max:
            return self.due
        return self.due + timedelta(days=1)

    @property
    def due_text(self) -> str:
        """The due day, with the time of day if one was given; empty if there is none."""
        if self.due is None:
            return ""
        return format(self.due, "%Y-%m-%d" if self.due.time() == time() else "%Y-%m-%d %H:%M")

    def is_overdue(self, at: datetime) -> bool:
        """Whether it is not done and its deadline has passed at a moment."""
        is_past = self.deadline is not None and self.deadline <= at
        return is_past and self.status not in (TaskStatus.DONE, TaskStatus.DROPPED)


class NoteOrigin(StrEnum):
    """The origin of a note."""

    LLM_REFLECTION = "llm_reflection"
    """Derived by Sharpwave from what was said."""
    HUMAN_FEEDBACK = "human_feedback"
    """Stated by the user."""
    SYSTEM = "system"
    """Stated by the operator of the assistant."""
    AGENT = "agent"
    """Stated by the assistant or another agent; stays a guess, even if repeated."""


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
    """False for a conclusion that was not drawn often enough yet: a guess [REF-06]."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two facts that cannot both be true; both are uncertain until `resolve`."""

    id: str
    """Id of the newer of the two."""
    question: str
    """The question for the user; it quotes both."""
    older: Fact
    newer: Fact


@dataclass(frozen=True, slots=True)
class Evolution:
    """All versions of a fact, oldest first [TMP-05]."""

    subject: str
    predicate: str
    versions: tuple[Fact, ...]
    at: datetime
    """Time of the query."""

    @property
    def current(self) -> tuple[Fact, ...]:
        """The versions that were valid at the time of the query."""
        return tuple(
            fact
            for fact in self.versions
            if fact.state is State.ACTIVE
            and fact.valid_from <= self.at
            and (fact.valid_to is None or self.at < fact.valid_to)
        )


@dataclass(frozen=True, slots=True)
class Trend:
    """A person or thing that is mentioned more or less often than before."""

    name: str
    rising: bool
    before: int
    """Mentions in the first half of the compared period."""
    after: int
    """Mentions in the second half."""
    chance: float
    """Probability of such a change by chance."""
    as_of: datetime


@dataclass(frozen=True, slots=True)
class Shift:
    """A fact that replaced another: a change of opinion, place or habit [TMP-10]."""

    old: Fact
    new: Fact
    at: datetime


@dataclass(frozen=True, slots=True)
class Prediction:
    """Probability that a fact still holds at a moment, from how long its values lasted [TMP-08]."""

    fact: Fact
    at: datetime
    probability: float
    changes: int
    """Number of changes so far."""
    typical_days: float
    """Average duration of a value, in days."""


@dataclass(frozen=True, slots=True)
class HistoricalState:
    """The facts valid at one moment [TMP-05]."""

    at: datetime
    known_at: datetime | None
    """Only facts learned by then; None for all that are known today."""
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """A person or thing that was mentioned."""

    name: str
    kind: EntityKind
    records: int
    """Number of records that mention it, under any of its names."""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of two entities, with the fact that states it."""

    one: str
    predicate: str
    other: str
    fact: Fact


@dataclass(frozen=True, slots=True)
class Connection:
    """A path between two names: relations, each sharing an end with the next."""

    names: tuple[str, ...]
    """The names along the path, one more than there are relations."""
    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """A part of the graph, for drawing: entities and their relations."""

    at: datetime
    entities: tuple[Entity, ...]
    """The most mentioned first; around a name, the nearest first."""
    relations: tuple[Relation, ...]
    """Relations between these entities, with the names used here."""
    whole: bool
    """False if there are more entities than requested."""


@dataclass(frozen=True, slots=True)
class About:
    """Everything known about a person or thing, now or at a moment [KG-01]."""

    name: str
    aliases: tuple[Alias, ...]
    kind: EntityKind
    at: datetime
    facts: tuple[Fact, ...]
    """Facts valid then, the most important first."""
    formerly: tuple[Fact, ...]
    """Facts valid before, the latest first."""
    relations: tuple[Relation, ...]
    tasks: tuple[Task, ...]
    """Open tasks that mention it."""
    notes: tuple[Note, ...]
    """Notes that mention it."""
    conflicts: tuple[Contradiction, ...]
    mentions: int
    """Number of turns that mention it, under any of its names."""
    first_mentioned: datetime | None
    last_mentioned: datetime | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a memory comes from."""

    record: Record
    rests_on: tuple[Record, ...]
    """The records it was derived from, oldest first; none for a turn."""
    supports: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A page of records, newest first."""

    items: tuple[Record, ...]
    before: int | None
    """Where the next page continues; None at the end."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """Result of putting a source under quarantine, or of lifting it."""

    turns: int
    facts: int
    """Facts learned only from this source."""
    reopened: int
    """Facts that became valid again."""
