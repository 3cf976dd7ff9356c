"""How rows are said: kept exactly, in any order of changes, and gone with their record."""

import gc
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.index.fake_store import row

from sharpwave.embedding.table_embedder import TokenScorer
from sharpwave.index.in_memory_index import InMemoryIndex
from sharpwave.index.snapshot import InvalidSnapshot
from sharpwave.index.terms import TermReader
from sharpwave.index.wordings import MAX_CHARS, NUMBERS, OWN, Wordings, marks
from sharpwave.testing import in_memory
from sharpwave.types.searching import Pieces

WIDE = 70_000
"""Pieces that two bytes could not tell apart."""


class Letters:
    """Cuts a text into its letters; each is a piece of a high number."""

    signature = "letters"

    def cut(self, texts: Sequence[str]) -> Pieces:
        cut = [[WIDE + ord(each) for each in dict.fromkeys(text)] for text in texts]
        ids = np.array([piece for pieces in cut for piece in pieces], np.int64)
        lengths = np.array([len(text) for text in texts], np.float32)
        return Pieces(ids, np.array([len(pieces) for pieces in cut], np.int64), lengths)

    def forget_words(self) -> None:
        """It keeps none."""

    def match(self, query: str, texts: Pieces) -> NDArray[np.float32]:
        raise NotImplementedError


def filled(*texts: str) -> Wordings:
    wordings = Wordings(Letters())
    wordings.extend([row(number, text) for number, text in enumerate(texts, start=1)])
    return wordings


def read(wordings: Wordings, *rows: int) -> list[str]:
    found = wordings.pieces(np.array(rows, np.intp))
    parts = np.split(found.ids - WIDE, np.cumsum(found.counts)[:-1])
    return ["".join(map(chr, part)) for part in parts]


@given(
    texts=st.lists(st.text("abcdefgh", max_size=8), min_size=1, max_size=8),
    order=st.randoms(use_true_random=False),
)
def test_any_rows_are_read_and_kept_in_any_order(texts: list[str], order: object) -> None:
    wordings = filled(*texts)
    distinct = ["".join(dict.fromkeys(text)) for text in texts]
    rows = list(range(len(texts)))
    order.shuffle(rows)  # type: ignore[attr-defined]
    assert read(wordings, *rows) == [distinct[at] for at in rows]
    kept = rows[: len(rows) // 2 + 1]
    wordings.keep(np.array(kept, np.intp))
    assert read(wordings, *range(len(kept))) == [distinct[at] for at in kept]
    priors = wordings.pieces(np.arange(len(kept))).priors
    assert priors.tolist() == [len(texts[at]) for at in kept]
    wordings.extend([row(99, "zz")])
    assert read(wordings, len(kept)) == ["z"]


def test_a_removed_row_is_overwritten_at_once() -> None:
    wordings = filled("ab", "xyz", "cd")
    wordings.bury(np.array([1], np.intp))
    assert read(wordings, 0, 2) == ["ab", "cd"]
    arrays = wordings.arrays()
    assert not arrays["pieces"][:, 2:5].any()
    assert arrays["priors"][1] == 0 == arrays["marks"][1]


def test_only_the_beginning_of_a_text_is_looked_at_and_who_said_it() -> None:
    wordings = Wordings(Letters())
    wordings.extend([row(1, "a" * MAX_CHARS + "b")._replace(speaker="Z")])
    assert read(wordings, 0) == ["Z: a"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My train", OWN),
        ("at 7", NUMBERS),
        ("We met last week", OWN | NUMBERS),
        ("the mystery", 0),
        ("", 0),
    ],
)
def test_what_a_text_speaks_of(text: str, expected: int) -> None:
    assert marks(text) == expected


@pytest.mark.parametrize("change", [{"ends": [2, 1]}, {"ends": [1, 9]}, {"marks": [0]}])
def test_damaged_arrays_are_refused(change: dict[str, list[int]]) -> None:
    arrays = filled("a", "b").arrays()
    damaged = {name: np.array(values, arrays[name].dtype) for name, values in change.items()}
    with pytest.raises(InvalidSnapshot):
        Wordings(Letters()).restore(arrays | damaged, 2)


def test_an_index_tells_how_records_are_said_and_nothing_of_unknown_ones() -> None:
    index = InMemoryIndex(8, TermReader(99, 64, 99), Letters())
    index.add([row(1, "I saw"), row(2, "ab", at=5), row(3, "12 o'clock")])
    index.add([row(2, "cd", seq=4, at=7)])  # the newest form counts
    worded = index.worded(np.array([3, 9, 2, 0, 1]))
    assert worded.pieces.counts.tolist() == [8, 0, 2, 0, 5]
    assert worded.said_at_us.tolist() == [0, 0, 7, 0, 0]
    assert worded.own.tolist() == [False, False, False, False, True]
    assert worded.numbers.tolist() == [True, False, False, False, False]
    other = InMemoryIndex.from_bytes(index.to_bytes(), 8, TermReader(99, 64, 99), Letters())
    assert other is not None
    assert other.worded(np.array([2])).pieces.ids.tolist() == [WIDE + ord("c"), WIDE + ord("d")]
    assert InMemoryIndex.from_bytes(index.to_bytes(), 8, TermReader(99, 64, 99)) is None


@pytest.mark.parametrize("everything", [False, True])
def test_nothing_of_a_forgotten_record_is_left_in_memory(everything: bool) -> None:
    """No object that the memory holds on to, however deep, still has the word."""
    with in_memory(tokens=TokenScorer()) as memory:
        memory.remember("I like tea")
        told = memory.remember("The code word is Xylophantine").ids[0]
        assert memory.recall("What is the code word?").items[0].record.id == told
        assert "xylophantin" in held_by(memory)
        memory.forget(everything=True) if everything else memory.forget(told)
        memory.recall("Do I like tea?")
        assert "xylophantin" not in held_by(memory)


def held_by(root: object) -> str:
    """Every text that can be reached from an object, in one."""
    seen, waiting, texts = {id(root)}, [root], list[str]()
    while waiting:
        one = waiting.pop()
        if isinstance(one, type) or type(one).__name__ == "module":
            continue
        if isinstance(one, str | bytes):
            texts.append(one if isinstance(one, str) else one.decode("utf-8", "replace"))
        elif isinstance(one, np.ndarray) and one.dtype == np.uint8:
            texts.append(one.tobytes().decode("utf-8", "replace"))
        for each in gc.get_referents(one):
            if id(each) not in seen and not hasattr(each, "__globals__"):
                seen.add(id(each))
                waiting.append(each)
    return "\n".join(texts).lower()
