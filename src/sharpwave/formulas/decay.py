"""How age counts: recency, half-lives, decay of confidence, temperature, how long values last."""

import math

from sharpwave.types.records import Temperature


def recency(age_days: float, tau_days: float) -> float:
    """How fresh a memory is, from 1 (now) towards 0; what lies in the future is fresh [SCO-06].

        recency = exp(-max(0, age) / tau)

    >>> round(recency(7.0, tau_days=7.0), 4)
    0.3679
    """
    return math.exp(-max(0.0, age_days) / tau_days)


def half_life_decay(age_days: float, half_life_days: float) -> float:
    """Weight of something last seen so long ago [PAT-09].

        decay = 0.5 ** (max(0, age_days) / half_life_days)

    >>> half_life_decay(7.0, half_life_days=7.0)
    0.5
    """
    return float(0.5 ** (max(0.0, age_days) / half_life_days))


def decayed_confidence(base: float, daily_rate: float, days: float) -> float:
    """Confidence left after `days`; the stored value never changes [TMP-06].

        confidence = base (1 - rate) ^ days since it was last seen or used

    >>> round(decayed_confidence(0.9, 0.001, 365), 4)
    0.6247
    """
    return float(base * (1.0 - daily_rate) ** max(0.0, days))


def time_bucket(age_days: float, hot_days: float, warm_days: float) -> Temperature:
    """Temperature by age: hot, warm or cold [TMP-03, EPI-03].

        hot  if age_days <= hot_days
        warm if age_days <= warm_days
        cold otherwise

    What lies in the future is hot.

    >>> time_bucket(3.0, hot_days=14.0, warm_days=90.0).value
    'hot'
    >>> time_bucket(90.0, hot_days=14.0, warm_days=90.0).value
    'warm'
    """
    if age_days <= hot_days:
        return Temperature.HOT
    return Temperature.WARM if age_days <= warm_days else Temperature.COLD


def typical_days(lasted_days: float, changes: int, prior_days: float) -> float:
    """How long a value lasts on average, by how long the past ones did [TMP-08].

        typical = (prior + Σ days observed) / (1 + changes)

    The prior counts as one change, so that nothing is known for certain from one value.

    >>> typical_days(200.0, 3, prior_days=400.0)
    150.0
    """
    return (prior_days + lasted_days) / (1 + changes)


def survival_probability(days: float, typical: float) -> float:
    """The chance that a value still holds so long after it was last seen [TMP-08].

        P = exp(-days / typical)

    >>> round(survival_probability(150.0, 150.0), 3)
    0.368
    """
    return math.exp(-max(0.0, days) / typical)
