"""The built-in embedder: the meaning of words in their context, and the words themselves.

    vector = ( √(1 - share) · encoder ,  √share · table )

The cosine of two such vectors is the weighted mean of both cosines. The encoder knows that "sold
the kayak" is about a boat; the table knows many languages, names and rare words. Together they find
more than either alone. The encoder learned English only, so the table counts more where words fall
into many of its pieces: English has 1.1 per word, other languages 1.5 and more.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.encoder import MAX_CHARS, SentenceEncoder
from sharpwave.embedding.table import Table
from sharpwave.embedding.table_embedder import TableEmbedder
from sharpwave.types.storing import Space

TABLE_SHARE, FOREIGN_SHARE = 0.4, 0.8
"""Share of the table in English, and in other languages."""
ENGLISH_PIECES, FOREIGN_PIECES = 1.3, 1.5
"""Pieces per word up to which a text counts as English, and from which it does not."""
_WORD = re.compile(r"[^\s\d!-/:-@\[-`{-~]+")


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
        shares = np.array([self.table_share(text) for text in statements], np.float32)
        return _joined(self._encoder.embed(statements), self._table.embed(statements), shares)

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """The unit vector to search with."""
        encoded, summed = (
            part.embed_question(question)[np.newaxis] for part in (self._encoder, self._table)
        )
        share = np.array([self.table_share(question)], np.float32)
        vector: NDArray[np.float32] = _joined(encoded, summed, share)[0]
        return vector

    def table_share(self, text: str) -> float:
        """Share of the table for a text."""
        words = _WORD.findall(text[:MAX_CHARS])
        pieces = sum(self._encoder.counts(words))
        per_word = (pieces + 1) / (len(words) + 1)  # a single rare word is no language
        foreign = (per_word - ENGLISH_PIECES) / (FOREIGN_PIECES - ENGLISH_PIECES)
        return TABLE_SHARE + (FOREIGN_SHARE - TABLE_SHARE) * min(1.0, max(0.0, foreign))

    def likeness(
        self, question: NDArray[np.float32], vectors: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Cosines of vectors with that of a question, by meaning alone, whatever the words are."""
        size = self._encoder.space.dimension
        question_meaning, meanings = question[:size], vectors[:, :size]
        lengths = np.linalg.norm(question_meaning) * np.linalg.norm(meanings, axis=1)
        cosines: NDArray[np.float32] = (
            meanings @ question_meaning / np.maximum(lengths, np.float32(1e-6))
        )
        return cosines


def _joined(
    encoded: NDArray[np.float32], summed: NDArray[np.float32], shares: NDArray[np.float32]
) -> NDArray[np.float32]:
    shares = shares[:, np.newaxis]
    parts = [np.sqrt(1 - shares) * encoded, np.sqrt(shares) * summed]
    return np.concatenate(parts, axis=-1, dtype=np.float32)
