"""The best of many, cheaply and always in the same order. Equal scores: the newest comes first."""

import numpy as np
from numpy.typing import NDArray

from sharpwave.types.searching import Ranking


def best(numbers: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> Ranking:
    """The `limit` records of highest score, best first; one that is not a number never ranks."""
    real = ~np.isnan(scores)
    if not real.all():
        numbers, scores = numbers[real], scores[real]
    chosen = top(numbers, scores, limit)
    order = chosen[np.lexsort((-numbers[chosen], -scores[chosen]))]
    return Ranking(numbers[order], scores[order])


def top(numbers: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Positions of the `limit` highest scores, in no order."""
    if limit >= len(scores):
        return np.arange(len(scores))
    if limit <= 0:
        return np.empty(0, np.intp)
    edge = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    above = np.flatnonzero(scores > edge)
    tied = np.flatnonzero(scores == edge)
    return np.concatenate([above, newest(numbers, tied, limit - len(above))])


def newest(numbers: NDArray[np.int64], positions: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Those `count` of these positions whose numbers are highest, in no order."""
    if count >= len(positions):
        return positions
    if count <= 0:
        return positions[:0]
    return positions[np.argpartition(numbers[positions], -count)[-count:]]


def empty() -> Ranking:
    """A ranking in which nothing was found."""
    return Ranking(np.empty(0, np.int64), np.empty(0, np.float32))
