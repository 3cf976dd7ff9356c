"""How far confidence is from the share of what turned out right [MET-01]."""

from collections.abc import Sequence

BINS = 10


def bin_of(confidence: float) -> int:
    """The bin of a confidence: tenths, the last with its upper end.

    >>> bin_of(0.0), bin_of(0.79), bin_of(1.0)
    (0, 7, 9)
    """
    return min(int(confidence * BINS), BINS - 1)


def calibration_error(bins: Sequence[tuple[int, int, float]]) -> float | None:
    """ECE = sum_b (n_b / n) * |right_b / n_b - confidence_b|; None if there is nothing.

    A bin is how many there are, how many were right, and the sum of their confidences.

    >>> calibration_error([(4, 1, 1.0), (4, 4, 3.0)])
    0.125
    """
    total = sum(n for n, _, _ in bins)
    if not total:
        return None
    return sum(abs(right - confidence) for _, right, confidence in bins) / total
