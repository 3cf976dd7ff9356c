"""Each peer behind the same few calls; runs in the peer's own environment.

Nothing of ours is imported here but by `Sharpwave`, so that an environment holds one peer only. A
peer takes its own way: one call a memory for `add`, what it offers for many in `load`.
"""

import json
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
USER, BATCH, CONTEXT_TOKENS = "user", 500, 800
MAX_TOKENS = 256


class Item(NamedTuple):
    """A memory to take in, under the id by which it is looked for."""

    id: str
    text: str


class Embedder:
    """Vectors that were given beforehand, else those of all-MiniLM-L6-v2 made here."""

    def __init__(self, model: Path, dimension: int) -> None:
        self.dimension = dimension
        self._model = model
        self._known: dict[str, Vectors] = {}
        self._parts: tuple[Any, Any] | None = None

    def know(self, texts: Iterable[str], vectors: Iterable[Vectors]) -> None:
        """Take these instead of computing them."""
        self._known.update(zip(map(str.strip, texts), vectors, strict=True))

    def knows(self, text: str) -> bool:
        """Whether its vector was given."""
        return text.strip() in self._known

    def one(self, text: str) -> Vectors:
        """One unit vector."""
        known = self._known.get(text.strip())
        return self._made(text) if known is None else known

    def many(self, texts: Sequence[str]) -> Vectors:
        """One a text."""
        return np.stack([self.one(text) for text in texts])

    def _made(self, text: str) -> Vectors:
        tokenizer, session = self._opened()
        ids = np.array([tokenizer.encode(text).ids], np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        given["token_type_ids"] = np.zeros_like(ids)
        mean = session.run(None, given)[0][0].mean(axis=0)
        unit: Vectors = (mean / np.linalg.norm(mean)).astype(np.float32)
        return unit

    def _opened(self) -> tuple[Any, Any]:
        if self._parts is None:
            runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
            tokenizer = tokenizers.Tokenizer.from_file(str(self._model / "tokenizer.json"))
            tokenizer.no_padding()
            tokenizer.enable_truncation(MAX_TOKENS)
            options = runtime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            session = runtime.InferenceSession(str(self._model / "model.onnx"), options)
            self._parts = tokenizer, session
        return self._parts


class Store(Protocol):
    """A memory in a folder."""

    def load(self, items: Sequence[Item]) -> None:
        """Take in many."""

    def add(self, item: Item) -> None:
        """Take in one, in one call."""

    def search(self, question: str, limit: int) -> list[str]:
        """Ids, best first."""

    def close(self) -> None:
        """Write what is left."""


class Sharpwave:
    """Default settings. Measured for speed here, for quality by `evals`."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        package = import_module("sharpwave")
        self._message = package.Message
        self._memory = package.Memory.open(folder / "memory.db", user=USER)

    def load(self, items: Sequence[Item]) -> None:
        """A list a call, a session a list."""
        for some in _parts(items):
            self._memory.remember(
                [self._message(item.text, session=f"s{some[0].id}") for item in some]
            )

    def add(self, item: Item) -> None:
        """Durable when it returns; facts, tasks and rules are read from it."""
        self._memory.remember(item.text, session="one by one")

    def search(self, question: str, limit: int) -> list[str]:
        """The best items, each with its reasons."""
        return [item.record.id for item in self._memory.recall(question, k=limit)]

    def context(self, question: str) -> str:
        """A block for a prompt."""
        text: str = self._memory.context(question, budget=CONTEXT_TOKENS).text
        return text

    def close(self) -> None:
        """Close the file."""
        self._memory.close()


class Bm25:
    """Stemmed English words; made anew by every load."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._package = import_module("bm25s")
        self._stemmer = import_module("Stemmer").Stemmer("english")
        self._items: list[Item] = []
        self._folder = folder

    def load(self, items: Sequence[Item]) -> None:
        """Index everything anew, and save it."""
        self._items += items
        self._index = self._package.BM25()
        words = self._words([item.text for item in self._items])
        self._index.index(words, show_progress=False)
        self._index.save(str(self._folder), corpus=[item.text for item in self._items])

    def add(self, item: Item) -> None:
        """There is no such thing."""
        raise NotImplementedError

    def search(self, question: str, limit: int) -> list[str]:
        """By score."""
        limit = min(limit, len(self._items))
        places, _ = self._index.retrieve(self._words([question]), k=limit, show_progress=False)
        return [self._items[place].id for place in places[0]]

    def close(self) -> None:
        """Nothing to do."""

    def _words(self, texts: Sequence[str]) -> Any:
        return self._package.tokenize(
            list(texts), stopwords="en", stemmer=self._stemmer, show_progress=False
        )


class Chroma:
    """On disk, with its default embedder where no vectors were given."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        package = import_module("chromadb")
        settings = import_module("chromadb.config").Settings(anonymized_telemetry=False)
        self._client = package.PersistentClient(str(folder), settings)
        self._collection = self._client.get_or_create_collection("memories")
        self._embedder = embedder

    def load(self, items: Sequence[Item]) -> None:
        """Many a call."""
        for some in _parts(items):
            texts = [item.text for item in some]
            self._collection.add(
                ids=[item.id for item in some],
                documents=texts,
                embeddings=self._embedder.many(texts),
            )

    def add(self, item: Item) -> None:
        """One a call, embedded by it."""
        self._collection.add(ids=[item.id], documents=[item.text])

    def search(self, question: str, limit: int) -> list[str]:
        """By vector."""
        if self._embedder.knows(question):
            asked: dict[str, Any] = {"query_embeddings": [self._embedder.one(question)]}
        else:
            asked = {"query_texts": [question]}
        ids: list[str] = self._collection.query(**asked, n_results=limit)["ids"][0]
        return ids

    def close(self) -> None:
        """Stop its threads."""
        self._client.close()


class Mem0:
    """Its local vector store, `infer=False`; the model behind `infer` is never called."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        logging.disable(logging.WARNING)  # that its extras are missing
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": embedder.dimension}
        unused = {"provider": "openai", "config": {"api_key": "never used"}}
        self._memory = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": {**store, "on_disk": True}},
                "history_db_path": str(folder / "history.db"),
                "embedder": unused,
                "llm": unused,
            }
        )
        self._memory.embedding_model = _Mem0Embedder(embedder)

    def load(self, items: Sequence[Item]) -> None:
        """One a call: it has nothing for many."""
        for item in items:
            self.add(item)

    def add(self, item: Item) -> None:
        """As it is."""
        self._memory.add(item.text, user_id=USER, infer=False, metadata={"turn": item.id})

    def search(self, question: str, limit: int) -> list[str]:
        """Filtered by user; no threshold, so that nothing is lost by it."""
        mine = {"user_id": USER}
        found = self._memory.search(question, filters=mine, top_k=limit, threshold=0.0)
        return [item["metadata"]["turn"] for item in found["results"]]

    def close(self) -> None:
        """Close both of its stores."""
        self._memory.close()
        self._memory.vector_store.client.close()


class _Mem0Embedder:
    """Vectors in mem0's form."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        vector: list[float] = self._embedder.one(text).tolist()
        return vector

    def embed_batch(
        self, texts: Sequence[str], memory_action: str | None = None
    ) -> list[list[float]]:
        return [self.embed(text) for text in texts]


class LangMem:
    """Its two tools, called directly, over LangGraph's store in memory."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        package = import_module("langmem")
        store = import_module("langgraph.store.memory").InMemoryStore(
            index={
                "dims": embedder.dimension,
                "embed": lambda texts: embedder.many(texts).tolist(),
                "fields": ["content"],
            }
        )
        namespace = ("memories", USER)
        self._write = package.create_manage_memory_tool(namespace=namespace, store=store)
        self._search = package.create_search_memory_tool(namespace=namespace, store=store)
        self._ids: dict[str, str] = {}

    def load(self, items: Sequence[Item]) -> None:
        """One a call."""
        for item in items:
            self.add(item)

    def add(self, item: Item) -> None:
        """As a model would call it."""
        answer = self._write.invoke({"content": item.text, "action": "create"})
        self._ids[answer.split()[-1]] = item.id

    def search(self, question: str, limit: int) -> list[str]:
        """As a model would call it."""
        answer = self._search.invoke({"query": question, "limit": limit})
        found = json.loads(answer) if isinstance(answer, str) else answer
        return [self._ids[item["key"]] for item in found]

    def close(self) -> None:
        """Nothing is kept."""


class MemPalace:
    """The functions behind its MCP tools, with its default embedder."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        os.environ["MEMPALACE_PALACE_PATH"] = str(folder)
        logging.disable(logging.WARNING)
        self._folder = str(folder)
        self._tools = import_module("mempalace.mcp_server")
        self._open = import_module("mempalace.palace").get_collection
        self._find = import_module("mempalace.searcher").search_memories
        self._embedder = embedder
        _take_known(embedder)

    def load(self, items: Sequence[Item]) -> None:
        """Given vectors go straight into its collection, with the metadata that `add` writes."""
        if not all(self._embedder.knows(item.text) for item in items):
            for item in items:
                self.add(item)
            return
        collection = self._open(self._folder, create=True)
        for some in _parts(items):
            texts = [item.text for item in some]
            collection.upsert(
                ids=[f"drawer_{item.id}" for item in some],
                documents=texts,
                embeddings=self._embedder.many(texts).tolist(),
                metadatas=[_drawer(item) for item in some],
            )

    def add(self, item: Item) -> None:
        """One drawer."""
        done = self._tools.tool_add_drawer(USER, "talk", item.text, source_file=item.id)
        assert done["success"], done

    def search(self, question: str, limit: int) -> list[str]:
        """Vectors, ranked again by words."""
        found = self._find(question, self._folder, n_results=limit)
        return [item["source_file"] for item in found["results"]]

    def close(self) -> None:
        """Nothing to do."""


def _take_known(embedder: Embedder) -> None:
    """Let chromadb's embedder return the vectors that were given, where all are known."""
    model: Any = import_module("chromadb.utils.embedding_functions").ONNXMiniLM_L6_V2
    forward = getattr(model, "forward_as_it_comes", model._forward)

    def known_first(self: Any, documents: list[str], *more: Any, **named: Any) -> Any:
        if all(map(embedder.knows, documents)):
            return embedder.many(documents)
        return forward(self, documents, *more, **named)

    model.forward_as_it_comes, model._forward = forward, known_first


def _drawer(item: Item) -> dict[str, Any]:
    return {
        "wing": USER,
        "room": "talk",
        "source_file": item.id,
        "added_by": "mcp",
        "filed_at": "2026-01-01T00:00:00",
        "chunk_index": 0,
    }


class Omega:
    """Its store in a SQLite file, with the model that it takes when its first choice is missing."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        logging.disable(logging.WARNING)
        self._store = import_module("omega").SQLiteStore(folder / "omega.db")
        self._embedder = embedder

    def load(self, items: Sequence[Item]) -> None:
        """One a call, with the vectors that were given."""
        for item in items:
            given = self._embedder.one(item.text).tolist() if self._knows(item) else None
            self._store.store(item.text, metadata={"turn": item.id}, embedding=given)

    def add(self, item: Item) -> None:
        """One, embedded by it."""
        self._store.store(item.text, metadata={"turn": item.id})

    def search(self, question: str, limit: int) -> list[str]:
        """Vectors, words and what else it weighs."""
        found = self._store.query(question, limit=limit, use_cache=False)
        return [item.metadata["turn"] for item in found if "turn" in (item.metadata or {})]

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def _knows(self, item: Item) -> bool:
        return self._embedder.knows(item.text)


def _parts(items: Sequence[Item]) -> Iterable[Sequence[Item]]:
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))


STORES: dict[str, Callable[[Path, Embedder], Store]] = {
    kind.__name__: kind for kind in (Sharpwave, Bm25, Chroma, Mem0, LangMem, MemPalace, Omega)
}
