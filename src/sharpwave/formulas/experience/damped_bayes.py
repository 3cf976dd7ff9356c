"""How sure a pattern is after one more outcome [PAT-16]."""


def damped_bayes(
    prior: float, success: bool, likelihood: float, rate: float, floor: float, ceiling: float
) -> float:
    """Confidence after one more success or failure; it never sticks at 0 or 1.

        p   = prior clamped to [floor, ceiling]
        l   = likelihood if success else 1 - likelihood
        b   = l·p / (l·p + (1 - l)·(1 - p))
        new = p + rate·(b - p), clamped to [floor, ceiling]

    >>> round(damped_bayes(0.5, True, likelihood=0.8, rate=0.1, floor=0.01, ceiling=0.99), 4)
    0.53
    >>> round(damped_bayes(0.5, False, likelihood=0.8, rate=0.1, floor=0.01, ceiling=0.99), 4)
    0.47
    >>> damped_bayes(1.0, False, likelihood=0.8, rate=0.1, floor=0.01, ceiling=0.99) < 0.99
    True
    """
    p = min(ceiling, max(floor, prior))
    seen = likelihood if success else 1.0 - likelihood
    posterior = seen * p / (seen * p + (1.0 - seen) * (1.0 - p))
    return min(ceiling, max(floor, p + rate * (posterior - p)))
