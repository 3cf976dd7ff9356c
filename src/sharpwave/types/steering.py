"""Steering: standing instructions in users' messages, and the rules learned from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sharpwave.types.answers import Forgotten, Verdict
from sharpwave.types.known import Note, Task
from sharpwave.types.records import Source, State, Trust
from sharpwave.types.statements import TargetRelation


class SteeringType(StrEnum):
    """The types of steering [BEH-07]."""

    CORRECTION = "behavioral_correction"
    PREFERENCE = "behavioral_preference"
    STYLE = "behavioral_style"
    KNOWLEDGE = "behavioral_knowledge"


@dataclass(frozen=True, slots=True)
class Signal:
    """A standing instruction found in a message."""

    type: SteeringType
    rule: str
    """The instruction in normal form, never the message itself."""
    confidence: float
    reach: str = "global"
    """The scope it names itself: global, project or file."""


class RuleOperation(NamedTuple):
    """A change of the rules by a turn, according to a language model."""

    signal: Signal
    turn: str
    """Id of the turn, which becomes evidence."""
    scope: str
    relation: TargetRelation | None = None
    """None for a new rule."""
    known: str | None = None
    """Id of the rule that it refers to."""
    rests_on: tuple[str, ...] = ()
    """Ids of further turns that it has words of: it is erased with any of them."""
    quote: str = ""
    """The words of the turn that say so."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The outcome of learning from one signal."""

    verdict: Verdict
    type: SteeringType
    rule: str
    id: str | None = None
    """The rule that was created or reinforced."""
    replaced: tuple[str, ...] = ()
    """Rules that it superseded."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reflection:
    """What reflection on a user's turn found and learned [BEH-12]."""

    signals: tuple[Signal, ...] = ()
    learned: tuple[Learned, ...] = ()
    note: str = ""
    """Why nothing was learned, if something prevented it."""


@dataclass(frozen=True, slots=True)
class SessionReview:
    """Result of reviewing a finished session [REF-03, REF-04]."""

    session: str
    summary: str = ""
    """Empty if the session was too short for one."""
    open_tasks: tuple[Task, ...] = ()
    unanswered: tuple[str, ...] = ()
    """Unanswered questions of the user."""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Behavior:
    """A rule learned from the user."""

    id: str
    type: SteeringType
    rule: str
    scope: str
    frequency: int
    confidence: float
    accepted: bool
    """The user has reviewed and accepted it."""
    state: State
    created_at: datetime
    last_seen: datetime
    evidence: tuple[str, ...] = ()
    """Ids of the turns it was learned from."""
    superseded_by: str | None = None
    source: Source = Source.USER_MESSAGE
    trust: Trust = Trust.USER


class PromptRole(StrEnum):
    """The roles whose prompts have a section of rules [PRM-09]."""

    ASSISTANT = "assistant"
    EXECUTOR = "executor"
    PLANNER = "planner"
    REPLANNER = "replanner"


class PreferenceSource(StrEnum):
    """Whether the user stated a preference, or it was inferred."""

    EXPLICIT = "explicit"
    INFERRED = "inferred"


@dataclass(frozen=True, slots=True)
class Preference:
    """A preference under a category and key, such as tool / pytest [UPR-05]."""

    id: str
    category: str
    key: str
    value: object
    """Any JSON value: a score, a default, a list of steps."""
    source: PreferenceSource
    confidence: float
    scope: str
    version: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Correction:
    """An output, and how the user corrected it [UPR-02]."""

    original: str
    corrected: str
    context: str
    at: datetime


@dataclass(frozen=True, slots=True)
class CorrectionLearned:
    """What was learned from a correction."""

    id: str | None
    """The record of the correction; None if nothing may be stored."""
    preferences: tuple[Preference, ...] = ()
    rules: tuple[Learned, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class UserPreferences:
    """All preferences of a user [UPR-01…03]."""

    tools: Mapping[str, float] = field(default_factory=dict)
    """The score of each tool, from 0 to 1."""
    parameter_defaults: Mapping[str, object] = field(default_factory=dict)
    workflows: tuple[str, ...] = ()
    error_handling: str = "strict"
    """Strict or lenient."""
    corrections: tuple[Correction, ...] = ()
    patterns: tuple[Behavior, ...] = ()
    """The active rules, with how often each was observed."""
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ResetLearning:
    """Result of erasing all learning; messages and facts are kept [SEC-13]."""

    behaviors: int
    preferences: int
    experience: int
    """Patterns, tool records and insights."""
    skills: int
    """Trajectories, ratings and decisions about skills and style."""
    tallies: int
    forgotten: Forgotten
