"""A message as sentences of words: each word with its own letters and whether a space precedes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sharpwave.reading.grammar.tokens import MASKED, Token, tokenize

MAX_CHARS = 6000
"""Longer messages are pasted text; what is asked for stands at their ends."""
_KEPT_CHARS = 1500
_ENDS = frozenset(".!?\u2026")
_ABBREVIATIONS = frozenset("mr mrs ms dr prof st vs etc e.g i.e jr sr inc ltd".split())
_BREAKS = frozenset({";", "\u2014", "\u2013"})

_PASTED = re.compile(
    r"^[-_* ]*(?:begin )?(?:forwarded|original) message\b|^(?:from|to|cc|subject): \S|"
    r"^on [^\n]{5,120} wrote: *$",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a mail by somebody else begins: what follows are not the user's words."""
_LOGGED = re.compile(r"^[\[(]?\d{4}-\d\d-\d\d\b[^\n]*$", re.MULTILINE)
"""A line of a log."""


class Word(NamedTuple):
    """A word in lower case, as it was written, and whether a space stands before it."""

    low: str
    text: str
    apart: bool = True


def word(text: str) -> Word:
    """A word of our own."""
    return Word(text.lower(), text)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, or a part of it that asks for one thing."""

    words: tuple[Word, ...]
    asks: bool
    """It ends in a question mark."""
    number: int = 0
    """Which sentence of the message it belongs to."""

    @property
    def low(self) -> tuple[str, ...]:
        """Its words in lower case."""
        return tuple(one.low for one in self.words)

    def of(self, words: Sequence[Word]) -> "Sentence":
        """The same with other words."""
        return replace(self, words=tuple(words))


def sentences(text: str) -> list[Sentence]:
    """The sentences of a message; of a long one those at its ends, and none of pasted mail."""
    text = _LOGGED.sub("", _PASTED.split(text, maxsplit=1)[0])
    if len(text) > MAX_CHARS:
        text = text[:_KEPT_CHARS] + "\n" + text[-_KEPT_CHARS:]
    tokens = tokenize(text)
    return [
        Sentence(tuple(_words(text, tokens[first:last])), mark == "?", number)
        for number, (first, last, mark) in enumerate(_cut(text, tokens))
        if first < last
    ]


def _cut(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    first = 0
    for place, token in enumerate(tokens):
        low = token.low
        ends = low in _BREAKS or low[0] == "\n" or low.startswith("..")
        if low in _ENDS:
            after = text[token.end : token.end + 1]
            ends = not after or after.isspace() or after in "\"')\u201d"
            if low == "." and place and tokens[place - 1].low in _ABBREVIATIONS and after == " ":
                ends = False
        if ends:
            yield first, place, low
            first = place + 1
    yield first, len(tokens), ""


def _words(text: str, tokens: Sequence[Token]) -> Iterator[Word]:
    end = None
    for token in tokens:
        written = text[token.start : token.end]
        apart = end is None or token.start > end
        split = token.low != written.lower() and token.low != MASKED
        if split:  # a part of a contraction
            apart, written = True, token.low
        yield Word(token.low, written, apart)
        end = token.end


def text_of(words: Sequence[Word]) -> str:
    """Words as a text, with the spaces that stood between them."""
    return "".join((" " if one.apart else "") + one.text for one in words).strip()
