"""What was read from a message or from feedback."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ReadContext:
    """What a message is about and how it is meant."""

    intent: str
    sentiment: str
    time_of_day: str
    topic: NDArray[np.float32] | None
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Classified:
    """What feedback complains about, and in which direction the style should move."""

    categories: Mapping[str, float]
    signals: Mapping[str, float]
    """Style dimension to a direction from -1 to 1."""
    language: str | None


@dataclass(frozen=True, slots=True)
class Implicit:
    """What a reaction says about the answer before it, without being feedback."""

    reward: float
    reason: str
