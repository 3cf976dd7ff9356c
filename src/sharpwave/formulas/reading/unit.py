"""Directions of vectors, seen from their middle.  Design: FB-09."""

import numpy as np
from numpy.typing import NDArray

LEAST_LENGTH = np.float32(1e-6)


def centred_units(vectors: NDArray[np.float32], middle: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each vector less the middle, at length one; one in the middle itself stays nothing.

        unit = (v - middle) / |v - middle|

    >>> centred_units(np.array([[4, 1], [0, 1]], "f"), np.array([0, 1], "f")).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    moved = vectors - middle
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    units: NDArray[np.float32] = moved / np.maximum(lengths, LEAST_LENGTH)
    return units
