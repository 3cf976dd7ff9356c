"""Words and marks of a text, each with its place, and phrases: stretches of words in a clause.

Contractions are taken apart: "I'm" is two words, `i` and `am`, that share a place. Words of
others, code and a link are one mark each that no rule looks into.
"""

import re
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from sharpwave.reading.segments import FOREIGN, own_words

MASKED = FOREIGN
"""Stands for a stretch that is not the speaker's own words, for code and for a link."""


class Token(NamedTuple):
    """A word in lower case, or a mark, and where it stands."""

    low: str
    start: int
    end: int
    capital: bool
    """The word begins with a capital letter."""


def tokenize(text: str) -> list[Token]:
    """The words and marks of a text in order."""
    text = own_words(text)
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        word, (start, end), group = match[0], match.span(), match.lastgroup
        low = word.lower()
        if group is not None:
            name = group == "quote"
            tokens.append(Token(low if name else MASKED, start, end, name))
        elif "'" in low or "\u2019" in low or low in _SPOKEN:
            capital = word[0].isupper()
            parts = list(_taken_apart(low.replace("\u2019", "'"), start, end, capital))
            if parts[-1].low == "'s" and _IS_AFTER.match(text, end):
                parts[-1] = parts[-1]._replace(low="is")
            tokens.extend(parts)
        else:
            tokens.append(Token(low, start, end, word[0].isupper()))
    return tokens


# The commonest first: what a position cannot begin with costs nearly nothing.
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

_ENDINGS = {
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "'d": "would",
    "n't": "not",
}
_SPOKEN = {
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
_IS_AFTER = re.compile(r" (?:an?|the|called|named|not|allergic|also|currently)\b", re.IGNORECASE)
"""What follows "my husband's", if it is short for "my husband is"."""


def _taken_apart(low: str, start: int, end: int, capital: bool) -> Iterator[Token]:
    if low in _SPOKEN:
        words: tuple[str, ...] = _SPOKEN[low]
    else:
        words = _parts(low)
    at = start
    for place, word in enumerate(words):
        last = place == len(words) - 1
        stop = end if last else min(end, at + len(word))
        yield Token(word, at, stop, capital and place == 0)
        at = stop


def _parts(low: str) -> tuple[str, ...]:
    for ending, word in _ENDINGS.items():
        if low.endswith(ending) and len(low) > len(ending):
            return (low[: -len(ending)], word)
    if low.endswith("'s") and low[:-2] in _BEFORE_IS:
        return (low[:-2], "is")
    if low.endswith("'s"):
        return (low[:-2], "'s")
    return (low,)


class SourceText(NamedTuple):
    """A text with its words; those that only name a time are hidden in a written-out phrase."""

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
        """As it stands in the text, in one line, without times and loose marks."""
        if not self:
            return ""
        hidden = self.source.hidden
        if not hidden:
            return _told(self.source, self.first, self.last)
        places = [place for place in range(self.first, self.last) if place not in hidden]
        if not places:
            return ""
        parts: list[str] = []
        begin = previous = places[0]
        for place in places[1:]:
            if place != previous + 1:
                parts.append(_told(self.source, begin, previous + 1))
                begin = place
            previous = place
        parts.append(_told(self.source, begin, previous + 1))
        return " ".join(parts)

    def with_times(self) -> str:
        """As it stands in the text, with the times that it names."""
        return _told(self.source, self.first, self.last) if self else ""

    def cut(self, first: int, last: int | None = None) -> "Phrase":
        """The words from `first` on, up to `last`."""
        stop = self.last if last is None else min(self.last, self.first + max(0, last))
        return Phrase(self.source, min(self.first + first, stop), stop)

    def until(self, stops: Container[str], start: int = 0) -> "Phrase":
        """Up to the first word of `stops` after `start` words."""
        for place in range(start, len(self.low)):
            if self.low[place] in stops:
                return self.cut(0, place)
        return self

    def starts(self, *words: str) -> bool:
        """True if it begins with these words."""
        return self.low[: len(words)] == list(words)

    def word(self, place: int) -> str:
        """The word at that place, or "" past the end."""
        return self.low[place] if 0 <= place < len(self.low) else ""

    def capital(self, place: int) -> bool:
        """True if the word at that place begins with a capital letter."""
        return 0 <= place < len(self) and self.source.tokens[self.first + place].capital

    def is_time(self, place: int) -> bool:
        """True if the word at that place belongs to a time that the text names."""
        return self.first + place in self.source.hidden

    def find(self, *words: str) -> int:
        """Where these words first stand in a row, or -1."""
        size, want = len(words), list(words)
        for place in range(len(self.low) - size + 1):
            if self.low[place : place + size] == want:
                return place
        return -1


def _told(source: SourceText, first: int, last: int) -> str:
    """The words from `first` up to `last` in one line, without loose marks at the ends."""
    said = source.text[source.tokens[first].start : source.tokens[last - 1].end]
    return " ".join(said.split()).strip(" ,;:-.!'")
