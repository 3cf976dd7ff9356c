"""Scores as shares of one: probabilities, or how much of the belief each gets.  Design: FB-10."""

import numpy as np
from numpy.typing import NDArray


def softmax(scores: NDArray[np.floating], sharpness: float) -> NDArray[np.float64]:
    """Shares that add up to 1, row by row.

        share_i = exp(sharpness · s_i) / Σ exp(sharpness · s_j)

    >>> softmax(np.log([[1.0, 3.0], [2.0, 2.0]]), sharpness=1.0).round(2).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    scaled = sharpness * np.asarray(scores, dtype=np.float64)
    powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return shares
