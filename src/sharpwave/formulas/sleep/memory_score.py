"""How much a memory of the day is worth keeping at hand [SLP-16]."""

from sharpwave.formulas.ranking.recency import recency


def memory_score(importance: float, access_count: int, age_days: float, associated: bool) -> float:
    """Importance with bonuses for use, for being recent and for what was learned from it.

        score = min(1, importance + min(accesses / 10, 0.3) + 0.2 recency + 0.1 [associated])

    with `recency` by a week.

    >>> round(memory_score(0.0, 9, 1.0, associated=True), 3)
    0.573
    >>> memory_score(0.9, 50, 0.0, associated=True)
    1.0
    """
    used = min(max(0, access_count) / 10, 0.3)
    recent = 0.2 * recency(age_days, tau_days=7.0)
    return min(1.0, importance + used + recent + (0.1 if associated else 0.0))
