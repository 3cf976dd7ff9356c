"""How near some vectors are to a query, by two bits of each of their dimensions.

The first bit is the sign of a coordinate, the second says whether it is large. After a rotation the
coordinates of a unit vector are spread like a normal distribution, so half of them are larger than
the quartile, and two bits stand for the mean of what lies on either side of it. Knows nothing of
records or of how the bits are kept.
"""

import numpy as np
from numpy.typing import NDArray

QUARTILE = 0.67449
"""Half of a normal distribution lies farther than this from 0, in standard deviations."""
MEAN_BELOW, MEAN_ABOVE = 0.32466, 1.27111
"""Mean distance from 0 of the nearer and of the farther half."""
SHRINKAGE = (MEAN_BELOW**2 + MEAN_ABOVE**2) / 2
"""What is left of a vector's product with itself when its coordinates are replaced by the means."""

_FOUR = np.arange(4)
_PAIRS = np.arange(256)[:, np.newaxis]
_SIGNS = (_PAIRS >> (4 + _FOUR) & 1) * 2 - 1
_SIZES = np.where(_PAIRS >> _FOUR & 1, MEAN_ABOVE, MEAN_BELOW)
_VALUES = (_SIGNS * _SIZES).astype(np.float32)
"""What four dimensions are worth, for each byte of four signs (high) and four sizes (low)."""


def is_large(rotated: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The second bit of each coordinate of unit vectors."""
    large: NDArray[np.bool_] = np.abs(rotated) > QUARTILE / np.sqrt(rotated.shape[1])
    return large


def estimate(
    query: NDArray[np.float32], signs: NDArray[np.uint8], large: NDArray[np.uint8]
) -> NDArray[np.float32]:
    """Score of each row of packed bits (little bit order) for a query; higher is nearer.

    Four dimensions are looked up at once, in a table of what each of their 256 forms adds.
    """
    octets = signs.shape[1]
    padded = np.zeros(8 * octets, np.float32)
    padded[: len(query)] = query
    table = (padded.reshape(-1, 4) @ _VALUES.T).reshape(octets, 2, 256)
    start = 256 * np.arange(octets)
    first = table[:, 0].ravel().take(((signs & 15) << 4 | large & 15) + start)
    second = table[:, 1].ravel().take((signs & 240 | large >> 4) + start)
    scores: NDArray[np.float32] = (first + second).sum(axis=1)
    return scores
