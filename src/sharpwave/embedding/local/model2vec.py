"""A model2vec model as an embedder: a table of pieces, as ours is, in any language it was made for.

From a folder on this machine, as `StaticModel.save_pretrained` writes it; nothing is downloaded.
Needs the package `model2vec`.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.local.loading import package, readable, units
from sharpwave.errors import InvalidSettings
from sharpwave.types.storing import Space

# The vectors depend on the model; raise this if we ever treat texts differently.
VERSION = "1"


class Model2VecEmbedder:
    """Embeds texts with a model in a folder. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        """Load the model; InvalidSettings says what is missing."""
        static = package("model2vec", "model2vec").StaticModel
        try:
            self._model = static.from_pretrained(str(folder), force_download=False)
        # Whatever the library raises at a model that is none, the user must hear of the folder.
        except Exception as error:
            raise InvalidSettings(f"the model in {folder} is no use: {error}") from error
        self._space = Space(f"model2vec:{folder.name}", VERSION, int(self._model.dim))

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored beside the vectors."""
        return self._space

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a statement, shape (n, dimension)."""
        if not statements:
            return np.empty((0, self._space.dimension), dtype=np.float32)
        texts = [readable(text) for text in statements]
        return units(self._model.encode(texts, use_multiprocessing=False))

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """Return the unit vector to search with."""
        vector: NDArray[np.float32] = self.embed([question])[0]
        return vector
