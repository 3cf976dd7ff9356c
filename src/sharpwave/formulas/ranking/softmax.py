"""Scores as shares of one: how much of the belief each candidate gets."""

import numpy as np
from numpy.typing import NDArray


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares that add up to 1.

        share_i = e^score_i / sum_j e^score_j

    >>> softmax(np.log(np.array([1.0, 3.0]))).round(2).tolist()
    [0.25, 0.75]
    """
    powers = np.exp(scores - scores.max())
    shares: NDArray[np.float64] = powers / powers.sum()
    return shares
