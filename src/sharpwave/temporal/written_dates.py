"""Dates as they are written: "May 3rd, 2019", "3rd of May", "5/3/18", "2019-05-03", "May"."""

from collections.abc import Callable

from sharpwave.temporal import calendar, tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import Days
from sharpwave.temporal.parsing import Parsed, TimeParser, date, days, yearly
from sharpwave.temporal.tokens import NUMBER, WORD
from sharpwave.types.times import Grain

_SEPARATORS = (",", "-", "/", ".", "the", "of")
_FRACTIONS = frozenset("1/2 1/3 1/4 2/3 3/4 1/5 1/8".split())
_MEASURES = frozenset("of cup cups inch inches mile miles teaspoon tablespoon lb lbs".split())
ASKS_A_DAY = frozenset(
    """on by until till til before after since from around for between and to through thru due than
    of""".split()
)

_ASKS_A_DATE = frozenset("on until till til".split())


def month_alone(r: TimeParser, i: int) -> Parsed:
    """A month with or without its year, or "next month"; it may be an ordinary word instead."""
    shift = w.SHIFTS.get(r.word(i))
    if shift is not None and r.word(i + 1) in w.MONTHS:
        number = w.MONTHS[r.word(i + 1)]
        return days(calendar.months(r.now.year + shift, number), Grain.MONTH), i + 2
    if (shift is not None and r.word(i + 1) == "month") or r.word(i) == "month":
        span = calendar.unit(r.today, Grain.MONTH, shift or 0)
        return days(span, Grain.MONTH), i + 1 + (shift is not None)
    if r.word(i) not in w.MONTHS:
        return None
    number = w.MONTHS[r.word(i)]
    dotted = r.skip(i + 1, ".")
    j = dotted if year_behind(r, dotted) else i + 1
    return of_year(r, i, j, lambda of: calendar.months(of, number), Grain.MONTH)


def of_year(
    r: TimeParser, i: int, j: int, make: Callable[[int], Days | None], grain: Grain
) -> Parsed:
    """Days that every year has: of the year named behind them, or that the tense selects."""
    year = year_behind(r, j)
    made = make(year[0]) if year else None
    if year:
        return (days(made, grain), year[1]) if made else None
    point = yearly(r, i, make, grain)
    return (point, j) if point else None


def year_behind(r: TimeParser, j: int) -> tuple[int, int] | None:
    """The year behind a month, a day, a quarter, a feast: ", 2019", "of '87", "of next year"."""
    k = r.skip(r.skip(j, ",", "-", "/", "in", "of"), "the")
    shift = w.SHIFTS.get(r.word(k))
    if shift is not None and r.word(k + 1) == "year":
        return r.now.year + shift, k + 2
    if k > j and r.word(k) == "year":
        return tokens.year(r.tokens, k + 1) or (r.now.year, k + 1)
    short = r.word(j) in ("of", "'") or (r.before(j) in w.MONTHS and _in_a_date(r, j))
    named = tokens.short_year(r.tokens, k, r.now.year) if short else None
    return named or tokens.year(r.tokens, k)


def _in_a_date(r: TimeParser, j: int) -> bool:
    """Whether the sign at a place joins all parts of a date: "03-Jun-24"."""
    joined = r.word(j) in ("-", "/") and j > 2 and r.tokens[j - 2].word == r.word(j)
    return joined and bool(tokens.day_number(r.tokens, j - 3))


def written(r: TimeParser, i: int) -> Parsed:
    """Day, month and year in any order: "May 3rd, 2019", "3 of May", "2020/Sep/23", "Sep-23-20"."""
    if w.MONTHS.keys().isdisjoint(map(r.word, range(i, i + 5))):
        return None
    day_, month, year, j = _fields(r, i)
    if month is None or day_ is None:
        return None
    if year is not None:
        return _exact(r, year, month, day_, j)
    point = yearly(r, i, lambda of: calendar.day(of, month, day_), Grain.DAY)
    return (point, j) if point else None


Fields = tuple[int | None, int | None, int | None, int]


def _fields(r: TimeParser, i: int) -> Fields:
    """Day, month, year and the place behind the last of them."""
    day_: int | None = None
    month: int | None = None
    year: int | None = None
    end = j = i
    while True:
        word = r.word(j)
        if month is None and word in w.MONTHS:
            month, j = w.MONTHS[word], j + 1
        elif (day_ is None or year is None) and (pair := _pair(r, j)) and end > i - (month is None):
            day_, year, j = pair[0], pair[1], j + 1
        elif day_ is None and (number := tokens.day_number(r.tokens, j) or _spoken(r, i, j)):
            day_, j = number[0], r.skip(number[1], "day")
        elif year is None and (named := year_behind(r, j) if end > i else tokens.year(r.tokens, j)):
            year, j = named
        else:
            break
        end = j
        if day_ is not None and month is not None and year is not None:
            break
        if year is not None or month is None or not year_behind(r, j):
            while j < end + 3 and r.word(j) in _SEPARATORS and not _ends_a_date(r, j):
                j += 1
    return day_, month, year, end


def _spoken(r: TimeParser, i: int, j: int) -> tuple[int, int] | None:
    """Reads the "twenty two" of "June twenty two" and the "ten" of "ten July"."""
    found = tokens.below_hundred(r.tokens, j)
    if not found or not 1 <= found[0] <= 31:
        return None
    behind = r.tokens[found[1]]
    if j == i:
        return found if behind.word in w.MONTHS and behind.word not in w.AMBIGUOUS else None
    ends = behind.kind != WORD or behind.word in w.FUNCTION_WORDS - {"of", "or"}
    return found if r.before(j) in w.MONTHS and ends else None


def _ends_a_date(r: TimeParser, j: int) -> bool:
    """Whether a sign follows a date rather than being inside one: "22 - June 3", "first. May I"."""
    dotted = r.word(j) == "." and r.tokens[j - 1].kind != NUMBER and r.before(j) not in w.MONTHS
    return dotted or spaced_dash(r, j)


def spaced_dash(r: TimeParser, j: int) -> bool:
    """Whether a dash with a space before it stands there."""
    return r.word(j) == "-" and r.tokens[j].start > r.tokens[j - 1].end


def _pair(r: TimeParser, j: int) -> tuple[int, int] | None:
    """Day and year of a number beside a month: the "23-2020" of "Sep-23-2020"."""
    text = r.word(j)
    if text.isalnum():
        return None
    sign = "-" if "-" in text else "/"
    beside = r.before(j) == sign or r.word(j + 1) == sign
    first, _, second = text.partition(sign)
    if not beside or not (first.isdigit() and second.isdigit()):
        return None
    if len(first) == 4:
        first, second = second, first
    return (int(first), int(second)) if len(first) < 3 else None


def _exact(r: TimeParser, year: int, month: int, number: int, j: int) -> Parsed:
    year = year if year > 99 else tokens.full_year(year, r.now.year)
    made = calendar.day(year, month, number)
    return (date(made[0]), j) if made else None


def of_month(r: TimeParser, i: int) -> Parsed:
    """Reads "the 15th of next month", "3rd of the month"."""
    found = tokens.day_number(r.tokens, i)
    if not found or r.word(found[1]) != "of":
        return None
    if r.says(found[1] + 1, "that", "month") and r.anchor:
        return _exact(r, r.anchor[0].year, r.anchor[0].month, found[0], found[1] + 3)
    month = month_alone(r, r.skip(found[1] + 1, "the"))
    if not month or month[0].begin is None:
        return None
    return _exact(r, month[0].begin.year, month[0].begin.month, found[0], month[1])


def numeric(r: TimeParser, i: int) -> Parsed:
    """Reads "2019-05-03", "5/3/18", "03.05.2019", "5/3": month first, unless it cannot be."""
    text = r.word(i)
    if text.isdigit():
        return None
    sign = next((mark for mark in "/-." if mark in text), "")
    parts = text.split(sign) if sign else []
    if not 2 <= len(parts) <= 3 or not all(p.isdigit() and len(p) <= 4 for p in parts):
        return None
    if r.tokens[i + 1].glued or any(len(part) == 4 and part < "1000" for part in parts):
        return None  # "0001-01-01" is written for no date at all
    values = [int(part) for part in parts]
    if len(parts) == 2:
        return _month_and_day(r, i, sign, values) if max(map(len, parts)) <= 2 else None
    if len(parts[0]) == 4:
        return _exact(r, values[0], values[1], values[2], i + 1)
    if len(parts[2]) not in (2, 4) or (sign == "." and len(parts[2]) == 2):
        return None
    first, second, year = values
    if sign == "." or first > 12:
        first, second = second, first
    return _exact(r, year, first, second, i + 1)


def _month_and_day(r: TimeParser, i: int, sign: str, values: list[int]) -> Parsed:
    behind = r.word(i + 1)
    measured = behind in _MEASURES or behind in w.UNITS or behind in w.NOT_A_CLOCK
    expected = r.before(i) in ASKS_A_DAY or r.before(i) in w.WEEKDAYS
    dotted = r.word(i)[-2:-1] == "0" or r.before(i) in _ASKS_A_DATE or r.before(i) in w.WEEKDAYS
    german = r.text[r.tokens[i].end : r.tokens[i].end + 2] == ".,"  # "keys come 1.11., and"
    if sign == "." and ((expected and dotted) or german):
        values, sign = values[::-1], "/"  # 13.03 is in March
    if sign != "/" or measured or (r.word(i) in _FRACTIONS and not expected):
        return None
    month, number = values if values[0] <= 12 else reversed(values)
    if not calendar.day(2000, month, number):
        return None
    return of_year(r, i, i + 1, lambda of: calendar.day(of, month, number), Grain.DAY)


def three_numbers(r: TimeParser, i: int) -> Parsed:
    """Reads "2016 10 16"."""
    if len(r.word(i)) != 4 or r.tokens[i + 1].kind != NUMBER:
        return None
    year, month, number = (tokens.digits(r.tokens, i + step) for step in range(3))
    if year and month and number and year > 999 and len(r.word(i + 1)) == len(r.word(i + 2)) == 2:
        return _exact(r, year, month, number, i + 3)
    return None
