"""What happens again and again: "every Monday at 5", "twice a week", "the 19th of every month"."""

from sharpwave.temporal import tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.parsing import Parsed, Point, TimeParser
from sharpwave.temporal.times_of_day import Hours, hours, part_behind
from sharpwave.temporal.tokens import NUMBER, ORDINAL
from sharpwave.types.times import Grain, TimeKind

EVERY = frozenset({"every", "each", "any"})
_TIMES = frozenset({"once", "twice", "times"})
_DAILY = frozenset({"daily", "nightly", "everyday"})
_MANY_DAYPARTS = frozenset(f"{name}s" for name in w.NAMED_PARTS)
_STARTS = frozenset(
    EVERY | w.FREQUENCIES | w.MANY_WEEKDAYS | w.WEEKDAYS.keys()
    | _MANY_DAYPARTS | w.DIGITS.keys() | w.TENS.keys()
    | {"bi", "semi", "weekends", "weekdays", "once", "twice", "the"}
)  # fmt: skip

Repetition = tuple[Grain, bool, int] | None
"""The unit, whether a time of day may stand behind it, and the place behind."""


def repeat(r: TimeParser, i: int) -> Parsed:
    """What happens again and again, with the part of the day and the clock behind it."""
    word = r.word(i)
    if word not in _STARTS and r.tokens[i].kind not in (NUMBER, ORDINAL):
        return None
    found = _day_of_every(r, i + 1) if word == "the" else _base(r, i)
    if not found:
        return None
    grain, timed, j = found
    return Point(TimeKind.SET, None, None, grain), _behind_clock(r, j) if timed else j


def timed_repeat(r: TimeParser, time: Hours, j: int) -> Parsed:
    """Reads "3pm each day", "6am everyday", "4pm every Monday": the place is behind the time."""
    if r.word(j) not in EVERY and r.word(j) not in ("everyday", "daily"):
        j = r.skip(j, "on")
        if r.word(j) not in w.MANY_WEEKDAYS:
            return None
    found = _base(r, j)
    if not found or not found[1] or time.is_range or not time.certain:
        return None
    return Point(TimeKind.SET, None, None, found[0]), found[2]


def _base(r: TimeParser, i: int) -> Repetition:
    word = r.word(i)
    if word in EVERY:
        return _every(r, i + 1)
    if word in w.FREQUENCIES:
        return Grain.DAY, word in _DAILY, i + 1
    if word in ("bi", "semi") and r.word(i + 1) == "-" and word + r.word(i + 2) in w.FREQUENCIES:
        return Grain.DAY, False, i + 3
    if word in w.MANY_WEEKDAYS or (word in w.WEEKDAYS and r.word(i + 1) in _MANY_DAYPARTS):
        return _on_weekday(r, i + 1)
    if word in _MANY_DAYPARTS and r.before(i) != "the":
        return Grain.DAY, True, i + 1
    if word in ("weekends", "weekdays") and r.before(i) not in w.DIGITS:
        return Grain.WEEK, True, i + 1
    return _often(r, i) or _day_of_every(r, i)


def _on_weekday(r: TimeParser, j: int) -> Repetition:
    parted = r.word(j) in _MANY_DAYPARTS or r.word(j) in w.NAMED_PARTS
    return Grain.WEEK, True, j + parted


def _every(r: TimeParser, j: int) -> Repetition:
    """Behind "every": a weekday, a part of the day, a month or date, or a number of units."""
    if r.word(j) in ("other", "second", "single") and r.word(j + 1) in w.WEEKDAYS:
        j += 1
    j = r.skip(j, "single")
    word = r.word(j)
    if word in w.WEEKDAYS:
        return _on_weekday(r, j + 1)
    if word in ("weekday", "workday") or word in w.NAMED_PARTS:
        return Grain.DAY, True, j + 1
    if word in w.SEASONS:
        return Grain.YEAR, False, j + 1
    if word in w.MONTHS:
        number = tokens.day_number(r.tokens, j + 1)
        return Grain.YEAR, False, number[1] if number else j + 1
    count: float = 1
    if word in ("other", "second") and r.word(j + 1) in w.UNITS:
        count, j = 2, j + 1
    elif word in w.SOME or word == "a":
        k = r.skip(j, "a")
        count, j = w.SOME.get(r.word(k), 1), r.skip(r.skip(k + 1, "of"), "an", "a")
    elif counted := tokens.amount(r.tokens, j) or tokens.ordinal(r.tokens, j):
        count, j = counted
    return _every_so(r, count, j)


def _every_so(r: TimeParser, count: float, j: int) -> Repetition:
    grain = w.UNITS.get(r.word(j))
    timed = count == 1 and grain in (Grain.DAY, Grain.WEEKEND)
    return (grain, timed, j + 1) if grain else None


def _often(r: TimeParser, i: int) -> Repetition:
    """Reads "once a week", "twice a day", "three times a month"."""
    j = i
    count = tokens.amount(r.tokens, i)
    if count and r.word(count[1]) == "times":
        j = count[1]
    if r.word(j) not in _TIMES or r.word(j + 1) not in ("a", "an", "per", "every", "each"):
        return None
    return _every_so(r, 1, j + 2)


def _day_of_every(r: TimeParser, i: int) -> Repetition:
    """Reads "the 19th of every month"."""
    asked = r.word(i + 1) == "of" or r.word(i) in w.TENS
    number = tokens.day_number(r.tokens, i) if asked else None
    if not number or r.word(number[1]) != "of" or r.word(number[1] + 1) not in EVERY:
        return None
    return (Grain.MONTH, False, number[1] + 3) if r.word(number[1] + 2) == "month" else None


def _behind_clock(r: TimeParser, j: int) -> int:
    """The place behind the part of the day and the clock that stand there."""
    part = part_behind(r, j)
    k = part[1] if part else j
    found = hours(r, r.skip(k, ","))
    if found and found[0].certain and not found[0].is_range:
        return found[1]
    return k if part and part[0] in w.NAMED_PARTS else j
