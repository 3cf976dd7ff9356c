"""Entropy of a word's characters."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.entropy import bits_per_char


@pytest.mark.parametrize(
    ("word", "bits"), [("", 0.0), ("aaaa", 0.0), ("ab", 1.0), ("aabb", 1.0), ("abcdefgh", 3.0)]
)
def test_by_hand(word: str, bits: float) -> None:
    assert bits_per_char(word) == pytest.approx(bits)
    assert not str(bits_per_char(word)).startswith("-"), "nothing is not less than nothing"


@given(st.text(min_size=1, max_size=64))
def test_range_and_order(word: str) -> None:
    bits = bits_per_char(word)
    assert 0.0 <= bits <= log2(len(word)) + 1e-9
    assert bits == pytest.approx(bits_per_char("".join(sorted(word))))
