"""The contracts of an embedder and of a reranker: one function per promise.

    for check in EMBEDDER:
        check(embedder)

A check raises AssertionError with what was promised. Run these on an implementation of your own.
"""

import threading
from collections.abc import Callable, Sequence

import numpy as np

from sharpwave.ports import Embedder, Reranker

TEXTS = (
    "Ana lives in Porto.",
    "Die Katze schläft auf dem Sofa.",
    "東京に住んでいます。",
    "👩‍👩‍👧 🎉",
    "word " * 3000,
    "a",
)
ODD = ("", " ", "\n\t", "\x00", "\u202e\u200b", "?" * 50)
_CLOSE = 1e-4  # the order of summation may change this much
_THREADS = 4


def check_vectors(embedder: Embedder) -> None:
    """One finite unit vector of the promised size per text, whatever the text."""
    vectors = embedder.embed([*TEXTS, *ODD])
    assert vectors.shape == (len(TEXTS) + len(ODD), embedder.space.dimension)
    assert vectors.dtype == np.float32 and np.isfinite(vectors).all()
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3), "of length one"
    for question in (*TEXTS, *ODD):
        vector = embedder.embed_question(question)
        assert vector.shape == (embedder.space.dimension,) and vector.dtype == np.float32
        assert abs(float(np.linalg.norm(vector)) - 1.0) < 1e-3


def check_nothing(embedder: Embedder) -> None:
    """No texts, no vectors."""
    assert embedder.embed([]).shape == (0, embedder.space.dimension)


def check_space(embedder: Embedder) -> None:
    """Name, version and size of the vectors are given, and always the same."""
    assert embedder.space == embedder.space
    assert embedder.space.name and embedder.space.version and embedder.space.dimension > 0


def check_alone_or_together(embedder: Embedder) -> None:
    """A text has the same vector every time, alone and among others."""
    together = embedder.embed(TEXTS)
    assert np.allclose(together, embedder.embed(TEXTS), atol=_CLOSE)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.allclose(together, alone, atol=0.02), "batches may be padded, but not matter"


def check_fresh_arrays(embedder: Embedder) -> None:
    """Changing a returned array changes no later result."""
    before = embedder.embed(TEXTS[:1]).copy()
    embedder.embed(TEXTS[:1])[:] = 0.0
    embedder.embed_question(TEXTS[0])[:] = 0.0
    assert np.allclose(before, embedder.embed(TEXTS[:1]), atol=_CLOSE)


def check_shared_embedder(embedder: Embedder) -> None:
    """Several threads may use it at once."""
    expected = embedder.embed(TEXTS)
    results = _at_once(lambda: embedder.embed(TEXTS))
    assert all(np.allclose(expected, vectors, atol=_CLOSE) for vectors in results)


def check_scores(reranker: Reranker) -> None:
    """One finite number per text, whatever the texts and the question."""
    for query in (TEXTS[0], *ODD):
        scores = reranker.score(query, [*TEXTS, *ODD])
        assert scores.shape == (len(TEXTS) + len(ODD),) and scores.dtype == np.float32
        assert np.isfinite(scores).all()


def check_no_texts(reranker: Reranker) -> None:
    """No texts, no scores."""
    assert reranker.score("Where does Ana live?", []).shape == (0,)


def check_each_by_itself(reranker: Reranker) -> None:
    """The score of a text does not depend on its place among the texts, nor on the call."""
    forwards = reranker.score(TEXTS[0], TEXTS)
    backwards = reranker.score(TEXTS[0], TEXTS[::-1])
    assert np.allclose(forwards, backwards[::-1], atol=_CLOSE)
    assert np.allclose(forwards, reranker.score(TEXTS[0], TEXTS), atol=_CLOSE)


def check_shared_reranker(reranker: Reranker) -> None:
    """Several threads may use it at once."""
    expected = reranker.score(TEXTS[0], TEXTS)
    results = _at_once(lambda: reranker.score(TEXTS[0], TEXTS))
    assert all(np.allclose(expected, scores, atol=_CLOSE) for scores in results)


EMBEDDER: Sequence[Callable[[Embedder], None]] = (
    check_vectors,
    check_nothing,
    check_space,
    check_alone_or_together,
    check_fresh_arrays,
    check_shared_embedder,
)
RERANKER: Sequence[Callable[[Reranker], None]] = (
    check_scores,
    check_no_texts,
    check_each_by_itself,
    check_shared_reranker,
)


def _at_once(call: Callable[[], np.ndarray]) -> list[np.ndarray]:
    """The results of several threads that call at the same time."""
    results: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: results.append(call())) for _ in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == _THREADS, "a thread failed"
    return results
