"""What is measured: our embedders and keyword search by name, and the peers of `peers.py`."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.hash_embedder import HashEmbedder
from sharpwave.embedding.table_embedder import SharpwaveEmbedder
from sharpwave.errors import InvalidInput
from sharpwave.evals import peers
from sharpwave.formulas import bm25
from sharpwave.index.terms import TermReader
from sharpwave.ports import Embedder
from sharpwave.settings.tree import Settings

TEACHER = "e5"
"""The embedder that ours is distilled from: slow, so it runs only when it is named."""

Search = Callable[[str], NDArray[np.floating]]
"""Scores of all statements for a question."""
Load = Callable[[], Embedder]
Weights = Callable[[], Sequence[Path]]


class Retriever(Protocol):
    """Something that scores statements for a question."""

    def index(self, statements: Sequence[str]) -> Search:
        """Take in statements; what it returns scores them."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A retriever that was just loaded, and what that took."""

    name: str
    retriever: Retriever
    embedder: Embedder | None
    """None for keyword search."""
    load_ms: float
    file_bytes: int


class Dense:
    """Cosine of the vectors of question and statement."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def index(self, statements: Sequence[str]) -> Search:
        """Embed the statements."""
        vectors = self._embedder.embed(statements)
        return lambda question: vectors @ self._embedder.embed_question(question)


class Keywords:
    """BM25 over the same terms as the recall index."""

    def __init__(self) -> None:
        self._settings = Settings().index
        chosen = self._settings
        self._terms = TermReader(chosen.max_terms, chosen.max_word_chars, chosen.cached_words)

    def index(self, statements: Sequence[str]) -> Search:
        """Weigh every term of every statement."""
        k1, b = self._settings.bm25_k1, self._settings.bm25_b
        terms = [self._terms.read(statement) for statement in statements]
        average = sum(map(len, terms)) / len(terms)
        postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for position, own in enumerate(terms):
            for term, count in Counter(own).items():
                weight = bm25.term_weight(float(count), float(len(own)), average, k1, b)
                postings[term].append((position, weight))

        def search(question: str) -> NDArray[np.floating]:
            scores = np.zeros(len(terms))
            for term in set(self._terms.read(question)):
                found = postings.get(term, ())
                idf = bm25.idf(len(terms), float(len(found)))
                for position, weight in found:
                    scores[position] += idf * weight
            return scores

        return search


def open_named(name: str) -> Opened:
    """Load one, or a table of ours by its file; NotFound says which package is missing."""
    if name == "bm25":
        started = perf_counter()
        return Opened(name, Keywords(), None, _ms_since(started), 0)
    if name.endswith(".npz"):
        return _opened(name, lambda: SharpwaveEmbedder(Path(name)), lambda: [Path(name)])
    if name not in _EMBEDDERS:
        raise InvalidInput(f"there is no embedder {name!r}; there are: {', '.join(NAMES)}")
    return _opened(name, *_EMBEDDERS[name])


def ranking(scores: NDArray[np.floating]) -> list[int]:
    """Positions, best score first; of equals the earlier."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order


def _opened(name: str, load: Load, weights: Weights) -> Opened:
    started = perf_counter()
    embedder = load()
    load_ms = _ms_since(started)
    return Opened(name, Dense(embedder), embedder, load_ms, sum(map(_file_bytes, weights())))


def _table() -> list[Path]:
    return [Path(str(files("sharpwave") / "data" / "embedder.npz"))]


def _hash() -> HashEmbedder:
    return HashEmbedder()


_EMBEDDERS: dict[str, tuple[Load, Weights]] = {
    "sharpwave": (SharpwaveEmbedder, _table),
    "hash": (_hash, list),
    **{name: (peer, peer.weights) for name, peer in peers.EMBEDDERS.items()},
}
NAMES = ("bm25", *_EMBEDDERS)


def _file_bytes(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _ms_since(started: float) -> float:
    return (perf_counter() - started) * 1000
