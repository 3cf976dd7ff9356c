"""When two titles or notes speak of the same thing, by their words."""

import re

_WORD = re.compile(r"[^\W_]+")
_EMPTY = frozenset(
    "a an the to for of in on at with and or my our his her their your i we it this that is be do "
    "get got have has need needs must should will finally already just".split()
)


def content_words(text: str) -> frozenset[str]:
    """The words that carry meaning, cut to their stems roughly.

    >>> sorted(content_words("Finally booked the flights to Porto"))
    ['book', 'flight', 'porto']
    """
    words = _WORD.findall(text.casefold())
    kept = [word for word in words if word not in _EMPTY] or words
    return frozenset(_stem(word) for word in kept)


def shared(one: str, other: str) -> float:
    """Share of the shorter text's words that the other has too.

    >>> shared("book flights", "I booked the flights to Porto")
    1.0
    """
    first, second = content_words(one), content_words(other)
    fewest = min(len(first), len(second))
    return len(first & second) / fewest if fewest else 0.0


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
