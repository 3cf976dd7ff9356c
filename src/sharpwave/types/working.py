"""Work for later, what models cost, and what users agreed to."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class JobState(StrEnum):
    """How far a job is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """It will not be tried again by itself."""


@dataclass(frozen=True, slots=True)
class Job:
    """Work for later. Its payload holds ids and numbers, never text."""

    number: int
    user_id: str
    kind: str
    payload: Mapping[str, object]
    state: JobState
    attempts: int
    lease: int
    """Counts how often it was taken on: whoever was overtaken can no longer finish it."""
    not_before: datetime
    created_at: datetime
    finished_at: datetime | None = None
    error: str | None = None

    @property
    def ids(self) -> list[str]:
        """The records it is about."""
        named = self.payload.get("ids")
        return [str(one) for one in named] if isinstance(named, list | tuple) else []


@dataclass(frozen=True, slots=True)
class Spending:
    """What models cost a user on one day."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    """In the currency of the prices in the settings."""


class Purpose(StrEnum):
    """What a user may agree to."""

    MEMORY = "memory"
    """That anything is stored and learned at all."""
    LEARNING = "learning"
    """That rules and preferences are learned from what is said, and used."""
    SENSITIVE = "sensitive"
    """That secrets, cards and identity numbers are stored as they were said."""
    EGRESS = "egress"
    """That redacted text is sent to a model on another machine."""
    POPULATION = "population"
    """That counts of which skills one liked are added up with those of others; never words."""
