"""Running means, quantiles from buckets, and success rates with little evidence."""

import math
from collections.abc import Mapping
from typing import NamedTuple


class Running(NamedTuple):
    """How many were seen, their mean, and the sum of squares around it."""

    seen: int = 0
    mean: float = 0.0
    squares: float = 0.0


def taken_in(running: Running, value: float) -> Running:
    """Mean and spread after one more value (Welford) [TOOL-01].

        n' = n + 1;  m' = m + (x - m) / n';  s' = s + (x - m)·(x - m')

    >>> taken_in(taken_in(Running(), 2.0), 4.0)
    Running(seen=2, mean=3.0, squares=2.0)
    """
    count = running.seen + 1
    gap = value - running.mean
    mean = running.mean + gap / count
    return Running(count, mean, running.squares + gap * (value - mean))


def variance(running: Running) -> float:
    """Mean squared distance from the mean; 0 for fewer than two values [TOOL-07].

        v = s / n

    >>> variance(Running(seen=2, mean=3.0, squares=2.0))
    1.0
    """
    return running.squares / running.seen if running.seen > 1 else 0.0


def relative_variance(running: Running) -> float:
    """Variance in units of the mean squared; 0 for fewer than two values [TOOL-07].

        v = (s / n) / m²

    >>> relative_variance(Running(seen=2, mean=3.0, squares=2.0))
    0.1111111111111111
    """
    return variance(running) / running.mean**2 if running.mean else 0.0


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


def lower_bound(successes: float, total: float, z: float) -> float:
    """The least success rate that is still likely (Wilson): few tries count for little [TOOL-08].

        (p + z²/2n - z·√(p(1 - p)/n + z²/4n²)) / (1 + z²/n)        0 if n = 0

    >>> round(lower_bound(2, 2, z=1.96), 2), round(lower_bound(95, 100, z=1.96), 2)
    (0.34, 0.89)
    """
    if total <= 0:
        return 0.0
    p, spread = successes / total, z * z / total
    root = math.sqrt(p * (1.0 - p) * spread + spread * spread / 4.0)
    return max(0.0, (p + spread / 2.0 - root) / (1.0 + spread))


def is_within_bounds(successes: float, total: float, rate: float, z: float) -> bool:
    """Whether a rate is still likely after so many successes: inside Wilson's interval [TOOL-08].

        lower_bound(k, n) <= rate <= 1 - lower_bound(n - k, n)

    >>> is_within_bounds(9, 9, 0.9, z=1.28), is_within_bounds(9, 9, 0.5, z=1.28)
    (True, False)
    """
    highest = 1.0 - lower_bound(total - successes, total, z)
    return lower_bound(successes, total, z) <= rate <= highest


def shrunk(successes: float, total: float, prior: float, weight: float) -> float:
    """A success rate drawn to a prior, as if that had been seen `weight` times [TOOL-08].

        (successes + weight·prior) / (total + weight)

    >>> shrunk(0, 0, prior=0.5, weight=2.0)
    0.5
    """
    return (successes + weight * prior) / (total + weight)


def evidence_strength(pieces: int, half: float) -> float:
    """Quality of evidence by its amount: 0 with none, 0.5 with `half` pieces, 1 never [INS-03].

        strength = n / (n + half)

    >>> evidence_strength(3, half=3.0)
    0.5
    """
    return pieces / (pieces + half)


def reliability(successes: int, total: int, variance: float, weight: float) -> float:
    """Consistency of something that was used `total` times, in [0, 1] [AGT-03].

        reliability = successes / total · (1 - weight · min(1, variance))        0 if total = 0

    `variance` is that of the execution time, relative to its mean squared.

    >>> round(reliability(9, 10, 0.1, weight=0.3), 3)
    0.873
    """
    if total <= 0:
        return 0.0
    return successes / total * (1.0 - weight * min(1.0, max(0.0, variance)))
