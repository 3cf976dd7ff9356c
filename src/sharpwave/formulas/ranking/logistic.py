"""A score as a probability.  Design: CNF-04; the numbers of the calibration are in the weights."""

import math


def logistic(log_odds: float) -> float:
    """The probability with these odds.

        logistic = 1 / (1 + exp(-log_odds))        range [0, 1]

    >>> logistic(0.0), logistic(-1000.0)
    (0.5, 0.0)
    """
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    odds = math.exp(log_odds)
    return odds / (1.0 + odds)
