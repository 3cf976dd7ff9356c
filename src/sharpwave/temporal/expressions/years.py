"""Seasons, quarters, years and decades, by name or number."""

from sharpwave.temporal import calendar
from sharpwave.temporal.calendar import Days
from sharpwave.temporal.expressions.english import numbers
from sharpwave.temporal.expressions.english import words as w
from sharpwave.temporal.expressions.english.tokens import NUMBER, WORD
from sharpwave.temporal.expressions.reading import Parsed, Point, Reader, days, yearly
from sharpwave.types.times import Grain, TimeKind

_ASKS_A_YEAR = frozenset(
    """in since until till by before after from to between and of during than year through thru or
    back for around about circa ~ - = late early mid not""".split()
)
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


def month_in_digits(r: Reader, i: int) -> Parsed:
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


def season(r: Reader, i: int) -> Parsed:
    """A season, as in the north: summer is from June to August."""
    name = r.word(i)
    if name in w.AMBIGUOUS and not _surely_season(r, i):
        return None
    year = numbers.short_year(r.tokens, r.skip(i + 1, "of", ",", "in"), r.now.year)
    month = w.SEASONS[name]
    code = w.SEASON_CODES[name]
    if year and (year[0] > 99):
        return _named_season(calendar.months(year[0], month, 3), f"{year[0]}-{code}"), year[1]
    point = yearly(r, i, lambda of: calendar.months(of, month, 3), Grain.SEASON)
    if not point or point.begin is None or point.end is None:
        return None
    return Point(point.kind, point.begin, point.end, Grain.SEASON, point.nth, timex=code), i + 1


def _surely_season(r: Reader, i: int) -> bool:
    before = r.before(i)
    if before == "the" and i > 1:
        before = r.word(i - 2)
    return before in _ASKS_A_SEASON - {"to"} or bool(numbers.year(r.tokens, r.skip(i + 1, "of")))


def _named_season(span: Days, timex: str) -> Point:
    return Point(TimeKind.DATERANGE, span[0], span[1], Grain.SEASON, timex=timex)


def shifted_season(r: Reader, i: int, shift: int) -> Parsed:
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


def year_alone(r: Reader, i: int) -> Parsed:
    """A number of four digits that reads as a year."""
    found = numbers.year(r.tokens, i)
    if not found or r.tokens[i].kind != NUMBER:
        return None
    year, j = found
    if r.word(j) in w.MONTHS and (r.word(j) not in w.AMBIGUOUS or r.before(i) in _ASKS_A_YEAR):
        return days(calendar.months(year, w.MONTHS[r.word(j)]), Grain.MONTH), j + 1
    behind = r.tokens[j]
    noun = behind.kind == WORD and behind.word.endswith("s") and behind.word not in _NO_NOUN
    likely = 1900 <= year <= 2100 or r.before(i) in _ASKS_A_YEAR
    if noun or not likely or behind.word in w.UNITS or behind.word in _COUNTED:
        return None
    return days(calendar.years(year), Grain.YEAR), j


def year_named(r: Reader, i: int) -> Parsed:
    """Reads "the year 2008", "fiscal year 2008", "cy18", "2008"."""
    word, j = r.word(i), i
    prefix = ""
    if word in ("fiscal", "school", "calendar") and r.word(i + 1) == "year":
        prefix, j = {"fiscal": "FY", "school": "SY", "calendar": ""}[word], i + 2
    elif word in ("fy", "sy", "cy"):
        prefix, j = {"fy": "FY", "sy": "SY", "cy": ""}[word], i + 1
    elif word == "year":
        j = i + 1
    found = numbers.short_year(r.tokens, j, r.now.year) if j > i else numbers.year(r.tokens, j)
    if not found or (j == i + 1 and word == "year" and found[0] < 1000):
        return None
    point = days(calendar.years(found[0]), Grain.YEAR)
    if prefix:
        point = Point(point.kind, point.begin, point.end, Grain.YEAR, timex=f"{prefix}{found[0]}")
    return point, found[1]


def decade(r: Reader, i: int) -> Parsed:
    """Reads "1990s", "the 90s", "the nineties"."""
    word = r.word(i)
    if not _OWN_AGE.isdisjoint((r.before(i), r.before(i - 1))):
        return None
    if word in w.DECADES:
        return _century_of(r, w.DECADES[word]), i + 1
    number = numbers.digits(r.tokens, i)
    if number is None or number % 10 or r.word(i + 1) != "s" or len(word) not in (2, 4):
        return None
    if len(word) == 4:
        return days(calendar.years(number, 10), Grain.DECADE), i + 2
    return _century_of(r, number), i + 2


def _century_of(r: Reader, two_digits: int) -> Point:
    century = r.now.year - r.now.year % 100
    begin = century + two_digits if two_digits <= r.now.year % 100 else century - 100 + two_digits
    return days(calendar.years(begin, 10), Grain.DECADE)


def short_year(r: Reader, i: int) -> Parsed:
    """Reads "in '85"."""
    found = numbers.short_year(r.tokens, i, r.now.year) if r.before(i) in _ASKS_A_YEAR else None
    return (days(calendar.years(found[0]), Grain.YEAR), found[1]) if found else None


# --- quarters and halves --------------------------------------------------------------------------


def _quarter_code(r: Reader, i: int) -> tuple[int, int, int] | None:
    """Reads "q1", "h2": its first month, how many, and the place behind."""
    number = numbers.digits(r.tokens, i + 1)
    if r.word(i) == "q" and r.tokens[i + 1].glued and number in (1, 2, 3, 4):
        return (number or 1) * 3 - 2, 3, i + 2
    if r.word(i) == "h" and r.tokens[i + 1].glued and number in (1, 2):
        return (number or 1) * 6 - 5, 6, i + 2
    return None


def quarter(r: Reader, i: int) -> Parsed:
    """Reads "q1", "h2 of 2019"."""
    found = _quarter_code(r, i)
    if not found:
        return None
    month, count, j = found
    return months_of_year(r, i, month, count, j)


def months_of_year(r: Reader, i: int, month: int, count: int, j: int) -> Parsed:
    """Some months of the year behind them, or of one not named."""
    k = r.skip(r.skip(j, "of", "in", "-", ",", "/"), "the")
    year = numbers.short_year(r.tokens, k, r.now.year) if k > j else numbers.year(r.tokens, k)
    if year and year[0] > 99:
        return days(calendar.months(year[0], month, count), Grain.QUARTER), year[1]
    shift = w.SHIFTS.get(r.word(k))
    if shift is not None and r.word(k + 1) == "year":
        return days(calendar.months(r.now.year + shift, month, count), Grain.QUARTER), k + 2
    j = k + 1 if k > j and r.word(k) == "year" else j
    point = yearly(r, i, lambda of: calendar.months(of, month, count), Grain.QUARTER)
    return (point, j) if point else None


def quarter_of(r: Reader, i: int) -> Parsed:
    """Reads "2017-q1", "2019 h2"."""
    year = numbers.year(r.tokens, i)
    found = _quarter_code(r, r.skip(i + 1, "-")) if year else None
    if not year or not found:
        return None
    return days(calendar.months(year[0], found[0], found[1]), Grain.QUARTER), found[2]
