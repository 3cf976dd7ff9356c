"""How good a ranking is, and how good stated probabilities are.

A ranking is a sequence of positions, best first. Everything right counts the same.
"""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from math import log2
from typing import Any


@dataclass(frozen=True, slots=True)
class Scores:
    """The quality of one ranking, or the mean over many; each in [0, 1]."""

    ndcg_at_10: float
    recall_at_1: float
    recall_at_5: float
    recall_at_10: float
    mrr: float


def scores(ranked: Sequence[int], right: Collection[int]) -> Scores:
    """Every measure of one ranking."""
    return Scores(
        ndcg_at_10=ndcg(ranked, right, 10),
        recall_at_1=recall(ranked, right, 1),
        recall_at_5=recall(ranked, right, 5),
        recall_at_10=recall(ranked, right, 10),
        mrr=reciprocal_rank(ranked, right),
    )


def mean(each: Sequence[Scores]) -> Scores:
    """The mean of each measure.

    >>> mean([Scores(1, 1, 1, 1, 1), Scores(0, 0, 1, 1, 0.5)])
    Scores(ndcg_at_10=0.5, recall_at_1=0.5, recall_at_5=1.0, recall_at_10=1.0, mrr=0.75)
    """
    names = [field.name for field in fields(Scores)]
    return Scores(**{name: sum(getattr(bin_, name) for bin_ in each) / len(each) for name in names})


def ndcg(ranked: Sequence[int], right: Collection[int], k: int) -> float:
    """Discounted gain of the first k, as a share of the best possible.

        ndcg = Σ_{rank ≤ k, right} 1 / log2(rank + 1)  /  Σ_{rank ≤ min(k, n)} 1 / log2(rank + 1)

    >>> ndcg([4, 7, 9], right={7}, k=10) == 1 / log2(3)
    True
    """
    gained = sum(
        1 / log2(rank + 1) for rank, position in enumerate(ranked[:k], start=1) if position in right
    )
    return gained / sum(1 / log2(rank + 1) for rank in range(1, min(k, len(right)) + 1))


def recall(ranked: Sequence[int], right: Collection[int], k: int) -> float:
    """Share of what is right that is among the first k.

    >>> recall([4, 7, 9], right={7, 5}, k=2)
    0.5
    """
    return len(set(ranked[:k]).intersection(right)) / len(right)


def reciprocal_rank(ranked: Sequence[int], right: Collection[int]) -> float:
    """One over the rank of the first that is right; 0 without one.

    >>> reciprocal_rank([4, 7, 9], right={9, 7})
    0.5
    """
    return next(
        (1 / rank for rank, position in enumerate(ranked, start=1) if position in right), 0.0
    )


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """How often a positive scores above a negative; ties count half. None without both.

    >>> auroc([0.9, 0.4, 0.6, 0.1], [True, True, False, False])
    0.75
    """
    above = [score for score, is_positive in zip(scores, positive, strict=True) if is_positive]
    below = [score for score, is_positive in zip(scores, positive, strict=True) if not is_positive]
    if not above or not below:
        return None
    wins = sum((high > other) + 0.5 * (high == other) for high in above for other in below)
    return wins / (len(above) * len(below))


def brier(stated: Sequence[float], observed: Sequence[bool]) -> float:
    """Mean squared distance of the stated probability from what was so.

    >>> brier([1.0, 0.5], [True, False])
    0.125
    """
    pairs = zip(stated, observed, strict=True)
    return sum((probability - was) ** 2 for probability, was in pairs) / len(stated)


def ece(stated: Sequence[float], observed: Sequence[bool], bins: int) -> float:
    """Expected calibration error: mean distance of stated and observed, over bins of equal width.

    >>> round(ece([0.9, 0.9, 0.1, 0.1], [True, True, False, False], bins=10), 3)
    0.1
    """
    each = calibration_bins(stated, observed, bins)
    gaps = (abs(bin_["confidence"] - bin_["observed"]) * bin_["questions"] for bin_ in each)
    return float(sum(gaps) / len(stated))


def risk_coverage(stated: Sequence[float], observed: Sequence[bool]) -> list[dict[str, float]]:
    """The share of wrong ones among the surest 10 %, 20 % … of the questions."""
    order = sorted(range(len(stated)), key=lambda place: -stated[place])
    points = []
    for tenth in range(1, 11):
        some = order[: max(1, len(order) * tenth // 10)]
        wrong = sum(not observed[place] for place in some)
        points.append({"coverage": tenth / 10, "risk": wrong / len(some)})
    return points


def calibration_bins(
    stated: Sequence[float], observed: Sequence[bool], bins: int
) -> list[dict[str, Any]]:
    """Mean stated and observed probability, and number of questions, of each bin that has any."""
    filled: dict[int, list[int]] = {}
    for place, probability in enumerate(stated):
        filled.setdefault(min(int(probability * bins), bins - 1), []).append(place)
    return [
        {
            "confidence": sum(stated[place] for place in places) / len(places),
            "observed": sum(observed[place] for place in places) / len(places),
            "questions": len(places),
        }
        for _, places in sorted(filled.items())
    ]


def dice(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Twice what both sets have, over what each has; 0 if both are empty.

    >>> dice({"bullet", "point"}, {"bullet", "point", "summary"})
    0.8
    """
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 0.0
