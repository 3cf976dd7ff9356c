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

_SEPARATORS = (",", "-", "/", ".", "the", "of")


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
    year = year_behind(r, r.skip(i + 1, "."))
    if year:
        return _days_of_month(calendar.months(year[0], number)), year[1]
    point = yearly(r, i, lambda of: calendar.months(of, number), Grain.MONTH)
    return (point, i + 1) if point else None


def _days_of_month(span: Days) -> Point:
    return Point(TimeKind.DATERANGE, span[0], span[1], Grain.MONTH)


def year_behind(r: TimeParser, j: int) -> tuple[int, int] | None:
    """The year behind a month, a day, a quarter, a feast: ", 2019", "of '87", "of next year"."""
    k = r.skip(r.skip(j, ",", "-", "/", "in", "of"), "the")
    shift = w.SHIFTS.get(r.word(k))
    if shift is not None and r.word(k + 1) == "year":
        return r.now.year + shift, k + 2
    if k > j and r.word(k) == "year":
        return tokens.year(r.tokens, k + 1) or (r.now.year, k + 1)
    short = r.word(j) in ("of", "'") or (r.before(j) in w.MONTHS and _in_a_date(r, j))
    return (tokens.short_year(r.tokens, k, r.now.year) if short else None) or tokens.year(
        r.tokens, k
    )


def _in_a_date(r: TimeParser, j: int) -> bool:
    """Whether the sign at a place joins all parts of a date: "03-Jun-24"."""
    joined = r.word(j) in ("-", "/") and j > 2 and r.tokens[j - 2].word == r.word(j)
    return joined and bool(tokens.day_number(r.tokens, j - 3))


def written(r: TimeParser, i: int) -> Parsed:
    """Day, month and year in any order: "May 3rd, 2019", "3 of May", "2020/Sep/23", "Sep-23-20"."""
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
    """Whether a sign stands behind a date rather than inside one: "22 - June 3", "first. May I"."""
    dotted = r.word(j) == "." and r.tokens[j - 1].kind != NUMBER and r.before(j) not in w.MONTHS
    return dotted or _spaced_dash(r, j)


def _spaced_dash(r: TimeParser, j: int) -> bool:
    return r.word(j) == "-" and r.tokens[j].start > r.tokens[j - 1].end


def _pair(r: TimeParser, j: int) -> tuple[int, int] | None:
    """Day and year of a number beside a month: the "23-2020" of "Sep-23-2020"."""
    text = r.word(j)
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


def _of_month(r: TimeParser, i: int) -> Parsed:
    """Reads "the 15th of next month", "3rd of the month"."""
    found = tokens.day_number(r.tokens, i)
    if not found or r.word(found[1]) != "of":
        return None
    month = month_alone(r, r.skip(found[1] + 1, "the"))
    if not month or month[0].begin is None:
        return None
    return _exact(r, month[0].begin.year, month[0].begin.month, found[0], month[1])


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


_MOST_RANKS = 12
"""Up to here "the 5th" is as likely a rank as a day."""


def day(r: TimeParser, i: int) -> Parsed:
    """The day named at a place."""
    found = _day(r, i)
    return _weeks_on(r, *found) if found else None


def _weeks_on(r: TimeParser, point: Point, j: int) -> Parsed:
    """Reads "tomorrow week", "Friday fortnight"."""
    weeks = {"week": 1, "fortnight": 2}.get(r.word(j), 0)
    named = r.word(j - 1) in w.WEEKDAYS or r.word(j - 1) in w.DAYS
    other = r.word(j + 1) in ("of", "ago", "later") or r.word(j + 2) in ("next", "last")
    if not weeks or not named or other or point.begin is None:
        return point, j
    return date(point.begin + WEEK * weeks), j + 1


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
        return numeric(r, i) or three_numbers(r, i) or written(r, i) or _of_month(r, i)
    if word == "the":
        return _the_day(r, i)
    if word in w.SHIFTS and (found := shifted(r, i)):
        return found
    if kind == ORDINAL or word in w.ORDINALS or word in w.TENS or word in w.DIGITS:
        return _nth_weekday(r, i) or written(r, i) or _of_month(r, i)
    return _holiday(r, i)


def _the_day(r: TimeParser, i: int) -> Parsed:
    """Days behind "the": a number of this or the next month, or any other."""
    j = i + 1
    found = tokens.day_number(r.tokens, j)
    if r.word(j) in w.TENS or r.tokens[j].kind == ORDINAL or found:
        named = _nth_weekday(r, j) or written(r, j) or _of_month(r, j)
        if named or not found:
            return named
        ranked = r.tokens[j].kind != ORDINAL or found[0] <= _MOST_RANKS
        asked = r.before(i) in ASKS_A_DAY or not ranked
        return _day_of_month(r, i, *found) if asked and _stands_alone(r, found[1]) else None
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
        return date(calendar.week(r.today)[0] + timedelta(days=number) + 2 * sign * WEEK), j + 2
    found = _day(r, j + 1)
    if found and found[0].begin:
        return date(_nearest(found[0].begin, number, sign)), found[1]
    if r.anchor is None:
        return None
    last = calendar.midnight(r.anchor[0] if sign < 0 else max(r.anchor[0], r.anchor[1] - DAY))
    return date(_nearest(last, number, sign)), r.skip(j + 1, "that", "this", "it")


def _stands_alone(r: TimeParser, j: int) -> bool:
    word = r.word(j)
    timed = word in w.NOONS or word in w.DAYPARTS
    return timed or r.tokens[j].kind != WORD or (word in w.FUNCTION_WORDS and word != "one")


def _day_of_month(r: TimeParser, i: int, number: int, j: int) -> Parsed:
    """The next or last day of that number, or the one in the month of a day named just before."""
    if r.anchor and r.anchor[1] - r.anchor[0] <= DAY and r.anchor[0].day < number:
        made = calendar.day(r.anchor[0].year, r.anchor[0].month, number)
        return (date(made[0]), j) if made else None

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
        return _on_weekday(r, *dated, number)
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
    if r.word(i + 1) in w.DAYPARTS or (r.word(i + 1) in ("at", "@") and r.word(i) == "wed"):
        return True
    return r.capital(i) and r.word(i) not in ("sun", "sat")


def _dated(r: TimeParser, i: int, j: int, number: int) -> Parsed:
    """A date behind a weekday: the weekday decides the month if the date does not."""
    k = r.skip(r.skip(j, ",", "-", "("), "the")
    dated = (numeric(r, k) if r.tokens[k].kind == NUMBER else None) or written(r, k)
    if dated and _spaced_dash(r, j) and dated[0].begin and dated[0].begin.weekday() != number:
        return None
    if dated and r.word(j) == "(":
        return dated[0], r.skip(dated[1], ")")
    if dated or r.word(k) in w.MONTHS:
        return dated
    if r.tokens[k].kind == NUMBER and r.word(k + 1) == "-":
        return _pair_on_weekday(r, k, number)
    found = tokens.day_number(r.tokens, k)
    if not found or r.word(j) == "-" or (r.tokens[k].kind == NUMBER and _goes_on(r, found[1])):
        return None
    return _of_month(r, k) or _weekday_and_number(r, i, number, *found)


def _on_weekday(r: TimeParser, point: Point, j: int, number: int) -> Parsed:
    """The date in the year about now in which it is on that weekday, if there is one."""
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
    return hour or word in w.UNITS or (word in w.TO and word != "-")


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
    base = r.base(i)
    begin = calendar.week(base)[0] + timedelta(days=number) + WEEK * shift
    if word == "past":
        begin = _nearest(base, number, -1)
    elif word in ("coming", "upcoming") or (base != r.today and shift):
        begin = _nearest(base, number, shift)
    return date(begin), j + 1


def _nearest(base: datetime, number: int, sign: int) -> datetime:
    """The first such weekday after or before a day."""
    return base + timedelta(days=sign * ((sign * (number - base.weekday()) - 1) % 7 + 1))


def _shifted_date(r: TimeParser, j: int, shift: int) -> Parsed:
    """Reads "this 5/12", "next May 12", "last Christmas"."""
    if r.word(j) in calendar.FIRST_WORDS:
        return _holiday(r, j, shift)
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
    month = month_alone(r, r.skip(j + 1, "the")) or _whole_year(r, j)
    if not month:
        return None

    def make(span: Days) -> Days | None:
        begin = calendar.nth_weekday(*span, number, nth or 1)
        return (begin, begin + DAY) if begin else None

    point = month[0].each(make, Grain.DAY)
    return (point, month[1]) if point else None


def _whole_year(r: TimeParser, i: int) -> Parsed:
    found = year_behind(r, i)
    return (
        (Point(TimeKind.DATERANGE, *calendar.years(found[0]), Grain.YEAR), found[1])
        if found
        else None
    )


# --- feasts ---------------------------------------------------------------------------------------


def _holiday(r: TimeParser, i: int, shift: int | None = None) -> Parsed:
    """Reads "christmas", "Easter 2020", "last Thanksgiving"."""
    found = calendar.holiday(r.tokens, i)
    if not found:
        return None
    rule, j = found
    year = year_behind(r, j)
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
