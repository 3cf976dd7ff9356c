"""Step 3: candidates from the recall index, by vector and by keywords, with their features."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import ProviderError
from sharpwave.formulas.relevance import reciprocal_rank
from sharpwave.ports import MeaningEmbedder, TokenMatcher
from sharpwave.types.query import Question
from sharpwave.types.searching import Found, Gathered, Worded
from sharpwave.workspace import Workspace

CANDIDATES = 50
"""Candidates that each retriever contributes [RD-02]."""
RRF_K = 60.0
"""Rank constant of reciprocal rank fusion: larger is flatter [RD-09]."""
SHORTLIST = 64
"""Best candidates of all retrievers that are scored."""

WITHOUT_VECTOR = (
    "have no vector of the current embedder, so keywords alone find them until "
    "`memory.admin.reembed()`, or `sharpwave reembed` with a built-in embedder"
)


def candidates(
    question: Question, workspace: Workspace, also: Sequence[int] = ()
) -> tuple[Found, tuple[str, ...]]:
    """The best of each retriever, and `also`; if the embedder fails, keywords alone and a note."""
    notes: tuple[str, ...] = ()
    try:
        vector = workspace.embedder.embed_question(question.text)
    except ProviderError as error:
        vector = np.zeros(workspace.embedder.space.dimension, dtype=np.float32)  # matches nothing
        notes = (f"searched by keywords only: {error}",)
    wanted = max(CANDIDATES, question.k)
    found = workspace.index.search(question.text, vector, wanted, question.only, also)
    if found.without_vector:
        notes = (*notes, f"{found.without_vector} memories {WITHOUT_VECTOR}")
    return found, notes


RANKED_BY = (
    "bm25",
    "bm25_window1",
    "bm25_window3",
    "bm25_session",
    "cover",
    "cosine",
    "cosine_window3",
)
"""Features that rank the candidates, each with the same weight."""


def best(gathered: Gathered, k: int) -> Gathered:
    """The best candidates by the sum of their reciprocal ranks; on a tie the newer first."""
    newest = np.argsort(-gathered.numbers, kind="stable")
    fused = np.zeros(len(gathered.numbers))
    for name in RANKED_BY:
        values = gathered.column(name)
        order = newest[np.argsort(-values[newest], kind="stable")]
        ranks = np.empty(len(order))
        ranks[order] = np.arange(1, len(order) + 1)
        fused += reciprocal_rank(ranks, RRF_K, weight=1.0)
    chosen = newest[np.argsort(-fused[newest], kind="stable")][: max(SHORTLIST, k)]
    return replace(
        gathered,
        numbers=gathered.numbers[chosen],
        features=gathered.features[chosen],
        beside=gathered.beside[chosen],
    )


READ_FEATURES = ("tokens", "tokens_window", "own", "numbers", "counted", "dated", "meaning")

_QUANTITY = re.compile(
    r"^\W*when\b|\bhow (?:many|much|long|often|old|far)\b|\bwhat (?:date|day|month|year|time)\b",
    re.IGNORECASE,
)


def read(question: Question, listed: Gathered, workspace: Workspace) -> Gathered:
    """The shortlist with features of words and meaning of each candidate and its neighbours."""
    wanted = np.array(sorted({*listed.numbers.tolist(), *listed.beside.flat}), np.int64)
    worded = workspace.index.worded(wanted)
    own = np.searchsorted(wanted, listed.numbers)
    features = np.zeros((len(listed.numbers), len(READ_FEATURES)), np.float32)
    if workspace.shared.tokens is not None:
        beside = np.searchsorted(wanted, listed.beside)
        features[:, :2] = _tokens(question.text, worded, own, beside, workspace.shared.tokens)
    numbers = worded.numbers[own]
    features[:, 2] = worded.own[own]
    features[:, 3] = numbers
    features[:, 4] = numbers & bool(_QUANTITY.search(question.text))
    for start, end in question.times:
        said_at = worded.said_at_us[own]
        features[(start <= said_at) & (said_at < end), 5] = 1
    features[:, 6] = _likeness(question, listed, workspace)
    return listed.with_columns(READ_FEATURES, features)


def _likeness(question: Question, listed: Gathered, workspace: Workspace) -> NDArray[np.float32]:
    """Similarity of each candidate by meaning alone, or its cosine if the embedder has none."""
    embedder, near = workspace.embedder, listed.column("cosine").copy()
    if isinstance(embedder, MeaningEmbedder) and near.any():
        found, vectors = workspace.store.vectors(listed.numbers.tolist(), embedder.space)
        order = np.argsort(listed.numbers)
        places = order[np.searchsorted(listed.numbers, found, sorter=order)]
        near[places] = embedder.likeness(embedder.embed_question(question.text), vectors)
    return near


def _tokens(
    text: str,
    worded: Worded,
    own: NDArray[np.intp],
    beside: NDArray[np.intp],
    tokens: TokenMatcher,
) -> NDArray[np.float32]:
    """How well the question's words match each text, and it with its neighbours."""
    matched = tokens.match(text, worded.pieces)
    around = np.maximum(matched[own], matched[beside].max(axis=1))
    return np.stack([matched[own].sum(axis=1), around.sum(axis=1)], axis=1)
