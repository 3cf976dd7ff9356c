"""Others that answer the questions of `benchmarks.recall`, each with our embedder, in process.

Each takes in all texts and gives back what searches them: by one question, for its best LIMIT. They
answer by vector only, but for the plain scan, which is what a program without a library would do.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.data import Batch, Question, Vectors
from evals.retrievers import Keywords
from sharpwave.embedding.sharpwave_embedder import SharpwaveEmbedder

LIMIT, BATCH, USER = 16, 1000, "user"

Search = Callable[[str], object]


class Peer(NamedTuple):
    """Another way to answer, and the most memories it is asked to hold here."""

    name: str
    most: int
    open: Callable[[Sequence[str], Path], Search]


def _plain(texts: Sequence[str], folder: Path) -> Search:
    embedder, words = SharpwaveEmbedder(), Keywords().index(list(texts))
    vectors = np.concatenate([batch.vectors for batch in _batches(texts, embedder)])

    def search(question: str) -> object:
        cosines = vectors @ embedder.embed_question(question)
        scores = np.asarray(words(question))
        return np.argsort(-(cosines + scores / (scores.max() or 1.0)))[:LIMIT]

    return search


def _chroma(texts: Sequence[str], folder: Path) -> Search:
    from benchmarks.contenders.chroma import Chroma

    return _given(Chroma(folder), texts)


def _mem0(texts: Sequence[str], folder: Path) -> Search:
    from benchmarks.contenders.mem0_local import Mem0Local

    return _given(Mem0Local(folder, SharpwaveEmbedder().space.dimension), texts)


def _langgraph(texts: Sequence[str], folder: Path) -> Search:
    """Its `InMemoryStore`, the one that searches by meaning without a server."""
    from langgraph.store.base import PutOp
    from langgraph.store.memory import InMemoryStore

    embedder = SharpwaveEmbedder()

    def embed(some: Sequence[str]) -> list[list[float]]:
        made: list[list[float]] = embedder.embed(some).tolist()
        return made

    store: Any = InMemoryStore(
        index={"dims": embedder.space.dimension, "embed": embed, "fields": ["text"]}
    )
    for start in range(0, len(texts), BATCH):
        some = enumerate(texts[start : start + BATCH], start)
        store.batch([PutOp((USER,), str(number), {"text": text}) for number, text in some])
    return lambda question: store.search((USER,), query=question, limit=LIMIT)


PEERS = (
    Peer("float scan + BM25", 100_000, _plain),
    Peer("chromadb", 100_000, _chroma),
    Peer("LangGraph store", 100_000, _langgraph),
    Peer("mem0ai", 10_000, _mem0),
)


def _given(contender: Any, texts: Sequence[str]) -> Search:
    embedder = SharpwaveEmbedder()
    contender.load(_batches(texts, embedder))

    def search(question: str) -> object:
        asked = Question(USER, question, embedder.embed_question(question), nearest=())
        return contender.search(asked, LIMIT)

    return search


def _batches(texts: Sequence[str], embedder: SharpwaveEmbedder) -> list[Batch]:
    def embedded(some: Sequence[str]) -> Vectors:
        return embedder.embed(some)

    parts = (list(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH))
    return [Batch(USER, some, embedded(some)) for some in parts]
