"""Whether something is on the rise, and how long things last [TMP-08]."""

import math

from sharpwave.formulas.experience.chance import binomial_tail


def trend_chance(before: int, after: int) -> float:
    """The chance that two equal stretches of time differ so much, or more, by accident.

        p = min(1, 2 P(X >= max(before, after)))        X ~ Binomial(before + after, 1/2)

    >>> round(trend_chance(1, 9), 4)
    0.0215
    >>> trend_chance(5, 5)
    1.0
    """
    return min(1.0, 2.0 * binomial_tail(before + after, 0.5, max(before, after)))


def typical_days(lasted_days: float, changes: int, prior_days: float) -> float:
    """How long a value lasts on average, by how long the past ones did.

        typical = (prior + Σ days observed) / (1 + changes)

    The prior counts as one change, so that nothing is known for certain from one value.

    >>> typical_days(200.0, 3, prior_days=400.0)
    150.0
    """
    return (prior_days + lasted_days) / (1 + changes)


def still_holds(days: float, typical: float) -> float:
    """The chance that a value still holds so long after it was last seen.

        P = exp(-days / typical)

    >>> round(still_holds(150.0, 150.0), 3)
    0.368
    """
    return math.exp(-max(0.0, days) / typical)
