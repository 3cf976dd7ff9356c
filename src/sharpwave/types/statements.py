"""Statements extracted from a text, with their place in it, before anything is stored."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sharpwave.types.records import Kind, Statement

BY_MODEL, CORRECTION = "prompts.", "correction 1"
"""Prefixes of the extractor name of a language model, and of a correction."""


class Mode(StrEnum):
    """Whether a statement is true, was true, or is denied."""

    HOLDS = "holds"
    """It is true: "I live in Porto"."""
    ENDED = "ended"
    """It is no longer true: "I no longer live in Porto", "I used to live in Porto"."""
    DENIED = "denied"
    """It is not true: "I don't live in Porto"."""


class ReadMode(StrEnum):
    """The mode of a sentence, as a reader classifies it."""

    HOLDS = "holds"
    ENDED = "ended"
    PLANNED = "planned"
    NEGATED = "negated"
    EVENT = "event"
    UNREAL = "unreal"
    """Supposed, wished, joked, or part of a story."""
    QUOTED = "quoted"


class Reading(NamedTuple):
    """A reader's classification of one sentence: probability of each kind worth storing."""

    fact: float
    task: float
    rule: float
    mode: ReadMode
    before: float = 0.0
    """Probability that the sentence before it is needed to understand it."""
    behind: float = 0.0
    """Probability that the sentence after it is needed to understand it."""


TO_DO, RULE = "to do: ", "rule: "
"""Prefixes of a note that is a task or a rule, when notes are compared."""


class Effect(NamedTuple):
    """Probabilities of the effects of a later remark on an older note."""

    none: float
    same: float
    update: float
    end: float

    @property
    def change(self) -> float:
        """Probability that the note is no longer valid as it is."""
        return self.update + self.end


class Span(NamedTuple):
    """Characters from `start` up to, not including, `end`."""

    start: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """Whether both have a character in common."""
        return self.start < other.end and other.start < self.end


class TimeSpan(NamedTuple):
    """A time that a text names, resolved; `end` is exclusive, and either side may be open."""

    span: Span
    start: datetime | None
    end: datetime | None
    relation: str = "in"
    """Relation of the statement to the time: in, since, until, before, after, by."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Speaker, listener and time of a text, and the previous turn."""

    speaker: str
    """The subject of statements in the first person: `USER` or a name."""
    at: datetime
    listener: str | None = None
    previous: str | None = None
    """The text of the previous turn, which may be the question that this one answers."""
    user_names: frozenset[tuple[str, ...]] | None = None
    """Names of the user, each as its words, if the speaker reports about the user; else None."""
    previous_is_own: bool = False
    """True if the previous turn is by the same speaker, so that it is not a question to answer."""
    previous_id: str | None = None
    """Id of the previous turn: a record with words of it is erased with it."""


class EntityKind(StrEnum):
    """The type of an entity."""

    PERSON = "person"
    PLACE = "place"
    ORGANISATION = "organisation"
    ANIMAL = "animal"
    EVENT = "event"
    THING = "thing"


class Mention(NamedTuple):
    """A name in a text, with the type of its entity."""

    name: str
    kind: EntityKind
    span: Span


class TargetRelation(StrEnum):
    """The relation of a new statement to a known record."""

    SAME = "same"
    UPDATE = "update"
    """It replaces the record."""
    END = "end"
    """The record is no longer valid, or is done."""
    CORRECTION = "correction"
    """The record was wrong; it replaces the record."""


class Target(NamedTuple):
    """The known record that a candidate refers to, according to the user or a language model."""

    relation: TargetRelation
    id: str
    slot: str
    """Slot of the record, to detect concurrent changes."""


class TaskStatus(StrEnum):
    """The status of a task [TSK-02]."""

    ACTIVE = "active"
    DONE = "done"
    STALLED = "stalled"
    DROPPED = "dropped"
    """Given up."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement found in a text, before the gate accepts it."""

    kind: Kind
    """A fact, a task or a note."""
    text: str
    """The statement as a sentence in the third person: "Ana lives in Porto"."""
    span: Span
    """The clause of the text it was found in."""
    confidence: float
    """Confidence of the extractor, in [0, 1]; hedging ("maybe", "I think") lowers it."""
    extractor: str
    """The rule or prompt that found it, with its version: `rules.location 1`."""
    statement: Statement | None = None
    """Facts have one; tasks and notes have none."""
    mode: Mode = Mode.HOLDS
    instead_of: str | None = None
    """The object that this one corrects, if the text names it: "not Lisbon but Porto"."""
    valid_from: datetime | None = None
    """Start, if the text says so: "since March"."""
    valid_to: datetime | None = None
    """End, if the text says so: "until Friday"."""
    status: TaskStatus | None = None
    """For tasks: the status according to the text."""
    due: datetime | None = None
    """For tasks: the due day, as midnight, or the due moment, according to the text."""
    effect_only: bool = False
    """Never stored; may only end a known fact or task."""
    claimed: bool = False
    """A caller's claim about a turn of the user: the turn itself need not say it."""
    other_words: bool = False
    """Treated as equal to a known record, though the turn says it in other words."""
    target: Target | None = None
    """If None, it is compared with known records."""
    rests_on: tuple[str, ...] = ()
    """Ids of further turns that it has words of: it is erased with any of them."""

    @property
    def is_worded(self) -> bool:
        """True if its text is stored unchanged: written by a language model or a correction."""
        return self.extractor.startswith((BY_MODEL, CORRECTION))


class Extraction(NamedTuple):
    """Everything found in one text."""

    candidates: tuple[Candidate, ...] = ()
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of a person or thing, with the reason."""

    name: str
    reason: str
    """What was said, or that it is the beginning of the only longer name."""
    fact: str | None
    """Id of the fact that says so; forget or deny it to separate the names."""
