"""Which sentences make a statement, a task or a rule readable alone.

Parts of a sentence that were cut at commas are put together, and the sentence before or behind is
taken along where the reader says that it is needed, or a word means something said before ("I ring
him on Friday"). Where two overlap, they are one.
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sharpwave.types.privacy import LABEL_OF
from sharpwave.types.statements import Reading, Span

WHOLE_WORDS = 40
"""The parts of a sentence are put together up to so many words."""
NEEDED = 0.06
"""Chance that a sentence needs the one beside it from which on that one is taken along."""
_WORDS_BEFORE = 6
"""So far into a sentence a pronoun means something said before it, if nothing is named there."""

_ELSEWHERE = re.compile(
    r"\b(?:he|she|they|it|his|hers?|their|its|him|them|both"
    r"|there(?! (?:is|are|was|were)\b|['\u2019])"
    r"|(?:that|this|those|these|one)(?=\W*$|['\u2019]s\b|,| (?:is|was|are|has|have|needs?|will|must"
    r"|should|can|goes|to|by|on|in|at|of|for|from|before|and|or|but)\b))\b|^(?:which|whom)\b",
    re.IGNORECASE,
)
_THING = re.compile(
    r"\b(?i:the|an?|my|our|your|some|any|every|each|no|\d+)\s+\w|\w\W+(?!I\b)[A-Z]\w"
)
"""Something that a word behind it may mean."""
_MANY, _THINGS = frozenset({"they", "them", "their", "both"}), re.compile(r"\w{3}s\b")
CLINGING = 0.6
"""The same of two that each say something of their own."""
_SECRETS = tuple(LABEL_OF.values())
_BETWEEN = re.compile(r"[^\W_]|\n\s*\n|\n[^\S\n]*[-*\u2022\u2013\u2014][^\S\n]")
_SPACES = re.compile(r" *")
_ENDED = re.compile(r"[.!?\u2026][\])\"'*_\u201d\u2019]*$|\n$")
"""The end of a sentence, also within brackets."""


class Text(NamedTuple):
    """A text, the places of its sentences, or of parts of them, and what a reader says of them."""

    text: str
    spans: Sequence[Span]
    readings: Sequence[Reading]

    def said(self, first: int, last: int) -> str:
        """What the sentences of some places say; the last is not among them."""
        return self.text[self.spans[first].start : self.spans[last - 1].end]

    def parted(self, place: int) -> bool:
        """True if words of others, an empty line or the mark of an item stand before a sentence."""
        return (
            _BETWEEN.search(self.text, self.spans[place - 1].end, self.spans[place].start)
            is not None
        )

    def needs_before(self, place: int) -> bool:
        """True if a sentence needs the one before it, and belongs to the same part of the text."""
        said = self.said(place, place + 1)
        needed = self.readings[place].before >= NEEDED or points_elsewhere(said)
        return place > 0 and needed and self._is_near(place - 1)

    def needs_behind(self, place: int) -> bool:
        """True if a sentence needs the one behind it, and belongs to the same part of the text."""
        there = place + 1 < len(self.readings)
        return there and self.readings[place].behind >= NEEDED and self._is_near(place, 1)

    def clings(self, place: int) -> bool:
        """True if a sentence surely needs the one before it, or means something said there."""
        said = self.said(place, place + 1)
        return self.readings[place].before >= CLINGING or points_elsewhere(said)

    def _is_near(self, place: int, beside: int = 0) -> bool:
        secret = any(label in self.said(place + beside, place + beside + 1) for label in _SECRETS)
        return not (secret or self.parted(place + 1))

    def goes_on(self, place: int) -> bool:
        """True if the sentence at a place is the rest of the one before."""
        end, start = self.spans[place - 1].end, self.spans[place].start
        ended = _ENDED.search(self.text[max(0, end - 4) : end]) is not None
        return not ended and _SPACES.fullmatch(self.text, end, start) is not None


class Passages:
    """Places where a text says something, each with the sentences that make it readable.

    `others` are parts that say something of their own; of these only what cannot be read alone is
    taken in, none that names a time beside one that does (`dated`), and none that is `known`.
    """

    def __init__(
        self,
        text: Text,
        most_chars: int,
        others: Collection[int],
        dated: Collection[int] = (),
        known: Collection[int] = (),
    ) -> None:
        self.found: dict[int, Span] = {}
        self.text, self._most_chars = text, most_chars
        self._others, self._dated, self._known = others, dated, known

    def has(self, place: int) -> bool:
        """Whether a place is a part of what was found."""
        return any(place < last for _, last in self.found.values())

    def whole(self, place: int) -> Span:
        """First and last place of the sentence that a part was cut from, without others' parts."""
        first, last = place, place + 1
        while last < len(self.text.spans) and self._joins(place, last, last, Span(first, last + 1)):
            last += 1
        while first and self._joins(place, first - 1, first, Span(first - 1, last)):
            first -= 1
        return Span(first, last)

    def _joins(self, place: int, taken: int, rest: int, whole: Span) -> bool:
        """Whether a part may be taken in; `rest` is the one of the two that stands behind."""
        alone = not (self.text.needs_before(taken) or self.text.needs_behind(taken))
        return (
            self.text.goes_on(rest)
            and len(self.text.said(*whole).split()) <= WHOLE_WORDS
            and not (taken in self._others and (alone or self._apart(place, taken)))
        )

    def _apart(self, place: int, other: int) -> bool:
        return other in self._known or (place in self._dated and other in self._dated)

    def add(self, place: int) -> None:
        """Note that something is said; what it takes along is one with it."""
        own = self.whole(place)
        same: list[int] = []
        for span in (self._in_context(place, own), own, Span(place, place + 1)):
            same = [at for at, each in self.found.items() if each.end > span.start]
            whole = Span(min([span.start, *(self.found[at].start for at in same)]), span.end)
            if len(self.text.said(*whole)) <= self._most_chars:
                break
        for at in same:
            del self.found[at]
        self.found[place] = whole

    def _in_context(self, place: int, own: Span) -> Span:
        """With the sentences before and behind that it needs, unless they are for themselves."""
        first, last = own
        if self.text.needs_before(first) and not self._is_for_itself(place, first - 1):
            first = self.whole(first - 1).start
        if self.text.needs_behind(last - 1) and not self._is_for_itself(place, last):
            last = self.whole(last).end
        return Span(first, last)

    def _is_for_itself(self, place: int, other: int) -> bool:
        if other not in self._others:
            return False
        alone = place in self._others and not self.text.clings(max(place, other))
        return alone or self._apart(place, other)


def points_elsewhere(said: str) -> bool:
    """True for a word that means something said before: nothing that it may mean precedes it.

    >>> points_elsewhere("I have to ring him by Friday"), points_elsewhere("The car leaks, fix it")
    (True, False)
    """
    for found in _ELSEWHERE.finditer(said):
        before = said[: found.start()]
        if len(before.split()) > _WORDS_BEFORE or _THING.search(before):
            return False
        if found[0].lower() not in _MANY or not _THINGS.search(before):
            return True
    return False
