"""What a text was found to say: statements with their place in it, before anything is stored."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sharpwave.types.records import Kind, Statement

BY_MODEL, CORRECTION = "prompts.", "correction 1"
"""Prefix of the extractor of what a language model found, and of that of a correction."""


class Mode(StrEnum):
    """What is said about a statement."""

    HOLDS = "holds"
    """It is true: "I live in Porto"."""
    ENDED = "ended"
    """It was true and is no more: "I no longer live in Porto", "I used to live in Porto"."""
    DENIED = "denied"
    """It is not true: "I don't live in Porto"."""


class ReadMode(StrEnum):
    """How a sentence stands to what it says, as a reader sees it."""

    HOLDS = "holds"
    ENDED = "ended"
    PLANNED = "planned"
    NEGATED = "negated"
    EVENT = "event"
    UNREAL = "unreal"
    """Supposed, wished, joked, or part of a story."""
    QUOTED = "quoted"


class Reading(NamedTuple):
    """What a reader makes of one sentence: how likely it is worth keeping, and as what."""

    fact: float
    task: float
    rule: float
    mode: ReadMode
    before: float = 0.0
    """How likely it needs the sentence before it to be understood."""
    behind: float = 0.0
    """How likely it needs the sentence behind it to be understood."""


TO_DO, RULE = "to do: ", "rule: "
"""Stand before a note that is a task or a rule, where notes are compared."""


class Effect(NamedTuple):
    """What a later remark does to an older note: how likely each is."""

    none: float
    same: float
    update: float
    end: float

    @property
    def change(self) -> float:
        """How likely the note no longer holds as it is."""
        return self.update + self.end


class Span(NamedTuple):
    """Characters from `start` up to, not including, `end`."""

    start: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """Whether both have a character in common."""
        return self.start < other.end and other.start < self.end


class TimeSpan(NamedTuple):
    """A time that a text names, resolved; `end` is not part of it, and either side may be open."""

    span: Span
    start: datetime | None
    end: datetime | None
    relation: str = "in"
    """How what is said stands to it: in, since, until, before, after, by."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Who said a text, to whom, when, and what was said just before."""

    speaker: str
    """The subject of what is said in the first person: `USER` or a name."""
    at: datetime
    listener: str | None = None
    previous: str | None = None
    """The text of the turn before, which may be the question that this one answers."""
    user_names: frozenset[tuple[str, ...]] | None = None
    """Names of the user, each as its words, if the speaker reports of the user; None if not."""
    previous_is_own: bool = False
    """The turn before is of the same speaker, who does not answer their own questions."""
    previous_id: str | None = None
    """Id of the turn before: what has words of it is erased with it."""


class EntityKind(StrEnum):
    """What sort of thing a name stands for."""

    PERSON = "person"
    PLACE = "place"
    ORGANISATION = "organisation"
    ANIMAL = "animal"
    EVENT = "event"
    THING = "thing"


class Mention(NamedTuple):
    """A name in a text, and what sort of thing it stands for."""

    name: str
    kind: EntityKind
    span: Span


class TargetRelation(StrEnum):
    """How something that was said stands to a record that is known."""

    SAME = "same"
    UPDATE = "update"
    """It takes the place of the record."""
    END = "end"
    """The record no longer holds, or is done."""
    CORRECTION = "correction"
    """The record was wrong; it takes its place."""


class Target(NamedTuple):
    """The known record that a candidate is about, as the user or a language model says."""

    relation: TargetRelation
    id: str
    slot: str
    """Slot of the record, to notice if it changes meanwhile."""


class TaskStatus(StrEnum):
    """How an objective stands [TSK-02]."""

    ACTIVE = "active"
    DONE = "done"
    STALLED = "stalled"
    DROPPED = "dropped"
    """Not to be done any more."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something a text was found to say, before the gate accepts it."""

    kind: Kind
    """A fact, a task or a note."""
    text: str
    """The statement in plain words, in the third person: "Ana lives in Porto"."""
    span: Span
    """The clause of the text it was found in."""
    confidence: float
    """How sure the extractor is, in [0, 1]; hedging ("maybe", "I think") lowers it."""
    extractor: str
    """Which rule or prompt found it, with its version: `rules.location 1`."""
    statement: Statement | None = None
    """Facts have one; tasks and notes have none."""
    mode: Mode = Mode.HOLDS
    instead_of: str | None = None
    """The object that this one corrects, if the text names it: "not Lisbon but Porto"."""
    valid_from: datetime | None = None
    """Since when, if the text says so: "since March"."""
    valid_to: datetime | None = None
    """Until when, if the text says so: "until Friday"."""
    status: TaskStatus | None = None
    """Tasks have one: what the text says about the task."""
    due: datetime | None = None
    """For tasks: the day, as its midnight, or the moment that the text says it is due."""
    effect_only: bool = False
    """Never stored; may only end a known fact or task."""
    claimed: bool = False
    """A caller's claim about a turn of the user: the turn itself need not say it."""
    other_words: bool = False
    """Taken for what is known, though the turn says it in other words."""
    target: Target | None = None
    """Without one it is compared with what is known."""
    rests_on: tuple[str, ...] = ()
    """Ids of further turns that it has words of: it is erased with any of them."""

    @property
    def is_worded(self) -> bool:
        """True if its text is kept as it is: a language model or a correction worded it so."""
        return self.extractor.startswith((BY_MODEL, CORRECTION))


class Extraction(NamedTuple):
    """All that one text was found to say."""

    candidates: tuple[Candidate, ...] = ()
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of a person or thing, and why we take it for one."""

    name: str
    reason: str
    """What was said, or that it is the beginning of the only longer name."""
    fact: str | None
    """Id of the fact that says so; forget or deny it, and the names part."""
