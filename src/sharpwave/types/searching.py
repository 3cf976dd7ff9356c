"""The values that pass between the read path and a recall index."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Filter:
    """Which records may be found at all. Applied before ranking, never after."""

    kinds: frozenset[str] = frozenset()
    """Empty means every kind."""
    session: str | None = None
    since_us: int | None = None
    """Valid from this moment on, itself included."""
    until_us: int | None = None
    """Valid from before this moment."""


class Ranking(NamedTuple):
    """Record numbers, best first, with the score each got from one retriever."""

    numbers: NDArray[np.int64]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Found:
    """What an index found for one query, by each of its retrievers."""

    vector: Ranking
    keyword: Ranking
    searched: int


class Scored(NamedTuple):
    """A candidate with its score and what the score is made of."""

    number: int
    score: float
    terms: dict[str, float]
