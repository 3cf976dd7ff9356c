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
    """Process recent memories again: turns of a day ago leave working memory."""
    RECONSOLIDATE = "reconsolidate"
    """Decide between facts and their variants; merge equal notes."""
    DOUBT = "doubt"
    """Ask a model whether facts that rules cannot compare contradict each other."""
    PROMOTE = "promote"
    """Promote what came up on several days."""
    SUMMARISE = "summarise"
    """Summarise each finished session in a few sentences."""
    EVOLVE = "evolve"
    """Find trends: names mentioned more or less often than before, and replaced facts."""
    DISTIL = "distil"
    """Learn patterns, insights and skill statistics."""
    FADE = "fade"
    """Mark old records as warm or cold; drop weak old ones."""


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
    """The first changes of each kind; `counts` has all."""
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
    """Ids of records that changed since the run, and were not changed."""


@dataclass(frozen=True, slots=True)
class SleepStatus:
    """What is pending for a user's next run, and the state of the last one [SLP-12]."""

    pending: int
    """Number of turns waiting for replay."""
    last_at: datetime | None
    last_heavy_at: datetime | None
    running: str | None
    """Id of the run that is in progress, or was interrupted."""
    phase: str | None
    estimated_s: float
    """CPU seconds of the next run, estimated from the last."""
