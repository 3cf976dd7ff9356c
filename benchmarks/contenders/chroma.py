"""chromadb on disk: one collection for all users, filtered by user. Vectors only, no keywords."""

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import chromadb
from chromadb.config import Settings

from benchmarks.data import Batch, Question, Vectors


class Chroma:
    """A `PersistentClient` as it comes, but for the cosine distance."""

    def __init__(self, folder: Path) -> None:
        settings = Settings(anonymized_telemetry=False)
        self._client: Any = chromadb.PersistentClient(str(folder), settings)
        self._collection: Any = self._client.get_or_create_collection(
            "memories", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )
        self._ids = itertools.count(self._collection.count())

    def load(self, batches: Iterable[Batch]) -> None:
        """One call a batch."""
        for batch in batches:
            self._collection.add(
                ids=[str(next(self._ids)) for _ in batch.texts],
                embeddings=batch.vectors,
                documents=batch.texts,
                metadatas=[{"user_id": batch.user}] * len(batch.texts),
            )

    def add(self, user: str, text: str, vector: Vectors) -> None:
        """One call with one memory."""
        self.load([Batch(user, [text], vector.reshape(1, -1))])

    def search(self, question: Question, limit: int) -> list[str]:
        """A query filtered by user."""
        found = self._collection.query(
            query_embeddings=question.vector.reshape(1, -1),
            n_results=limit,
            where={"user_id": question.user},
            include=["documents"],
        )
        texts: list[str] = found["documents"][0]
        return texts

    def nearest(self, question: Question, limit: int) -> list[str]:
        """The same: it has no other ranking."""
        return self.search(question, limit)

    def warm_up(self, texts: Iterable[str]) -> None:
        """Nothing to do."""

    def settle(self) -> None:
        """Nothing is put off."""

    def index_bytes(self) -> int:
        """It cannot tell."""
        return 0

    def close(self) -> None:
        """Stop its threads."""
        self._client.close()
