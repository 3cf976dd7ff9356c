"""Weeks, months, seasons, quarters, years and decades: "last week", "summer 2019", "the 90s"."""

from dataclasses import replace
from datetime import datetime, timedelta

from sharpwave.temporal import calendar, tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import DAY, WEEK, Days
from sharpwave.temporal.dates import day
from sharpwave.temporal.parsing import Parsed, Point, TimeParser, date, days, yearly
from sharpwave.temporal.tokens import NUMBER, SIGN, WORD
from sharpwave.temporal.written_dates import month_alone, of_year, year_behind
from sharpwave.types.times import Grain, TimeKind

_ASKS_A_YEAR = frozenset(
    """in since until till by before after from to between and of during than year through thru or
    back for around about circa ~ - = late early mid not""".split()
)
_BEFORE_AMOUNTS = frozenset("by to of than for or about around = - not".split())
_NO_NOUN = frozenset(
    "is was has does 's as this its his us yes always perhaps sometimes unless versus vs".split()
)
_COUNTED = frozenset(
    "% percent dollars people men women children feet km kg mg ml kcal cal usd eur px".split()
)
_OWN_AGE = frozenset("my your his her their our its".split())
"""Before decades of a life: "in my early thirties"."""
_ASKS_A_SEASON = frozenset(
    """in since until till by before after from between and of during last next this early late mid
    through every each for or than around""".split()
)


_ASKS_A_UNIT = frozenset("of in for during over within".split())


def month_in_digits(r: TimeParser, i: int) -> Parsed:
    """Reads "12-2015", "2015-3", "05/2020"."""
    text = r.word(i)
    sign = "-" if "-" in text else "/"
    left, found, right = text.partition(sign)
    if not found or not (left.isdigit() and right.isdigit()):
        return None
    year, month = (left, right) if len(left) == 4 else (right, left)
    if len(year) == 4 and len(month) <= 2 and 1 <= int(month) <= 12 and 1000 <= int(year) < 2200:
        return days(calendar.months(int(year), int(month)), Grain.MONTH), i + 1
    return None


def season(r: TimeParser, i: int) -> Parsed:
    """A season, as in the north: summer is from June to August."""
    name = r.word(i)
    if name in w.AMBIGUOUS and not _surely_season(r, i):
        return None
    month, code = w.SEASONS[name], w.SEASON_CODES[name]
    short = tokens.short_year(r.tokens, i + 1, r.now.year)
    if year := year_behind(r, i + 1) or short:
        return _named_season(calendar.months(year[0], month, 3), f"{year[0]}-{code}"), year[1]
    point = yearly(r, i, lambda of: calendar.months(of, month, 3), Grain.SEASON)
    return (replace(point, timex=code), i + 1) if point else None


def _surely_season(r: TimeParser, i: int) -> bool:
    before = r.before(i)
    if before == "the" and i > 1:
        before = r.word(i - 2)
    return before in _ASKS_A_SEASON - {"to"} or bool(tokens.year(r.tokens, r.skip(i + 1, "of")))


def _named_season(span: Days, timex: str) -> Point:
    return Point(TimeKind.DATERANGE, span[0], span[1], Grain.SEASON, timex=timex)


def shifted_season(r: TimeParser, i: int, shift: int) -> Parsed:
    """Reads "this summer", "last winter", "next spring"."""
    name = r.word(i)
    month = w.SEASONS[name]
    if shift < 0:
        year = next(y for y in range(r.now.year, 0, -1) if calendar.months(y, month, 3)[1] <= r.now)
    elif shift > 0:
        year = next(y for y in range(r.now.year, 9990) if calendar.months(y, month, 3)[0] > r.now)
    else:
        year = r.now.year - (month == 12 and r.now.month < 3)
    span = calendar.months(year, month, 3)
    return _named_season(span, f"{year}-{w.SEASON_CODES[name]}"), i + 1


def year_alone(r: TimeParser, i: int) -> Parsed:
    """A number of four digits that reads as a year."""
    found = tokens.year(r.tokens, i)
    if not found or r.tokens[i].kind != NUMBER:
        return None
    year, j = found
    if r.word(j) in w.MONTHS and (r.word(j) not in w.AMBIGUOUS or r.before(i) in _ASKS_A_YEAR):
        return days(calendar.months(year, w.MONTHS[r.word(j)]), Grain.MONTH), j + 1
    behind = r.tokens[j]
    noun = behind.kind == WORD and behind.word.endswith("s") and behind.word not in _NO_NOUN
    expected = r.before(i) in _ASKS_A_YEAR - _BEFORE_AMOUNTS or r.before(i - 1) == "back"
    expected = expected or (r.before(i) in w.TO and tokens.year(r.tokens, i - 2) is not None)
    likely = 1900 <= year <= 2100 or expected
    measured = behind.word in w.UNITS or behind.word in _COUNTED or behind.word in w.NOT_A_CLOCK
    if noun or not likely or measured:
        return None
    return days(calendar.years(year), Grain.YEAR), j


def year_named(r: TimeParser, i: int) -> Parsed:
    """Reads "the year 2008", "fiscal year 2008", "cy18", "2008"."""
    word, j = r.word(i), i
    prefix = ""
    if word in ("fiscal", "school", "calendar") and r.word(i + 1) == "year":
        prefix, j = {"fiscal": "FY", "school": "SY", "calendar": ""}[word], i + 2
    elif word in ("fy", "sy", "cy"):
        prefix, j = {"fy": "FY", "sy": "SY", "cy": ""}[word], i + 1
    elif word == "year":
        j = i + 1
    found = tokens.short_year(r.tokens, j, r.now.year) if j > i else tokens.year(r.tokens, j)
    if not found or (j == i + 1 and word == "year" and found[0] < 1000):
        return None
    point = days(calendar.years(found[0]), Grain.YEAR)
    if prefix:
        point = Point(point.kind, point.begin, point.end, Grain.YEAR, timex=f"{prefix}{found[0]}")
    return point, found[1]


def decade(r: TimeParser, i: int) -> Parsed:
    """Reads "1990s", "the 90s", "the nineties"."""
    word = r.word(i)
    if not _OWN_AGE.isdisjoint((r.before(i), r.before(i - 1))):
        return None
    if word in w.DECADES:
        return _century_of(r, w.DECADES[word]), i + 1
    number = tokens.digits(r.tokens, i)
    if number is None or number % 10 or r.word(i + 1) != "s" or len(word) not in (2, 4):
        return None
    if len(word) == 4 and number % 100 == 0 and number < 2000:
        return days(calendar.years(number, 100), Grain.CENTURY), i + 2
    if len(word) == 4:
        return days(calendar.years(number, 10), Grain.DECADE), i + 2
    return _century_of(r, number), i + 2


def _century_of(r: TimeParser, two_digits: int) -> Point:
    century = r.now.year - r.now.year % 100
    begin = century + two_digits if two_digits <= r.now.year % 100 else century - 100 + two_digits
    return days(calendar.years(begin, 10), Grain.DECADE)


def short_year(r: TimeParser, i: int) -> Parsed:
    """Reads "in '85"."""
    found = tokens.short_year(r.tokens, i, r.now.year) if r.before(i) in _ASKS_A_YEAR else None
    return (days(calendar.years(found[0]), Grain.YEAR), found[1]) if found else None


# --- quarters and halves --------------------------------------------------------------------------


def _quarter_code(r: TimeParser, i: int) -> tuple[int, int, int] | None:
    """Reads "q1", "h2": its first month, how many, and the place behind."""
    number = tokens.digits(r.tokens, i + 1)
    count = {"q": 3, "h": 6}.get(r.word(i))
    if not count or not number or not r.tokens[i + 1].glued or number * count > 12:
        return None
    return (number - 1) * count + 1, count, i + 2


def quarter(r: TimeParser, i: int) -> Parsed:
    """Reads "q1", "h2 of 2019"."""
    found = _quarter_code(r, i)
    return months_of_year(r, i, *found) if found else None


def months_of_year(r: TimeParser, i: int, month: int, count: int, j: int) -> Parsed:
    """Some months of the year behind them, or of one not named."""
    return of_year(r, i, j, lambda of: calendar.months(of, month, count), Grain.QUARTER)


def quarter_of(r: TimeParser, i: int) -> Parsed:
    """Reads "2017-q1", "2019 h2"."""
    year = tokens.year(r.tokens, i)
    found = _quarter_code(r, r.skip(i + 1, "-")) if year else None
    if not year or not found:
        return None
    return days(calendar.months(year[0], found[0], found[1]), Grain.QUARTER), found[2]


def shifted_unit(r: TimeParser, i: int) -> Parsed:
    """Reads "last week", "this month", "next year's first quarter", "next working week"."""
    shift, today = r.shift(i), r.base(i)
    if r.word(i) == "that" and r.anchor:
        shift = 0
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
        monday = calendar.unit(today, Grain.WEEK, shift)[0]
        return days((monday, monday + 5 * DAY), Grain.WEEK), j + 1 + work
    grain = w.UNITS.get(word)
    if not grain or word.startswith("night") or word.endswith("s"):
        return fortnight(r, shift, j) if word in w.FORTNIGHT else None
    if grain is Grain.WEEKEND and r.word(j - 1) in ("coming", "upcoming") and today.weekday() < 5:
        shift = 0
    if grain in w.BELOW_A_DAY:
        return _shifted_hour(r, grain, shift, j) if shift else None
    return in_unit(r, grain, shift, j + 1, today)


def fortnight(r: TimeParser, shift: int, j: int) -> Parsed:
    """The current two weeks, or others."""
    monday = calendar.week(r.today)[0] + 2 * WEEK * shift
    return days((monday, monday + 2 * WEEK), Grain.WEEK), j + 1


def _shifted_hour(r: TimeParser, grain: Grain, shift: int, j: int) -> Parsed:
    ends = sorted((r.now, r.clock_after(timedelta(seconds=shift * w.SECONDS[grain]))))
    return Point(TimeKind.DATETIMERANGE, ends[0], ends[1], grain), j + 1


def in_unit(
    r: TimeParser, grain: Grain, shift: int, j: int, today: datetime | None = None
) -> Parsed:
    """A unit, or what is named in it: "next week Monday", "next year's first quarter"."""
    span = calendar.unit(today or r.today, grain, shift)
    if grain is Grain.DAY:
        return date(span[0]), j
    if grain is Grain.WEEK:
        k = r.skip(j, "-", ",", "on")
        if r.word(k) in w.WEEKDAYS:
            return date(span[0] + timedelta(days=w.WEEKDAYS[r.word(k)])), k + 1
    if grain is Grain.YEAR:
        nth = (4, j + 1) if r.word(j) == "last" else tokens.ordinal(r.tokens, j)
        if nth and r.word(nth[1]) == "quarter" and nth[0] < 5:
            return days(calendar.months(span[0].year, nth[0] * 3 - 2, 3), Grain.QUARTER), nth[1] + 1
    return days(span, grain), j


def the_unit(r: TimeParser, i: int) -> Parsed:
    """Reads "the week", "the week after next", "week 27", "the week of May 3", "year to date"."""
    word, then = r.word(i), r.word(i + 1)
    grain = w.UNITS[word]
    if then == "to" and r.word(i + 2) == "date":
        return days((calendar.unit(r.today, grain, 0)[0], r.today), grain), i + 3
    if word == "weekend" and then == "of" and (feast := feast_weekend(r, r.skip(i + 2, "the"))):
        return feast
    if found := (_numbered_week(r, i + 1) if word == "week" else None) or _unit_of(r, i + 1, grain):
        return found
    if r.before(i) != "the" or then == "of":
        return None
    expected = r.before(i - 1) in _ASKS_A_UNIT or r.tokens[i + 1].kind == SIGN
    return in_unit(r, grain, 0, i + 1) if expected or word == "weekend" else None


def _numbered_week(r: TimeParser, j: int) -> Parsed:
    number = tokens.digits(r.tokens, j)
    if not number or number > 53 or r.tokens[j + 1].glued:
        return None
    year, k = year_behind(r, j + 1) or (r.now.year, j + 1)
    return days(calendar.week_of_year(year, number), Grain.WEEK), k


def _unit_of(r: TimeParser, j: int, grain: Grain) -> Parsed:
    """The week or weekend that has a day in it: "(the week) of June 10"."""
    weekly = grain in (Grain.WEEK, Grain.WEEKEND)
    if not weekly or r.word(j) not in ("of", "starting", "beginning", "commencing"):
        return None
    found = day(r, r.skip(j + 1, "on", "from"))
    week = found[0].mapped(lambda span: calendar.unit(span[0], grain, 0), grain) if found else None
    return (week, found[1]) if found and week else None


def weekend(r: TimeParser, i: int) -> Parsed:
    """Reads "weekend", "weekend of May 3"."""
    if r.word(i + 1) in ("of", "after", "before"):
        return the_unit(r, i)
    if r.before(i) not in ("the", "on", "over", "during", "at"):
        return None
    over = r.past(i) and r.today.weekday() < 5
    return in_unit(r, Grain.WEEKEND, -1 if over else 0, i + 1)


def feast_weekend(r: TimeParser, i: int) -> Parsed:
    """The days off around a feast: from it to the weekend, or from the weekend to it."""
    rule = calendar.holiday(r.tokens, i)
    if not rule:
        return None
    named, j = rule
    behind = r.word(j) == "weekend"
    if not behind and r.before(i) not in ("of", "the"):
        return None

    def make(of: int) -> Days | None:
        feast = named(of)
        if not feast:
            return None
        monday = calendar.week(feast)[0]
        if feast.weekday() < 2:
            return monday - 2 * DAY, feast + DAY
        return min(feast, monday + 5 * DAY), monday + WEEK

    return of_year(r, i, j + behind, make, Grain.WEEKEND)


def counted_shift(r: TimeParser, i: int) -> tuple[int, int, Grain, int] | None:
    """Reads "2 upcoming months": count, direction, unit, the place behind."""
    count = tokens.amount(r.tokens, i)
    if not count or count[0] != int(count[0]):
        return None
    shift = w.SHIFTS.get(r.word(count[1]), 0)
    name = r.word(count[1] + 1)
    grain = w.UNITS.get(name) if name.endswith("s") or count[0] == 1 else None
    return (int(count[0]), shift, grain, count[1] + 2) if shift and grain else None


def business(r: TimeParser, i: int, shift: int) -> Parsed:
    """Reads "next 4 business days": the place is behind the shift."""
    count = tokens.amount(r.tokens, i)
    if not count or r.word(count[1]) not in ("business", "working", "work"):
        return None
    if r.word(count[1] + 1) not in ("day", "days"):
        return None
    span = calendar.business_days(r.now, shift * int(count[0]))
    return Point(TimeKind.DATERANGE, *span, Grain.DAY), count[1] + 2
