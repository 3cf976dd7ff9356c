"""Find the time expressions of a text, and resolve them against the moment it was said.

    1 a quick look        is there any word of time at all?
    2 tokens              words, numbers and signs with their places
    3 expression          at each word that can begin one, the longest expression there
    4 zone                the wall clock becomes a moment in the time zone of the text

Where the text leaves open which year, month or week is meant, the verbs around decide between the
last and the next; if they do not tell, it is the next. "Since" is past, "until" is not. Numbers
of the form 5/3 are month and day. A week begins on Monday; "next Friday" is in the next week.
"""

import re
from datetime import UTC, datetime, timezone

from sharpwave.errors import InvalidInput
from sharpwave.temporal.expressions.english import holidays
from sharpwave.temporal.expressions.english import words as w
from sharpwave.temporal.expressions.english.tokens import ISO, NUMBER, ORDINAL, Token
from sharpwave.temporal.expressions.other_languages import NAMES as LANGUAGE_NAMES
from sharpwave.temporal.expressions.other_languages import STARTS as LANGUAGE_STARTS
from sharpwave.temporal.expressions.other_languages import phrase
from sharpwave.temporal.expressions.ranges import expression
from sharpwave.temporal.expressions.reading import Point, Reader
from sharpwave.temporal.expressions.repeats import EVERY
from sharpwave.types.statements import Span
from sharpwave.types.times import TimeExpression

_PIECE = re.compile(r"[a-z\u00df-\u00ff]+|[0-9]")
_MANY_DAYPARTS = {f"{word}s" for word in w.DAYPARTS}
_NAMES = frozenset(
    w.MONTHS.keys() | w.WEEKDAYS.keys() | w.MANY_WEEKDAYS.keys() | w.DECADES.keys()
    | w.UNITS.keys() | w.FORTNIGHT | w.DAYS.keys() | w.TONIGHT | w.DAYPARTS.keys()
    | w.MEALS.keys() | w.NOONS.keys() | w.SEASONS.keys() | w.FREQUENCIES.keys()
    | holidays.NAMES | _MANY_DAYPARTS | LANGUAGE_NAMES
    | {"now", "eod", "weekdays", "workweek", "present", "moment", "o'clock", "oclock", "clock",
       "date", "weekday", "workday", "pm"}
)  # fmt: skip
_HINTS = _NAMES | frozenset("0123456789")
"""A text without any of these costs no more than the look for them."""
_BEFORE, _BEHIND = 90, 50
"""Characters before and behind the words of time that are read too."""
_STARTS = (
    _NAMES | holidays.FIRST_WORDS | LANGUAGE_STARTS | w.SHIFTS.keys() | w.EDGES.keys()
    | EVERY | w.DIGITS.keys() | w.TENS.keys() | w.ORDINALS.keys() | w.SOME.keys()
    | {words[0] for words, _ in w.RELATIONS}
    | {"the", "a", "an", "another", "in", "within", "at", "from", "between", "right", "all",
       "once", "twice", "bi", "semi", "q", "h", "fy", "cy", "sy", "fiscal", "school", "calendar",
       "longer", "during", "for", "around", "'"}
)  # fmt: skip
_REACHED = (
    _NAMES | holidays.FIRST_WORDS | w.DIGITS.keys() | w.TENS.keys() | w.ORDINALS.keys()
    | {"q", "h"}
)  # fmt: skip
_NUMBERS = frozenset({NUMBER, ORDINAL, ISO})
_REACH = 8
"""So far behind the first word of an expression a name or number stands at the latest."""


def find(text: str, at: datetime) -> list[TimeExpression]:
    """The time expressions of a text that was said `at` a moment, in order.

    >>> [found] = find("We met two weeks ago.", datetime(2024, 5, 20, tzinfo=UTC))
    >>> found.text, found.start.isoformat(), found.kind.value
    ('two weeks ago', '2024-05-06T00:00:00+00:00', 'date')
    """
    if at.tzinfo is None:
        raise InvalidInput("the moment a text was said needs a time zone")
    lower = text.lower()
    pieces = set(_PIECE.findall(lower))
    names = pieces & _HINTS
    if "am" in pieces and not w.DIGITS.keys().isdisjoint(pieces):
        names.add("am")
    if not names:
        return []
    reader = Reader(text, at, *_window(text, lower, names))
    tokens = reader.tokens
    found: list[TimeExpression] = []
    behind, named = 0, -1
    for i in _starts(tokens):
        if i < behind:
            continue
        named = max(named, i)
        while named < i + _REACH and not _is_name(tokens[named]):
            named += 1
        read = _read(reader, i) if named < i + _REACH else None
        if read:
            found.append(read[0])
            behind = read[1]
    return found


def _window(text: str, lower: str, names: set[str]) -> Span:
    """The part of a text that can matter: all words of time, and what tells their tense."""
    if len(lower) != len(text) or len(text) < _BEFORE + _BEHIND:
        return Span(0, len(text))
    first = min(lower.find(name) for name in names) - _BEFORE
    last = max(lower.rfind(name) for name in names) + _BEHIND + max(map(len, names))
    start = text.rfind(" ", 0, first) + 1 if first > 0 else 0
    end = text.find(" ", last)
    return Span(start, end if end >= 0 else len(text))


def _starts(tokens: list[Token]) -> list[int]:
    """Where an expression can begin."""
    return [
        i
        for i, (kind, word, _, _, glued) in enumerate(tokens)
        if (word in _STARTS or kind in _NUMBERS) and not glued
    ]


def _is_name(token: Token) -> bool:
    """A word or number without which nothing is an expression."""
    return token.kind in _NUMBERS or token.word in _REACHED


def _read(r: Reader, i: int) -> tuple[TimeExpression, int] | None:
    """The expression at a place; none if it lies outside the calendar."""
    try:
        parsed = expression(r, i) or phrase(r, i)
        if not parsed:
            return None
        return _placed(r, i, *parsed), parsed[1]
    except (OverflowError, ValueError):  # a year beyond 1 to 9999: no time that can be told
        return None


def _placed(r: Reader, i: int, point: Point, j: int) -> TimeExpression:
    span = Span(r.tokens[i].start, r.tokens[j - 1].end)
    start, end = _zoned(r, point.begin), _zoned(r, point.end)
    if start and end and end.timestamp() < start.timestamp():
        end = start
    return TimeExpression(
        span,
        r.text[span.start : span.end],
        point.kind,
        point.grain,
        start,
        end,
        point.relation,
        _zoned(r, point.bound),
        point.seconds,
        point.timex,
    )


def _zoned(r: Reader, moment: datetime | None) -> datetime | None:
    """The wall clock as a moment; an hour that the spring leaves out is the one after it."""
    if moment is None:
        return None
    zoned = moment.replace(tzinfo=r.at.tzinfo)
    if isinstance(r.at.tzinfo, timezone):
        return zoned
    return zoned.astimezone(UTC).astimezone(r.at.tzinfo)
