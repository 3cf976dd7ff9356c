"""Means and spreads that need no list of what was seen [TOOL-01, TOOL-07]."""

from typing import NamedTuple


class Running(NamedTuple):
    """How many were seen, their mean, and the sum of squares around it."""

    seen: int = 0
    mean: float = 0.0
    squares: float = 0.0


def taken_in(running: Running, value: float) -> Running:
    """The mean and spread after one more value (Welford).

        n' = n + 1;  m' = m + (x - m) / n';  s' = s + (x - m)·(x - m')

    >>> taken_in(taken_in(Running(), 2.0), 4.0)
    Running(seen=2, mean=3.0, squares=2.0)
    """
    count = running.seen + 1
    gap = value - running.mean
    mean = running.mean + gap / count
    return Running(count, mean, running.squares + gap * (value - mean))


def variance(running: Running) -> float:
    """Mean squared distance from the mean; 0 for fewer than two values.

        v = s / n

    >>> variance(Running(seen=2, mean=3.0, squares=2.0))
    1.0
    """
    return running.squares / running.seen if running.seen > 1 else 0.0


def relative_variance(running: Running) -> float:
    """Variance in units of the mean squared; 0 for fewer than two values.

        v = (s / n) / m²

    >>> relative_variance(Running(seen=2, mean=3.0, squares=2.0))
    0.1111111111111111
    """
    return variance(running) / running.mean**2 if running.mean else 0.0
