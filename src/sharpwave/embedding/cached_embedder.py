"""Cache of recently embedded texts.

Texts are kept as digests only, so the cache holds no words and its size follows from its entries.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.recent import Recent, digest
from sharpwave.errors import ProviderMisbehaved, SharpwaveError
from sharpwave.ports import Embedder, MeaningEmbedder
from sharpwave.types.storing import Space

ENTRIES = 4096
"""Vectors kept by default, of statements and of questions."""


class CachedEmbedder:
    """Another embedder, with the vectors of the last `entries` texts cached.

    Statements and questions are kept apart; zero entries turns the cache off. Safe to share
    between threads, which may at worst embed the same new text twice.
    """

    def __init__(self, inner: Embedder, entries: int = ENTRIES) -> None:
        self._inner = inner
        self._statements = Recent[NDArray[np.float32]](entries)
        self._questions = Recent[NDArray[np.float32]](entries)

    @property
    def space(self) -> Space:
        """Name, version and dimension of the embedder behind the cache."""
        return self._inner.space

    def hit_rate(self) -> float | None:
        """Share of texts found in the cache; None before the first lookup [MET-08]."""
        hits = self._statements.hits + self._questions.hits
        lookups = self._statements.lookups + self._questions.lookups
        return hits / lookups if lookups else None

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector per statement; only statements not seen lately are embedded."""
        if not statements:
            return self._inner.embed(statements)
        keys = [digest(statement) for statement in statements]
        vectors = self._statements.get(keys)
        missing = {
            key: statement
            for key, statement in zip(keys, statements, strict=True)
            if key not in vectors
        }
        if missing:
            texts = list(missing.values())
            embedded = self._checked(lambda: self._inner.embed(texts), (len(texts), -1))
            new_vectors = {key: row.copy() for key, row in zip(missing, embedded, strict=True)}
            self._statements.put(new_vectors)
            vectors |= new_vectors
        return np.stack([vectors[key] for key in keys])

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """Return the unit vector to search with, embedded only if not seen lately."""
        key = digest(question)
        vector = self._questions.get([key]).get(key)
        if vector is None:
            vector = self._checked(lambda: self._inner.embed_question(question), (-1,))
            self._questions.put({key: vector.copy()})
        return vector.copy()

    def likeness(
        self, question: NDArray[np.float32], vectors: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Similarity of vectors to that of a question, by meaning alone if possible."""
        if isinstance(self._inner, MeaningEmbedder):
            return self._inner.likeness(question, vectors)
        return vectors @ question

    def _checked(
        self, call: Callable[[], NDArray[np.float32]], shape: tuple[int, ...]
    ) -> NDArray[np.float32]:
        """The answer of the embedder, checked for its shape (-1: the dimension)."""
        try:
            vectors = np.asarray(call(), dtype=np.float32)
        except SharpwaveError:
            raise
        # An embedder may raise anything, and no words must be lost to that.
        except Exception as error:
            raise ProviderMisbehaved(
                f"the embedder raised {type(error).__name__}: {error}"
            ) from error
        wanted = (*shape[:-1], self._inner.space.dimension)
        if vectors.shape != wanted or not np.isfinite(vectors).all():
            raise ProviderMisbehaved(
                f"the embedder gave vectors of shape {vectors.shape} instead of {wanted}, or with "
                "NaN or infinity in them; fix or change the embedder"
            )
        return vectors
