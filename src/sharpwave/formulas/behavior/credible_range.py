"""Where the true rate behind Beta(alpha, beta) lies [TS-01]."""

import numpy as np

from sharpwave.formulas.behavior.beta_odds import Odds

_STEPS = 2_000


def credible_range(known: Odds, share: float) -> tuple[float, float]:
    """The middle part of the distribution that holds a share of it.

    low, high = F^-1((1 - share) / 2), F^-1((1 + share) / 2), where F is the distribution function
    of Beta(alpha, beta), summed up in 2,000 steps.

    >>> [round(end, 2) for end in credible_range(Odds(1.0, 1.0), 0.9)]
    [0.05, 0.95]
    >>> [round(end, 2) for end in credible_range(Odds(31.0, 11.0), 0.9)]
    [0.62, 0.84]
    """
    rates = (np.arange(_STEPS) + 0.5) / _STEPS
    logs = (known.alpha - 1.0) * np.log(rates) + (known.beta - 1.0) * np.log1p(-rates)
    below = np.cumsum(np.exp(logs - logs.max()))
    ends = (1.0 - share) / 2.0, (1.0 + share) / 2.0
    places = np.searchsorted(below / below[-1], ends)
    low, high = rates[places]
    return float(low), float(high)
