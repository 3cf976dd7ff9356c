"""What is measured: our embedders and keyword search by name, and the peers of `models.py`."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import log1p
from pathlib import Path
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evals import models
from evals.parts import SentenceEncoder, SharpwaveEmbedder, TableEmbedder, stems
from sharpwave import Embedder, InvalidInput, InvalidSettings, NotFound
from sharpwave.testing import HashEmbedder

TEACHER = "e5"
"""The embedder that ours is distilled from: slow, so it runs only when it is named."""

HASH_DIMENSION = 384

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

    K1, B = 1.2, 0.75

    def index(self, statements: Sequence[str]) -> Search:
        """Weigh every term of every statement.

        weight = count (k1 + 1) / (count + k1 (1 - b + b length / average length))
        score  = sum of weight * ln(1 + (texts - containing + 0.5) / (containing + 0.5))
        """
        terms = [stems(statement) for statement in statements]
        average = sum(map(len, terms)) / len(terms)
        postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for position, own in enumerate(terms):
            held_back = self.K1 * (1 - self.B + self.B * len(own) / average)
            for term, count in Counter(own).items():
                postings[term].append((position, count * (self.K1 + 1) / (count + held_back)))

        def search(question: str) -> NDArray[np.floating]:
            scores = np.zeros(len(terms))
            for term in set(stems(question)):
                holding = postings.get(term, ())
                idf = log1p((len(terms) - len(holding) + 0.5) / (len(holding) + 0.5))
                for position, weight in holding:
                    scores[position] += idf * weight
            return scores

        return search


def baselines() -> dict[str, Retriever]:
    """Keywords alone and vectors alone, over the same texts."""
    return {"bm25": Keywords(), "vector": Dense(SharpwaveEmbedder())}


def open_named(name: str) -> Opened:
    """Load one, a table of ours by its file, or an encoder by its folder.

    NotFound says which package is missing.
    """
    if name == "bm25":
        started = perf_counter()
        return Opened(name, Keywords(), None, _ms_since(started), 0)
    if name.endswith(".npz"):
        return _opened(name, lambda: TableEmbedder(Path(name)), lambda: [Path(name)])
    if (Path(name) / _ENCODER[0]).is_file():
        folder = Path(name)
        return _opened(
            name, lambda: SentenceEncoder(folder), lambda: [folder / part for part in _ENCODER]
        )
    if name not in _EMBEDDERS:
        raise InvalidInput(f"there is no embedder {name!r}; there are: {', '.join(NAMES)}")
    return _opened(name, *_EMBEDDERS[name])


def available(names: Iterable[str], notes: list[str]) -> Iterator[Opened]:
    """Load each in turn; a note for each that is not installed."""
    for name in names:
        try:
            yield open_named(name)
        except (NotFound, InvalidSettings) as error:
            notes.append(f"{name} left out: {error}")


def ranking(scores: NDArray[np.floating]) -> list[int]:
    """Positions, best score first; of equals the earlier."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order


def _opened(name: str, load: Load, weights: Weights) -> Opened:
    started = perf_counter()
    embedder = load()
    load_ms = _ms_since(started)
    return Opened(name, Dense(embedder), embedder, load_ms, sum(map(_file_bytes, weights())))


def _data(*names: str) -> list[Path]:
    return [Path(str(files("sharpwave") / "data" / name)) for name in names]


_TABLE, _ENCODER = ("embedder.npz",), ("encoder.onnx", "encoder_vocabulary.txt")


_EMBEDDERS: dict[str, tuple[Load, Weights]] = {
    "sharpwave": (SharpwaveEmbedder, lambda: _data(*_TABLE, *_ENCODER)),
    "encoder": (SentenceEncoder, lambda: _data(*_ENCODER)),
    "table": (TableEmbedder, lambda: _data(*_TABLE)),
    "hash": (lambda: HashEmbedder(HASH_DIMENSION), list),
    **{name: (peer, peer.weights) for name, peer in models.EMBEDDERS.items()},
}
NAMES = ("bm25", *_EMBEDDERS)


def _file_bytes(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _ms_since(started: float) -> float:
    return (perf_counter() - started) * 1000
