"""Quantiles of durations without keeping them: counts in buckets that grow by a factor."""

import math
from collections.abc import Mapping

_TINY = 1e-6  # anything smaller counts as this: no duration is measured so finely


def bucket(value: float, accuracy: float) -> int:
    """The bucket of a value that is not negative.

        bucket = ceil(log(max(value, 1e-6)) / log(g))        g = (1 + accuracy) / (1 - accuracy)

    >>> bucket(1.0, accuracy=0.05)
    0
    """
    return math.ceil(math.log(max(value, _TINY)) / math.log(_growth(accuracy)))


def quantile(counts: Mapping[int, int], share: float, accuracy: float) -> float:
    """The value that a share of those seen does not exceed, to a relative accuracy.

        the first bucket b with (counts up to b) > share·(n - 1);   value = 2·g^b / (g + 1)

    >>> counts = {bucket(value, accuracy=0.05): 1 for value in (10.0, 20.0, 400.0)}
    >>> 19 < quantile(counts, 0.5, accuracy=0.05) < 21
    True
    """
    wanted, growth = share * (sum(counts.values()) - 1), _growth(accuracy)
    total = 0
    for place in sorted(counts):
        total += counts[place]
        if total > wanted:
            return float(2.0 * growth**place / (growth + 1.0))
    return 0.0


def _growth(accuracy: float) -> float:
    return (1.0 + accuracy) / (1.0 - accuracy)
