"""Choose the sentences that make a statement, a task or a rule readable alone.

Parts of a sentence that were cut at commas are joined, and the sentence before or behind is
included if the reader says that it is needed, or if a word refers back to it ("I ring him on
Friday"). Overlapping passages are merged.
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sharpwave.types.privacy import LABEL_OF
from sharpwave.types.statements import Reading, Span

WHOLE_WORDS = 40
"""Maximum words of a sentence joined from its parts."""
NEEDED = 0.06
"""Minimum probability that a sentence needs its neighbour, for the neighbour to be included."""
_WORDS_BEFORE = 6
"""Maximum words before a pronoun that refers to an earlier sentence."""

_BACK_REFERENCE = re.compile(
    r"\b(?:he|she|they|it|his|hers?|their|its|him|them|both"
    r"|there(?! (?:is|are|was|were)\b|['\u2019])"
    r"|(?:that|this|those|these|one)(?=\W*$|['\u2019]s\b|,| (?:is|was|are|has|have|needs?|will|must"
    r"|should|can|goes|to|by|on|in|at|of|for|from|before|and|or|but)\b))\b|^(?:which|whom)\b",
    re.IGNORECASE,
)
_THING = re.compile(
    r"\b(?i:the|an?|my|our|your|some|any|every|each|no|\d+)\s+\w|\w\W+(?!I\b)[A-Z]\w"
)
"""A noun or name that a later pronoun may refer to."""
_PLURAL_PRONOUNS, _PLURALS = frozenset({"they", "them", "their", "both"}), re.compile(r"\w{3}s\b")
SURELY_NEEDED = 0.6
"""The same if both sentences have content of their own."""
_SECRETS = tuple(LABEL_OF.values())
_BETWEEN = re.compile(r"[^\W_]|\n\s*\n|\n[^\S\n]*[-*\u2022\u2013\u2014][^\S\n]")
_SPACES = re.compile(r" *")
_ENDED = re.compile(r"[.!?\u2026][\])\"'*_\u201d\u2019]*$|\n$")
"""The end of a sentence, also within brackets."""


class Text(NamedTuple):
    """A text, the spans of its sentences or parts of sentences, and their readings."""

    text: str
    spans: Sequence[Span]
    readings: Sequence[Reading]

    def sentences(self, first: int, last: int) -> str:
        """Text of the sentences from index `first` up to, not including, `last`."""
        return self.text[self.spans[first].start : self.spans[last - 1].end]

    def is_separated(self, index: int) -> bool:
        """True if quoted words, an empty line or a list bullet stand before a sentence."""
        return (
            _BETWEEN.search(self.text, self.spans[index - 1].end, self.spans[index].start)
            is not None
        )

    def needs_before(self, index: int) -> bool:
        """True if a sentence needs the one before it, and belongs to the same part of the text."""
        sentence = self.sentences(index, index + 1)
        needed = self.readings[index].before >= NEEDED or refers_back(sentence)
        return index > 0 and needed and self._is_near(index - 1)

    def needs_behind(self, index: int) -> bool:
        """True if a sentence needs the one behind it, and belongs to the same part of the text."""
        has_next = index + 1 < len(self.readings)
        return has_next and self.readings[index].behind >= NEEDED and self._is_near(index, 1)

    def surely_needs_before(self, index: int) -> bool:
        """True if a sentence surely needs the one before it, or refers back to it."""
        sentence = self.sentences(index, index + 1)
        return self.readings[index].before >= SURELY_NEEDED or refers_back(sentence)

    def _is_near(self, index: int, beside: int = 0) -> bool:
        secret = any(
            label in self.sentences(index + beside, index + beside + 1) for label in _SECRETS
        )
        return not (secret or self.is_separated(index + 1))

    def continues(self, index: int) -> bool:
        """True if the sentence at an index is the rest of the one before."""
        end, start = self.spans[index - 1].end, self.spans[index].start
        ended = _ENDED.search(self.text[max(0, end - 4) : end]) is not None
        return not ended and _SPACES.fullmatch(self.text, end, start) is not None


class Passages:
    """Indexes of the sentences found, each with the passage that makes it readable.

    Parts in `with_content` have content of their own; they are joined to a passage only if they
    cannot be read alone, are not `known`, and do not name a time beside one that does (`dated`).
    """

    def __init__(
        self,
        text: Text,
        max_chars: int,
        with_content: Collection[int],
        dated: Collection[int] = (),
        known: Collection[int] = (),
    ) -> None:
        self.found: dict[int, Span] = {}
        self.text, self._max_chars = text, max_chars
        self._with_content, self._dated, self._known = with_content, dated, known

    def has(self, index: int) -> bool:
        """Whether the sentence at an index lies in a passage found, or before its end."""
        return any(index < last for _, last in self.found.values())

    def whole(self, index: int) -> Span:
        """First index and end of the sentence that a part was cut from."""
        first, last = index, index + 1
        while last < len(self.text.spans) and self._joins(index, last, last, Span(first, last + 1)):
            last += 1
        while first and self._joins(index, first - 1, first, Span(first - 1, last)):
            first -= 1
        return Span(first, last)

    def _joins(self, index: int, taken: int, rest: int, whole: Span) -> bool:
        """Whether the part at index `taken` may be joined; `rest` is the later of the two parts."""
        readable_alone = not (self.text.needs_before(taken) or self.text.needs_behind(taken))
        return (
            self.text.continues(rest)
            and len(self.text.sentences(*whole).split()) <= WHOLE_WORDS
            and not (
                taken in self._with_content
                and (readable_alone or self._must_stay_apart(index, taken))
            )
        )

    def _must_stay_apart(self, index: int, neighbour: int) -> bool:
        return neighbour in self._known or (index in self._dated and neighbour in self._dated)

    def add(self, index: int) -> None:
        """Add the sentence at an index with its context, merged with the passages it overlaps."""
        sentence = self.whole(index)
        overlapping: list[int] = []
        for candidate in (self._in_context(index, sentence), sentence, Span(index, index + 1)):
            overlapping = [at for at, span in self.found.items() if span.end > candidate.start]
            whole = Span(
                min([candidate.start, *(self.found[at].start for at in overlapping)]), candidate.end
            )
            if len(self.text.sentences(*whole)) <= self._max_chars:
                break
        for at in overlapping:
            del self.found[at]
        self.found[index] = whole

    def _in_context(self, index: int, sentence: Span) -> Span:
        """Extend a sentence to the neighbours that it needs, unless they are independent."""
        first, last = sentence
        if self.text.needs_before(first) and not self._is_independent(index, first - 1):
            first = self.whole(first - 1).start
        if self.text.needs_behind(last - 1) and not self._is_independent(index, last):
            last = self.whole(last).end
        return Span(first, last)

    def _is_independent(self, index: int, neighbour: int) -> bool:
        if neighbour not in self._with_content:
            return False
        stands_alone = index in self._with_content and not self.text.surely_needs_before(
            max(index, neighbour)
        )
        return stands_alone or self._must_stay_apart(index, neighbour)


def refers_back(text: str) -> bool:
    """True if a pronoun refers to an earlier sentence: no noun that fits precedes it in the text.

    >>> refers_back("I have to ring him by Friday"), refers_back("The car leaks, fix it")
    (True, False)
    """
    for found in _BACK_REFERENCE.finditer(text):
        before = text[: found.start()]
        if len(before.split()) > _WORDS_BEFORE or _THING.search(before):
            return False
        if found[0].lower() not in _PLURAL_PRONOUNS or not _PLURALS.search(before):
            return True
    return False
