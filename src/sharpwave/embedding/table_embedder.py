"""The bundled table: a text is the weighted sum of its word pieces, in many languages.

    1 pieces      text                     -> rows of the table                     `tokenizer.py`
    2 sum         rows, factor of each     -> one vector of whole numbers
    3 transform   for question, statement  -> the same, if the table has one
    4 unit        vector                   -> length one

    vector = unit(T · Σ factor · row)      factor = weight · scale, T by what is embedded

Rows (8 bits), factors (22 bits) and transforms (20 bits) are whole numbers, and so are the sums,
which stay below 2**53: floating point holds them exactly, in whatever order and by whatever
instructions they are added. The only rounding is of single numbers, by operations that IEEE 754
defines to the last bit. So a text has the same vector on every platform, alone or in a batch.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.table import Table, load_table
from sharpwave.formulas.linear import products
from sharpwave.types.searching import Pieces
from sharpwave.types.storing import Space

UNIT_BITS = 20

# These only trade memory for time.
BLOCK_TEXTS = 256
BLOCK_PIECES = 2048


class TableEmbedder:
    """Embeds text by meaning, in many languages, without a download or a service.

    Texts that say the same in other words are close. It does not see word order, so it cannot tell
    who did what to whom. Safe to share between threads.
    """

    def __init__(self, table: Path | Table | None = None) -> None:
        """Take the table in a file, a loaded one, or the one that came with the package."""
        self._table = load_table(table)
        self._nowhere = _units(np.resize([1.0, -1.0], (1, self.space.dimension)))[0]

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored beside the vectors."""
        return self._table.space

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector per statement, shape (n, dimension)."""
        vectors = np.empty((len(statements), self.space.dimension), dtype=np.float32)
        for start in range(0, len(statements), BLOCK_TEXTS):
            block = slice(start, start + BLOCK_TEXTS)
            vectors[block] = self._vectors(statements[block], self._table.statement)
        return vectors

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """Return the unit vector to search with."""
        vector: NDArray[np.float32] = self._vectors([question], self._table.question)[0]
        return vector

    def _vectors(
        self, texts: Sequence[str], transform: NDArray[np.float64] | None
    ) -> NDArray[np.float32]:
        ids = self._table.tokenizer.ids
        totals = np.array([self._sum(ids(text)) for text in texts])
        if transform is not None:
            totals = _whole(totals) @ transform.T
        vectors = _units(totals)
        # Nothing known in the text, or all of it cancelled out: one fixed direction.
        vectors[~totals.any(axis=1)] = self._nowhere
        return vectors

    def _sum(self, rows: list[int]) -> NDArray[np.float64]:
        total = self._block(rows[:BLOCK_PIECES])
        for start in range(BLOCK_PIECES, len(rows), BLOCK_PIECES):
            total += self._block(rows[start : start + BLOCK_PIECES])
        return total

    def _block(self, rows: list[int]) -> NDArray[np.float64]:
        block = np.array(rows, dtype=np.intp)
        vectors = self._table.vectors.take(block, axis=0).astype(np.float64)
        total: NDArray[np.float64] = self._table.factors.take(block) @ vectors
        return total


def _units(totals: NDArray[np.float64]) -> NDArray[np.float32]:
    scaled = _whole(totals)
    lengths = np.sqrt(np.einsum("nd,nd->n", scaled, scaled))[:, None]
    units: NDArray[np.float32] = (scaled / np.maximum(lengths, 1.0)).astype(np.float32)
    return units


def _whole(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale each vector to whole numbers of at most 20 bits; one of zeros stays as it is."""
    largest = np.maximum.reduce(np.abs(totals), axis=1, keepdims=True, initial=1.0)
    scaled: NDArray[np.float64] = np.rint(totals * (2.0**UNIT_BITS / largest))
    return scaled


MAX_QUESTION_PIECES = 64  # the heaviest ones; most questions have fewer
MAX_CHARS = 4096  # of a text or a question, from its beginning; bounds the work
TINY = np.float32(1e-9)


class TokenScorer:
    """Re-ranks texts by how well they match each word of the question. Thread-safe."""

    def __init__(self, table: Path | Table | None = None) -> None:
        """Take the table in a file, a loaded one, or the one that came with the package.

        A file is read when the first text is scored, so that it costs nothing until then.
        """
        self._source = table

    @property
    def signature(self) -> str:
        """Changes whenever the same text might be cut into other pieces."""
        return f"{self._table.space}, {len(self._table.vectors)} pieces, {MAX_CHARS}"

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """One number per text; zero if text or question has no known words."""
        scores: NDArray[np.float32] = self.match(query, self.cut(texts)).sum(axis=1)
        return scores

    def cut(self, texts: Sequence[str]) -> Pieces:
        """The distinct pieces of each text, and the prior of each text to be an answer."""
        cut = [self._table.tokenizer.ids(text[:MAX_CHARS]) for text in texts]
        distinct = [dict.fromkeys(ids) for ids in cut]
        counts = np.array([len(ids) for ids in distinct], dtype=np.int64)
        ids = np.fromiter(chain.from_iterable(distinct), np.int64, int(counts.sum()))
        return Pieces(ids, counts, self._priors(cut))

    def forget_words(self) -> None:
        """Drop all cached words, here and for the embedder of the same table."""
        self._table.tokenizer.forget_words()

    def match(self, query: str, texts: Pieces) -> NDArray[np.float32]:
        """What each piece of the question adds to the score of a text, and last the text's prior.

        Shape (texts, pieces + 1).
        """
        question_rows, weights = self._question(query)
        matches = np.zeros((len(texts.counts), len(question_rows) + 1), dtype=np.float32)
        if len(question_rows) and len(texts.ids):
            used = np.zeros(len(self._table.vectors), dtype=np.bool_)
            used[texts.ids] = True
            distinct = np.flatnonzero(used)
            place = np.empty(len(used), dtype=np.int64)
            place[distinct] = np.arange(len(distinct))
            # One row per piece of the texts, one column per piece of the question.
            vectors = self._vectors(distinct)
            cosines = products(vectors, self._question_vectors(question_rows))
            cosines *= self._worths(distinct, _lengths(vectors))[:, None]
            filled = np.flatnonzero(texts.counts)
            starts = (np.cumsum(texts.counts) - texts.counts)[filled]
            best = np.maximum.reduceat(cosines[place[texts.ids]], starts, axis=0)
            matches[filled, :-1] = best * weights
            matches[filled, -1] = texts.priors[filled]
        return matches

    @cached_property
    def _table(self) -> Table:
        return load_table(self._source)

    def _weights(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Weights of the pieces of a question, at least zero."""
        learned = self._table.query_weight
        if learned is not None:
            return np.maximum(learned[rows], np.float32(0.0))
        weights = self._table.factors[rows] * _lengths(self._vectors(rows))
        return np.maximum(weights, 0.0).astype(np.float32)

    def _worths(self, rows: NDArray[np.int64], lengths: NDArray[np.float32]) -> NDArray[np.float32]:
        """Factor of the products with rows: worth of a match over its length."""
        learned = self._table.text_weight
        worths = np.ones_like(lengths) if learned is None else np.maximum(learned[rows], 0.0)
        return (worths / lengths).astype(np.float32)

    def _priors(self, cut: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The mean prior over all pieces of each text; 0 for a text without any."""
        priors, sizes = self._table.text_prior, np.array([len(ids) for ids in cut], np.int64)
        if priors is None or not sizes.any():
            return np.zeros(len(cut), np.float32)
        all_pieces = np.fromiter(chain.from_iterable(cut), np.int64, int(sizes.sum()))
        totals = np.append(0.0, np.cumsum(priors[all_pieces], dtype=np.float64))
        ends = np.cumsum(sizes)
        means: NDArray[np.float32] = np.zeros(len(cut), np.float32)
        means[:] = (totals[ends] - totals[ends - sizes]) / np.maximum(sizes, 1)
        return means

    def _question_vectors(self, question_rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The unit vectors that pieces of a question look for."""
        units = self._vectors(question_rows)
        units /= _lengths(units)[:, None]
        if self._table.query_turn is not None:
            units = products(units, self._table.query_turn)
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


def _lengths(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The length of each row, at least one, so that it can be divided by."""
    lengths: NDArray[np.float32] = np.maximum(np.sqrt(np.einsum("nd,nd->n", vectors, vectors)), 1.0)
    return lengths
