"""Steering: what users' words ask of the assistant for good, and the rules learned from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from sharpwave.types.answers import Forgotten, Verdict
from sharpwave.types.records import State


class SteeringType(StrEnum):
    """What sort of steering it is [BEH-07]."""

    CORRECTION = "behavioral_correction"
    PREFERENCE = "behavioral_preference"
    STYLE = "behavioral_style"
    KNOWLEDGE = "behavioral_knowledge"


@dataclass(frozen=True, slots=True)
class Signal:
    """One thing that a message asks for good."""

    type: SteeringType
    rule: str
    """The instruction in normal form, never the message."""
    confidence: float
    reach: str = "global"
    """Where it says it holds: global, project or file."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What became of one signal."""

    verdict: Verdict
    type: SteeringType
    rule: str
    id: str | None = None
    """The rule it became, or made surer."""
    replaced: tuple[str, ...] = ()
    """Rules that no longer hold because of it."""


@dataclass(frozen=True, slots=True)
class Reflection:
    """What one look back on a user's turn found [BEH-12]."""

    signals: tuple[Signal, ...] = ()
    learned: tuple[Learned, ...] = ()
    note: str = ""
    """Why nothing was learned, if something stood in the way."""


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
    """Somebody has looked at it and agreed."""
    state: State
    created_at: datetime
    last_seen: datetime
    evidence: tuple[str, ...] = ()
    """Ids of the turns that taught it."""
    superseded_by: str | None = None


class PromptRole(StrEnum):
    """Whose prompt a section of rules is for [PRM-09]."""

    ASSISTANT = "assistant"
    EXECUTOR = "executor"
    PLANNER = "planner"
    REPLANNER = "replanner"


class PreferenceSource(StrEnum):
    """Whether the user said so, or it was concluded."""

    EXPLICIT = "explicit"
    INFERRED = "inferred"


@dataclass(frozen=True, slots=True)
class Preference:
    """What the user prefers under a category and key, such as tool / pytest [UPR-05]."""

    id: str
    category: str
    key: str
    value: object
    """Anything that JSON can hold: a score, a default, a list of steps."""
    source: PreferenceSource
    confidence: float
    scope: str
    version: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Correction:
    """What an output was, and what the user made of it [UPR-02]."""

    original: str
    corrected: str
    context: str
    at: datetime


@dataclass(frozen=True, slots=True)
class CorrectionLearned:
    """What a correction taught."""

    id: str | None
    """The correction's own record; None if nothing may be stored."""
    preferences: tuple[Preference, ...] = ()
    rules: tuple[Learned, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class UserPreferences:
    """All that is preferred in one place, in one value [UPR-01…03]."""

    tools: Mapping[str, float] = field(default_factory=dict)
    """How much each tool is preferred."""
    parameter_defaults: Mapping[str, object] = field(default_factory=dict)
    workflows: tuple[str, ...] = ()
    error_handling: str = "strict"
    """Strict or lenient."""
    corrections: tuple[Correction, ...] = ()
    patterns: tuple[Behavior, ...] = ()
    """The rules that hold, with how often each was observed."""
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ResetLearning:
    """Receipt of erasing all that was learned; what was said and known stays [SEC-13]."""

    behaviors: int
    preferences: int
    experience: int
    """Patterns, tool records and insights."""
    skills: int
    """Choices of skills, ratings, and what was set of the style."""
    tallies: int
    forgotten: Forgotten
