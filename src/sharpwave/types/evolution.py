"""How what is known changes over time."""

from dataclasses import dataclass
from datetime import datetime

from sharpwave.types.known import Fact


@dataclass(frozen=True, slots=True)
class Trend:
    """A person or thing that comes up more, or less, than before."""

    name: str
    rising: bool
    before: int
    """Mentions in the first half of the time compared."""
    after: int
    """Mentions in the second half."""
    chance: float
    """Probability of such a change by chance."""
    as_of: datetime


@dataclass(frozen=True, slots=True)
class Shift:
    """A fact that replaced another: a change of mind, of place, of habit [TMP-10]."""

    old: Fact
    new: Fact
    at: datetime


@dataclass(frozen=True, slots=True)
class Prediction:
    """Whether a fact will still hold at a moment, by how long such facts lasted [TMP-08]."""

    fact: Fact
    at: datetime
    probability: float
    changes: int
    """How often it changed so far."""
    typical_days: float
    """How long a value lasts on average."""
