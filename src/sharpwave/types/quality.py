"""Metrics: durations, decisions, and calibration of confidence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Operation:
    """Number of calls of an operation for a user, and durations of the latest ones."""

    name: str
    calls: int
    errors: int
    mean_ms: float
    p50_ms: float
    p95_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Performance:
    """Metrics of one user in this process since it was started [MET-01, MET-05, MET-08]."""

    since: datetime | None
    """Time of the first measurement; None if there is none."""
    operations: tuple[Operation, ...] = ()
    decisions: Mapping[str, int] = field(default_factory=dict)
    """Number of `recall` results by decision."""
    mean_confidence: float | None = None
    """Mean confidence of the last results of `recall`."""
    mean_tokens: float | None = None
    """Mean tokens of the last results of `context`."""
    most_tokens: int = 0
    """Tokens of the longest of them."""


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Facts of similar confidence when the user judged them."""

    low: float
    high: float
    facts: int
    right: int
    mean_confidence: float

    @property
    def share_right(self) -> float:
        """Share of these facts that were right."""
        return self.right / self.facts


@dataclass(frozen=True, slots=True)
class FactCalibration:
    """Calibration on facts that the user confirmed, denied or resolved [MET-01]."""

    judged: int
    bins: tuple[ConfidenceBin, ...]
    """The bins that contain facts, lowest confidence first."""
    expected_error: float | None
    """Expected calibration error (ECE); None if no fact was judged."""
    brier: float | None
    """Brier score: mean squared difference between confidence and outcome."""
