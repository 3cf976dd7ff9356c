"""A stretch of words inside a clause, and how to cut it: what the rules of the families work on."""

from collections.abc import Container, Sequence
from typing import NamedTuple

from sharpwave.reading.grammar.tokens import Token


class Source(NamedTuple):
    """A text with its words; those that only name a time are hidden when a phrase is told."""

    text: str
    tokens: Sequence[Token]
    low: list[str]
    """The words in lower case, one for each token."""
    hidden: frozenset[int] = frozenset()


class Phrase:
    """Words from `first` up to `last` of a text."""

    __slots__ = ("first", "last", "low", "source")

    def __init__(self, source: Source, first: int, last: int) -> None:
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


def _told(source: Source, first: int, last: int) -> str:
    """The words from `first` up to `last` in one line, without loose marks at the ends."""
    said = source.text[source.tokens[first].start : source.tokens[last - 1].end]
    return " ".join(said.split()).strip(" ,;:-.!'")
