"""How often something else is tried [EXP-02]."""


def exploration_rate(ratings: int, start: float, floor: float, decay: float) -> float:
    """Decays with every rating, not with use: whoever says nothing is asked more.

        ε = max(floor, start·decay^ratings)

    >>> [round(exploration_rate(n, 0.1, 0.05, 0.95), 4) for n in (0, 1, 14)]
    [0.1, 0.095, 0.05]
    """
    return float(max(floor, start * decay**ratings))
