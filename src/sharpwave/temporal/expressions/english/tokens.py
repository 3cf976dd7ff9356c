"""A text as words, numbers and signs, with their places. One pass, linear in its length."""

import re
from functools import cache
from typing import NamedTuple

from sharpwave.temporal.expressions.english import words as w

_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_GLUED = _ORDINAL_ENDINGS | w.UNITS.keys() | w.SHORT_UNITS.keys() | w.MERIDIEMS.keys()
_MONEY = frozenset("$€£¥")
_CURLY = "\u2019"
_PLAIN_SIGNS = {_CURLY: "'", "\u2018": "'", "\u2013": "-", "\u2014": "-"}
_LONGEST_NUMBER = 40

WORD, NUMBER, ORDINAL, ISO, SIGN, JUNK, END = (
    "word", "number", "ordinal", "iso", "sign", "junk", "end",
)  # fmt: skip


class Token(NamedTuple):
    """A piece of the text; `word` is in lower case, without the ending of "1st" or "year's"."""

    kind: str
    word: str
    start: int
    end: int
    glued: bool = False
    """A word or number directly behind a number or word."""


_END = Token(END, "", 0, 0)


@cache
def _token() -> re.Pattern[str]:
    """Compiled with the first text that has a word of time: most have none."""
    return re.compile(
        r"([A-Za-z]+)(?![\w'\u2019])"
        r"|(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:[Zz]|[+-]\d\d:?\d\d)?)(?!\w)"
        r"|(\d+(?:[-/.:]\d+|,\d{3}(?!\d))*)([^\W\d_]*)(\w*)"
        r"|([^\W\d_]+(?:['\u2019][^\W\d_]+)?)(\d*)(\w*)"
        r"|([^\w\s])"
    )


def tokens_of(text: str, start: int, end: int) -> list[Token]:
    """The pieces of a part of a text, and a few empty ones behind, for safe looking ahead."""
    found: list[Token] = []
    add = found.append
    for match in _token().finditer(text, start, end):
        last = match.lastindex
        if last == 1:
            add(Token(WORD, match[1].lower(), *match.span()))
        elif last == 9:
            sign = _PLAIN_SIGNS.get(match[9], match[9])
            add(Token(SIGN, sign, *match.span()))
        elif last == 2:
            add(Token(ISO, match[2].upper(), *match.span()))
        elif last == 5:
            _add_number(found, match)
        elif match[8]:
            found.append(Token(JUNK, "", match.start(), match.end()))
        else:
            _add_word(found, match)
    found.extend([_END] * 16)
    return found


def _add_number(found: list[Token], match: re.Match[str]) -> None:
    number, ending, rest = match[3], match[4].lower(), match[5]
    start, middle, end = match.start(), match.end(3), match.end()
    money = bool(found) and found[-1].word in _MONEY
    known = not ending or ending in _GLUED
    if money or rest or not known or len(number) > _LONGEST_NUMBER or not number.isascii():
        found.append(Token(JUNK, "", start, end))
    elif ending in _ORDINAL_ENDINGS:
        kind = ORDINAL if number.isdigit() and len(number) < 3 else JUNK
        found.append(Token(kind, number, start, end))
    else:
        for piece in _pieces(number):
            sign = piece == "-"
            found.append(Token(SIGN if sign else NUMBER, piece, start, start + len(piece)))
            start += len(piece)
        if ending:
            found.append(Token(WORD, ending, middle, end, glued=True))


def _pieces(number: str) -> list[str]:
    """The two ends of a range written without spaces: `10/1-11/7`, `2014-2018`, `3-8`."""
    parts = number.split("-")
    if len(parts) == 2:
        left, right = parts
        plain = left.isdigit() and right.isdigit()
        split = len(left) == len(right) == 4 or max(len(left), len(right)) <= 2
        return [left, "-", right] if split or not plain else [number]
    if len(parts) == 6 and all(part.isdigit() for part in parts):
        return ["-".join(parts[:3]), "-", "-".join(parts[3:])]
    return [number]


def _add_word(found: list[Token], match: re.Match[str]) -> None:
    word = match[6].lower()
    if not word.isalpha():
        word = word.replace(_CURLY, "'")
        if word.endswith("'s") and word != "let's":
            word = word[:-2]
    start, middle = match.span(6)
    found.append(Token(WORD, word, start, middle))
    if match[7]:
        kind = NUMBER if match[7].isascii() else JUNK
        found.append(Token(kind, match[7], middle, match.end(7), glued=True))
