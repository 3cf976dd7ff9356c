"""Days: "yesterday", "next Friday", "the first Monday of June", "the 22nd", "Christmas"."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from sharpwave.temporal import calendar, tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import DAY, WEEK, Days
from sharpwave.temporal.parsing import Parsed, Point, TimeParser, choose, date, days
from sharpwave.temporal.tokens import NUMBER, ORDINAL, WORD
from sharpwave.temporal.written_dates import (
    ASKS_A_DAY,
    month_alone,
    numeric,
    of_month,
    of_year,
    spaced_dash,
    three_numbers,
    written,
    year_behind,
)
from sharpwave.types.times import Grain

_PODIUM = 3
_MOST_RANKS = 12
"""Largest number for which "the 5th" is as likely a rank as a day."""


def day(r: TimeParser, i: int) -> Parsed:
    """The day named at a place."""
    found = _day(r, i)
    return _weeks_on(r, *found) if found else None


def _weeks_on(r: TimeParser, point: Point, j: int) -> Parsed:
    """Reads "tomorrow week", "Friday fortnight"."""
    weeks = {"week": 1, "fortnight": 2}.get(r.word(j), 0)
    named = r.word(j - 1) in w.WEEKDAYS or r.word(j - 1) in w.DAYS
    continues = r.word(j + 1) in ("of", "ago", "later") or r.word(j + 2) in ("next", "last")
    if not weeks or not named or continues or point.begin is None:
        return point, j
    return date(_coming(r, point.begin) + WEEK * weeks), j + 1


def _coming(r: TimeParser, weekday_: datetime) -> datetime:
    """The coming weekday, from which weeks are counted on: "I promised it a week on Monday"."""
    return weekday_ if weekday_ >= r.today else weekday_ + WEEK


def _day(r: TimeParser, i: int) -> Parsed:
    word = r.word(i)
    kind = r.tokens[i].kind
    if word in w.DAYS:
        return date(r.today + timedelta(days=w.DAYS[word])), i + 1
    if word in w.WEEKDAYS:
        return weekday(r, i)
    if word in w.MONTHS:
        return written(r, i)
    if kind == NUMBER:
        return numeric(r, i) or three_numbers(r, i) or written(r, i) or of_month(r, i)
    if word == "the":
        return _the_day(r, i)
    if word in w.SHIFTS and (found := _nth_weekday(r, i) or shifted(r, i)):
        return found
    if word == "that" and r.anchor and r.word(i + 1) in w.WEEKDAYS:
        return date(nearest_weekday(r.base(i) - DAY, w.WEEKDAYS[r.word(i + 1)], 1)), i + 2
    if kind == ORDINAL or word in w.ORDINALS or word in w.TENS or word in w.DIGITS:
        return _nth_weekday(r, i) or written(r, i) or of_month(r, i) or _numbered(r, i)
    if word == "a" and r.word(i + 1) in ("week", "fortnight"):
        return _a_week(r, i + 1)
    return _holiday(r, i)


def _numbered(r: TimeParser, i: int) -> Parsed:
    """Reads "(by) 28th": a day of this or the next month, without "the"."""
    found = tokens.day_number(r.tokens, i) if r.tokens[i].kind == ORDINAL else None
    if not found or not _stands_alone(r, found[1]):
        return None
    ends = found[0] > _MOST_RANKS and r.tokens[found[1]].kind != WORD  # "interview 24th, …"
    expected = r.before(i) in _ASKS_A_NUMBER or (ends and r.before(i) not in _RANKED)
    return _day_numbered(r, i, *found) if expected else None


_ASKS_A_NUMBER = frozenset("on by until till til before due date".split())
_RANKED = frozenset(
    """a an the my your his her its our their 's s ' came come comes finished finish placed ranked
    ranks was is were turned turns and""".split()
)
"""Behind these, a number is a rank or a birthday."""


def _a_week(r: TimeParser, j: int) -> Parsed:
    """Reads "(a) week tomorrow", "… on Friday"."""
    k = r.skip(j + 1, "on")
    if r.word(k) not in w.WEEKDAYS and w.DAYS.get(r.word(k), -1) < 0:
        return None
    found = _day(r, k)
    if not found or found[0].begin is None:
        return None
    weeks = 2 if r.word(j) == "fortnight" else 1
    return date(_coming(r, found[0].begin) + WEEK * weeks), found[1]


def _the_day(r: TimeParser, i: int) -> Parsed:
    """Days behind "the": a number of this or the next month, or any other."""
    j = i + 1
    found = tokens.day_number(r.tokens, j)
    if r.word(j) in w.TENS or r.tokens[j].kind == ORDINAL or found:
        named = _nth_weekday(r, j) or written(r, j) or of_month(r, j)
        if named or not found:
            return named
        ranked = r.tokens[j].kind != ORDINAL or found[0] <= _MOST_RANKS
        ends = r.tokens[found[1]].kind != WORD
        stated = r.before(i) in ("is", "s", ":") and ends  # "is the 10th."
        stated = stated or (found[0] > _PODIUM and r.before(i) == "," and ends)  # "…, the tenth."
        stated = stated or (found[0] > _MOST_RANKS and r.before(i) in ("is", "s"))
        expected = r.before(i) in ASKS_A_DAY or stated or not ranked
        return _day_numbered(r, i, *found) if expected and _stands_alone(r, found[1]) else None
    if r.word(j) in w.WEEKDAYS:
        number = w.WEEKDAYS[r.word(j)]
        dated = _dated(r, j, j + 1, number) or _its_week(r, j + 1, number)
        return dated or _beside(r, j + 1, number)
    if r.word(j) in w.SHIFTS and r.word(j + 1) not in w.UNITS:
        return _nth_weekday(r, j) or shifted(r, j)
    return _holiday(r, j)


def _beside(r: TimeParser, j: int, number: int) -> Parsed:
    """Reads "(the Friday) after that", "… before Easter", "… after next"."""
    if r.word(j) not in ("after", "before", "following"):
        return None
    sign = -1 if r.word(j) == "before" else 1
    if r.word(j + 1) in ("next", "last"):
        return date(nearest_weekday(r.today, number, sign) + sign * WEEK), j + 2
    found = _day(r, j + 1)
    if found and found[0].begin:
        return date(nearest_weekday(found[0].begin, number, sign)), found[1]
    if r.anchor is None:
        return None
    last = calendar.midnight(r.anchor[0] if sign < 0 else max(r.anchor[0], r.anchor[1] - DAY))
    return date(nearest_weekday(last, number, sign)), r.skip(j + 1, "that", "this", "it")


def _stands_alone(r: TimeParser, j: int) -> bool:
    word = r.word(j)
    timed = word in w.NOONS or word in w.DAYPARTS
    return timed or r.tokens[j].kind != WORD or (word in w.FUNCTION_WORDS and word != "one")


def _day_numbered(r: TimeParser, i: int, number: int, j: int) -> Parsed:
    """The next or last day of that number, or that day in the month of a day named just before.

    A deadline is sooner: "The parade is on Easter Monday. They want it by the 27th."
    """
    beside = r.anchor and r.before(i) not in ("by", "before", "until", "till", "til")
    if beside and r.anchor and r.anchor[1] - r.anchor[0] <= DAY and r.anchor[0].day < number:
        made = calendar.day(r.anchor[0].year, r.anchor[0].month, number)
        return (date(made[0]), j) if made else None

    def make(k: int) -> Days | None:
        month = calendar.add_months(r.today.replace(day=1), k)
        return calendar.day(month.year, month.month, number)

    point = choose(r, i, make, Grain.DAY)
    return (point, j) if point else None


# --- weekdays -------------------------------------------------------------------------------------


def weekday(r: TimeParser, i: int) -> Parsed:
    """A weekday, alone or with its date."""
    number = w.WEEKDAYS[r.word(i)]
    j = r.skip(i + 1, ".") if len(r.word(i)) < 6 and r.word(i + 2) not in ("", "\n") else i + 1
    dated = _dated(r, i, j, number)
    if dated:
        return _on_weekday(r, *dated, number)
    beside = _beside(r, j, number) if r.word(j + 1) in ("next", "last") else None
    if week := beside or _its_week(r, j, number):
        return week
    if r.word(i) in w.AMBIGUOUS and not _surely_weekday(r, i):
        return None
    if r.anchor and r.before(i) in ("a", ",", "(") and r.anchor[0].weekday() == number:
        return r.anchor_day(), i + 1  # "6th December, on a Saturday"
    monday = calendar.week(r.today)[0] + timedelta(days=number)

    def make(k: int) -> Days | None:
        return monday + WEEK * k, monday + WEEK * k + DAY

    point = choose(r, i, make, Grain.DAY)
    today_in_past = point is not None and point.begin == r.today and r.past(i)
    if point and today_in_past:
        point = point.moved((r.today - WEEK, r.today - WEEK + DAY))
    return (point, i + 1) if point else None


def _surely_weekday(r: TimeParser, i: int) -> bool:
    before = r.before(i)
    if before in ASKS_A_DAY or before in w.SHIFTS or before in ("week", "every", "each", "or"):
        return True
    if r.word(i + 1) in w.DAYPARTS or (r.word(i + 1) in ("at", "@") and r.word(i) == "wed"):
        return True
    if r.tokens[i + 1].kind == NUMBER:
        return r.text[r.tokens[i].start].isupper()
    return r.capital(i) and r.word(i) not in ("sun", "sat")


def _dated(r: TimeParser, i: int, j: int, number: int) -> Parsed:
    """A date behind a weekday: the weekday decides the month if the date does not."""
    k = r.skip(r.skip(j, ",", "-", "("), "the")
    dated = (numeric(r, k) if r.tokens[k].kind == NUMBER else None) or written(r, k)
    if dated and spaced_dash(r, j) and dated[0].begin and dated[0].begin.weekday() != number:
        return None
    if dated and r.word(j) == "(":
        return dated[0], r.skip(dated[1], ")")
    if dated or r.word(k) in w.MONTHS:
        return dated
    found = tokens.day_number(r.tokens, k)
    if not found or r.word(j) == "-" or (r.tokens[k].kind == NUMBER and _goes_on(r, found[1])):
        return None
    if k == j + 1 and r.word(j) == "," and r.tokens[k].kind != ORDINAL:  # "Monday, first thing"
        return of_month(r, k)
    return of_month(r, k) or _weekday_and_number(r, i, number, *found)


def _on_weekday(r: TimeParser, point: Point, j: int, number: int) -> Parsed:
    """The date in the nearest year in which it falls on that weekday, if there is one."""
    if point.nth and point.begin and point.begin.weekday() != number:
        for k in (-1, 1) if point.begin > r.now else (1, -1):
            made = point.nth(k)
            if made and made[0].weekday() == number:
                return date(made[0]), j
    return point, j


def _goes_on(r: TimeParser, j: int) -> bool:
    """Whether the number before a place is an hour or counts units: "Friday 3 p.m."."""
    k = r.skip(r.skip(j, "in", "at"), "the")
    word = r.word(j)
    hour = word in w.CLOCK_ENDINGS or r.word(k) in w.DAYPARTS
    return hour or word in w.UNITS or word in w.TO


def _weekday_and_number(r: TimeParser, i: int, weekday_: int, number: int, j: int) -> Parsed:
    """A date such as "Monday 21": the month in which the 21st is a Monday."""

    def make(k: int) -> Days | None:
        month = calendar.add_months(r.today.replace(day=1), k)
        made = calendar.day(month.year, month.month, number)
        return made if made and made[0].weekday() == weekday_ else None

    this_month = make(0)
    if this_month:
        return date(this_month[0]), j
    point = choose(r, i, make, Grain.DAY, near=40)
    return (replace(point, nth=None), j) if point else None


def _its_week(r: TimeParser, j: int, number: int) -> Parsed:
    """Reads "tuesday of next week", "Monday two weeks from now"."""
    k = r.skip(r.skip(j, "of", ","), "the")
    shift = w.SHIFTS.get(r.word(k))
    if r.says(k, "that", "week") and k > j and r.anchor:
        return date(calendar.week(r.anchor[0])[0] + timedelta(days=number)), k + 2
    if shift is not None and r.word(k + 1) == "week":
        return date(calendar.week(r.today)[0] + WEEK * shift + timedelta(days=number)), k + 2
    count = tokens.amount(r.tokens, j)
    unit = w.UNITS.get(r.word(count[1])) if count and count[0] < 1000 else None
    if not count or unit not in (Grain.DAY, Grain.WEEK) or not r.says(count[1] + 1, "from", "now"):
        return None
    begin = calendar.week(r.today + timedelta(seconds=count[0] * w.SECONDS[unit]))[0]
    return date(begin + timedelta(days=number)), count[1] + 3


def shifted(r: TimeParser, i: int) -> Parsed:
    """A weekday: "next Friday" is in the next week, "last Friday" in the week before this."""
    word = r.word(i)
    shift = w.SHIFTS[word]
    j = i + 1
    if word == "this" and r.word(j) in ("past", "coming", "upcoming"):
        word, shift, j = r.word(j), w.SHIFTS[r.word(j)], j + 1
    if r.word(j) not in w.WEEKDAYS:
        return _shifted_date(r, j, shift)
    number = w.WEEKDAYS[r.word(j)]
    dated = _dated(r, j, j + 1, number)
    if dated:
        return _of_year(r, dated, 0) if word == "this" else dated
    base = r.base(i)
    begin = calendar.week(base)[0] + timedelta(days=number) + WEEK * shift
    if word == "past":
        begin = nearest_weekday(base, number, -1)
    elif word in ("coming", "upcoming") or (base != r.today and shift):
        begin = nearest_weekday(base, number, shift)
    return date(begin), j + 1


def nearest_weekday(base: datetime, number: int, sign: int) -> datetime:
    """The first such weekday after or before a day."""
    return base + timedelta(days=sign * ((sign * (number - base.weekday()) - 1) % 7 + 1))


def _shifted_date(r: TimeParser, j: int, shift: int) -> Parsed:
    """Reads "this 5/12", "next May 12", "last Christmas"."""
    if r.word(j) in calendar.FIRST_WORDS and (feast := _holiday(r, j, shift)):
        return feast
    if r.tokens[j].kind == NUMBER and "/" in r.word(j):
        found = numeric(r, j)
    else:
        found = written(r, j) if r.word(j) in w.MONTHS else None
    return _of_year(r, found, shift) if found else None


def _of_year(r: TimeParser, found: tuple[Point, int], shift: int) -> Parsed:
    point, j = found
    if point.nth is None or point.begin is None:
        return found
    made = point.nth(r.now.year + shift - point.begin.year)
    return (replace(point.moved(made), nth=None), j) if made else None


def _nth_weekday(r: TimeParser, i: int) -> Parsed:
    """Reads "first Monday of next month"; a time of day in between is skipped."""
    which = -1 if r.word(i) == "last" else None
    found = (which, i + 1) if which else tokens.ordinal(r.tokens, i)
    if not found or r.word(found[1]) not in w.WEEKDAYS:
        return None
    nth, j = found
    number = w.WEEKDAYS[r.word(j)]
    j = r.skip(j + 1, *w.DAYPARTS)
    if r.word(j) not in ("of", "in"):
        return None
    month, year = month_alone(r, r.skip(j + 1, "the")), year_behind(r, j)
    whole = month or ((days(calendar.years(year[0]), Grain.YEAR), year[1]) if year else None)
    if not whole:
        return None

    def make(span: Days) -> Days | None:
        begin = calendar.nth_weekday(*span, number, nth or 1)
        return (begin, begin + DAY) if begin else None

    point = whole[0].mapped(make, Grain.DAY)
    return (point, whole[1]) if point else None


# --- feasts ---------------------------------------------------------------------------------------


def _holiday(r: TimeParser, i: int, shift: int | None = None) -> Parsed:
    """Reads "christmas", "Easter 2020", "last Thanksgiving"."""
    found = calendar.holiday(r.tokens, i)
    if not found:
        return None
    rule, j = found
    make = partial(calendar.day_of, rule)
    if shift is None or year_behind(r, j):
        return of_year(r, i, j, make, Grain.DAY)
    if shift:
        return _nearest_holiday(r, make, shift, j)
    made = make(r.now.year)
    return (date(made[0]), j) if made else None


def _nearest_holiday(
    r: TimeParser, make: Callable[[int], Days | None], direction: int, j: int
) -> Parsed:
    """The last that is over, or the next to come."""
    for k in range(3):
        made = make(r.now.year + k * direction)
        if made and (made[0] > r.now if direction > 0 else made[1] <= r.now):
            return date(made[0]), j
    return None
