"""Other retrievers over the same turns, in the same run, by name.

    bm25       stemmed, stop words dropped, the speaker named
    vector     cosine of our embedder, the speaker named
    chromadb   its vectors in memory
    langgraph  its store in memory, with an index over the text
    mem0ai     its memory without a language model: what is added is stored as it is

The stores have our embedder and need neither a key nor the network. mem0's search by keywords needs
models that it downloads; without them it ranks by vectors and by names, which is what is measured.
A peer that is not installed is left out with a note that says how to install it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from evals.parts import SharpwaveEmbedder
from evals.retrievers import Dense, Keywords, Retriever, ranking
from evals.talks import Turn
from sharpwave import Embedder, InvalidInput, NotFound

Rank = Callable[[str], list[str]]
"""A question to ids of turns, best first."""
BATCH = 1000
DEPTH = 16
"""Turns that a peer returns."""


class Peer(ABC):
    """Another retriever: indexes turns, and ranks them for a question."""

    @abstractmethod
    def index(self, turns: Sequence[Turn]) -> Rank:
        """Index the candidates of one conversation; what it returns ranks them."""


def with_speaker(turn: Turn) -> str:
    """A turn with its speaker, as our memory sees it too."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text


class PlainPeer(Peer):
    """Scores of all turns, best first."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def index(self, turns: Sequence[Turn]) -> Rank:
        """Index them, each with its speaker's name."""
        search = self._retriever.index([with_speaker(turn) for turn in turns])
        return lambda question: [
            turns[place].id for place in ranking(np.asarray(search(question)))[:DEPTH]
        ]


class Chroma(Peer):
    """chromadb in memory, cosine."""

    def __init__(self) -> None:
        self._client = _package("chromadb").EphemeralClient()
        self._embedder: Embedder = SharpwaveEmbedder()
        self._count = 0

    def index(self, turns: Sequence[Turn]) -> Rank:
        """Store the vectors in a collection of their own."""
        self._count += 1
        collection = self._client.create_collection(
            f"talk-{self._count}", metadata={"hnsw:space": "cosine"}
        )
        vectors = self._embedder.embed([with_speaker(turn) for turn in turns])
        for start in range(0, len(turns), BATCH):
            some = slice(start, start + BATCH)
            collection.add(ids=[turn.id for turn in turns[some]], embeddings=vectors[some].tolist())

        def rank(question: str) -> list[str]:
            vector = self._embedder.embed_question(question).tolist()
            found: list[str] = collection.query([vector], n_results=DEPTH)["ids"][0]
            return found

        return rank


class LangGraph(Peer):
    """LangGraph's store in memory, with an index over the text of every item."""

    def __init__(self) -> None:
        self._store = _package("langgraph.store.memory", "langgraph").InMemoryStore
        base = _package("langchain_core.embeddings", "langgraph").Embeddings
        self._embedder = SharpwaveEmbedder()
        self._vectors = type("Ours", (_LangChainForm, base), {})(self._embedder)

    def index(self, turns: Sequence[Turn]) -> Rank:
        """Put every turn into a store of their own, under its id."""
        dimension = self._embedder.space.dimension
        store = self._store(index={"dims": dimension, "embed": self._vectors, "fields": ["text"]})
        for turn in turns:
            store.put(("talk",), turn.id, {"text": with_speaker(turn)})
        return lambda question: [
            item.key for item in store.search(("talk",), query=question, limit=DEPTH)
        ]


class _LangChainForm:
    """Our embedder in the form LangChain calls."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        found: list[list[float]] = self._embedder.embed(texts).tolist()
        return found

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        found: list[float] = self._embedder.embed_question(text).tolist()
        return found


class Mem0(Peer):
    """mem0 without its language model: what is added is stored as it is."""

    def __init__(self) -> None:
        self._mem0 = _package("mem0", "mem0ai")
        # Or every call would be reported to its makers.
        _package("mem0.memory.telemetry", "mem0ai").MEM0_TELEMETRY = False
        self._embedder = SharpwaveEmbedder()
        self._qdrant = _package("qdrant_client", "mem0ai").QdrantClient

    def index(self, turns: Sequence[Turn]) -> Rank:
        """Add every turn as a memory of one user."""
        memory = self._opened()
        for turn in turns:
            memory.add(with_speaker(turn), user_id="talk", infer=False, metadata={"turn": turn.id})

        def rank(question: str) -> list[str]:
            mine = {"user_id": "talk"}
            found = memory.search(question, top_k=DEPTH, filters=mine, threshold=0.0)["results"]
            return [item["metadata"]["turn"] for item in found]

        return rank

    def _opened(self) -> Any:
        config = {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "client": self._qdrant(":memory:"),
                    "embedding_model_dims": self._embedder.space.dimension,
                },
            },
            "llm": {"provider": "openai", "config": {"api_key": "unused"}},
            "embedder": {"provider": "openai", "config": {"api_key": "unused"}},
            "history_db_path": ":memory:",
        }
        memory = self._mem0.Memory.from_config(config)
        memory.embedding_model = _Mem0Form(self._embedder)
        return memory


class _Mem0Form:
    """Our embedder in the form mem0 calls."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """One vector."""
        asked = memory_action == "search"
        vector = self._embedder.embed_question(text) if asked else self._embedder.embed([text])[0]
        numbers: list[float] = vector.tolist()
        return numbers


def _package(module: str, install: str | None = None) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        name = install or module
        raise NotFound(
            f"{name} does not load here ({error}); `pip install {name}`, or `make peers` "
            "for an environment with all of them"
        ) from error


def named(wanted: Sequence[str] | None) -> tuple[str, ...]:
    """The names of peers to run; the usual ones if none is named, every one for `all`."""
    if not wanted:
        return USUAL
    names = tuple(dict.fromkeys(NAMES if "all" in wanted else wanted))
    for name in names:
        if name not in _PEERS:
            raise InvalidInput(f"there is no peer {name!r}; there are: all, {', '.join(_PEERS)}")
    return names


def open_named(name: str) -> Peer:
    """A peer by name; NotFound says which package is missing."""
    return _PEERS[named([name])[0]]()


_PEERS: dict[str, Callable[[], Peer]] = {
    "bm25": lambda: PlainPeer(Keywords()),
    "vector": lambda: PlainPeer(Dense(SharpwaveEmbedder())),
    "chromadb": Chroma,
    "langgraph": LangGraph,
    "mem0ai": Mem0,
}
NAMES = tuple(_PEERS)
USUAL = ("bm25", "vector")
"""Those that need nothing else."""
