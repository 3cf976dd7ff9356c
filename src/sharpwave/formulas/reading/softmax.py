"""Scores as probabilities.  Design: FB-10, resolution 30."""

import numpy as np
from numpy.typing import NDArray


def softmax(scores: NDArray[np.floating], sharpness: float) -> NDArray[np.float64]:
    """The probability of each column, row by row.

        p_i = exp(sharpness · s_i) / Σ exp(sharpness · s_j)

    >>> softmax(np.array([[0.0, 0.0]]), 5.0).tolist()
    [[0.5, 0.5]]
    """
    scaled = sharpness * np.asarray(scores, dtype=np.float64)
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return shares
