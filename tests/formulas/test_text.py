import math
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas import text
from sharpwave.formulas.text import bits_per_char, idf, likeness, stem, term_weight

words = st.sets(st.sampled_from("abcdef"))


@given(words, words)
def test_likeness_is_a_share_of_both(one: set[str], other: set[str]) -> None:
    found = likeness(one, other)
    assert found == likeness(other, one)
    assert (found == 1.0) is (one == other and bool(one))
    assert (found == 0.0) is (not one & other)
    assert found * (len(one) + len(other)) == pytest.approx(2 * len(one & other))


@pytest.mark.parametrize(
    ("records", "containing", "expected"),
    [(1, 1, math.log(1 + 0.5 / 1.5)), (100, 1, math.log(1 + 99.5 / 1.5)), (4, 0, math.log(10))],
)
def test_idf_by_hand(records: int, containing: float, expected: float) -> None:
    assert idf(records, containing) == pytest.approx(expected)


@given(st.integers(1, 10**7), st.data())
def test_a_rarer_term_is_more_telling(records: int, data: st.DataObject) -> None:
    containing = data.draw(st.integers(1, records))
    assert idf(records, float(containing)) > 0
    assert idf(records, float(containing - 1)) > idf(records, float(containing))


@pytest.mark.parametrize(
    ("count", "length", "average", "k1", "b", "expected"),
    [
        (1, 10, 10, 1.2, 0.75, 1.0),
        (3, 10, 10, 1.2, 0.75, 3 * 2.2 / 4.2),
        (1, 20, 10, 1.2, 0.75, 2.2 / (1 + 1.2 * 1.75)),
        (5, 7, 10, 0.0, 0.75, 1.0),
        (0, 10, 10, 1.2, 0.75, 0.0),
    ],
)
def test_term_weight_by_hand(
    count: float, length: float, average: float, k1: float, b: float, expected: float
) -> None:
    assert term_weight(count, length, average, k1, b) == pytest.approx(expected)


def test_terms_are_weighed_with_the_usual_constants_of_bm25() -> None:
    assert (text.BM25_K1, text.BM25_B) == (1.2, 0.75)
    assert term_weight(2.0, 8.0, 8.0, text.BM25_K1, text.BM25_B) == 1.375


@given(
    st.integers(1, 1000),
    st.integers(1, 10_000),
    st.floats(0.5, 1000),
    st.floats(0.01, 3),
    st.floats(0, 1),
)
def test_weight_is_bounded_and_rises_with_count(
    count: int, length: int, average: float, k1: float, b: float
) -> None:
    weight = term_weight(float(count), float(length), average, k1, b)
    assert 0 < weight <= k1 + 1
    assert term_weight(float(count + 1), float(length), average, k1, b) >= weight


def test_arrays_give_what_numbers_give() -> None:
    counts, lengths = np.array([1, 2, 9], np.float32), np.array([3, 8, 40], np.float32)
    together = term_weight(counts, lengths, 12.0, 1.2, 0.75)
    alone = [
        term_weight(float(c), float(n), 12.0, 1.2, 0.75)
        for c, n in zip(counts, lengths, strict=True)
    ]
    assert together.dtype == np.float32
    assert together == pytest.approx(alone, rel=1e-6)
    assert idf(10, np.array([1.0, 5.0])) == pytest.approx([idf(10, 1.0), idf(10, 5.0)])


@pytest.mark.parametrize(
    ("word", "bits"), [("", 0.0), ("aaaa", 0.0), ("ab", 1.0), ("aabb", 1.0), ("abcdefgh", 3.0)]
)
def test_by_hand(word: str, bits: float) -> None:
    assert bits_per_char(word) == pytest.approx(bits)
    assert not str(bits_per_char(word)).startswith("-"), "nothing is not less than nothing"


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("tables", "table"),
        ("moved", "move"),
        ("stories", "story"),
        ("boxes", "box"),
        ("uses", "using"),
    ],
)
def test_forms_of_a_word_have_one_stem(word: str, other: str) -> None:
    assert stem(word) == stem(other)


def test_other_words_have_other_stems() -> None:
    assert len({stem(word) for word in ("bus", "busy", "red", "ring", "spaces", "tabs", "1")}) == 7


@given(st.text(min_size=1, max_size=64))
def test_range_and_order(word: str) -> None:
    bits = bits_per_char(word)
    assert 0.0 <= bits <= log2(len(word)) + 1e-9
    assert bits == pytest.approx(bits_per_char("".join(sorted(word))))
