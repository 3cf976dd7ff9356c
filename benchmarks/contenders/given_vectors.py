"""An embedder that is told the vectors beforehand, so that embedding costs nothing."""

from collections.abc import Iterable, Sequence

import numpy as np

from benchmarks.data import DIMENSION, Vectors
from sharpwave import Settings
from sharpwave.types.storing import Space

WITHOUT_MODELS = Settings.model_validate({"embedder": {"provider": "table"}})
"""No reader and no comparer: the words are made up, and it is the store that is measured."""


class GivenVectors:
    """Returns for each text the vector it was told; fits Sharpwave's `Embedder` port."""

    def __init__(self) -> None:
        self._known: dict[str, Vectors] = {}

    @property
    def space(self) -> Space:
        """A space of its own."""
        return Space("given", "1", DIMENSION)

    def know(self, texts: Iterable[str], vectors: Iterable[Vectors]) -> None:
        """Tell the vectors of the texts that come next; others are forgotten."""
        self._known = dict(zip(texts, vectors, strict=True))

    def also_know(self, text: str, vector: Vectors) -> None:
        """Tell one more."""
        self._known[text] = vector

    def embed(self, statements: Sequence[str]) -> Vectors:
        """The vectors that were given; what is learned from a text points elsewhere."""
        return np.stack([self.embed_question(statement) for statement in statements])

    def embed_question(self, question: str) -> Vectors:
        """The vector that was told; anything else points the same way."""
        known = self._known.get(question)
        return np.eye(1, DIMENSION, dtype=np.float32)[0] if known is None else known
