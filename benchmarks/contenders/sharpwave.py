"""Sharpwave through its facade, with vectors of the benchmark's.

What is loaded goes straight into the store, and no model reads the made-up words, unless an
embedder is given: reading has a benchmark of its own (`write`).
"""

import time
from collections.abc import Iterable
from pathlib import Path

from benchmarks.contenders.contender import CANDIDATES
from benchmarks.contenders.given_vectors import WITHOUT_MODELS, GivenVectors
from benchmarks.data import Batch, Question, Vectors
from benchmarks.scale.loading import put
from sharpwave import Embedder, Memory, Settings
from sharpwave.index import recall_index
from sharpwave.index.recall_index import RecallIndex
from sharpwave.storage.sql.touches import TOUCH_FLUSH_S
from sharpwave.testing import resources_of
from sharpwave.types.searching import Filter

NEVER = 1 << 40


TURNS = frozenset({"turn"})
"""What is compared: statements learned from turns have no vectors of the benchmark's."""


class Sharpwave:
    """Memories in one Sharpwave file, `synchronous=FULL`."""

    def __init__(
        self, folder: Path, *, snapshots: bool = True, embedder: Embedder | None = None
    ) -> None:
        if not snapshots:
            recall_index.SNAPSHOT_MIN_RECORDS = NEVER
        self._given = GivenVectors()
        self.memory = Memory.open(
            folder / "memory.db",
            user="nobody",
            settings=Settings() if embedder else WITHOUT_MODELS,
            embedder=embedder or self._given,
        )
        self._resources = resources_of(self.memory)

    def load(self, batches: Iterable[Batch]) -> None:
        """Store a list at a time."""
        put(self.memory, batches, self._given.space)

    def remember(self, batches: Iterable[Batch]) -> None:
        """Remember a list at a time: read, and stored."""
        for batch in batches:
            self._given.know(batch.texts, batch.vectors)
            self.memory.user(batch.user).remember(batch.texts)

    def add(self, user: str, text: str, vector: Vectors) -> None:
        """Remember one; durable when this returns."""
        self._given.also_know(text, vector)
        self.memory.user(user).remember(text)

    def search(self, question: Question, limit: int) -> list[str]:
        """Recall, as a caller does."""
        self._given.also_know(question.text, question.vector)
        memory = self.memory.user(question.user)
        return [item.text for item in memory.recall(question.text, k=limit, kinds=["turn"])]

    def nearest(self, question: Question, limit: int) -> list[str]:
        """The vector ranking of the index."""
        workspace = self._resources.for_user(question.user)
        found = workspace.index.search("", question.vector, CANDIDATES, Filter(TURNS)).vector
        records = workspace.store.fetch(found.numbers[:limit].tolist())
        return [record.text for record in records]

    def warm_up(self, texts: Iterable[str]) -> None:
        """Search on behalf of nobody: a connection opens, and the words' stems are known."""
        anywhere = self._given.embed_question("")
        index = self._resources.for_user("nobody").index
        index.search(" ".join(texts), anywhere, CANDIDATES, Filter())

    def settle(self) -> None:
        """Access counts are written a little later; wait for them."""
        time.sleep(TOUCH_FLUSH_S + 0.2)

    def index_bytes(self) -> int:
        """What the index itself estimates."""
        index = self._resources.index
        return index.size_bytes if isinstance(index, RecallIndex) else 0

    def close(self) -> None:
        """Close the file."""
        self.memory.close()
