from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.fake_store import row

from sharpwave.index import postings
from sharpwave.index.in_memory_index import InMemoryIndex
from sharpwave.index.terms import TermReader
from sharpwave.types.searching import Filter

READER = TermReader(max_terms=1000, max_word_chars=64, cached_words=1024)
RANDOM = np.random.default_rng(0)


@pytest.fixture(autouse=True, scope="module")
def _short_tail() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "TAIL_RECORDS", 16)
        yield


def filled() -> InMemoryIndex:
    index = InMemoryIndex(100, READER)
    vectors = RANDOM.standard_normal((200, 100))
    index.add(
        [
            row(n, f"oak tree{n} 猫 word{n % 9}", vectors[n - 1], session=f"s{n % 5}", at=n)
            for n in range(1, 201)
        ]
    )
    index.add([row(7, "secretword elm", vectors[3], session="hidden"), row(201, "no vector")])
    index.remove([7, 9, 11])
    return index


def restored(
    payload: bytes, dimension: int = 100, reader: TermReader = READER
) -> InMemoryIndex | None:
    return InMemoryIndex.from_bytes(payload, dimension, reader)


PAYLOAD = filled().to_bytes()


def test_a_restored_index_finds_the_same_and_goes_on() -> None:
    index = filled()
    copy = restored(index.to_bytes())
    assert copy is not None
    late = [row(202, "late oak", RANDOM.standard_normal(100), session="s1"), row(5, "changed oak")]
    for step in range(2):
        for query in ("oak word3", "tree17", "猫 elm", "late", "vector"):
            for only in (Filter(), Filter(session="s1"), Filter(since_us=50)):
                vector = RANDOM.standard_normal(100).astype(np.float32)
                one, two = (i.search(query, vector, 10, only) for i in (index, copy))
                assert one.searched == two.searched
                assert one.near.tolist() == two.near.tolist()
                assert [a.tolist() for a in one.keyword] == [a.tolist() for a in two.keyword]
        if step == 0:
            index.add(late)
            copy.add(late)


def test_a_snapshot_holds_nothing_of_removed_records() -> None:
    assert b"secretword" not in PAYLOAD and b"tree9\n" not in PAYLOAD
    assert b"hidden" not in PAYLOAD
    assert b"tree10\n" in PAYLOAD


def test_an_empty_index_survives() -> None:
    copy = restored(InMemoryIndex(100, READER).to_bytes())
    assert copy is not None and len(copy) == 0
    copy.add([row(1, "oak")])
    assert copy.search("oak", None, 5, Filter()).keyword.numbers.tolist() == [1]


@given(st.integers(0, len(PAYLOAD) - 1), st.integers(1, 255))
def test_a_damaged_snapshot_is_refused(at: int, flip: int) -> None:
    damaged = bytearray(PAYLOAD)
    damaged[at] ^= flip
    assert restored(bytes(damaged)) is None


@given(st.integers(0, len(PAYLOAD) - 1))
def test_a_truncated_or_padded_snapshot_is_refused(size: int) -> None:
    assert restored(PAYLOAD[:size]) is None
    assert restored(PAYLOAD + PAYLOAD[: size + 1]) is None


@given(st.binary())
def test_other_bytes_are_refused(payload: bytes) -> None:
    assert restored(payload) is None


def test_a_snapshot_made_in_another_way_is_refused() -> None:
    assert restored(PAYLOAD, dimension=99) is None
    assert restored(PAYLOAD, reader=TermReader(999, 64, 16)) is None
