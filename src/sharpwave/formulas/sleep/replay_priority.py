"""What is replayed first in sleep [RPL-01, RPL-02]."""


def replay_priority(importance: float, age_days: float, has_feedback: bool) -> float:
    """Important, recent or judged experiences come first.

        priority = |importance| + 1 / max(1, days) + (1 if somebody gave feedback)

    `importance` is how near it lies to what the user asked lately, not the stored one.

    >>> replay_priority(-0.25, 4.0, has_feedback=True)
    1.5
    >>> replay_priority(0.0, 0.0, has_feedback=False)
    1.0
    """
    return abs(importance) + 1.0 / max(1.0, age_days) + (1.0 if has_feedback else 0.0)


def replay_weight(priority: float, alpha: float) -> float:
    """The chance of being drawn is proportional to this.

        weight = priority ^ alpha

    >>> round(replay_weight(2.0, 0.6), 4)
    1.5157
    """
    return float(priority**alpha)
