"""How fresh a memory is.  Design: SCO-06, resolution 64."""

import math


def recency(age_days: float, tau_days: float) -> float:
    """How fresh a memory is, from 1 (now) towards 0; what lies in the future is fresh.

        recency = exp(-max(0, age) / tau)

    >>> round(recency(7.0, tau_days=7.0), 4)
    0.3679
    """
    return math.exp(-max(0.0, age_days) / tau_days)
