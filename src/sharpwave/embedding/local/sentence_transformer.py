"""A sentence-transformers model as an embedder: slower than our table, and better across languages.

Any model of that library, from a folder on this machine; nothing is downloaded. The documents name
paraphrase-multilingual-mpnet-base-v2 [MDL-01]. Needs the package `sentence-transformers`.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.local.loading import package, readable, torch_device, units
from sharpwave.errors import InvalidSettings
from sharpwave.types.storing import Space

EXTRA = "sentence-transformers"
# The vectors depend on the model; raise this if we ever treat texts differently.
VERSION = "1"


class SentenceTransformerEmbedder:
    """Embeds texts with a model in a folder. Safe to share between threads."""

    def __init__(self, folder: Path, batch_size: int, device: str = "cpu") -> None:
        """Load the model; InvalidSettings says what is missing."""
        library = package("sentence_transformers", EXTRA)
        try:
            self._model = library.SentenceTransformer(
                str(folder), device=torch_device(device, EXTRA), local_files_only=True
            )
        # Whatever the library raises at a model that is none, the user must hear of the folder.
        except Exception as error:
            raise InvalidSettings(f"the model in {folder} is no use: {error}") from error
        self._batch_size = batch_size
        size_of = getattr(self._model, "get_embedding_dimension", None)  # its newer name
        size = int((size_of or self._model.get_sentence_embedding_dimension)())
        self._space = Space(f"sentence-transformers:{folder.name}", VERSION, size)

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored beside the vectors."""
        return self._space

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a statement, shape (n, dimension)."""
        if not statements:
            return np.empty((0, self._space.dimension), dtype=np.float32)
        vectors = self._model.encode(
            [readable(text) for text in statements],
            batch_size=self._batch_size,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return units(vectors)

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """Return the unit vector to search with."""
        vector: NDArray[np.float32] = self.embed([question])[0]
        return vector
