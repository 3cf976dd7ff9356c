"""How what is known changes over time."""

from dataclasses import dataclass
from datetime import datetime

from sharpwave.types.known import Fact


@dataclass(frozen=True, slots=True)
class Trend:
    """Somebody or something that comes up more, or less, than it did."""

    name: str
    rising: bool
    before: int
    """Records that mention it in the first half of the time looked at."""
    after: int
    """And in the second."""
    chance: float
    """How likely so much of a change is by accident."""
    as_of: datetime


@dataclass(frozen=True, slots=True)
class Shift:
    """A fact that took the place of another: a change of mind, of place, of habit [TMP-10]."""

    old: Fact
    new: Fact
    at: datetime


@dataclass(frozen=True, slots=True)
class Prediction:
    """Whether a fact will still hold at a moment, by how long its like has lasted [TMP-08]."""

    fact: Fact
    at: datetime
    probability: float
    changes: int
    """How often it changed so far."""
    typical_days: float
    """How long a value lasts on average."""
