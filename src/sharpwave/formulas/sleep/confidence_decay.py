"""How sure we still are of what nobody has looked at [TMP-06]."""


def decayed_confidence(base: float, daily_rate: float, days: float) -> float:
    """The stored value never changes; what is left of it is worked out when it is read.

        confidence = base (1 - rate) ^ days since it was last seen or used

    >>> round(decayed_confidence(0.9, 0.001, 365), 4)
    0.6247
    """
    return float(base * (1.0 - daily_rate) ** max(0.0, days))
