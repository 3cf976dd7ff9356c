"""What is known, as a reader wants it: facts with their history, tasks, notes, contradictions."""

from dataclasses import dataclass
from datetime import datetime

from sharpwave.types.records import Record, Source, State, Trust
from sharpwave.types.statements import EntityKind, TaskStatus


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
    """The fact that contradicts it, while nobody has said which is right."""


@dataclass(frozen=True, slots=True)
class Task:
    """An objective or open loop [TSK-02]."""

    id: str
    title: str
    status: TaskStatus
    due: datetime | None
    created_at: datetime
    updated_at: datetime
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A rule of thumb for helping this user [REF-02]."""

    id: str
    text: str
    confidence: float
    seen_count: int
    created_at: datetime
    tags: tuple[str, ...]


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

    @property
    def current(self) -> tuple[Fact, ...]:
        """The versions that hold now."""
        return tuple(fact for fact in self.versions if fact.state is State.ACTIVE)


@dataclass(frozen=True, slots=True)
class HistoricalState:
    """What was known about the world at one moment [TMP-05]."""

    at: datetime
    known_at: datetime | None
    """What we had learned by then; None for all that we know today."""
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something that was mentioned."""

    name: str
    kind: EntityKind
    records: int
    """How many records mention it."""


@dataclass(frozen=True, slots=True)
class Relation:
    """How two entities are related, as a fact says it."""

    one: str
    predicate: str
    other: str
    fact: Fact


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a memory comes from."""

    record: Record
    rests_on: tuple[Record, ...]
    """The records that support it, oldest first; for a turn none."""
    supports: tuple[Record, ...]
    """The records that rest on it."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """What putting a source under quarantine, or lifting it, did."""

    turns: int
    facts: int
    """Facts that rest on nothing else."""
    reopened: int
    """Facts that hold again because of it."""
