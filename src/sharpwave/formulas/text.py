"""Words of a text: BM25, how rare or random a word is, and how alike two sets of words are."""

import math
from collections import Counter
from collections.abc import Set as AbstractSet
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from Stemmer import Stemmer

Value = TypeVar("Value", float, NDArray[Any])


BM25_K1 = 1.2
"""How fast repeated terms saturate: the usual value."""
BM25_B = 0.75
"""How much long texts are held back: the usual value."""


def idf(records: float, containing: Value) -> Value:
    """Inverse document frequency of a term in `containing` of a user's `records` [RD-11].

        idf = ln(1 + (records - containing + 0.5) / (containing + 0.5))        range (0, ∞)

    Always positive, even for a term that every record holds.

    A text's score is the sum over the query's terms of `idf * term_weight` (Okapi BM25).

    >>> round(float(idf(10, 1)), 4), round(float(idf(10, 10)), 4)
    (1.9924, 0.0465)
    """
    weight: Value = np.log1p((records - containing + 0.5) / (containing + 0.5))
    return weight


def term_weight(count: Value, length: Value, average_length: float, k1: float, b: float) -> Value:
    """How much a term counts that occurs `count` times in a text of `length` terms [RD-11].

        term_weight = count (k1 + 1) / (count + k1 (1 - b + b length / average_length))

    Range [0, k1 + 1): rises with `count`, falls with `length` if b > 0.

    >>> term_weight(1.0, 8.0, average_length=8.0, k1=1.2, b=0.75)
    1.0
    >>> term_weight(2.0, 8.0, average_length=8.0, k1=1.0, b=0.0)
    1.3333333333333333
    """
    return count * (k1 + 1) / (count + k1 * (1 - b + b * length / average_length))


def word_worth(sentences: int, holding: int) -> float:
    """Weight of a word, greater the fewer sentences hold it [EPI-05].

        worth = ln(1 + sentences / holding)

    >>> round(word_worth(40, 2), 2), round(word_worth(40, 40), 2)
    (3.04, 0.69)
    """
    return math.log(1 + sentences / holding)


def bits_per_char(word: str) -> float:
    """Shannon entropy of the characters of a word [SEC-10].

        bits_per_char = -Σ_c p(c) log2 p(c)        p(c) = share of c;  range [0, log2 length]

    >>> bits_per_char("abcdabcd")
    2.0
    """
    shares = [count / len(word) for count in Counter(word).values()]
    return -sum(share * math.log2(share) for share in shares) + 0.0


def keyword_similarity(first: AbstractSet[str], second: AbstractSet[str]) -> float:
    """Likeness of two sets of keywords (Jaccard) [INTP-04].

        |first and second| / |first or second|        0 if both are empty

    >>> keyword_similarity({"fix", "auth", "bug"}, {"auth", "bug"})
    0.6666666666666666
    """
    union = len(first | second)
    return len(first & second) / union if union else 0.0


def stem(word: str) -> str:
    """The stem of an English word in lower case (Porter 2): to compare words, not to show.

    >>> [stem(word) for word in ("booked", "tables", "table", "red")]
    ['book', 'tabl', 'tabl', 'red']
    """
    with _STEMMING:
        return str(_STEMMER.stemWord(word))


_STEMMER, _STEMMING = Stemmer("english", 0), Lock()  # it keeps no words, and serves one at a time


def likeness(first: AbstractSet[str], second: AbstractSet[str]) -> float:
    """Likeness of two sets of words by Dice's coefficient [BEH-08].

        likeness = 2 |A ∩ B| / (|A| + |B|),    0 if both are empty

    >>> likeness({"bullet", "point"}, {"bullet", "point", "summary"})
    0.8
    """
    total = len(first) + len(second)
    return 2 * len(first & second) / total if total else 0.0
