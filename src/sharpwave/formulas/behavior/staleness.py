"""When a rule that was never confirmed is let go [BEH-11]."""


def is_stale(frequency: int, age_days: float, prune_days: float) -> bool:
    """True for what was observed once and is older than so many days.

        stale = frequency ≤ 1 and age > prune_days

    >>> is_stale(1, 91.0, prune_days=90.0), is_stale(2, 1000.0, prune_days=90.0)
    (True, False)
    """
    return frequency <= 1 and age_days > prune_days
