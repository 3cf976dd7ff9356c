"""Step 3: one ranking out of those of the retrievers, with every term kept for the reader."""

from sharpwave.formulas.rank_fusion import reciprocal_rank
from sharpwave.settings import Weights
from sharpwave.types.searching import Found, Ranking, Scored


def fuse(found: Found, rrf_k: float, weights: Weights) -> list[Scored]:
    """Candidates by fused score; on a tie the newer record first."""
    terms: dict[int, dict[str, float]] = {}
    totals: dict[int, float] = {}
    for name, ranking, weight in (
        ("vector", found.vector, weights.vector),
        ("keyword", found.keyword, weights.keyword),
    ):
        _add(name, ranking, rrf_k, weight, terms, totals)
    ranked = [Scored(number, totals[number], terms[number]) for number in terms]
    return sorted(ranked, key=lambda scored: (-scored.score, -scored.number))


def _add(
    name: str,
    ranking: Ranking,
    rrf_k: float,
    weight: float,
    terms: dict[int, dict[str, float]],
    totals: dict[int, float],
) -> None:
    pairs = zip(ranking.numbers.tolist(), ranking.scores.tolist(), strict=True)
    for rank, (number, value) in enumerate(pairs, start=1):
        share = reciprocal_rank(rank, rrf_k, weight)
        own = terms.setdefault(number, {})
        own.update({name: value, f"{name}_rank": rank, f"{name}_share": share})
        totals[number] = totals.get(number, 0.0) + share
