"""Arrays that grow at their end, their distinct values, and the best of many by a score."""

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sharpwave.types.searching import Ranking

Scalar = TypeVar("Scalar", bound=np.generic)


def distinct(values: NDArray[Scalar]) -> NDArray[Scalar]:
    """Each value once, increasing; `np.unique` would load the masked arrays of NumPy first.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(values, axis=None)
    new = np.ones(len(ordered), np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


class Column(Generic[Scalar]):
    """Values of one type; its space doubles when full, so adding costs the same at any size.

    With `width`, each entry is a stack of that many values and the shape is (width, entries).
    """

    def __init__(self, dtype: type[Scalar], width: int | None = None) -> None:
        shape = (0,) if width is None else (width, 0)
        self._space: NDArray[Scalar] = np.empty(shape, dtype)
        self._used = 0

    def __len__(self) -> int:
        """How many entries there are."""
        return self._used

    @property
    def values(self) -> NDArray[Scalar]:
        """All entries, as a view that later growth does not follow."""
        return self._space[..., : self._used]

    @property
    def nbytes(self) -> int:
        """Memory taken, the spare space included."""
        return self._space.nbytes

    def extend(self, entries: NDArray[Scalar]) -> None:
        """Add entries at the end."""
        needed = self._used + entries.shape[-1]
        capacity = self._space.shape[-1]
        if needed > capacity:
            grown = np.empty(
                (*self._space.shape[:-1], max(needed, 2 * capacity)), self._space.dtype
            )
            grown[..., : self._used] = self.values
            self._space = grown
        self._space[..., self._used : needed] = entries
        self._used = needed

    def keep(self, positions: NDArray[np.intp]) -> None:
        """Keep only these entries, in this order, and give the spare space back."""
        self._space = np.take(self.values, positions, axis=-1)
        self._used = len(positions)


def best(numbers: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> Ranking:
    """The `limit` records of highest score, best first; a score of NaN never ranks."""
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
    """The `count` of these positions with the highest numbers, in no order."""
    if count >= len(positions):
        return positions
    if count <= 0:
        return positions[:0]
    return positions[np.argpartition(numbers[positions], -count)[-count:]]


def empty() -> Ranking:
    """A ranking in which nothing was found."""
    return Ranking(np.empty(0, np.int64), np.empty(0, np.float32))
