"""What happened in sleep, and how far it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

EPISODE = "episode|"
"""How the slots of summaries begin; the session follows."""
GISTS = "gists"
"""Under this name a summary's metadata says, for each turn by its id, where its sentences begin
and end and how many hundredths of what the turn tells each of them tells. It holds no words."""


def unnamed_on(day: date) -> str:
    """How the slots of summaries begin whose talk belongs to no session and began on a day."""
    return f"{EPISODE}|{day.isoformat()}|"


class Phase(StrEnum):
    """The parts of a night, in order."""

    REPLAY = "replay"
    """Go through the day again: what is a day old leaves working memory."""
    RECONSOLIDATE = "reconsolidate"
    """Let facts and their variants settle; the same notes become one."""
    DOUBT = "doubt"
    """With a model: facts that rules see no quarrel in, though they may not both be true."""
    PROMOTE = "promote"
    """What came up on several days becomes lasting knowledge."""
    SUMMARISE = "summarise"
    """Each session that is over, in a few sentences."""
    EVOLVE = "evolve"
    """How preferences and interests change."""
    DISTIL = "distil"
    """Patterns, insights, habits and rules from what happened."""
    FADE = "fade"
    """What is old moves to the back; what is weak and old is dropped."""


class Entry(NamedTuple):
    """One thing that was done, and why."""

    what: str
    """settled, kept, promoted, merged, summarised, learned, faded, dropped ..."""
    id: str
    """Of the record it was done to, or of the new one."""
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """One user's night: what changed, why, and whether it can be undone."""

    run: str
    user_id: str
    started_at: datetime
    finished_at: datetime | None
    """None if it was interrupted: the next run goes on where this one stopped."""
    heavy: bool
    """Whether the weekly work was done too."""
    counts: Mapping[str, int]
    """How often each thing was done."""
    entries: tuple[Entry, ...]
    """The first of each; `counts` has all."""
    notes: tuple[str, ...] = ()
    cpu_s: float = 0.0
    tokens: int = 0
    """Of language models."""
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Undone:
    """What taking back a night changed."""

    run: str
    removed: int
    """Records that the night had made."""
    restored: int
    """Records that stand again as before."""
    kept: tuple[str, ...]
    """Ids of those that changed since, and were left as they are."""


@dataclass(frozen=True, slots=True)
class SleepStatus:
    """Where a user stands between two nights [SLP-12]."""

    pending: int
    """Memories of the day that wait for being replayed."""
    last_at: datetime | None
    last_heavy_at: datetime | None
    running: str | None
    """The run that is under way, or was interrupted."""
    phase: str | None
    estimated_s: float
    """What the next run will take, by the last one's pace."""
