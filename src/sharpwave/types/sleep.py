"""Consolidation: its phases, reports and status."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

EPISODE = "episode|"
"""Prefix of the slots of summaries; the session follows."""


def unnamed_on(day: date) -> str:
    """Prefix of the slots of summaries of turns without a session that began on a day."""
    return f"{EPISODE}|{day.isoformat()}|"


class Phase(StrEnum):
    """The phases of a run, in order; each is the module of its name in `sleep/`."""

    REPLAY = "replay"
    """Go through the day again: turns of a day ago leave working memory."""
    RECONSOLIDATE = "reconsolidate"
    """Settle facts and their variants; merge equal notes."""
    DOUBT = "doubt"
    """Ask a model about facts that rules cannot compare, though they may not both be true."""
    PROMOTE = "promote"
    """What came up on several days becomes lasting knowledge."""
    SUMMARISE = "summarise"
    """Each session that ended, in a few sentences."""
    EVOLVE = "evolve"
    """Find trends: what comes up more or less than before, and what was replaced."""
    DISTIL = "distil"
    """Learn patterns, insights and skill statistics from what happened."""
    FADE = "fade"
    """What is old gets colder; what is weak and old is dropped."""


class ReportEntry(NamedTuple):
    """One change, and why."""

    what: str
    """settled, kept, promoted, merged, summarised, learned, faded, dropped ..."""
    id: str
    """Id of the record that changed, or of the new record."""
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """One run for one user: what changed, why, and whether it was undone."""

    run: str
    user_id: str
    started_at: datetime
    finished_at: datetime | None
    """None if it was interrupted: the next run continues where this one stopped."""
    heavy: bool
    """Whether the weekly phases ran too."""
    counts: Mapping[str, int]
    entries: tuple[ReportEntry, ...]
    """The first changes of each sort; `counts` has all."""
    notes: tuple[str, ...] = ()
    cpu_s: float = 0.0
    tokens: int = 0
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Undone:
    """What undoing a run changed."""

    run: str
    removed: int
    restored: int
    kept: tuple[str, ...]
    """Ids of records that changed since, and were left as they are."""


@dataclass(frozen=True, slots=True)
class SleepStatus:
    """What waits for a user's next run, and how the last one went [SLP-12]."""

    pending: int
    """Turns that wait for replay."""
    last_at: datetime | None
    last_heavy_at: datetime | None
    running: str | None
    """Id of the run that is in progress, or was interrupted."""
    phase: str | None
    estimated_s: float
    """CPU seconds of the next run, by the pace of the last."""
