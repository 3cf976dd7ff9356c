"""Days by month and number: "May 3", "3rd of May 2019", "2019-05-03", "5/3"; and months alone."""

from sharpwave.temporal import calendar
from sharpwave.temporal.calendar import Days
from sharpwave.temporal.expressions.english import numbers
from sharpwave.temporal.expressions.english import words as w
from sharpwave.temporal.expressions.reading import Parsed, Point, Reader, date, yearly
from sharpwave.types.times import Grain, TimeKind

_SEPARATORS = (",", "-", "/", ".", "the")


ASKS_A_DAY = frozenset(
    "on by until till before after since from around for between and to through thru due".split()
)


_FRACTIONS = frozenset("1/2 1/3 1/4 2/3 3/4 1/5 1/8".split())


_MEASURES = frozenset("of cup cups inch inches mile miles teaspoon tablespoon lb lbs".split())


def month_alone(r: Reader, i: int) -> Parsed:
    """A month with or without its year, or "next month"; not yet sure that it is meant as one."""
    shift = w.SHIFTS.get(r.word(i))
    if shift is not None and r.word(i + 1) in w.MONTHS:
        number = w.MONTHS[r.word(i + 1)]
        return _days_of_month(calendar.months(r.now.year + shift, number)), i + 2
    if (shift is not None and r.word(i + 1) == "month") or r.word(i) == "month":
        first = calendar.add_months(r.today.replace(day=1), shift or 0)
        return _days_of_month(calendar.months(first.year, first.month)), i + 1 + (shift is not None)
    if r.word(i) not in w.MONTHS:
        return None
    number = w.MONTHS[r.word(i)]
    year = _year_behind(r, r.skip(i + 1, "."))
    if year:
        return _days_of_month(calendar.months(year[0], number)), year[1]
    point = yearly(r, i, lambda of: calendar.months(of, number), Grain.MONTH)
    return (point, i + 1) if point else None


def _days_of_month(span: Days) -> Point:
    return Point(TimeKind.DATERANGE, span[0], span[1], Grain.MONTH)


def _year_behind(r: Reader, j: int) -> tuple[int, int] | None:
    """The year behind a month or a day of one: ", 2019", "of 87", "in 2020", "-2020"."""
    if r.word(j) in ("of", "'"):
        k = r.skip(r.skip(j, "of"), "the")
        k = r.skip(k, "year")
        return numbers.short_year(r.tokens, k, r.now.year)
    k = r.skip(r.skip(j, ",", "-", "/", "in"), "the")
    return numbers.year(r.tokens, r.skip(k, "year") if k > j else k)


def month_day(r: Reader, i: int) -> Parsed:
    """Reads "may 3", "Oct. 5th, 2020", "Sep-23-2020", "mar4"."""
    number = w.MONTHS[r.word(i)]
    j = i + 1
    while j < i + 4 and r.word(j) in _SEPARATORS:
        j += 1
    joined = r.word(j)
    for sign in "-/":
        left, found, right = joined.partition(sign)
        if found and r.word(j - 1) == sign and left.isdigit() and right.isdigit():
            pair = (int(left), int(right)) if len(left) < 3 else (int(right), int(left))
            return _exact(r, pair[1], number, pair[0], j + 1)
    day_found = numbers.day_number(r.tokens, j)
    if not day_found:
        return None
    return _with_year(r, i, number, *day_found)


def _with_year(r: Reader, i: int, month: int, number: int, j: int) -> Parsed:
    year = _year_behind(r, j)
    if year:
        return _exact(r, year[0], month, number, year[1])
    point = yearly(r, i, lambda of: calendar.day(of, month, number), Grain.DAY)
    return (point, j) if point else None


def _exact(r: Reader, year: int, month: int, number: int, j: int) -> Parsed:
    year = year if year > 99 else numbers.full_year(year, r.now.year)
    made = calendar.day(year, month, number)
    return (date(made[0]), j) if made else None


def day_month(r: Reader, i: int) -> Parsed:
    """Reads "3 May", "3rd of May 2019", "the 15th of next month", "2020/Sep/23"."""
    if len(r.word(i)) == 4 and r.word(i + 1) in ("-", "/") and r.word(i + 2) in w.MONTHS:
        found = numbers.day_number(r.tokens, i + 4)
        year = numbers.year(r.tokens, i)
        if found and year:
            return _exact(r, year[0], w.MONTHS[r.word(i + 2)], *found)
    found = numbers.day_number(r.tokens, i)
    if not found:
        return _year_day_month(r, i)
    number, j = found
    j = r.skip(r.skip(j, "day", "-", "/", ","), "of")
    if r.word(j) in w.MONTHS:
        k = j + 1
        k = k + 1 if r.word(k) == "." and _year_behind(r, k + 1) else k
        return _with_year(r, i, w.MONTHS[r.word(j)], number, k)
    month = month_alone(r, r.skip(j, "the")) if r.word(j - 1) == "of" else None
    if not month or month[0].begin is None:
        return None
    return _exact(r, month[0].begin.year, month[0].begin.month, number, month[1])


def _year_day_month(r: Reader, i: int) -> Parsed:
    """Reads "2020/23/Sep"."""
    year, sign, number = r.word(i).partition("/")
    if not sign or r.word(i + 1) != "/" or r.word(i + 2) not in w.MONTHS:
        return None
    if not (len(year) == 4 and year.isdigit() and number.isdigit()):
        return None
    return _exact(r, int(year), w.MONTHS[r.word(i + 2)], int(number[:3]), i + 3)


def numeric(r: Reader, i: int) -> Parsed:
    """Reads "2019-05-03", "5/3/18", "03.05.2019", "5/3": month first, unless it cannot be."""
    text = r.word(i)
    sign = next((each for each in "/-." if each in text), "")
    parts = text.split(sign) if sign else []
    if not 2 <= len(parts) <= 3 or not all(p.isdigit() and len(p) <= 4 for p in parts):
        return None
    if r.tokens[i + 1].glued:
        return None
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


def _month_and_day(r: Reader, i: int, sign: str, values: list[int]) -> Parsed:
    measured = r.word(i + 1) in _MEASURES or r.word(i + 1) in w.UNITS
    asked = r.before(i) in ASKS_A_DAY or r.before(i) in w.WEEKDAYS
    if sign != "/" or measured or (r.word(i) in _FRACTIONS and not asked):
        return None
    month, number = values if values[0] <= 12 else reversed(values)
    if not calendar.day(2000, month, number):
        return None
    comma = r.word(i + 1) == ","
    year = numbers.year(r.tokens, i + 2) if comma else None
    if year:
        return _exact(r, year[0], month, number, year[1])
    point = yearly(r, i, lambda of: calendar.day(of, month, number), Grain.DAY)
    return (point, i + 1) if point else None


def three_numbers(r: Reader, i: int) -> Parsed:
    """Reads "2016 10 16"."""
    year, month, number = (numbers.digits(r.tokens, i + step) for step in range(3))
    if year and month and number and year > 999 and len(r.word(i + 1)) == len(r.word(i + 2)) == 2:
        return _exact(r, year, month, number, i + 3)
    return None
