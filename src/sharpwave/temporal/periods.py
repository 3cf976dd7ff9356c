"""Weeks, months, seasons, quarters, years and decades, and parts of them."""

from dataclasses import replace
from datetime import datetime

from sharpwave.temporal import calendar, tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import DAY, WEEK, Days
from sharpwave.temporal.parsing import Parsed, TimeParser, days
from sharpwave.temporal.tokens import NUMBER, SIGN
from sharpwave.temporal.units import (
    decade,
    feast_weekend,
    fortnight,
    month_in_digits,
    months_of_year,
    quarter,
    quarter_of,
    season,
    shifted_unit,
    short_year,
    the_unit,
    weekend,
    year_alone,
    year_named,
)
from sharpwave.temporal.written_dates import month_alone
from sharpwave.types.times import Grain, TimeKind

_MONTH_ALONE = frozenset(
    """in since until till by before after from to between and of during last next this early late
    mid through every each for or than around -""".split()
)

_BEFORE_A_MONTH = frozenset("in since until till by before after from during last next mid".split())
"""Before a month that is written small and could be another word: "may", "march"."""

_EDGES_OF = frozenset("end beginning start middle rest remainder".split())


def period(r: TimeParser, i: int) -> Parsed:
    """The period named at a place."""
    j = r.skip(i, "the")
    word = r.word(j)
    for parse in _PARSERS.get(word, ()):
        if found := parse(r, j):
            return found
    kind = r.tokens[j].kind
    if kind == NUMBER:
        return quarter_of(r, j) or month_in_digits(r, j) or decade(r, j) or year_alone(r, j)
    if kind == SIGN and word == "'":
        return decade(r, j + 1) or short_year(r, j)
    if calendar.holiday(r.tokens, j):
        return feast_weekend(r, j)
    return None if word in _PARSERS else _ordinal_of(r, j)


# --- months, seasons, years -----------------------------------------------------------------------


def _month(r: TimeParser, i: int) -> Parsed:
    if r.word(i) in w.AMBIGUOUS and not _surely_month(r, i):
        return None
    if tokens.day_number(r.tokens, i + 1):
        return None
    return month_alone(r, i)


def _surely_month(r: TimeParser, i: int) -> bool:
    before, then = r.before(i), r.word(i + 1)
    if tokens.year(r.tokens, r.skip(r.skip(i + 1, ",", "-"), "of")):
        return True
    if then in ("to", "through", "-") and r.word(i + 2) in w.MONTHS:
        return True
    edge_of = before == "of" and r.before(i - 1) in _EDGES_OF
    strong = r.capital(i) or before in _BEFORE_A_MONTH or edge_of
    if (
        strong
        and before in _MONTH_ALONE
        and then not in ("i", "we", "you", "be", "not", "have", "forward")
    ):
        return before != "to" or r.capital(i)
    return r.capital(i) and then not in ("i", "we", "you", "he", "she", "it", "they", "be", "not")


# --- which of several -----------------------------------------------------------------------------


def _ordinal_of(r: TimeParser, i: int) -> Parsed:
    """Reads "first week of May", "last four months of 2021"."""
    last = r.word(i) == "last" and r.shift(i) is not None
    which = (-1, i + 1) if last else tokens.ordinal(r.tokens, i)
    if not which:
        return None
    nth, j = which
    amount = tokens.amount(r.tokens, j) if nth in (1, -1) else None
    if nth in (1, -1) and r.word(j) in ("few", "couple"):
        amount = w.SOME[r.word(j)], r.skip(j + 1, "of")
    count, j = (int(amount[0]), amount[1]) if amount else (1, j)
    if r.word(j) == "half" and r.word(j + 1) == "of" and nth in (1, 2, -1):
        return _half(r, j + 2, nth == 1)
    grain = w.UNITS.get(r.word(j))
    if not grain or grain in w.BELOW_A_DAY or not 0 < count < 400 or nth == 0:
        return None
    inside = r.word(j + 1) in ("of", "in")
    if grain is Grain.QUARTER and count == 1 and nth < 5 and (inside or not last):
        return months_of_year(r, i, nth * 3 - 2 if nth > 0 else 10, 3, j + 1)
    if grain is Grain.CENTURY and nth > 1:
        return days(calendar.years((nth - 1) * 100, 100), grain), j + 1
    whole = period(r, j + 2) if inside else None
    if not whole or whole[0].begin is None or whole[0].end is None:
        return None
    point = whole[0].mapped(lambda span: _piece(span, grain, nth, count), grain)
    if not point:
        return None
    return (point.of_kind(TimeKind.DATERANGE) if count > 1 else point), whole[1]


def _half(r: TimeParser, j: int, first: bool) -> Parsed:
    """Reads "(the first half of) 2024", "… June"."""
    whole = _whole(r, r.skip(j, "the"), bare=True)
    if not whole:
        return None
    point, k = whole

    def make(span: Days) -> Days:
        middle = _middle(*span, point.grain)
        return (span[0], middle) if first else (middle, span[1])

    half = point.mapped(make, point.grain)
    return (half, k) if half else None


def day_of_period(r: TimeParser, i: int) -> Parsed:
    """Reads "the last day of the month", "the second day of June"."""
    j = r.skip(i, "the")
    if r.word(j) != "last" and not tokens.ordinal(r.tokens, j):
        return None
    found = _ordinal_of(r, j)
    return found if found and found[0].is_day else None


def _piece(span: Days, grain: Grain, nth: int, count: int) -> Days | None:
    """The nth unit of a span, or its first or last few."""
    begin, end = span
    if grain is Grain.WEEK:
        first = calendar.week(begin + 3 * DAY)[0]
        last = calendar.week(end - 4 * DAY)[0]
        chosen = last - WEEK * (count - 1) if nth < 0 else first + WEEK * (nth - 1)
        return chosen, chosen + WEEK * count
    if grain in (Grain.DAY, Grain.WEEKEND):
        step = DAY * count
        if grain is Grain.WEEKEND:
            saturday = calendar.nth_weekday(begin, end, 5, nth)
            return (saturday, saturday + 2 * DAY) if saturday else None
        return (
            (end - step, end)
            if nth < 0
            else (begin + DAY * (nth - 1), begin + DAY * (nth - 1) + step)
        )
    size = calendar.MONTHS_IN[grain] * count
    if nth < 0:
        return calendar.add_months(end, -size), end
    start = calendar.add_months(begin, size * (nth - 1))
    return start, calendar.add_months(start, size)


# --- early, mid, late -----------------------------------------------------------------------------


def edge(r: TimeParser, i: int) -> Parsed:
    """Reads "early May", "mid-2023", "the end of the year", "later this week"."""
    name = w.EDGES[r.word(i)]
    relative = r.word(i) in ("earlier", "later")
    j = i + 1
    if r.word(j) == "-" or (r.word(j) == "in" and r.word(i) not in _EDGES_OF):
        j += 1
    elif r.word(i) in _EDGES_OF:
        if r.word(j) != "of":
            return None
        j += 1
    whole = _whole(r, r.skip(j, "the"), relative or r.word(i) in _EDGES_OF)
    if not whole or whole[0].begin is None or whole[0].end is None:
        return None
    point, k = whole
    absolute = r.tokens[k - 1].kind == NUMBER
    made = point.mapped(lambda span: _part(r, span, name, point.grain, absolute), point.grain)
    return (replace(made, edge=r.word(i) == "end"), k) if made else None


_ENDS = {"eow": Grain.WEEK, "eom": Grain.MONTH, "eoq": Grain.QUARTER, "eoy": Grain.YEAR}


def _end_of(r: TimeParser, i: int) -> Parsed:
    """Reads "eow", "eom", "eoy"."""
    grain = _ENDS[r.word(i)]
    span = _part(r, calendar.unit(r.today, grain, 0), "late", grain, False)
    return replace(days(span, grain), edge=True), i + 1


def _units_end(r: TimeParser, i: int) -> Parsed:
    """Reads "month's end", "year end"."""
    if r.word(i + 1) != "end":
        return None
    grain = w.UNITS[r.word(i)]
    span = _part(r, calendar.unit(r.today, grain, 0), "late", grain, False)
    return replace(days(span, grain), edge=True), i + 2


def _whole(r: TimeParser, j: int, bare: bool) -> Parsed:
    grain = w.UNITS.get(r.word(j))
    if bare and grain in (Grain.WEEK, Grain.MONTH, Grain.YEAR, Grain.QUARTER, Grain.DECADE):
        return days(calendar.unit(r.today, grain, 0), grain), j + 1
    found = period(r, j)
    return found if found and found[0].kind is TimeKind.DATERANGE else None


def _part(r: TimeParser, span: Days, name: str, grain: Grain, absolute: bool) -> Days:
    """The first or second half, or the middle; of a numbered year the first, middle, last third."""
    begin, end = span
    if name == "rest":
        return (max(begin, r.today), end) if r.today < end else span
    if grain is Grain.YEAR and (absolute or name == "mid"):
        first, second = calendar.add_months(begin, 4), calendar.add_months(begin, 8)
    elif grain is Grain.MONTH and name == "mid":
        first, second = begin + 10 * DAY, begin + 20 * DAY
    elif name == "mid":
        first, second = begin + (end - begin) / 3, end - (end - begin) / 3
    else:
        first = second = _middle(begin, end, grain)
    if name == "mid":
        return calendar.midnight(first), calendar.midnight(second)
    if name in ("earlier", "later") and begin <= r.today < end:
        if name == "earlier":
            return begin, max(begin, min(first, r.today))
        return max(second, r.today), end
    return (begin, first) if name in ("early", "earlier") else (second, end)


def _middle(begin: datetime, end: datetime, grain: Grain) -> datetime:
    if grain is Grain.MONTH:
        return begin + 15 * DAY
    if grain in (Grain.YEAR, Grain.DECADE):
        return calendar.add_months(begin, 6 if grain is Grain.YEAR else 60)
    if grain is Grain.WEEK:
        return begin + 3 * DAY
    return calendar.midnight(begin + (end - begin) / 2)


_PARSERS = {
    **{word: (_month,) for word in w.MONTHS},
    **{word: (season,) for word in w.SEASONS},
    **{word: (decade,) for word in w.DECADES},
    **{word: (shifted_unit,) for word in (*w.SHIFTS, "that")},
    **{word: (edge,) for word in w.EDGES},
    **{word: (year_named,) for word in ("fy", "sy", "cy", "fiscal", "school", "calendar")},
    **{word: (_units_end, the_unit) for word in ("week", "month", "quarter")},
    **{word: (the_unit,) for word in ("decade", "century")},
    **{word: (_end_of,) for word in _ENDS},
    "fortnight": (lambda r, i: fortnight(r, 0, i) if r.before(i) == "the" else None,),
    "year": (_units_end, year_named, the_unit),
    "weekend": (weekend,),
    "last": (_ordinal_of, shifted_unit),
    "q": (quarter,),
    "h": (quarter,),
}
