"""Which notes stay when there are too many [REF-07]."""

from sharpwave.formulas.ranking.recency import recency


def note_priority(importance: float, confidence: float, age_days: float, tau_days: float) -> float:
    """What a note is worth keeping for, whatever is asked later.

        priority = importance * confidence * recency(age, tau)

    >>> round(note_priority(0.5, 0.7, age_days=30.0, tau_days=30.0), 3)
    0.129
    """
    return importance * confidence * recency(age_days, tau_days)
