"""What a share of successes is worth, by how much it rests on [TOOL-08, INS-03, INTP-04]."""

import math
from collections.abc import Set


def lower_bound(successes: float, total: float, z: float) -> float:
    """The least success rate that is still likely (Wilson): few tries count for little.

        (p + z²/2n - z·√(p(1 - p)/n + z²/4n²)) / (1 + z²/n)        0 if n = 0

    >>> round(lower_bound(2, 2, z=1.96), 2), round(lower_bound(95, 100, z=1.96), 2)
    (0.34, 0.89)
    """
    if total <= 0:
        return 0.0
    p, spread = successes / total, z * z / total
    root = math.sqrt(p * (1.0 - p) * spread + spread * spread / 4.0)
    return max(0.0, (p + spread / 2.0 - root) / (1.0 + spread))


def shrunk(successes: float, total: float, prior: float, weight: float) -> float:
    """A success rate drawn to a prior, as if that had been seen `weight` times.

        (successes + weight·prior) / (total + weight)

    >>> shrunk(0, 0, prior=0.5, weight=2.0)
    0.5
    """
    return (successes + weight * prior) / (total + weight)


def evidence_strength(pieces: int, half: float) -> float:
    """Quality of evidence by its amount: 0 with none, 0.5 with `half` pieces, 1 never.

        strength = n / (n + half)

    >>> evidence_strength(3, half=3.0)
    0.5
    """
    return pieces / (pieces + half)


def keyword_similarity(one: Set[str], other: Set[str]) -> float:
    """Likeness of two sets of keywords (Jaccard).

        |one and other| / |one or other|        0 if both are empty

    >>> keyword_similarity({"fix", "auth", "bug"}, {"auth", "bug"})
    0.6666666666666666
    """
    union = len(one | other)
    return len(one & other) / union if union else 0.0
