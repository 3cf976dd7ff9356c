"""Step 3: the candidates worth a closer look, by fusing how each feature ranks them [RD-09]."""

import numpy as np

from sharpwave.formulas.relevance import reciprocal_rank
from sharpwave.types.searching import FEATURES, Gathered, Shortlist

RANKED_BY = (
    "bm25",
    "bm25_window1",
    "bm25_window3",
    "bm25_session",
    "cover",
    "cosine",
    "cosine_window3",
)
"""Features that rank the candidates, each with the same say."""


def best(gathered: Gathered, rrf_k: float, size: int) -> Shortlist:
    """The best candidates by the sum of their reciprocal ranks; on a tie the newer first."""
    newest = np.argsort(-gathered.numbers, kind="stable")
    fused = np.zeros(len(gathered.numbers))
    for name in RANKED_BY:
        values = gathered.features[:, FEATURES.index(name)]
        order = newest[np.argsort(-values[newest], kind="stable")]
        ranks = np.empty(len(order))
        ranks[order] = np.arange(1, len(order) + 1)
        fused += reciprocal_rank(ranks, rrf_k, weight=1.0)
    chosen = newest[np.argsort(-fused[newest], kind="stable")][:size]
    return Shortlist(
        gathered.numbers[chosen],
        FEATURES,
        gathered.features[chosen],
        gathered.beside[chosen],
        gathered.known,
    )
