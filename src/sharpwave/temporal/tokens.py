"""A text as words, numbers and signs with their places; numbers in digits, words and ordinals."""

import re
from functools import cache
from typing import NamedTuple

from sharpwave.temporal import words as w

_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_GLUED = _ORDINAL_ENDINGS | w.UNITS.keys() | w.SHORT_UNITS.keys() | w.MERIDIEMS.keys() | {"ish"}
_MONEY = frozenset("$€£¥")
_CURLY = "\u2019"
_PLAIN_SIGNS = {_CURLY: "'", "\u2018": "'", "\u2013": "-", "\u2014": "-", "&": "and"}
_LONGEST_NUMBER = 40
_SHORT = 10

WORD, NUMBER, ORDINAL, ISO, SIGN, JUNK, END = (
    "word", "number", "ordinal", "iso", "sign", "junk", "end",
)  # fmt: skip


class TimeToken(NamedTuple):
    """A piece of the text; `word` is in lower case, without the ending of "1st" or "year's"."""

    kind: str
    word: str
    start: int
    end: int
    glued: bool = False
    """A word or number directly behind a number or word."""


_END = TimeToken(END, "", 0, 0)


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


def tokens_of(text: str) -> list[TimeToken]:
    """The pieces of a text, and a few empty ones behind, for safe looking ahead."""
    found: list[TimeToken] = []
    add, new = found.append, tuple.__new__  # most pieces are words: no call of Python for them
    for match in _token().finditer(text):
        last = match.lastindex
        if last == 1:
            add(new(TimeToken, (WORD, match[1].lower(), *match.span(), False)))
        elif last == 9:
            sign = _PLAIN_SIGNS.get(match[9], match[9])
            add(TimeToken(SIGN, sign, *match.span()))
        elif last == 2:
            add(TimeToken(ISO, match[2].upper(), *match.span()))
        elif last == 5:
            _add_number(found, match)
        elif match[8]:
            found.append(TimeToken(JUNK, "", match.start(), match.end()))
        else:
            _add_word(found, match)
    found.extend([_END] * 16)
    return found


def _add_number(found: list[TimeToken], match: re.Match[str]) -> None:
    number, ending, rest = match[3], match[4].lower(), match[5]
    start, middle, end = match.start(), match.end(3), match.end()
    money = bool(found) and found[-1].word in _MONEY
    if number.isdigit() and number.isascii() and middle == end and middle - start < _SHORT:
        found.append(TimeToken(*((JUNK, "") if money else (NUMBER, number)), start, end))
        return
    known = not ending or ending in _GLUED
    if money or rest or not known or len(number) > _LONGEST_NUMBER or not number.isascii():
        found.append(TimeToken(JUNK, "", start, end))
    elif ending in _ORDINAL_ENDINGS:
        kind = ORDINAL if number.isdigit() and len(number) < 3 else JUNK
        found.append(TimeToken(kind, number, start, end))
    else:
        for piece in _pieces(number):
            sign = piece == "-"
            found.append(TimeToken(SIGN if sign else NUMBER, piece, start, start + len(piece)))
            start += len(piece)
        if ending:
            found.append(TimeToken(WORD, ending, middle, end, glued=True))


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


def _add_word(found: list[TimeToken], match: re.Match[str]) -> None:
    word = match[6].lower()
    if not word.isalpha():
        word = word.replace(_CURLY, "'")
        if word.endswith("'s") and word != "let's":
            word = word[:-2]
    start, middle = match.span(6)
    found.append(TimeToken(WORD, word, start, middle))
    if match[7]:
        kind = NUMBER if match[7].isascii() else JUNK
        found.append(TimeToken(kind, match[7], middle, match.end(7), glued=True))


Tokens = list[TimeToken]
_LONGEST = 9
"""Digits of a number that can count anything here."""


def digits(tokens: Tokens, i: int) -> int | None:
    """A number of digits only."""
    token = tokens[i]
    short = token.kind == NUMBER and len(token.word) <= _LONGEST
    return int(token.word) if short and token.word.isdigit() else None


def amount(tokens: Tokens, i: int) -> tuple[float, int] | None:
    """A number that counts: "3", "3.5", "twenty-four", "twenty and four"."""
    token = tokens[i]
    if token.kind != NUMBER:
        return _whole(tokens, i)
    whole = digits(tokens, i)
    if whole is not None:
        return whole, i + 1
    left, dot, right = token.word.replace(",", "").partition(".")
    if ((dot and right.isdigit()) or not dot) and left.isdigit() and len(token.word) <= _LONGEST:
        return float(f"{left}.{right or 0}"), i + 1
    return None


MANY = {"hundred": 100, "dozen": 12}


def _whole(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """A number of words, up to 9,999."""
    found = below_hundred(tokens, i)
    if found is None and tokens[i].word in MANY:
        found = 1, i
    if found is None:
        return None
    value, j = found
    if tokens[j].word in MANY:
        value, j = value * MANY[tokens[j].word], j + 1
        rest = below_hundred(tokens, j + (tokens[j].word == "and"))
        return (value + rest[0], rest[1]) if rest else (value, j)
    joined = value >= 20 and value % 10 == 0 and tokens[j].word == "and"
    if joined and 0 < w.DIGITS.get(tokens[j + 1].word, 0) < 10:
        return value + w.DIGITS[tokens[j + 1].word], j + 2
    return value, j


def below_hundred(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """A number of words, up to 99: "seven", "twenty seven", "twenty-seven"."""
    word = tokens[i].word
    if word in w.DIGITS:
        return w.DIGITS[word], i + 1
    if word not in w.TENS:
        return None
    j = i + 1 + (tokens[i + 1].word == "-")
    unit = w.DIGITS.get(tokens[j].word, 0)
    return (w.TENS[word] + unit, j + 1) if 0 < unit < 10 else (w.TENS[word], i + 1)


def ordinal(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """Which of several: "1st", "first", "twenty-first"."""
    token = tokens[i]
    if token.kind == ORDINAL:
        return int(token.word), i + 1
    if token.word in w.ORDINALS:
        return w.ORDINALS[token.word], i + 1
    if token.word in w.TENS:
        j = i + 1 + (tokens[i + 1].word == "-")
        unit = w.ORDINALS.get(tokens[j].word, 0)
        if 0 < unit < 10:
            return w.TENS[token.word] + unit, j + 1
    return None


def day_number(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """A day of a month: "3", "3rd", "third"."""
    number = digits(tokens, i)
    found = (number, i + 1) if number is not None else ordinal(tokens, i)
    glued = found is not None and tokens[i + 1].glued and number is not None
    return found if found and 1 <= found[0] <= 31 and not glued else None


def year(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """A year of four digits or in words: "1972", "nineteen seventy two"."""
    number = digits(tokens, i)
    if number is not None:
        plain = len(tokens[i].word) == 4 and 1000 <= number <= 2199 and not tokens[i + 1].glued
        return (number, i + 1) if plain else None
    return _year_in_words(tokens, i)


def short_year(tokens: Tokens, i: int, this_year: int) -> tuple[int, int] | None:
    """A year of two digits, also behind an apostrophe, or one of four."""
    j = i + (tokens[i].word in ("'",))
    number = digits(tokens, j)
    if number is not None and len(tokens[j].word) == 2 and not tokens[j + 1].glued:
        return full_year(number, this_year), j + 1
    return year(tokens, i)


def full_year(two_digits: int, this_year: int) -> int:
    """The year that ends so and is at most 15 years ahead.

    >>> full_year(18, 2016), full_year(87, 2016)
    (2018, 1987)
    """
    value = this_year - this_year % 100 + two_digits
    return value - 100 if value > this_year + 15 else value


def _year_in_words(tokens: Tokens, i: int) -> tuple[int, int] | None:
    first = below_hundred(tokens, i)
    if first is None:
        return None
    value, j = first
    if tokens[j].word == "thousand" and value == 2:
        rest = below_hundred(tokens, j + 1 + (tokens[j + 1].word == "and"))
        return (2000 + rest[0], rest[1]) if rest else (2000, j + 1)
    if not 11 <= value <= 20:
        return None
    hundred = tokens[j].word == "hundred"
    rest = below_hundred(tokens, j + hundred)
    if rest and (hundred or rest[0] >= 10):
        return value * 100 + rest[0], rest[1]
    return (value * 100, j + 1) if hundred else None
