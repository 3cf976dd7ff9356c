"""Weeks, months, years and weekends: "last week", "the week of May 3", "next 4 business days"."""

from datetime import timedelta

from sharpwave.temporal import calendar
from sharpwave.temporal.calendar import DAY, WEEK, Days
from sharpwave.temporal.expressions.calendar_days import month_alone
from sharpwave.temporal.expressions.dates import day, holiday_rule
from sharpwave.temporal.expressions.english import numbers
from sharpwave.temporal.expressions.english import words as w
from sharpwave.temporal.expressions.reading import Parsed, Point, Reader, date, days, yearly
from sharpwave.temporal.expressions.years import shifted_season
from sharpwave.types.times import Grain, TimeKind


def unit(r: Reader, grain: Grain, shift: int) -> Days:
    """The running week, month, year …, or one so many before or after it."""
    if grain in (Grain.WEEK, Grain.WEEKEND):
        monday = calendar.week(r.today)[0] + WEEK * shift
        return (monday + 5 * DAY if grain is Grain.WEEKEND else monday), monday + WEEK
    if grain is Grain.DAY:
        begin = r.today + DAY * shift
        return begin, begin + DAY
    size = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.YEAR: 12, Grain.DECADE: 120}.get(grain, 1200)
    index = ((r.now.year * 12 + r.now.month - 1) // size + shift) * size
    return calendar.months(index // 12, index % 12 + 1, size)


def shifted_unit(r: Reader, i: int) -> Parsed:
    """Reads "last week", "this month", "next year's first quarter", "next working week"."""
    shift = r.shift(i)
    if shift is None:
        return None
    j = i + 1
    if r.word(i) == "this" and r.word(j) in ("past", "coming", "upcoming"):
        shift, j = w.SHIFTS[r.word(j)], j + 1
    word = r.word(j)
    if word in w.SEASONS:
        return shifted_season(r, j, shift)
    if word in w.MONTHS and not (word in ("march", "may") and r.word(i) == "this" and i == 0):
        return month_alone(r, j - 1)
    work = word in ("work", "working", "business") and r.word(j + 1) == "week"
    if work or word == "workweek":
        monday = unit(r, Grain.WEEK, shift)[0]
        return days((monday, monday + 5 * DAY), Grain.WEEK), j + 1 + work
    grain = w.UNITS.get(word)
    if not grain or word.startswith("night") or word.endswith("s"):
        return fortnight(r, shift, j) if word in w.FORTNIGHT else None
    if grain in w.BELOW_A_DAY:
        return _shifted_hour(r, grain, shift, j) if shift else None
    return _in_unit(r, grain, shift, j + 1)


def fortnight(r: Reader, shift: int, j: int) -> Parsed:
    """The running two weeks, or others."""
    monday = calendar.week(r.today)[0] + 2 * WEEK * shift
    return days((monday, monday + 2 * WEEK), Grain.WEEK), j + 1


def _shifted_hour(r: Reader, grain: Grain, shift: int, j: int) -> Parsed:
    ends = sorted((r.now, r.later(timedelta(seconds=shift * w.SECONDS[grain]))))
    return Point(TimeKind.DATETIMERANGE, ends[0], ends[1], grain), j + 1


def _in_unit(r: Reader, grain: Grain, shift: int, j: int) -> Parsed:
    """A unit, or what is named in it: "next week Monday", "next year's first quarter"."""
    span = unit(r, grain, shift)
    if grain is Grain.DAY:
        return date(span[0]), j
    if grain is Grain.WEEK:
        k = r.skip(j, "-", ",", "on")
        if r.word(k) in w.WEEKDAYS:
            return date(span[0] + timedelta(days=w.WEEKDAYS[r.word(k)])), k + 1
    if grain is Grain.YEAR:
        nth = numbers.ordinal(r.tokens, j)
        if nth and r.word(nth[1]) == "quarter" and nth[0] < 5:
            return days(calendar.months(span[0].year, nth[0] * 3 - 2, 3), Grain.QUARTER), nth[1] + 1
    return days(span, grain), j


def the_unit(r: Reader, i: int) -> Parsed:
    """Reads "the week", "the week after next", "week 27", "the week of May 3", "year to date"."""
    word, then = r.word(i), r.word(i + 1)
    grain = w.UNITS[word]
    if then == "after" and r.word(i + 2) == "next":
        return _in_unit(r, grain, 2, i + 3)
    if then == "before" and r.word(i + 2) == "last":
        return _in_unit(r, grain, -2, i + 3)
    if then == "to" and r.word(i + 2) == "date":
        return days((unit(r, grain, 0)[0], r.today), grain), i + 3
    if word == "week" and (found := _numbered_week(r, i + 1) or _week_of(r, i + 1)):
        return found
    if word == "weekend" and then == "of" and (feast := feast_weekend(r, r.skip(i + 2, "the"))):
        return feast
    if r.before(i) != "the" or then == "of":
        return None
    told = r.word(i - 2) if i > 1 else ""
    if word == "weekend" or told in ("of", "in", "for", "during", "over", "unavailable", "within"):
        return _in_unit(r, grain, 0, i + 1)
    return None


def _numbered_week(r: Reader, j: int) -> Parsed:
    number = numbers.digits(r.tokens, j)
    if not number or number > 53 or r.tokens[j + 1].glued:
        return None
    k = r.skip(r.skip(j + 1, "of", ",", "in"), "the")
    year = numbers.year(r.tokens, k)
    if year:
        return days(calendar.week_of_year(year[0], number), Grain.WEEK), year[1]
    shift = w.SHIFTS.get(r.word(k))
    if shift is not None and r.word(k + 1) == "year":
        return days(calendar.week_of_year(r.now.year + shift, number), Grain.WEEK), k + 2
    return days(calendar.week_of_year(r.now.year, number), Grain.WEEK), j + 1


def _week_of(r: Reader, j: int) -> Parsed:
    """The week that has a day in it."""
    if r.word(j) not in ("of", "starting", "beginning", "commencing"):
        return None
    found = day(r, r.skip(j + 1, "on", "from"))
    if not found or found[0].begin is None:
        return None
    nth = found[0].nth

    def make(k: int) -> Days | None:
        made = nth(k) if nth else None
        return calendar.week(made[0]) if made else None

    span = calendar.week(found[0].begin)
    return Point(TimeKind.DATERANGE, *span, Grain.WEEK, nth=make if nth else None), found[1]


def weekend(r: Reader, i: int) -> Parsed:
    """Reads "weekend", "weekend of May 3"."""
    if r.word(i + 1) in ("of", "after", "before"):
        return the_unit(r, i)
    if r.before(i) not in ("the", "on", "over", "during", "at"):
        return None
    over = r.past(i) and r.today.weekday() < 5
    return _in_unit(r, Grain.WEEKEND, -1 if over else 0, i + 1)


def feast_weekend(r: Reader, i: int) -> Parsed:
    """The days off around a feast: from it to the weekend, or from the weekend to it."""
    rule = holiday_rule(r, i)
    if not rule:
        return None
    named, j = rule
    behind = r.word(j) == "weekend"
    if not behind and r.before(i) not in ("of", "the"):
        return None
    year = numbers.year(r.tokens, r.skip(j + behind, ",", "of"))

    def make(of: int) -> Days | None:
        feast = named(of)
        if not feast:
            return None
        monday = calendar.week(feast)[0]
        if feast.weekday() < 2:
            return monday - 2 * DAY, feast + DAY
        return min(feast, monday + 5 * DAY), monday + WEEK

    if year:
        span = make(year[0])
        return (days(span, Grain.WEEKEND), year[1]) if span else None
    point = yearly(r, i, make, Grain.WEEKEND)
    return (point, j + behind) if point else None


def counted_shift(r: Reader, i: int) -> tuple[int, int, Grain, int] | None:
    """Reads "2 upcoming months": count, direction, unit, the place behind."""
    count = numbers.amount(r.tokens, i)
    if not count or count[0] != int(count[0]):
        return None
    shift = w.SHIFTS.get(r.word(count[1]), 0)
    name = r.word(count[1] + 1)
    grain = w.UNITS.get(name) if name.endswith("s") or count[0] == 1 else None
    return (int(count[0]), shift, grain, count[1] + 2) if shift and grain else None


def business(r: Reader, i: int, shift: int) -> Parsed:
    """Reads "next 4 business days": the place is behind the shift."""
    count = numbers.amount(r.tokens, i)
    if not count or r.word(count[1]) not in ("business", "working", "work"):
        return None
    if r.word(count[1] + 1) not in ("day", "days"):
        return None
    span = calendar.business_days(r.now, shift * int(count[0]))
    return days(span, Grain.DAY), count[1] + 2
