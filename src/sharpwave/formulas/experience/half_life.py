"""How much the age of a pattern counts in ranking; never in similarity [PAT-09]."""


def half_life_decay(age_days: float, half_life_days: float) -> float:
    """Weight of something last seen so long ago.

        decay = 0.5 ** (max(0, age_days) / half_life_days)

    >>> half_life_decay(7.0, half_life_days=7.0)
    0.5
    """
    return float(0.5 ** (max(0.0, age_days) / half_life_days))
