"""Background jobs, the cost of models, and consent."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class JobState(StrEnum):
    """State of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """It is not retried unless you queue it again."""


@dataclass(frozen=True, slots=True)
class Job:
    """A background job. Its payload has ids and numbers, never text."""

    number: int
    user_id: str
    kind: str
    payload: Mapping[str, object]
    state: JobState
    attempts: int
    lease: int
    """Fencing token: how often it was leased. A worker that lost the lease cannot finish it."""
    not_before: datetime
    created_at: datetime
    finished_at: datetime | None = None
    error: str | None = None

    @property
    def ids(self) -> list[str]:
        """Ids of the records it is about."""
        ids = self.payload.get("ids")
        return [str(id_) for id_ in ids] if isinstance(ids, list | tuple) else []


@dataclass(frozen=True, slots=True)
class Spending:
    """The cost of models for a user on one day."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    """In the currency of the prices in the settings."""


class Purpose(StrEnum):
    """What a user may consent to."""

    MEMORY = "memory"
    """Storing messages and learning from them."""
    LEARNING = "learning"
    """Learning rules and preferences from messages, and using them."""
    SENSITIVE = "sensitive"
    """Storing secrets, cards and identity numbers unredacted."""
    EGRESS = "egress"
    """Sending redacted text to a model on another machine."""
    POPULATION = "population"
    """Adding counts of liked skills to those of other users; never text."""
