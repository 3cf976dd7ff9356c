"""The built-in embedder: what words mean in their context, and which words they are.

    vector = ( √(1 - share) · encoder ,  √share · table )

The cosine of two such vectors is the weighted mean of both cosines. The encoder knows that "sold
the kayak" is about a boat; the table knows many languages, names and rare words. Together they find
more than either alone, in English and beside it.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.encoder import SentenceEncoder
from sharpwave.embedding.table import Table
from sharpwave.embedding.table_embedder import TableEmbedder
from sharpwave.types.storing import Space

TABLE_SHARE = 0.4
"""How much the table counts."""


class SharpwaveEmbedder:
    """Embeds text by meaning, without a download or a service. Safe to share between threads."""

    def __init__(self, table: Path | Table | None = None) -> None:
        """Take the table in a file, a loaded one, or the one that came with the package."""
        self._encoder, self._table = SentenceEncoder(), TableEmbedder(table)
        encoder, words = self._encoder.space, self._table.space
        version = f"{encoder.version}+{words.version}"
        self._space = Space("sharpwave", version, encoder.dimension + words.dimension)

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored beside the vectors."""
        return self._space

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector for each statement, shape (n, dimension)."""
        return _joined(self._encoder.embed(statements), self._table.embed(statements))

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """The unit vector to search with."""
        return _joined(self._encoder.embed_question(question), self._table.embed_question(question))

    def likeness(
        self, question: NDArray[np.float32], vectors: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """How near vectors are to that of a question by meaning alone, whatever the words are."""
        size = self._encoder.space.dimension
        return vectors[:, :size] @ question[:size] / (1 - TABLE_SHARE)


def _joined(encoded: NDArray[np.float32], summed: NDArray[np.float32]) -> NDArray[np.float32]:
    parts = [np.sqrt(1 - TABLE_SHARE) * encoded, np.sqrt(TABLE_SHARE) * summed]
    return np.concatenate(parts, axis=-1, dtype=np.float32)
