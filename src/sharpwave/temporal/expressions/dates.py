"""Days: "yesterday", "next Friday", "May 3rd, 2019", "5/3/18", "the first Monday of June"."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from sharpwave.temporal import calendar
from sharpwave.temporal.calendar import DAY, WEEK, Days
from sharpwave.temporal.expressions.calendar_days import (
    ASKS_A_DAY,
    day_month,
    month_alone,
    month_day,
    numeric,
    three_numbers,
)
from sharpwave.temporal.expressions.english import holidays, numbers
from sharpwave.temporal.expressions.english import words as w
from sharpwave.temporal.expressions.english.tokens import NUMBER, ORDINAL, WORD
from sharpwave.temporal.expressions.reading import Parsed, Point, Reader, choose, date, yearly
from sharpwave.types.times import Grain, TimeKind

_AFTER_A_DAY = frozenset("at from in and or to for until till between is was through thru".split())


def day(r: Reader, i: int) -> Parsed:
    """The day named at a place."""
    word = r.word(i)
    kind = r.tokens[i].kind
    if word in w.DAYS:
        return date(r.today + timedelta(days=w.DAYS[word])), i + 1
    if word in w.WEEKDAYS:
        return weekday(r, i)
    if word in w.MONTHS:
        return month_day(r, i)
    if kind == NUMBER:
        return numeric(r, i) or three_numbers(r, i) or day_month(r, i)
    if word == "the":
        return _the_day(r, i)
    if word in w.SHIFTS and (found := shifted(r, i)):
        return found
    if kind == ORDINAL or word in w.ORDINALS or word in w.TENS:
        return _nth_weekday(r, i) or day_month(r, i)
    return _far_day(r, i) or _holiday(r, i, 0, None)


def _far_day(r: Reader, i: int) -> Parsed:
    """The day before yesterday, the day after tomorrow, the current date."""
    word, then = r.word(i), r.word(i + 1)
    if word == "day" and then in ("before", "after") and r.word(i + 2) in w.DAYS:
        step = -1 if then == "before" else 1
        return date(r.today + timedelta(days=w.DAYS[r.word(i + 2)] + step)), i + 3
    return None


def _the_day(r: Reader, i: int) -> Parsed:
    """Days behind "the": a number of this or the next month, or any other."""
    found = numbers.day_number(r.tokens, i + 1)
    if r.word(i + 1) in w.TENS or r.tokens[i + 1].kind == ORDINAL or found:
        written = _nth_weekday(r, i + 1) or day_month(r, i + 1)
        if written or not found:
            return written
        alone = _stands_alone(r, found[1])
        return _day_of_month(r, i, *found) if r.before(i) in ASKS_A_DAY and alone else None
    if r.word(i + 1) in w.SHIFTS and r.word(i + 2) not in w.UNITS:
        return _nth_weekday(r, i + 1) or shifted(r, i + 1)
    return _far_day(r, i + 1) or _holiday(r, i + 1, 0, None)


def _stands_alone(r: Reader, j: int) -> bool:
    return r.tokens[j].kind != WORD or r.word(j) in _AFTER_A_DAY


def _day_of_month(r: Reader, i: int, number: int, j: int) -> Parsed:
    def make(k: int) -> Days | None:
        month = calendar.add_months(r.today.replace(day=1), k)
        return calendar.day(month.year, month.month, number)

    point = choose(r, i, make, Point(TimeKind.DATE, None, None, Grain.DAY))
    return (point, j) if point else None


# --- weekdays -------------------------------------------------------------------------------------


def weekday(r: Reader, i: int) -> Parsed:
    """A weekday, alone or with its date."""
    number = w.WEEKDAYS[r.word(i)]
    j = r.skip(i + 1, ".") if len(r.word(i)) < 6 and r.word(i + 2) not in ("", "\n") else i + 1
    dated = _dated(r, i, j, number)
    if dated:
        return dated
    week = _its_week(r, j, number)
    if week:
        return week
    if r.word(i) in w.AMBIGUOUS and not _surely_weekday(r, i):
        return None
    monday = calendar.week(r.today)[0] + timedelta(days=number)

    def make(k: int) -> Days | None:
        return monday + WEEK * k, monday + WEEK * k + DAY

    point = choose(r, i, make, Point(TimeKind.DATE, None, None, Grain.DAY))
    today_in_past = point is not None and point.begin == r.today and r.past(i)
    if point and today_in_past:
        point = point.moved((r.today - WEEK, r.today - WEEK + DAY))
    return (point, i + 1) if point else None


def _surely_weekday(r: Reader, i: int) -> bool:
    before = r.before(i)
    if before in ASKS_A_DAY or before in w.SHIFTS or before in ("week", "every", "each", "or"):
        return True
    return r.capital(i) and r.word(i) not in ("sun", "sat")


def _dated(r: Reader, i: int, j: int, number: int) -> Parsed:
    """A date behind a weekday: the weekday tells the month if the date does not."""
    k = r.skip(r.skip(j, ",", "-"), "the")
    if r.word(k) in w.MONTHS or r.tokens[k].kind == NUMBER:
        written = month_day(r, k) if r.word(k) in w.MONTHS else numeric(r, k) or day_month(r, k)
        if written or r.word(k) in w.MONTHS:
            return written
        if r.word(k + 1) == "-":
            return _pair_on_weekday(r, k, number)
    found = numbers.day_number(r.tokens, k)
    if not found or r.word(found[1]) in ("o'clock", "oclock", "am", "pm", ":") or r.word(j) == "-":
        return None
    if r.tokens[k].kind == NUMBER and r.word(found[1]) in w.UNITS:
        return None
    return day_month(r, k) or _weekday_and_number(r, i, number, *found)


def _pair_on_weekday(r: Reader, k: int, number: int) -> Parsed:
    """A date such as "Friday 7-6": July 6, if that is a Friday about now."""
    month, day_of_it = numbers.digits(r.tokens, k), numbers.digits(r.tokens, k + 2)
    if not month or not day_of_it:
        return None
    for year in (r.now.year, r.now.year + 1, r.now.year - 1):
        made = calendar.day(year, month, day_of_it)
        if made and made[0].weekday() == number:
            return date(made[0]), k + 3
    return None


def _weekday_and_number(r: Reader, i: int, weekday_: int, number: int, j: int) -> Parsed:
    """A date such as "Monday 21": the month in which the 21st is a Monday."""

    def make(k: int) -> Days | None:
        month = calendar.add_months(r.today.replace(day=1), k)
        made = calendar.day(month.year, month.month, number)
        return made if made and made[0].weekday() == weekday_ else None

    this_month = make(0)
    if this_month:
        return date(this_month[0]), j
    point = choose(r, i, make, Point(TimeKind.DATE, None, None, Grain.DAY), near=40)
    return (replace(point, nth=None), j) if point else None


def _its_week(r: Reader, j: int, number: int) -> Parsed:
    """Reads "tuesday of next week", "Monday two weeks from now"."""
    k = r.skip(r.skip(j, "of", ","), "the")
    shift = w.SHIFTS.get(r.word(k))
    if shift is not None and r.word(k + 1) == "week":
        return date(calendar.week(r.today)[0] + WEEK * shift + timedelta(days=number)), k + 2
    count = numbers.amount(r.tokens, j)
    if (
        count
        and count[0] < 1000
        and r.word(count[1] + 1) == "from"
        and r.word(count[1] + 2) == "now"
    ):
        unit = w.UNITS.get(r.word(count[1]))
        length = {Grain.WEEK: WEEK, Grain.DAY: DAY}.get(unit) if unit else None
        if length:
            begin = calendar.week(r.today + length * int(count[0]))[0] + timedelta(days=number)
            return date(begin), count[1] + 3
    return None


def shifted(r: Reader, i: int) -> Parsed:
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
    begin = calendar.week(r.today)[0] + timedelta(days=number) + WEEK * shift
    if word == "past":
        begin = r.today - timedelta(days=(r.today.weekday() - number - 1) % 7 + 1)
    elif word in ("coming", "upcoming"):
        begin = r.today + timedelta(days=(number - r.today.weekday() - 1) % 7 + 1)
    return date(begin), j + 1


def _shifted_date(r: Reader, j: int, shift: int) -> Parsed:
    """Reads "this 5/12", "next May 12", "last Christmas"."""
    if r.word(j) in holidays.FIRST_WORDS:
        return _holiday(r, j, shift, shift)
    if r.tokens[j].kind == NUMBER and "/" in r.word(j):
        found = numeric(r, j)
    else:
        found = month_day(r, j) if r.word(j) in w.MONTHS else None
    return _of_year(r, found, shift) if found else None


def _of_year(r: Reader, found: tuple[Point, int], shift: int) -> Parsed:
    point, j = found
    if point.nth is None or point.begin is None:
        return found
    made = point.nth(r.now.year + shift - point.begin.year)
    return (replace(point.moved(made), nth=None), j) if made else None


def _nth_weekday(r: Reader, i: int) -> Parsed:
    """Reads "first Monday of next month"; a time of day in between is left to others."""
    which = -1 if r.word(i) == "last" else None
    found = (which, i + 1) if which else numbers.ordinal(r.tokens, i)
    if not found or r.word(found[1]) not in w.WEEKDAYS:
        return None
    nth, j = found
    number = w.WEEKDAYS[r.word(j)]
    j = r.skip(j + 1, *w.DAYPARTS)
    if r.word(j) not in ("of", "in"):
        return None
    month = month_alone(r, r.skip(j + 1, "the")) or _whole_year(r, r.skip(j + 1, "the"))
    if not month:
        return None

    def make(span: Days | None) -> Days | None:
        begin = calendar.nth_weekday(*span, number, nth or 1) if span else None
        return (begin, begin + DAY) if begin else None

    point, j = month
    if point.begin is None or point.end is None or not (made := make((point.begin, point.end))):
        return None
    nth_of = point.nth
    others = (lambda k: make(nth_of(k))) if nth_of else None
    return Point(TimeKind.DATE, *made, Grain.DAY, nth=others), j


def _whole_year(r: Reader, i: int) -> Parsed:
    shift = w.SHIFTS.get(r.word(i))
    if shift is not None and r.word(i + 1) == "year":
        year, j = r.now.year + shift, i + 2
    elif r.word(i) == "year":
        year, j = r.now.year, i + 1
    elif found := numbers.year(r.tokens, i):
        year, j = found
    else:
        return None
    return Point(TimeKind.DATERANGE, *calendar.years(year), Grain.YEAR), j


# --- feasts ---------------------------------------------------------------------------------------


def _holiday(r: Reader, i: int, shift: int, asked: int | None) -> Parsed:
    """Reads "christmas", "Easter 2020", "last Thanksgiving"."""
    found = holidays.holiday(r.tokens, i)
    if not found:
        return None
    rule, j = found
    year = numbers.year(r.tokens, r.skip(j, "of", "in", ","))
    if year:
        made = holidays.day_of(rule, year[0])
        return (date(made[0]), year[1]) if made else None
    make = partial(holidays.day_of, rule)
    if asked:
        return _nearest_holiday(r, make, asked, j)
    if asked == 0:
        made = make(r.now.year)
        return (date(made[0]), j) if made else None
    point = yearly(r, i, make, Grain.DAY)
    return (point, j) if point else None


def _nearest_holiday(
    r: Reader, make: Callable[[int], Days | None], direction: int, j: int
) -> Parsed:
    """The last that is over, or the next to come."""
    for k in range(3):
        made = make(r.now.year + k * direction)
        if made and (made[0] > r.now if direction > 0 else made[1] <= r.now):
            return date(made[0]), j
    return None


def holiday_rule(r: Reader, i: int) -> tuple[Callable[[int], datetime | None], int] | None:
    """The feast at a place, for weekends around it."""
    return holidays.holiday(r.tokens, i) if r.word(i) in holidays.FIRST_WORDS else None
