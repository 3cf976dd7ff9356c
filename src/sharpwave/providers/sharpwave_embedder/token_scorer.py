"""How well texts answer a question, piece by piece: late interaction over the embedder's table.

    score = Σ_q weight(q) · max_t cos(q, t)  /  Σ_q weight(q)        q in the question, t in a text

Each piece of the question takes its best match in the text. Its weight is the one the table learned
for questions or, without that, the length of its part in an embedded text. Every distinct piece of
all texts is compared once, however many texts it is in. The pieces of texts seen lately are kept
under a digest; their words are not.
"""

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.providers.sharpwave_embedder.table import Table, load_table
from sharpwave.providers.sharpwave_embedder.tokenizer import Tokenizer

MAX_QUESTION_PIECES = 64  # the heaviest ones; a question says what it asks with fewer
MAX_CHARS = 4096  # of a text or a question, the first ones; bounds the work for one

# These only trade memory for time.
CACHE_BYTES = 16 * 1024 * 1024
ENTRY_BYTES = 240  # of a text whose pieces are kept, besides them
BLOCK_ROWS = 4096


class TokenScorer:
    """Re-ranks texts by how well each word of the question is met. Safe to share by threads."""

    def __init__(self, table: Path | Table | None = None) -> None:
        """Take the table in a file, a loaded one, or the one that came with the package."""
        self._table = load_table(table)
        self._tokenizer = Tokenizer(self._table.rows, self._table.scores)
        self._lengths = _lengths(self._table.vectors)
        self._weights = _weights(self._table, self._lengths)
        self._known: dict[bytes, tuple[int, ...]] = {}
        self._room = CACHE_BYTES
        self._lock = threading.Lock()

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """One number a text, at most 1; zero where a side has no known words."""
        scores: NDArray[np.float32] = self.match(query, texts).sum(axis=1)
        return scores

    def match(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (texts, pieces of the question): what each piece adds to the score of a text."""
        asked, weights = self._question(query)
        matches = np.zeros((len(texts), len(asked)), dtype=np.float32)
        met = self._pieces(texts)
        if len(asked) and len(met.rows):
            # One row a piece of the question, one column a piece of the texts.
            alike = self._vectors(asked) @ self._vectors(met.distinct).T
            alike /= self._lengths[asked, None] * self._lengths[met.distinct]
            best = np.maximum.reduceat(alike[:, met.places], met.starts, axis=1)
            matches[met.texts] = best.T * weights
        return matches

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
        each = [self._rows(text) for text in texts]
        counts = np.array([len(one) for one in each], dtype=np.int64)
        rows = np.fromiter(chain.from_iterable(each), dtype=np.int64, count=int(counts.sum()))
        used = np.zeros(len(self._lengths), dtype=np.bool_)
        used[rows] = True
        distinct = np.flatnonzero(used)
        place = np.empty(len(self._lengths), dtype=np.int64)
        place[distinct] = np.arange(len(distinct))
        filled = np.flatnonzero(counts)
        starts = (np.cumsum(counts) - counts)[filled]
        return _Pieces(rows, distinct, place[rows], filled, starts)

    def _rows(self, text: str) -> tuple[int, ...]:
        """Return the distinct pieces of a text, kept for the next question."""
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        rows = self._known.get(key)
        if rows is None:
            rows = tuple(dict.fromkeys(self._tokenizer.ids(text[:MAX_CHARS])))
            taken = ENTRY_BYTES + 8 * len(rows)
            with self._lock:
                self._room -= taken
                if self._room < 0:
                    self._known.clear()
                    self._room = CACHE_BYTES - taken
                self._known[key] = rows
        return rows

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
    """and where the pieces of each start."""


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
