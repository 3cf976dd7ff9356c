"""The best few that do not say the same thing twice.  Design: RD-07, resolution 58."""

import numpy as np
from numpy.typing import NDArray


def mmr(
    scores: NDArray[np.float64], alike: NDArray[np.float64], balance: float, k: int
) -> list[int]:
    """Positions of k candidates, chosen one by one: good, and unlike those chosen before.

        next = argmax_i  balance score_i - (1 - balance) max_{j chosen} alike_ij

    `scores` and `alike` are from 0 to 1. With balance 1 they are the k best. Of equals the earlier.

    >>> scores, alike = np.array([1.0, 0.9, 0.5]), np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1.0]])
    >>> mmr(scores, alike, balance=0.5, k=2)
    [0, 2]
    """
    chosen: list[int] = []
    nearest = np.zeros(len(scores))
    worth = balance * scores
    for _ in range(min(k, len(scores))):
        best = int((worth - (1 - balance) * nearest).argmax())
        chosen.append(best)
        worth[best] = -np.inf  # not again
        nearest = np.maximum(nearest, alike[best])
    return chosen
