"""Runs of digits as people write long numbers, the words around them, and check digits.

One scan of the text serves cards, personal numbers and phones: each looks at the groups of a run.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from stdnum import get_cc_module

from sharpwave.types.statements import Span


def is_valid(module: str, number: str) -> bool:
    """Whether the check digits of a country's number are right, by a module of `python-stdnum`.

    >>> is_valid("br.cpf", "52998224725"), is_valid("br.cpf", "52998224724")
    (True, False)
    """
    return bool(_module(module).is_valid(number))


@cache
def _module(name: str) -> Any:
    """The validation module of a country's number, imported at its first use."""
    country, _, number = name.partition(".")
    return get_cc_module(country.strip("_"), number)


_RUN = re.compile(r"(?:\+|\()?[0-9](?:[ \u00a0\u2009\u202f_.()/\u2010\u2011-]{0,3}[0-9])*")
_GROUP = re.compile(r"[0-9]+")
_PAIR = re.compile(r"[0-9]{2}")
_SPELT = 100
"""Maximum length of a number in single digits; a longer run is a table."""
_IDEOGRAPHS = "\u2e80"
"""First character of the scripts without spaces between words."""
_MAX_CHARS_PER_DIGIT = 5
"""Maximum characters per digit in a run (see `_RUN`), so a longer run has enough digits."""
_BEFORE = 40
_AFTER = 24


class DigitRun(NamedTuple):
    """Groups of digits with a few separators between them: `+41 (0)96 471 07 95`."""

    text: str
    """The whole text."""
    span: Span
    groups: tuple[Span, ...]

    def digits(self, first: int = 0, last: int | None = None) -> str:
        """The digits of some groups, without what is between them."""
        return "".join(self.text[start:end] for start, end in self.groups[first:last])

    def between(self, first: int = 0, last: int | None = None) -> list[str]:
        """The separators between some groups."""
        groups = self.groups[first:last]
        return [self.text[left.end : right.start] for left, right in pairwise(groups)]

    def piece(self, first: int, last: int) -> "DigitRun":
        """Some of the groups as a run of their own, with an opening bracket before them."""
        start = self.groups[first].start
        if first == 0:
            start = self.span.start
        elif self.text[start - 1] == "(":
            start -= 1
        groups = self.groups[first:last]
        return DigitRun(self.text, Span(start, groups[-1].end), groups)

    def without(self, spans: list[Span]) -> "list[DigitRun]":
        """The pieces before, between and after the groups in some spans, in order."""
        starts = [group.start for group in self.groups]
        left: list[DigitRun] = []
        first = 0
        for taken in spans:
            last = bisect_left(starts, taken.start)
            if first < last:
                left.append(self.piece(first, last))
            first = bisect_left(starts, taken.end)
        if first < len(self.groups):
            left.append(self.piece(first, len(self.groups)))
        return left


def runs(text: str, fewest: int) -> Iterator[DigitRun]:
    """Every run with at least `fewest` digits."""
    for found in _RUN.finditer(text):
        start, end = found.span()
        if end - start < fewest or (end - start > _SPELT and not _PAIR.search(text, start, end)):
            continue
        groups = tuple([Span._make(match.span()) for match in _GROUP.finditer(text, start, end)])
        if end - start >= _MAX_CHARS_PER_DIGIT * fewest or sum(b - a for a, b in groups) >= fewest:
            yield DigitRun(text, Span(start, end), groups)


def before(text: str, start: int, within: int = _BEFORE) -> str:
    """The few words before a position, in lower case."""
    return text[max(0, start - within) : start].lower()


def after(text: str, end: int) -> str:
    """The few words after a position, in lower case."""
    return text[end : end + _AFTER].lower()


def stands_alone(text: str, span: Span) -> bool:
    """Whether no letter, digit, currency sign or decimal part touches a span."""
    left = text[span.start - 1] if span.start else " "
    right = text[span.end : span.end + 2]
    if in_a_word(text, span) or left in "$€£¥#@":
        return False
    if left in ".,:/-" and span.start > 1 and text[span.start - 2].isdigit():
        return False
    return not (right[:1] in set(".,/-") and right[1:].isdigit())


def in_a_word(text: str, span: Span) -> bool:
    """Whether a letter, a digit or an underscore touches a span."""
    around = text[max(0, span.start - 1) : span.start] + text[span.end : span.end + 1]
    return any(
        (character.isalnum() and character < _IDEOGRAPHS) or character == "_"
        for character in around
    )
