"""The result of `context`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sharpwave.types.known import Fact, Note, Task
from sharpwave.types.skills import SkillChoice
from sharpwave.types.steering import Behavior


class KeySentence(NamedTuple):
    """A sentence of a turn: its place, and its share of the turn's content."""

    start: int
    end: int
    share: float


@dataclass(frozen=True, slots=True)
class Background:
    """The part of a context that does not depend on the query, the most important first."""

    system: str
    """The caller's own instructions: persona, rules, time and place."""
    profile: Sequence[Fact] = ()
    goals: Sequence[Task] = ()
    notes: Sequence[Note] = ()
    behaviors: Sequence[Behavior] = ()
    """The user's standing instructions that apply, the most frequent first."""
    skill: str = ""
    """The template of the selected skill."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a context."""

    title: str
    lines: tuple[str, ...]
    tokens: int
    cut: int
    """Number of considered items that did not fit."""


@dataclass(frozen=True, slots=True)
class Context:
    """Text for a prompt: profile, goals, notes, and what was recalled for a query.

    Parts that rarely change come first and stay identical, for prompt caches.
    """

    text: str
    tokens: int
    """An estimate, rather too high than too low."""
    sections: tuple[Section, ...]
    decision: str
    """How to use what was recalled: assert, hedge, clarify, verify or abstain."""
    confidence: float
    ids: tuple[str, ...]
    """Ids of the records that are shown, in order."""
    notes: tuple[str, ...] = ()
    choice: SkillChoice | None = None
    """The selected skill, if one was requested; pass its `message_id` to `feedback`."""

    def section(self, title: str) -> Section | None:
        """The section with this title, if there is one."""
        return next((section for section in self.sections if section.title == title), None)

    def __str__(self) -> str:
        """The text."""
        return self.text
