"""How well texts answer a question, piece by piece: late interaction over the embedder's table.

    score = Σ_q weight(q) · max_t worth(t) · cos(T q, t)  /  Σ_q weight(q)   +   mean_t prior(t)

                                                              q in the question, t in a text

Each piece of the question takes its best match in the text. What weighs is learned, from a
transformer that reads question and text together, and lies in the table: the weight of a piece of
the question, what it looks for (T: "when" looks for dates), the worth of a match, and how much a
piece makes a text an answer at all. Without these, a piece weighs as much as in an embedded text,
looks for itself, and every text is as good as another.

Every distinct piece of all texts is compared once, however many texts it is in. The pieces of texts
seen lately are kept under a digest; their words are not.
"""

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.providers.sharpwave_embedder.table import Table, load_table
from sharpwave.providers.sharpwave_embedder.tokenizer import Tokenizer

MAX_QUESTION_PIECES = 64  # the heaviest ones; a question says what it asks with fewer
MAX_CHARS = 4096  # of a text or a question, the first ones; bounds the work for one
TINY = np.float32(1e-9)

# These only trade memory for time.
CACHE_BYTES = 16 * 1024 * 1024
ENTRY_BYTES = 320  # of a text whose pieces are kept, besides them
BLOCK_ROWS = 4096


class TokenScorer:
    """Re-ranks texts by how well each word of the question is met. Safe to share by threads."""

    def __init__(self, table: Path | Table | None = None) -> None:
        """Take the table in a file, a loaded one, or the one that came with the package.

        A file is read when the first text is scored, so that it costs nothing until then.
        """
        self._given = table
        self._known: dict[bytes, tuple[tuple[int, ...], float]] = {}
        self._room = CACHE_BYTES
        self._lock = threading.Lock()

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """One number a text; zero where a side has no known words."""
        scores = np.zeros(len(texts), dtype=np.float32)
        asked, weights = self._question(query)
        met = self._pieces(texts)
        if len(asked) and len(met.rows):
            # One row a piece of the question, one column a piece of the texts.
            alike = self._sought(asked) @ self._vectors(met.distinct).T
            alike *= self._worths[met.distinct]
            best = np.maximum.reduceat(alike[:, met.places], met.starts, axis=1)
            scores[met.texts] = weights @ best + met.priors
        return scores

    @cached_property
    def _table(self) -> Table:
        return load_table(self._given)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self._table.rows, self._table.scores)

    @cached_property
    def _lengths(self) -> NDArray[np.float32]:
        return _lengths(self._table.vectors)

    @cached_property
    def _weights(self) -> NDArray[np.float32]:
        return _weights(self._table, self._lengths)

    @cached_property
    def _worths(self) -> NDArray[np.float32]:
        return _worths(self._table, self._lengths)

    def _sought(self, asked: NDArray[np.int64]) -> NDArray[np.float32]:
        """The unit vectors that pieces of a question look for."""
        units = self._vectors(asked) / self._lengths[asked, None]
        if self._table.query_turn is not None:
            units = units @ self._table.query_turn.T
            units /= np.maximum(np.sqrt(np.einsum("nd,nd->n", units, units)), TINY)[:, None]
        return units

    def _question(self, query: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the distinct pieces of a question, and their weights, which add up to one."""
        rows, counts = np.unique(
            np.array(self._tokenizer.ids(query[:MAX_CHARS]), dtype=np.int64), return_counts=True
        )
        weights = (self._weights[rows] * counts).astype(np.float32)
        heaviest = np.argsort(-weights, kind="stable")[:MAX_QUESTION_PIECES]
        rows, weights = rows[heaviest], weights[heaviest]
        rows, weights = rows[weights > 0], weights[weights > 0]
        return rows, weights / weights.sum()

    def _pieces(self, texts: Sequence[str]) -> "_Pieces":
        kept = [self._read(text) for text in texts]
        counts = np.array([len(rows) for rows, _ in kept], dtype=np.int64)
        rows = np.fromiter(
            chain.from_iterable(rows for rows, _ in kept), dtype=np.int64, count=int(counts.sum())
        )
        used = np.zeros(len(self._lengths), dtype=np.bool_)
        used[rows] = True
        distinct = np.flatnonzero(used)
        place = np.empty(len(self._lengths), dtype=np.int64)
        place[distinct] = np.arange(len(distinct))
        filled = np.flatnonzero(counts)
        starts = (np.cumsum(counts) - counts)[filled]
        priors = np.array([kept[at][1] for at in filled], dtype=np.float32)
        return _Pieces(rows, distinct, place[rows], filled, starts, priors)

    def _read(self, text: str) -> tuple[tuple[int, ...], float]:
        """Return the distinct pieces of a text and its prior, kept for the next question."""
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._known.get(key)
        if known is None:
            ids = self._tokenizer.ids(text[:MAX_CHARS])
            rows = tuple(dict.fromkeys(ids))
            priors = self._table.text_prior
            known = rows, 0.0 if priors is None or not ids else float(priors[ids].mean())
            taken = ENTRY_BYTES + 8 * len(rows)
            with self._lock:
                self._room -= taken
                if self._room < 0:
                    self._known.clear()
                    self._room = CACHE_BYTES - taken
                self._known[key] = known
        return known

    def _vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        return self._table.vectors[rows].astype(np.float32)


@dataclass(frozen=True, slots=True)
class _Pieces:
    """The pieces of many texts, one after the other."""

    rows: NDArray[np.int64]
    distinct: NDArray[np.int64]
    places: NDArray[np.int64]
    """Of each piece, where it is among the distinct ones."""
    texts: NDArray[np.int64]
    """The texts that have pieces,"""
    starts: NDArray[np.int64]
    """where the pieces of each start,"""
    priors: NDArray[np.float32]
    """and how much of an answer each is, whatever is asked."""


def _lengths(vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the length of each row, at least one, so that it can be divided by."""
    lengths = np.empty(len(vectors), dtype=np.float32)
    for start in range(0, len(vectors), BLOCK_ROWS):
        block = vectors[start : start + BLOCK_ROWS].astype(np.float32)
        lengths[start : start + BLOCK_ROWS] = np.sqrt(np.einsum("nd,nd->n", block, block))
    return np.maximum(lengths, 1.0)


def _weights(table: Table, lengths: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how much each piece of a question counts; less than nothing counts as nothing."""
    learned = table.query_weight
    weights = table.factors * lengths if learned is None else learned
    return np.maximum(weights, 0.0).astype(np.float32)


def _worths(table: Table, lengths: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what the product with a row is multiplied by: worth of a match over its length."""
    learned = table.text_weight
    worths = np.ones_like(lengths) if learned is None else np.maximum(learned, 0.0)
    return (worths / lengths).astype(np.float32)
