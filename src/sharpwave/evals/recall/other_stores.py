"""Stores of others, each with our embedder: what differs is what they make of its vectors.

    chromadb    a vector database in memory, cosine
    langgraph   the long-term store of LangGraph, in memory, with its index for search
    mem0ai      mem0 on its default store, in memory, `infer=False`: turns are kept as they are

None needs a key or the network. mem0's search by keywords needs models that it downloads; without
them it ranks by vectors and by names, which is what is measured.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from sharpwave.embedding.table_embedder import SharpwaveEmbedder
from sharpwave.errors import NotFound
from sharpwave.evals.recall.rival import DEPTH, Rank, Rival, said
from sharpwave.evals.recall.talks import Turn
from sharpwave.ports import Embedder

BATCH = 1000


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
        for start in range(0, len(turns), BATCH):
            some = slice(start, start + BATCH)
            collection.add(ids=[turn.id for turn in turns[some]], embeddings=vectors[some].tolist())

        def rank(question: str) -> list[str]:
            vector = self._embedder.embed_question(question).tolist()
            found: list[str] = collection.query([vector], n_results=DEPTH)["ids"][0]
            return found

        return rank


class LangGraph(Rival):
    """LangGraph's store in memory, with an index over the text of every item."""

    def __init__(self) -> None:
        self._store = _package("langgraph.store.memory", "langgraph").InMemoryStore
        base = _package("langchain_core.embeddings", "langgraph").Embeddings
        self._embedder = SharpwaveEmbedder()
        self._vectors = type("Ours", (_LangChainForm, base), {})(self._embedder)

    def take_in(self, turns: Sequence[Turn]) -> Rank:
        """Put every turn into a store of their own, under its id."""
        dimension = self._embedder.space.dimension
        store = self._store(index={"dims": dimension, "embed": self._vectors, "fields": ["text"]})
        for turn in turns:
            store.put(("talk",), turn.id, {"text": said(turn)})
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


class Mem0(Rival):
    """mem0 without its language model: what is added is stored as it is."""

    def __init__(self) -> None:
        self._mem0 = _package("mem0", "mem0ai")
        # Or every call would be reported to its makers.
        _package("mem0.memory.telemetry", "mem0ai").MEM0_TELEMETRY = False
        self._embedder = SharpwaveEmbedder()
        self._qdrant = _package("qdrant_client", "mem0ai").QdrantClient

    def take_in(self, turns: Sequence[Turn]) -> Rank:
        """Add every turn as a memory of one user."""
        memory = self._opened()
        for turn in turns:
            memory.add(said(turn), user_id="talk", infer=False, metadata={"turn": turn.id})

        def rank(question: str) -> list[str]:
            mine = {"user_id": "talk"}
            found = memory.search(question, top_k=DEPTH, filters=mine, threshold=0.0)["results"]
            return [one["metadata"]["turn"] for one in found]

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
