"""How well texts answer a question, piece by piece: late interaction over the embedder's table.

    score = Σ_q weight(q) · max_t worth(t) · cos(T q, t)  /  Σ_q weight(q)   +   mean_t prior(t)

                                                              q in the question, t in a text

Each piece of the question takes its best match in the text. What weighs is learned, from a
transformer that reads question and text together, and lies in the table: the weight of a piece of
the question, what it looks for (T: "when" looks for dates), the worth of a match, and how much a
piece makes a text an answer at all. Without these, a piece weighs as much as in an embedded text,
looks for itself, and every text is as good as another.

Every distinct piece of all texts is compared once, however many texts it is in. The index cuts each
text once and keeps its pieces.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.table.table import Table, load_table
from sharpwave.types.searching import Pieces

MAX_QUESTION_PIECES = 64  # the heaviest ones; a question says what it asks with fewer
MAX_CHARS = 4096  # of a text or a question, the first ones; bounds the work for one
TINY = np.float32(1e-9)
MAX_PRODUCT = 250_000  # multiplications that OpenBLAS does in the thread that asks for them


class TokenScorer:
    """Re-ranks texts by how well each word of the question is met. Safe to share by threads."""

    def __init__(self, table: Path | Table | None = None) -> None:
        """Take the table in a file, a loaded one, or the one that came with the package.

        A file is read when the first text is scored, so that it costs nothing until then.
        """
        self._given = table

    @property
    def signature(self) -> str:
        """Changes whenever the same text might be cut otherwise."""
        return f"{self._table.space}, {len(self._table.vectors)} pieces, {MAX_CHARS}"

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """One number a text; zero where a side has no known words."""
        scores: NDArray[np.float32] = self.match(query, self.cut(texts)).sum(axis=1)
        return scores

    def cut(self, texts: Sequence[str]) -> Pieces:
        """The pieces of texts, each once in a text, and how much of an answer each text is."""
        cut = [self._table.tokenizer.ids(text[:MAX_CHARS]) for text in texts]
        distinct = [dict.fromkeys(ids) for ids in cut]
        counts = np.array([len(ids) for ids in distinct], dtype=np.int64)
        ids = np.fromiter(chain.from_iterable(distinct), np.int64, int(counts.sum()))
        return Pieces(ids, counts, self._priors(cut))

    def forget_words(self) -> None:
        """Keep no word of what was cut, here or for the embedder of the same table."""
        self._table.tokenizer.forget_words()

    def match(self, query: str, texts: Pieces) -> NDArray[np.float32]:
        """What each piece of the question adds to the score of a text, and last the text's prior.

        Shape (texts, pieces + 1).
        """
        asked, weights = self._question(query)
        matches = np.zeros((len(texts.counts), len(asked) + 1), dtype=np.float32)
        if len(asked) and len(texts.ids):
            used = np.zeros(len(self._table.vectors), dtype=np.bool_)
            used[texts.ids] = True
            distinct = np.flatnonzero(used)
            place = np.empty(len(used), dtype=np.int64)
            place[distinct] = np.arange(len(distinct))
            # One row a piece of the texts, one column a piece of the question.
            vectors = self._vectors(distinct)
            alike = _product(vectors, self._sought(asked))
            alike *= self._worths(distinct, _lengths(vectors))[:, None]
            filled = np.flatnonzero(texts.counts)
            starts = (np.cumsum(texts.counts) - texts.counts)[filled]
            best = np.maximum.reduceat(alike[place[texts.ids]], starts, axis=0)
            matches[filled, :-1] = best * weights
            matches[filled, -1] = texts.priors[filled]
        return matches

    @cached_property
    def _table(self) -> Table:
        return load_table(self._given)

    def _weights(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """How much pieces of a question count; less than nothing counts as nothing."""
        learned = self._table.query_weight
        if learned is not None:
            return np.maximum(learned[rows], np.float32(0.0))
        weights = self._table.factors[rows] * _lengths(self._vectors(rows))
        return np.maximum(weights, 0.0).astype(np.float32)

    def _worths(self, rows: NDArray[np.int64], lengths: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the products with rows are multiplied by: worth of a match over its length."""
        learned = self._table.text_weight
        worths = np.ones_like(lengths) if learned is None else np.maximum(learned[rows], 0.0)
        return (worths / lengths).astype(np.float32)

    def _priors(self, cut: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The mean over all pieces of each text; nothing for a text without any."""
        priors, sizes = self._table.text_prior, np.array([len(ids) for ids in cut], np.int64)
        if priors is None or not sizes.any():
            return np.zeros(len(cut), np.float32)
        every = np.fromiter(chain.from_iterable(cut), np.int64, int(sizes.sum()))
        totals = np.append(0.0, np.cumsum(priors[every], dtype=np.float64))
        ends = np.cumsum(sizes)
        means: NDArray[np.float32] = np.zeros(len(cut), np.float32)
        means[:] = (totals[ends] - totals[ends - sizes]) / np.maximum(sizes, 1)
        return means

    def _sought(self, asked: NDArray[np.int64]) -> NDArray[np.float32]:
        """The unit vectors that pieces of a question look for."""
        units = self._vectors(asked)
        units /= _lengths(units)[:, None]
        if self._table.query_turn is not None:
            units = _product(units, self._table.query_turn)
            units /= np.maximum(np.sqrt(np.einsum("nd,nd->n", units, units)), TINY)[:, None]
        return units

    def _question(self, query: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the distinct pieces of a question, and their weights, which add up to one."""
        ids = np.array(self._table.tokenizer.ids(query[:MAX_CHARS]), dtype=np.int64)
        rows, counts = np.unique(ids, return_counts=True)
        weights = (self._weights(rows) * counts).astype(np.float32)
        heaviest = np.argsort(-weights, kind="stable")[:MAX_QUESTION_PIECES]
        rows, weights = rows[heaviest], weights[heaviest]
        rows, weights = rows[weights > 0], weights[weights > 0]
        return rows, weights / weights.sum()

    def _vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        return self._table.vectors[rows].astype(np.float32)


def _product(rows: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """The product of each row with each of the others, a few rows at once.

    Larger products BLAS spreads over threads, and to wake these takes far longer than it saves.
    """
    step = max(1, MAX_PRODUCT // others.size)
    parts = [rows[start : start + step] @ others.T for start in range(0, len(rows), step)]
    return np.concatenate(parts)


def _lengths(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The length of each row, at least one, so that it can be divided by."""
    lengths: NDArray[np.float32] = np.maximum(np.sqrt(np.einsum("nd,nd->n", vectors, vectors)), 1.0)
    return lengths
