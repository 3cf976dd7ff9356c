"""How random the characters of a word look.  Design: SEC-10, resolution 54."""

from collections import Counter
from math import log2


def bits_per_char(word: str) -> float:
    """Shannon entropy of the characters of a word.

        bits_per_char = -Σ_c p(c) log2 p(c)        p(c) = share of c;  range [0, log2 length]

    >>> bits_per_char("abcdabcd")
    2.0
    """
    shares = [count / len(word) for count in Counter(word).values()]
    return -sum(share * log2(share) for share in shares) + 0.0
