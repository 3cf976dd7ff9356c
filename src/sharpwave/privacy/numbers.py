"""Runs of digits as people write long numbers, the words around them, and check digits.

One scan of the text serves cards, personal numbers and phones: each looks at the groups of a run.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from sharpwave.types.statements import Span

_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


def luhn(digits: str) -> bool:
    """Cards and Canadian SINs: from the right, every second digit counts double.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    values = [int(digit) for digit in reversed(digits)]
    return (sum(values[::2]) + sum(_DOUBLED[value] for value in values[1::2])) % 10 == 0


def mod97(code: str) -> int:
    """The remainder that must be 1 for an IBAN, with its first four characters at the end.

    >>> mod97("GB82WEST12345698765432")
    1
    """
    moved = code[4:] + code[:4]
    return int("".join(str(int(character, 36)) for character in moved)) % 97


def weighted(digits: str, weights: tuple[int, ...]) -> int:
    """Sum of each digit times its weight.

    >>> weighted("123", (3, 2, 1))
    10
    """
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def cpf(digits: str) -> bool:
    """Brazil: two check digits; all digits alike is not a number that is given out.

    >>> cpf("52998224725"), cpf("52998224724"), cpf("11111111111")
    (True, False, False)
    """
    if len(set(digits)) == 1:
        return False
    first = weighted(digits[:9], (10, 9, 8, 7, 6, 5, 4, 3, 2)) * 10 % 11 % 10
    second = weighted(digits[:10], (11, 10, 9, 8, 7, 6, 5, 4, 3, 2)) * 10 % 11 % 10
    return digits[9:] == f"{first}{second}"


def spanish(code: str) -> bool:
    """Spain: eight digits (NIE: X, Y or Z and seven) and a letter.

    >>> spanish("12345678Z"), spanish("X1234567L"), spanish("12345678A")
    (True, True, False)
    """
    number = code[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == code[-1]


def french(digits: str) -> bool:
    """France: a NIR, whose last two digits are 97 less the rest mod 97.

    >>> french("255081416802538"), french("255081416802539")
    (True, False)
    """
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


def routing(digits: str) -> bool:
    """US banks: the ABA routing number.

    >>> routing("021000021"), routing("021000022")
    (True, False)
    """
    return weighted(digits, (3, 7, 1, 3, 7, 1, 3, 7, 1)) % 10 == 0


_RUN = re.compile(r"(?:\+|\()?[0-9](?:[ \u00a0\u2009\u202f_.()/\u2010\u2011-]{0,3}[0-9])*")
_GROUP = re.compile(r"[0-9]+")
_PAIR = re.compile(r"[0-9]{2}")
_SPELT = 100
"""A longer run of single digits is a table, and no number that somebody spells."""
_IDEOGRAPHS = "\u2e80"
"""From here on are scripts that put no space between words."""
_MANY = 5
"""Of so many characters for each digit that is needed, enough are digits: see `_RUN`."""
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
        """What separates some groups."""
        groups = self.groups[first:last]
        return [self.text[one.end : other.start] for one, other in pairwise(groups)]

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
        """What is left before, between and after the groups that some spans take, in order."""
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
        groups = tuple([Span._make(each.span()) for each in _GROUP.finditer(text, start, end)])
        if end - start >= _MANY * fewest or sum(b - a for a, b in groups) >= fewest:
            yield DigitRun(text, Span(start, end), groups)


def before(text: str, start: int, within: int = _BEFORE) -> str:
    """The few words before a place, in small letters."""
    return text[max(0, start - within) : start].lower()


def after(text: str, end: int, within: int = _AFTER) -> str:
    """The few words after a place, in small letters."""
    return text[end : end + within].lower()


def stands_alone(text: str, span: Span) -> bool:
    """Whether no letter, digit, amount or decimal part touches it: not a piece of something."""
    left = text[span.start - 1] if span.start else " "
    right = text[span.end : span.end + 2]
    if in_a_word(text, span) or left in "$€£¥#@":
        return False
    if left in ".,:/-" and span.start > 1 and text[span.start - 2].isdigit():
        return False
    return not (right[:1] in set(".,/-") and right[1:].isdigit())


def in_a_word(text: str, span: Span) -> bool:
    """Whether a letter, a digit or an underscore touches it."""
    around = text[max(0, span.start - 1) : span.start] + text[span.end : span.end + 1]
    return any(
        (character.isalnum() and character < _IDEOGRAPHS) or character == "_"
        for character in around
    )
