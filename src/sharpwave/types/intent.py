"""What was read from a message or from a remark about an answer."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ReadContext:
    """The situation that a message is in [SKL-19]."""

    intent: str
    """question, explanation, coding, code_review, summary, planning, writing, chat,
    emotional_support, feedback or other."""
    sentiment: str
    """positive, neutral or negative."""
    time_of_day: str
    """morning, afternoon, evening or night, in the time zone of the moment given."""
    topic: NDArray[np.float32] | None
    """The vector of the message; None if there was nothing to embed, or no embedder."""
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Classified:
    """What a remark about an answer complains of; nothing if it is no complaint [FB-10]."""

    categories: Mapping[str, float]
    """How sure each category is, in [0, 1], the surest first."""
    signals: Mapping[str, float]
    """Style dimensions, and which way to move each: -1 (less) to 1 (more) [PV-14]."""
    language: str | None
    """ISO 639-1, where the spelling tells."""


@dataclass(frozen=True, slots=True)
class Implicit:
    """What the next message says about the answer before it, without a rating."""

    reward: float
    """Weak: well inside -1 to 1."""
    reason: str
    """thanks, correction or repeated."""
