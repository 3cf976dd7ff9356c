"""How good a ranking is, when some of what it ranks is known to be right.

A ranking is a sequence of positions, best first. Everything right counts the same.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from math import log2


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
    return Scores(**{name: sum(getattr(one, name) for one in each) / len(each) for name in names})


def ndcg(ranked: Sequence[int], right: Collection[int], k: int) -> float:
    """Discounted gain of the first k, as a share of the best possible.

        ndcg = Σ_{rank ≤ k, right} 1 / log2(rank + 1)  /  Σ_{rank ≤ min(k, n)} 1 / log2(rank + 1)

    >>> ndcg([4, 7, 9], right={7}, k=10) == 1 / log2(3)
    True
    """
    gained = sum(1 / log2(rank + 1) for rank, one in enumerate(ranked[:k], start=1) if one in right)
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
    return next((1 / rank for rank, one in enumerate(ranked, start=1) if one in right), 0.0)
