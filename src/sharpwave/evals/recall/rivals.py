"""Other retrievers over the same turns, in the same run. Each ranks the candidates of a talk.

    bm25       stemmed, stop words dropped, the speaker named
    vector     cosine of our embedder, the speaker named
    chromadb   a vector database in memory, with our embedder
    mem0ai     mem0 with `infer=False` and our embedder

The last two need their packages. A rival that is not installed is left out with a note.
"""

import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.evals.recall.talks import Turn
from sharpwave.evals.retrievers import Dense, Keywords, Retriever, ranking
from sharpwave.ports import Embedder
from sharpwave.providers.sharpwave_embedder.embedder import SharpwaveEmbedder

Rank = Callable[[str], list[str]]
"""A question to ids of turns, best first."""
DEPTH = 16
"""How many turns a rival is asked for."""


class Rival(ABC):
    """Something else that finds turns."""

    @abstractmethod
    def take_in(self, turns: Sequence[Turn]) -> Rank:
        """Remember the candidates of one talk; what it returns ranks them."""


def open_named(name: str) -> Rival:
    """A rival by name; NotFound says which package is missing."""
    if name not in _RIVALS:
        raise InvalidInput(f"there is no peer {name!r}; there are: {', '.join(_RIVALS)}")
    return _RIVALS[name]()


class Plain(Rival):
    """Scores of all turns, best first."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def take_in(self, turns: Sequence[Turn]) -> Rank:
        """Index them, each with its speaker's name."""
        search = self._retriever.index([said(turn) for turn in turns])
        return lambda question: [
            turns[place].id for place in ranking(np.asarray(search(question)))[:DEPTH]
        ]


class Chroma(Rival):
    """chromadb in memory, cosine."""

    def __init__(self) -> None:
        self._client = _package("chromadb").EphemeralClient()
        self._embedder: Embedder = SharpwaveEmbedder()
        self._count = 0

    def take_in(self, turns: Sequence[Turn]) -> Rank:
        """Store the vectors in a collection of their own."""
        self._count += 1
        collection = self._client.create_collection(
            f"talk-{self._count}", metadata={"hnsw:space": "cosine"}
        )
        vectors = self._embedder.embed([said(turn) for turn in turns])
        for start in range(0, len(turns), 1000):
            some = slice(start, start + 1000)
            collection.add(ids=[turn.id for turn in turns[some]], embeddings=vectors[some].tolist())

        def rank(question: str) -> list[str]:
            vector = self._embedder.embed_question(question).tolist()
            found: list[str] = collection.query([vector], n_results=DEPTH)["ids"][0]
            return found

        return rank


class Mem0(Rival):
    """mem0 without its language model: what is added is stored as it is."""

    def __init__(self) -> None:
        self._mem0 = _package("mem0", "mem0ai")
        self._embedder = SharpwaveEmbedder()
        self._count = 0

    def take_in(self, turns: Sequence[Turn]) -> Rank:
        """Add every turn as a memory of one user."""
        self._count += 1
        memory = self._opened()
        user = f"talk-{self._count}"
        for turn in turns:
            memory.add(said(turn), user_id=user, infer=False, metadata={"turn": turn.id})

        def rank(question: str) -> list[str]:
            found = memory.search(question, user_id=user, limit=DEPTH)["results"]
            return [one["metadata"]["turn"] for one in found]

        return rank

    def _opened(self) -> Any:
        folder = tempfile.mkdtemp()
        config = {
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": folder, "embedding_model_dims": self._embedder.space.dimension},
            },
            "llm": {"provider": "openai", "config": {"api_key": "unused"}},
            "embedder": {"provider": "openai", "config": {"api_key": "unused"}},
            "history_db_path": f"{folder}/history.db",
        }
        memory = self._mem0.Memory.from_config(config)
        memory.embedding_model = _Mem0Embedder(self._embedder)
        return memory


class _Mem0Embedder:
    """Our embedder in the form mem0 calls."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """One vector."""
        asked = memory_action == "search"
        vector = self._embedder.embed_question(text) if asked else self._embedder.embed([text])[0]
        numbers: list[float] = vector.tolist()
        return numbers


def said(turn: Turn) -> str:
    """A turn with its speaker, as our memory sees it too."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text


def _package(module: str, install: str | None = None) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise NotFound(f"{install or module} is not installed: {error}") from error


_RIVALS: dict[str, Callable[[], Rival]] = {
    "bm25": lambda: Plain(Keywords()),
    "vector": lambda: Plain(Dense(SharpwaveEmbedder())),
    "chromadb": Chroma,
    "mem0ai": Mem0,
}
NAMES = tuple(_RIVALS)
USUAL = ("bm25", "vector")
"""Those that need nothing else."""
