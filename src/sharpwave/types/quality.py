"""How well this works: how long it takes, what is decided, how often beliefs turned out right."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Operation:
    """How often something was done for a user, and how long the last times took."""

    name: str
    calls: int
    errors: int
    mean_ms: float
    p50_ms: float
    p95_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Performance:
    """What this program measured for one user since it was started [MET-01, MET-05, MET-08]."""

    since: datetime | None
    """When the first was measured; None if nothing was yet."""
    operations: tuple[Operation, ...] = ()
    decisions: Mapping[str, int] = field(default_factory=dict)
    """How often `recall` came to each decision."""
    mean_confidence: float | None = None
    """Mean confidence of the last answers of `recall`."""
    mean_tokens: float | None = None
    """Mean tokens of the last answers of `context`."""
    most_tokens: int = 0
    """Tokens of the longest of them."""


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Facts that we were about equally sure of, when the user said whether they are right."""

    low: float
    high: float
    facts: int
    right: int
    mean_confidence: float

    @property
    def share_right(self) -> float:
        """How many of them were right."""
        return self.right / self.facts


@dataclass(frozen=True, slots=True)
class FactCalibration:
    """How sure we were of facts that the user confirmed, denied or decided between [MET-01]."""

    judged: int
    bins: tuple[ConfidenceBin, ...]
    """The bins that hold any facts, the least sure first."""
    expected_error: float | None
    """ECE: by how much confidence and share of right ones differ; None if nothing was judged."""
    brier: float | None
    """The mean squared difference between confidence and outcome."""
