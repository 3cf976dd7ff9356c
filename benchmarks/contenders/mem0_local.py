"""mem0ai with its default local store, `infer=False`. As installed: no keywords, no entities.

Its keyword search needs fastembed and its entities need spaCy; both are extras, and both fetch
models over the network. The model behind `infer` is never called.
"""

import hashlib
import logging
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mem0 import Memory

from benchmarks.contenders.given_vectors import GivenVectors
from benchmarks.data import DIMENSION, Batch, Question, Vectors


class Mem0Local:
    """`Memory.from_config` on a qdrant folder, with an embedder that knows the vectors."""

    def __init__(self, folder: Path, dimension: int = DIMENSION) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        logging.disable(logging.WARNING)  # that its extras are missing
        self._memory: Any = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "path": str(folder / "qdrant"),
                        "embedding_model_dims": dimension,
                    },
                },
                "history_db_path": str(folder / "history.db"),
                "embedder": {"provider": "openai", "config": {"api_key": "never used"}},
                "llm": {"provider": "openai", "config": {"api_key": "never used"}},
            }
        )
        self._given = _Mem0Embedder()
        self._memory.embedding_model = self._given

    def load(self, batches: Iterable[Batch]) -> None:
        """Straight into its vector store, with the payload `add` writes: `add` takes one a call."""
        for batch in batches:
            self._memory.vector_store.insert(
                vectors=batch.vectors.tolist(),
                ids=[str(uuid.uuid4()) for _ in batch.texts],
                payloads=[_payload(batch.user, text) for text in batch.texts],
            )

    def add(self, user: str, text: str, vector: Vectors) -> None:
        """One memory, as a caller adds it."""
        self._given.also_know(text, vector)
        self._memory.add(text, user_id=user, infer=False)

    def search(self, question: Question, limit: int) -> list[str]:
        """A search filtered by user."""
        self._given.also_know(question.text, question.vector)
        found = self._memory.search(question.text, filters={"user_id": question.user}, top_k=limit)
        return [item["memory"] for item in found["results"]]

    def nearest(self, question: Question, limit: int) -> list[str]:
        """The same: without its extras it has no other ranking."""
        return self.search(question, limit)

    def warm_up(self, texts: Iterable[str]) -> None:
        """Nothing to do."""

    def settle(self) -> None:
        """Nothing is put off."""

    def index_bytes(self) -> int:
        """It cannot tell."""
        return 0

    def close(self) -> None:
        """Close both of its stores."""
        self._memory.close()
        self._memory.vector_store.client.close()


class _Mem0Embedder:
    """The same vectors in mem0's form."""

    def __init__(self) -> None:
        self._given = GivenVectors()

    def also_know(self, text: str, vector: Vectors) -> None:
        self._given.also_know(text, vector)

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        vector: list[float] = self._given.embed_question(text).tolist()
        return vector


def _payload(user: str, text: str) -> dict[str, str]:
    now = datetime.now(UTC).isoformat()
    return {
        "user_id": user,
        "role": "user",
        "data": text,
        "hash": hashlib.md5(text.encode()).hexdigest(),
        "created_at": now,
        "updated_at": now,
        "text_lemmatized": text,
    }
