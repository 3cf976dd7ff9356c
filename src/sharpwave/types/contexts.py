"""A prompt's worth of memory, as `context` gives it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sharpwave.types.known import Fact, Note, Task
from sharpwave.types.skills import SkillChoice
from sharpwave.types.steering import Behavior


class KeySentence(NamedTuple):
    """A sentence of a turn: where it stands, and its share of what the turn says."""

    start: int
    end: int
    share: float


@dataclass(frozen=True, slots=True)
class Background:
    """What belongs into a context whatever is asked, the most important first."""

    system: str
    """The caller's own words: persona, rules, time and place."""
    profile: Sequence[Fact] = ()
    goals: Sequence[Task] = ()
    notes: Sequence[Note] = ()
    behaviors: Sequence[Behavior] = ()
    """The user's own standing instructions that hold here, the most frequent first."""
    skill: str = ""
    """How to answer: the template of the chosen skill."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a context."""

    title: str
    lines: tuple[str, ...]
    tokens: int
    cut: int
    """How many items did not fit, of those that were looked at."""


@dataclass(frozen=True, slots=True)
class Context:
    """Text to put into a prompt: what is known, goals, notes, and what was recalled for a question.

    What seldom changes comes first and stays the same letter for letter, for prompt caches.
    """

    text: str
    tokens: int
    """Estimated, rather too many than too few."""
    sections: tuple[Section, ...]
    decision: str
    """What can be done with what was recalled: assert, hedge, clarify, verify or abstain."""
    confidence: float
    ids: tuple[str, ...]
    """The records that are shown, in order."""
    notes: tuple[str, ...] = ()
    choice: SkillChoice | None = None
    """How to answer, if a skill was asked for; its `message_id` is what `feedback` names."""

    def section(self, title: str) -> Section | None:
        """The section of that title, if it is there."""
        return next((section for section in self.sections if section.title == title), None)

    def __str__(self) -> str:
        """The text."""
        return self.text
