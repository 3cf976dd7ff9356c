"""A model of fastembed as an embedder: transformers in ONNX form, without torch.

`embedder.model` is the model's name there, which says how it is used; its files come from a folder
on this machine. Questions are embedded as the model wants them. Needs the package `fastembed`.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.local.loading import onnx_providers, package, readable, units
from sharpwave.errors import InvalidSettings
from sharpwave.types.storing import Space

# The vectors depend on the model; raise this if we ever treat texts differently.
VERSION = "1"


class FastEmbedEmbedder:
    """Embeds texts with a model in a folder. Safe to share between threads."""

    def __init__(self, model: str, folder: Path, batch_size: int, device: str = "cpu") -> None:
        """Load the model; InvalidSettings says what is missing."""
        fastembed = package("fastembed", "fastembed")
        runtime = package("onnxruntime", "fastembed")
        providers = onnx_providers(device, runtime.get_available_providers())
        try:
            self._model = fastembed.TextEmbedding(
                model,
                providers=providers,
                threads=1,
                specific_model_path=str(folder),
                local_files_only=True,
            )
            size = int(self._model.embedding_size)
        # Whatever the library raises at a model that is none, the user must hear of both.
        except Exception as error:
            raise InvalidSettings(
                f"embedder.model {model!r} in {folder} is no use: {error}"
            ) from error
        self._batch_size = batch_size
        self._space = Space(f"fastembed:{model}", VERSION, size)

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored beside the vectors."""
        return self._space

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a statement, shape (n, dimension)."""
        if not statements:
            return np.empty((0, self._space.dimension), dtype=np.float32)
        texts = [readable(text) for text in statements]
        return units(list(self._model.passage_embed(texts, batch_size=self._batch_size)))

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """Return the unit vector to search with."""
        vector: NDArray[np.float32] = units(list(self._model.query_embed(readable(question))))[0]
        return vector
