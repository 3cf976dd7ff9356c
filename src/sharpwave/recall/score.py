"""Step 3: one ranking out of those of the retrievers, with every term kept for the reader."""

from sharpwave.formulas.rank_fusion import reciprocal_rank
from sharpwave.settings import Weights
from sharpwave.types.searching import Found, Scored


def fuse(found: Found, rrf_k: float, weights: Weights, k: int) -> list[Scored]:
    """The best k candidates by fused score; on a tie the newer record first."""
    rankings = (
        ("vector", found.vector, weights.vector),
        ("keyword", found.keyword, weights.keyword),
    )
    totals: dict[int, float] = {}
    for _, ranking, weight in rankings:
        for rank, number in enumerate(ranking.numbers.tolist(), start=1):
            totals[number] = totals.get(number, 0.0) + reciprocal_rank(rank, rrf_k, weight)
    best = sorted(totals, key=lambda number: (-totals[number], -number))[:k]
    terms: dict[int, dict[str, float]] = {number: {} for number in best}
    for name, ranking, weight in rankings:
        for place, number in enumerate(ranking.numbers.tolist()):
            if number in terms:
                share = reciprocal_rank(place + 1, rrf_k, weight)
                value = float(ranking.scores[place])
                terms[number] |= {name: value, f"{name}_rank": place + 1, f"{name}_share": share}
    return [Scored(number, totals[number], terms[number]) for number in best]
