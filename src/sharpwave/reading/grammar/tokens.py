"""Words and marks of a text, each with its span, and phrases: spans of words in a clause.

Contractions are split: "I'm" is two words, `i` and `am`, within one span. A text of others, code
and a link are one mark each, which no rule reads.
"""

import re
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from sharpwave.reading.segments import FOREIGN, own_words

MASKED = FOREIGN
"""Replaces text that is not the speaker's own, code and links."""


class Token(NamedTuple):
    """A word in lower case, or a mark, and its span."""

    low: str
    start: int
    end: int
    capital: bool
    """True if the word begins with a capital letter."""


def tokenize(text: str) -> list[Token]:
    """The words and marks of a text in order."""
    text = own_words(text)
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        word, (start, end), group = match[0], match.span(), match.lastgroup
        low = word.lower()
        if group is not None:
            is_quote = group == "quote"
            tokens.append(Token(low if is_quote else MASKED, start, end, is_quote))
        elif "'" in low or "\u2019" in low or low in _SPOKEN_FORMS:
            capital = word[0].isupper()
            parts = list(_split_contraction(low.replace("\u2019", "'"), start, end, capital))
            if parts[-1].low == "'s" and _AFTER_IS.match(text, end):
                parts[-1] = parts[-1]._replace(low="is")
            tokens.extend(parts)
        else:
            tokens.append(Token(low, start, end, word[0].isupper()))
    return tokens


# The most common first: an alternative that cannot match costs nearly nothing.
_TOKEN = re.compile(
    r"""
      \d{1,3} (?: ,\d{3} ){1,6} (?!\d)
    | (?! https?:// ) [^\W_]+ (?: [.'\u2019&+#@_/:-] [^\W_]+ ){0,40} [+#]{0,2}
    | (?P<quote> "[^"\n]{1,300}" | \u201c[^\u201d\n]{1,300}\u201d
        | (?<!\w)'[A-Z][^'\n]{1,80}'(?!\w) )
    | (?P<masked> \x00+ | `[^`\n]{1,300}` | https?://\S{1,2000} )
    | \$ \d{1,12} (?: [.,]\d{1,12} ){0,6} [kKmM]?
    | \n\s{0,200}
    | \.{2,100}
    | [^\w\s]
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

_CONTRACTIONS = {
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "'d": "would",
    "n't": "not",
}
_SPOKEN_FORMS = {
    "gonna": ("going", "to"),
    "wanna": ("want", "to"),
    "gotta": ("have", "to"),
    "im": ("i", "am"),
    "ive": ("i", "have"),
    "dont": ("do", "not"),
    "doesnt": ("does", "not"),
    "didnt": ("did", "not"),
    "cant": ("can", "not"),
    "cannot": ("can", "not"),
    "isnt": ("is", "not"),
    "wasnt": ("was", "not"),
    "wont": ("will", "not"),
    "can't": ("can", "not"),
    "won't": ("will", "not"),
    "ain't": ("am", "not"),
    "let's": ("let", "us"),
    "cuz": ("because",),
}
_BEFORE_IS = frozenset(
    "he she it that this there here what who where when how everything name".split()
)
_AFTER_IS = re.compile(r" (?:an?|the|called|named|not|allergic|also|currently)\b", re.IGNORECASE)
"""Words after "my husband's" that make it short for "my husband is"."""


def _split_contraction(low: str, start: int, end: int, capital: bool) -> Iterator[Token]:
    if low in _SPOKEN_FORMS:
        words: tuple[str, ...] = _SPOKEN_FORMS[low]
    else:
        words = _parts(low)
    at = start
    for index, word in enumerate(words):
        is_last = index == len(words) - 1
        word_end = end if is_last else min(end, at + len(word))
        yield Token(word, at, word_end, capital and index == 0)
        at = word_end


def _parts(low: str) -> tuple[str, ...]:
    for ending, word in _CONTRACTIONS.items():
        if low.endswith(ending) and len(low) > len(ending):
            return (low[: -len(ending)], word)
    if low.endswith("'s") and low[:-2] in _BEFORE_IS:
        return (low[:-2], "is")
    if low.endswith("'s"):
        return (low[:-2], "'s")
    return (low,)


class SourceText(NamedTuple):
    """A text with its tokens; those that only name a time are left out of `str(phrase)`."""

    text: str
    tokens: Sequence[Token]
    low: list[str]
    """The words in lower case, one for each token."""
    hidden: frozenset[int] = frozenset()


class Phrase:
    """Words from `first` up to `last` of a text."""

    __slots__ = ("first", "last", "low", "source")

    def __init__(self, source: SourceText, first: int, last: int) -> None:
        self.source = source
        self.first = first
        self.last = last
        self.low = source.low[first:last]

    def __len__(self) -> int:
        return self.last - self.first

    def __bool__(self) -> bool:
        return self.last > self.first

    def __str__(self) -> str:
        """The text of the phrase in one line, without times and loose marks."""
        if not self:
            return ""
        hidden = self.source.hidden
        if not hidden:
            return _text_between(self.source, self.first, self.last)
        positions = [
            position for position in range(self.first, self.last) if position not in hidden
        ]
        if not positions:
            return ""
        parts: list[str] = []
        begin = previous = positions[0]
        for position in positions[1:]:
            if position != previous + 1:
                parts.append(_text_between(self.source, begin, previous + 1))
                begin = position
            previous = position
        parts.append(_text_between(self.source, begin, previous + 1))
        return " ".join(parts)

    def with_times(self) -> str:
        """The text of the phrase, with the times that it names."""
        return _text_between(self.source, self.first, self.last) if self else ""

    def cut(self, first: int, last: int | None = None) -> "Phrase":
        """The words from `first` on, up to `last`."""
        stop = self.last if last is None else min(self.last, self.first + max(0, last))
        return Phrase(self.source, min(self.first + first, stop), stop)

    def until(self, stops: Container[str], start: int = 0) -> "Phrase":
        """Up to the first word of `stops` after `start` words."""
        for position in range(start, len(self.low)):
            if self.low[position] in stops:
                return self.cut(0, position)
        return self

    def starts(self, *words: str) -> bool:
        """True if it begins with these words."""
        return self.low[: len(words)] == list(words)

    def word(self, position: int) -> str:
        """The word at a position, or "" past the end."""
        return self.low[position] if 0 <= position < len(self.low) else ""

    def capital(self, position: int) -> bool:
        """True if the word at a position begins with a capital letter."""
        return 0 <= position < len(self) and self.source.tokens[self.first + position].capital

    def is_time(self, position: int) -> bool:
        """True if the word at a position belongs to a time that the text names."""
        return self.first + position in self.source.hidden

    def find(self, *words: str) -> int:
        """Position of the first match of these consecutive words, or -1."""
        size, wanted = len(words), list(words)
        for position in range(len(self.low) - size + 1):
            if self.low[position : position + size] == wanted:
                return position
        return -1


def _text_between(source: SourceText, first: int, last: int) -> str:
    """The words from `first` up to `last` in one line, without loose marks at the ends."""
    text = source.text[source.tokens[first].start : source.tokens[last - 1].end]
    return " ".join(text.split()).strip(" ,;:-.!'")
