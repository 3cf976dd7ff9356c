"""How far the same can be expected again [AGT-03]."""


def reliability(successes: int, total: int, variance: float, weight: float) -> float:
    """Consistency of something that was used `total` times, in [0, 1].

        reliability = successes / total · (1 - weight · min(1, variance))        0 if total = 0

    `variance` is that of the execution time, relative to its mean squared.

    >>> round(reliability(9, 10, 0.1, weight=0.3), 3)
    0.873
    """
    if total <= 0:
        return 0.0
    return successes / total * (1.0 - weight * min(1.0, max(0.0, variance)))
