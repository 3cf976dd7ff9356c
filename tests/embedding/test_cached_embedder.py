import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave import Memory
from sharpwave.embedding.cached_embedder import CachedEmbedder
from sharpwave.embedding.hash_embedder import HashEmbedder
from sharpwave.types.storing import Space


class CountingEmbedder:
    """Gives every new text the next unit vector, and keeps a list of what it was asked."""

    def __init__(self) -> None:
        self.statements: list[list[str]] = []
        self.questions: list[str] = []

    @property
    def space(self) -> Space:
        return Space("counting", "1", 3)

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        self.statements.append(list(statements))
        return np.array([_vector(text) for text in statements], np.float32).reshape(-1, 3)

    def embed_question(self, question: str) -> NDArray[np.float32]:
        self.questions.append(question)
        return -_vector(question)


def test_only_misses_are_embedded_and_each_once() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, entries=10)

    cached.embed(["a", "b"])
    vectors = cached.embed(["c", "b", "a", "c", "d"])

    assert inner.statements == [["a", "b"], ["c", "d"]]
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, [_vector(text) for text in "cbacd"])


def test_statements_and_questions_are_kept_apart() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, entries=10)

    statement = cached.embed(["a"])[0]
    questions = [cached.embed_question("a") for _ in range(3)]

    assert inner.questions == ["a"]
    assert all(np.array_equal(question, -statement) for question in questions)


def test_the_least_recently_used_goes_first() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, entries=2)

    cached.embed(["a", "b"])
    cached.embed(["a"])
    cached.embed(["c"])
    cached.embed(["a", "b", "c"])

    assert inner.statements == [["a", "b"], ["c"], ["b"]]


def test_a_batch_larger_than_the_cache_is_answered_whole() -> None:
    cached = CachedEmbedder(CountingEmbedder(), entries=2)

    assert np.array_equal(cached.embed(list("abcde")), [_vector(text) for text in "abcde"])


def test_what_a_caller_does_to_a_vector_does_not_reach_the_cache() -> None:
    cached = CachedEmbedder(CountingEmbedder(), entries=10)

    for _ in range(2):
        vectors, question = cached.embed(["a"]), cached.embed_question("a")
        assert np.array_equal(vectors, [_vector("a")])
        assert np.array_equal(question, -_vector("a"))
        vectors.fill(7)
        question.fill(7)


def test_zero_entries_turn_it_off() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, entries=0)

    for _ in range(2):
        cached.embed(["a"])
        cached.embed_question("a")

    assert inner.statements == [["a"], ["a"]]
    assert inner.questions == ["a", "a"]


def test_nothing_to_embed_keeps_the_shape() -> None:
    assert CachedEmbedder(CountingEmbedder(), entries=10).embed([]).shape == (0, 3)


def test_space_is_that_of_the_embedder_behind() -> None:
    assert CachedEmbedder(CountingEmbedder(), entries=10).space == Space("counting", "1", 3)


def test_texts_that_are_not_valid_unicode_are_told_apart() -> None:
    inner = CountingEmbedder()

    CachedEmbedder(inner, entries=10).embed(["\ud800", "\ud801", "?"])

    assert inner.statements == [["\ud800", "\ud801", "?"]]


def test_threads_share_it() -> None:
    cached = CachedEmbedder(CountingEmbedder(), entries=3)
    wrong: list[str] = []

    def embed(offset: int) -> None:
        for turn in range(300):
            text = chr(ord("a") + (turn * offset) % 7)
            if not np.array_equal(cached.embed([text, "z"]), [_vector(text), _vector("z")]):
                wrong.append(text)

    threads = [threading.Thread(target=embed, args=(offset,)) for offset in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []


def _vector(text: str) -> NDArray[np.float32]:
    angle = float(sum(map(ord, text)))
    return np.array([np.cos(angle), np.sin(angle), 0], dtype=np.float32)


def test_the_share_of_texts_that_were_known_is_told_for_all_users_alone(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", embedder=HashEmbedder(16)) as memory:
        assert memory.admin.stats(all_users=True).embedder_reuse is None
        memory.recall("Where is the key?")
        memory.recall("Where is the key?")
        assert memory.admin.stats(all_users=True).embedder_reuse == 0.5
        assert memory.admin.stats().embedder_reuse is None
