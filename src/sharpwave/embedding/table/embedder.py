"""The built-in embedder: the weighted sum of a text's word pieces, from a table we trained.

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
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.table.table import Table, load_table
from sharpwave.types.storing import Space

UNIT_BITS = 20

# These only trade memory for time.
BLOCK_TEXTS = 256
BLOCK_PIECES = 2048


class SharpwaveEmbedder:
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
        """One unit vector a statement, shape (n, dimension)."""
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
