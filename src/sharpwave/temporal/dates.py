"""Days: "yesterday", "next Friday", "May 3rd, 2019", "5/3/18", "the first Monday of June".

By month and number first ("3rd of May 2019", "2019-05-03", months alone), then the others.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from sharpwave.temporal import calendar, tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import DAY, WEEK, Days
from sharpwave.temporal.parsing import Parsed, Point, TimeParser, choose, date, yearly
from sharpwave.temporal.tokens import NUMBER, ORDINAL, WORD
from sharpwave.types.times import Grain, TimeKind

_SEPARATORS = (",", "-", "/", ".", "the")


ASKS_A_DAY = frozenset(
    "on by until till before after since from around for between and to through thru due".split()
)


_FRACTIONS = frozenset("1/2 1/3 1/4 2/3 3/4 1/5 1/8".split())


_MEASURES = frozenset("of cup cups inch inches mile miles teaspoon tablespoon lb lbs".split())


def month_alone(r: TimeParser, i: int) -> Parsed:
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


def _year_behind(r: TimeParser, j: int) -> tuple[int, int] | None:
    """The year behind a month or a day of one: ", 2019", "of 87", "in 2020", "-2020"."""
    if r.word(j) in ("of", "'"):
        k = r.skip(r.skip(j, "of"), "the")
        k = r.skip(k, "year")
        return tokens.short_year(r.tokens, k, r.now.year)
    k = r.skip(r.skip(j, ",", "-", "/", "in"), "the")
    return tokens.year(r.tokens, r.skip(k, "year") if k > j else k)


def month_day(r: TimeParser, i: int) -> Parsed:
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
    day_found = tokens.day_number(r.tokens, j)
    if not day_found:
        return None
    return _with_year(r, i, number, *day_found)


def _with_year(r: TimeParser, i: int, month: int, number: int, j: int) -> Parsed:
    year = _year_behind(r, j)
    if year:
        return _exact(r, year[0], month, number, year[1])
    point = yearly(r, i, lambda of: calendar.day(of, month, number), Grain.DAY)
    return (point, j) if point else None


def _exact(r: TimeParser, year: int, month: int, number: int, j: int) -> Parsed:
    year = year if year > 99 else tokens.full_year(year, r.now.year)
    made = calendar.day(year, month, number)
    return (date(made[0]), j) if made else None


def day_month(r: TimeParser, i: int) -> Parsed:
    """Reads "3 May", "3rd of May 2019", "the 15th of next month", "2020/Sep/23"."""
    if len(r.word(i)) == 4 and r.word(i + 1) in ("-", "/") and r.word(i + 2) in w.MONTHS:
        found = tokens.day_number(r.tokens, i + 4)
        year = tokens.year(r.tokens, i)
        if found and year:
            return _exact(r, year[0], w.MONTHS[r.word(i + 2)], *found)
    found = tokens.day_number(r.tokens, i)
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


def _year_day_month(r: TimeParser, i: int) -> Parsed:
    """Reads "2020/23/Sep"."""
    year, sign, number = r.word(i).partition("/")
    if not sign or r.word(i + 1) != "/" or r.word(i + 2) not in w.MONTHS:
        return None
    if not (len(year) == 4 and year.isdigit() and number.isdigit()):
        return None
    return _exact(r, int(year), w.MONTHS[r.word(i + 2)], int(number[:3]), i + 3)


def numeric(r: TimeParser, i: int) -> Parsed:
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


def _month_and_day(r: TimeParser, i: int, sign: str, values: list[int]) -> Parsed:
    measured = r.word(i + 1) in _MEASURES or r.word(i + 1) in w.UNITS
    asked = r.before(i) in ASKS_A_DAY or r.before(i) in w.WEEKDAYS
    if sign != "/" or measured or (r.word(i) in _FRACTIONS and not asked):
        return None
    month, number = values if values[0] <= 12 else reversed(values)
    if not calendar.day(2000, month, number):
        return None
    comma = r.word(i + 1) == ","
    year = tokens.year(r.tokens, i + 2) if comma else None
    if year:
        return _exact(r, year[0], month, number, year[1])
    point = yearly(r, i, lambda of: calendar.day(of, month, number), Grain.DAY)
    return (point, i + 1) if point else None


def three_numbers(r: TimeParser, i: int) -> Parsed:
    """Reads "2016 10 16"."""
    year, month, number = (tokens.digits(r.tokens, i + step) for step in range(3))
    if year and month and number and year > 999 and len(r.word(i + 1)) == len(r.word(i + 2)) == 2:
        return _exact(r, year, month, number, i + 3)
    return None


_AFTER_A_DAY = frozenset("at from in and or to for until till between is was through thru".split())


def day(r: TimeParser, i: int) -> Parsed:
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
    return _far_day(r, i) or _holiday(r, i)


def _far_day(r: TimeParser, i: int) -> Parsed:
    """The day before yesterday, the day after tomorrow, the current date."""
    word, then = r.word(i), r.word(i + 1)
    if word == "day" and then in ("before", "after") and r.word(i + 2) in w.DAYS:
        step = -1 if then == "before" else 1
        return date(r.today + timedelta(days=w.DAYS[r.word(i + 2)] + step)), i + 3
    return None


def _the_day(r: TimeParser, i: int) -> Parsed:
    """Days behind "the": a number of this or the next month, or any other."""
    found = tokens.day_number(r.tokens, i + 1)
    if r.word(i + 1) in w.TENS or r.tokens[i + 1].kind == ORDINAL or found:
        written = _nth_weekday(r, i + 1) or day_month(r, i + 1)
        if written or not found:
            return written
        alone = _stands_alone(r, found[1])
        return _day_of_month(r, i, *found) if r.before(i) in ASKS_A_DAY and alone else None
    if r.word(i + 1) in w.SHIFTS and r.word(i + 2) not in w.UNITS:
        return _nth_weekday(r, i + 1) or shifted(r, i + 1)
    return _far_day(r, i + 1) or _holiday(r, i + 1)


def _stands_alone(r: TimeParser, j: int) -> bool:
    return r.tokens[j].kind != WORD or r.word(j) in _AFTER_A_DAY


def _day_of_month(r: TimeParser, i: int, number: int, j: int) -> Parsed:
    def make(k: int) -> Days | None:
        month = calendar.add_months(r.today.replace(day=1), k)
        return calendar.day(month.year, month.month, number)

    point = choose(r, i, make, Point(TimeKind.DATE, None, None, Grain.DAY))
    return (point, j) if point else None


# --- weekdays -------------------------------------------------------------------------------------


def weekday(r: TimeParser, i: int) -> Parsed:
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


def _surely_weekday(r: TimeParser, i: int) -> bool:
    before = r.before(i)
    if before in ASKS_A_DAY or before in w.SHIFTS or before in ("week", "every", "each", "or"):
        return True
    return r.capital(i) and r.word(i) not in ("sun", "sat")


def _dated(r: TimeParser, i: int, j: int, number: int) -> Parsed:
    """A date behind a weekday: the weekday decides the month if the date does not."""
    k = r.skip(r.skip(j, ",", "-"), "the")
    if r.word(k) in w.MONTHS or r.tokens[k].kind == NUMBER:
        written = month_day(r, k) if r.word(k) in w.MONTHS else numeric(r, k) or day_month(r, k)
        if written or r.word(k) in w.MONTHS:
            return written
        if r.word(k + 1) == "-":
            return _pair_on_weekday(r, k, number)
    found = tokens.day_number(r.tokens, k)
    if not found or r.word(found[1]) in ("o'clock", "oclock", "am", "pm", ":") or r.word(j) == "-":
        return None
    if r.tokens[k].kind == NUMBER and r.word(found[1]) in w.UNITS:
        return None
    return day_month(r, k) or _weekday_and_number(r, i, number, *found)


def _pair_on_weekday(r: TimeParser, k: int, number: int) -> Parsed:
    """A date such as "Friday 7-6": July 6, if that is a Friday about now."""
    month, day_of_it = tokens.digits(r.tokens, k), tokens.digits(r.tokens, k + 2)
    if not month or not day_of_it:
        return None
    for year in (r.now.year, r.now.year + 1, r.now.year - 1):
        made = calendar.day(year, month, day_of_it)
        if made and made[0].weekday() == number:
            return date(made[0]), k + 3
    return None


def _weekday_and_number(r: TimeParser, i: int, weekday_: int, number: int, j: int) -> Parsed:
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


def _its_week(r: TimeParser, j: int, number: int) -> Parsed:
    """Reads "tuesday of next week", "Monday two weeks from now"."""
    k = r.skip(r.skip(j, "of", ","), "the")
    shift = w.SHIFTS.get(r.word(k))
    if shift is not None and r.word(k + 1) == "week":
        return date(calendar.week(r.today)[0] + WEEK * shift + timedelta(days=number)), k + 2
    count = tokens.amount(r.tokens, j)
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
    begin = calendar.week(r.today)[0] + timedelta(days=number) + WEEK * shift
    if word == "past":
        begin = r.today - timedelta(days=(r.today.weekday() - number - 1) % 7 + 1)
    elif word in ("coming", "upcoming"):
        begin = r.today + timedelta(days=(number - r.today.weekday() - 1) % 7 + 1)
    return date(begin), j + 1


def _shifted_date(r: TimeParser, j: int, shift: int) -> Parsed:
    """Reads "this 5/12", "next May 12", "last Christmas"."""
    if r.word(j) in calendar.FIRST_WORDS:
        return _holiday(r, j, shift)
    if r.tokens[j].kind == NUMBER and "/" in r.word(j):
        found = numeric(r, j)
    else:
        found = month_day(r, j) if r.word(j) in w.MONTHS else None
    return _of_year(r, found, shift) if found else None


def _of_year(r: TimeParser, found: tuple[Point, int], shift: int) -> Parsed:
    point, j = found
    if point.nth is None or point.begin is None:
        return found
    made = point.nth(r.now.year + shift - point.begin.year)
    return (replace(point.moved(made), nth=None), j) if made else None


def _nth_weekday(r: TimeParser, i: int) -> Parsed:
    """Reads "first Monday of next month"; a time of day in between is left to others."""
    which = -1 if r.word(i) == "last" else None
    found = (which, i + 1) if which else tokens.ordinal(r.tokens, i)
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


def _whole_year(r: TimeParser, i: int) -> Parsed:
    shift = w.SHIFTS.get(r.word(i))
    if shift is not None and r.word(i + 1) == "year":
        year, j = r.now.year + shift, i + 2
    elif r.word(i) == "year":
        year, j = r.now.year, i + 1
    elif found := tokens.year(r.tokens, i):
        year, j = found
    else:
        return None
    return Point(TimeKind.DATERANGE, *calendar.years(year), Grain.YEAR), j


# --- feasts ---------------------------------------------------------------------------------------


def _holiday(r: TimeParser, i: int, shift: int | None = None) -> Parsed:
    """Reads "christmas", "Easter 2020", "last Thanksgiving"."""
    found = calendar.holiday(r.tokens, i)
    if not found:
        return None
    rule, j = found
    year = tokens.year(r.tokens, r.skip(j, "of", "in", ","))
    if year:
        made = calendar.day_of(rule, year[0])
        return (date(made[0]), year[1]) if made else None
    make = partial(calendar.day_of, rule)
    if shift:
        return _nearest_holiday(r, make, shift, j)
    if shift == 0:
        made = make(r.now.year)
        return (date(made[0]), j) if made else None
    point = yearly(r, i, make, Grain.DAY)
    return (point, j) if point else None


def _nearest_holiday(
    r: TimeParser, make: Callable[[int], Days | None], direction: int, j: int
) -> Parsed:
    """The last that is over, or the next to come."""
    for k in range(3):
        made = make(r.now.year + k * direction)
        if made and (made[0] > r.now if direction > 0 else made[1] <= r.now):
            return date(made[0]), j
    return None


def holiday_rule(r: TimeParser, i: int) -> tuple[Callable[[int], datetime | None], int] | None:
    """The feast at a place, for weekends around it."""
    return calendar.holiday(r.tokens, i) if r.word(i) in calendar.FIRST_WORDS else None
