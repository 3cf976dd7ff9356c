"""Ranges of time, and times with a relation: "from May to July", "since 2019", "until Friday"."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from sharpwave.temporal import calendar, tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import DAY, Days
from sharpwave.temporal.datetimes import moment
from sharpwave.temporal.durations import (
    any_day,
    compound,
    duration,
    finest,
    move,
    shifted_duration,
    stretch,
)
from sharpwave.temporal.parsing import (
    Parsed,
    Point,
    TimeParser,
    date,
    relation_at,
    trailing_relation,
)
from sharpwave.temporal.periods import period
from sharpwave.temporal.sets import repeat
from sharpwave.temporal.times_of_day import limited, on, part_of_day
from sharpwave.temporal.tokens import NUMBER, ORDINAL
from sharpwave.temporal.units import business, counted_shift
from sharpwave.types.times import Grain, TimeKind, TimeRelation

_NUMBERS = frozenset({NUMBER, ORDINAL})
_DAYS = frozenset({TimeKind.DATE, TimeKind.DATERANGE})
_CLOCKS = frozenset({TimeKind.TIME, TimeKind.DATETIME})
_PARTS = frozenset({TimeKind.TIMERANGE, TimeKind.DATETIMERANGE})
_ENDS = _DAYS | _CLOCKS | _PARTS
_NO_DAY = frozenset({TimeKind.TIME, TimeKind.TIMERANGE})


def expression(r: TimeParser, i: int) -> Parsed:
    """The time expression at a place, the longest there is."""
    word = r.word(i)
    repeated = repeat(r, i)
    if repeated:
        return repeated
    if word in ("from", "between"):
        return _from_to(r, i)
    if word in ("more", "less", "longer") and (compared := duration(r, i)):
        return compared
    limit = relation_at(r, i)
    if limit and (bounded := _limited(r, i, *limit)):
        return bounded
    found = single(r, i)
    if r.tokens[i].kind in _NUMBERS and (days := _days_of_later_month(r, i)):
        return days
    if not found:
        return None
    point, j = found
    ranged = _range_behind(r, i, point, j, r.word(j) in w.TO)
    if ranged:
        return ranged
    after = trailing_relation(r, j) if point.kind in _DAYS else None
    return (_relate(r, point, after[0], include=True), after[1]) if after else found


def single(r: TimeParser, i: int, bare: bool = False) -> Parsed:
    """One time or duration: of all readings the longest."""
    best: Parsed = None
    for read in _READERS.get(r.word(i), _ALL):
        found = moment(r, i, True) if bare and read is moment else read(r, i)
        if found and (best is None or found[1] > best[1]):
            best = found
    return best


def _shifted(r: TimeParser, i: int) -> Parsed:
    """Reads "the last 3 months", "next 4 business days", "2 upcoming months"."""
    j = r.skip(i, "the")
    shift = r.shift(j)
    if shift:
        return business(r, j + 1, shift) or shifted_duration(r, j + 1, shift)
    counted = counted_shift(r, j)
    if not counted:
        return None
    count, shift, grain, j = counted
    return stretch(r, [(count, grain)], shift), j


# --- from X to Y ----------------------------------------------------------------------------------


def _from_to(r: TimeParser, i: int) -> Parsed:
    """Reads "from March to May", "between 3 and 5 on Monday"; "from March" alone is that March."""
    if r.word(i + 1) == "now" and r.word(i + 2) in ("on", "onwards", "onward"):
        now = Point(TimeKind.DATETIMERANGE, r.now, None, Grain.SECOND, relation=TimeRelation.SINCE)
        return now, i + 3
    timed = moment(r, i)
    if timed and timed[0].kind in (TimeKind.TIMERANGE, TimeKind.DATETIMERANGE):
        return timed
    found = single(r, i + 1, bare=True)
    days = _days_of_later_month(r, i + 1, r.word(i) == "between")
    if days:
        return days
    if not found:
        return None
    point, j = found
    joined = r.word(j) in w.TO or (r.word(i) == "between" and r.word(j) == "and")
    ranged = _range_behind(r, i, point, j, joined) or _as_long_as(r, point, j)
    if ranged:
        return ranged
    plain = single(r, i + 1)
    return plain if plain and r.word(i) == "from" else None


def _as_long_as(r: TimeParser, first: Point, j: int) -> Parsed:
    """Reads "(from next Monday) for two weeks"."""
    length = compound(r, j + 1) if r.word(j) == "for" and first.is_day else None
    if not length or first.begin is None:
        return None
    end = move(r, first.begin, length[0], 1)
    return Point(TimeKind.DATERANGE, first.begin, end, finest(length[0])), length[1]


def _range_behind(r: TimeParser, i: int, first: Point, j: int, joined: bool) -> Parsed:
    """The range from a point to the one named behind it."""
    if not joined or first.kind not in _ENDS or first.begin is None:
        return None
    day = _day_of_same_month(r, first, j + 1)
    if day:
        return day
    if r.word(j + 1) == "date" and first.kind in _DAYS:
        return _join(r, i, first, date(r.today), j + 2)
    second = single(r, j + 1, bare=first.kind in _CLOCKS)
    if second and first.kind in _DAYS and second[0].kind in _PARTS:
        named = r.word(second[1] - 1) in w.DAYPARTS
        second = second if named else any_day(r, j + 1)
    if not second or second[0].begin is None or second[0].kind not in _ENDS:
        return None
    point, k = second
    if point.relation is not TimeRelation.IN:
        return None
    return _join(r, i, first, point, k)


def _day_of_same_month(r: TimeParser, first: Point, j: int) -> Parsed:
    """Reads "april 9th through 17th", "November 19-20", "April 27th to the third"."""
    if first.kind is not TimeKind.DATE or first.grain is not Grain.DAY or first.begin is None:
        return None
    k = r.skip(j, "the")
    number = tokens.day_number(r.tokens, k)
    plain = number and r.word(number[1]) not in ("am", "pm", ":", "of", "hours", "days", "weeks")
    if not number or not plain or r.word(number[1]) in w.MONTHS:
        return None
    dated = moment(r, j)
    if dated and dated[1] > number[1]:
        return None

    def make(begin: Days | None) -> Days | None:
        if begin is None:
            return None
        month = begin[0] if number[0] > begin[0].day else calendar.add_months(begin[0], 1)
        made = calendar.day(month.year, month.month, number[0])
        return (begin[0], made[1]) if made else None

    made = make((first.begin, first.begin + DAY))
    if not made:
        return None
    year = tokens.year(r.tokens, r.skip(number[1], ",")) if first.nth else None
    end = number[1]
    if year and first.nth:
        moved = make(first.nth(year[0] - first.begin.year))
        made, end = moved or made, year[1]
    return Point(TimeKind.DATERANGE, *made, Grain.DAY, bound=made[1] - DAY), end


def _days_of_later_month(r: TimeParser, i: int, between: bool = False) -> Parsed:
    """Reads "ninth till seventeenth of April", "the 3rd and the 5th of May", "3-7 June"."""
    first = tokens.day_number(r.tokens, r.skip(i, "the"))
    if not first or not (r.word(first[1]) in w.TO or (between and r.word(first[1]) == "and")):
        return None
    worded = r.tokens[first[1] - 1].kind == ORDINAL or r.word(first[1] - 1) in w.ORDINALS
    second = moment(r, first[1] + 1)
    if not second or second[0].kind is not TimeKind.DATE or second[0].begin is None:
        return None
    begin, j = second[0].begin, second[1]
    of_month = any(r.word(n) in w.MONTHS for n in range(first[1], j))
    if not (worded or of_month) or first[0] > begin.day:
        return None
    start = begin.replace(day=first[0])
    return Point(TimeKind.DATERANGE, start, begin + DAY, Grain.DAY, bound=begin), j


def _join(r: TimeParser, i: int, first: Point, second: Point, j: int) -> Parsed:
    if first.kind in _PARTS or second.kind in _PARTS:
        return _join_parts(first, second, j)
    now_first, now_second = first.begin == r.now, second.begin == r.now
    if first.kind in _CLOCKS or second.kind in _CLOCKS:
        in_days = (now_first and second.kind in _DAYS) or (now_second and first.kind in _DAYS)
        if not in_days:
            return _join_clocks(r, first, second, j)
        first = date(r.today) if now_first else first
        second = date(r.today) if now_second else second
    made = _fit(r, i, first, second)
    if not made or made[0] > made[1]:
        return None
    begin, end, bound = made[0], made[1], made[2]
    grain = min(first.grain, second.grain, key=lambda grain: w.SECONDS[grain])
    limit = None if second.edge else bound
    return Point(TimeKind.DATERANGE, begin, end, grain, bound=limit), j


_YEARLY = timedelta(days=300)
Fitted = tuple[datetime, datetime, datetime]


def _fit(r: TimeParser, i: int, first: Point, second: Point) -> Fitted | None:
    """The beginning, the end and where the last day, month or year of the range begins.

    Where the text leaves a year open, the other end decides; where both do, the tense.
    """
    if first.begin is None or first.end is None or second.begin is None or second.end is None:
        return None
    start = first.end if first.edge else first.begin
    if first.nth and second.nth:
        return _running(r, i, first, second)
    if first.nth:
        fitting = _preceding(first, second.begin)
        return (fitting[0], second.end, second.begin) if fitting else None
    if second.nth:
        last = _following(second, start)
        return (start, last[1], last[0]) if last else None
    return start, second.end, second.begin


def _following(point: Point, start: datetime) -> Days | None:
    """The first of that name that does not begin before."""
    if not point.nth:
        return None
    away = start.year - point.begin.year if point.begin else 0
    spans = (point.nth(k + away if abs(away) > 5 else k) for k in range(-9, 10))
    return next((span for span in spans if span and span[0] >= start), None)


def _preceding(point: Point, end: datetime) -> Days | None:
    """The time of that name at which a range up to a day begins: of yearly times the last."""
    if point.nth is None or point.begin is None or point.end is None:
        return None
    following = point.nth(1)
    is_frequent = following is not None and following[0] - point.begin < _YEARLY
    if is_frequent and point.begin < end:
        return point.begin, point.end
    away = end.year - point.begin.year
    spans = (point.nth(away - k if abs(away) > 5 else -k) for k in range(-9, 10))
    return next((span for span in spans if span and span[0] <= end), None)


def _running(r: TimeParser, i: int, first: Point, second: Point) -> Fitted | None:
    """Both ends are ambiguous: the range that runs now and ends before the next, or the next."""
    past = r.past(i)
    span = first.nth(0) if first.nth else None
    if not first.nth or not span:
        return None
    for k in (0,) if past else (-1, 0, 1):
        candidate = first.nth(k)
        start = candidate[first.edge] if candidate else None
        last = _following(second, start) if start else None
        if start and last and (past or last[1] > r.now) and (k >= 0 or last[1] <= span[0]):
            return start, last[1], last[0]
    return None


def _join_parts(first: Point, second: Point, j: int) -> Parsed:
    """A range up to the end of a part of a day: "from Monday noon till Tuesday night"."""
    begin, end = first.begin, second.end if second.kind in _PARTS else second.begin
    if begin is None or end is None:
        return None
    if second.kind is TimeKind.TIMERANGE:
        end += calendar.midnight(begin) - calendar.midnight(second.begin or end)
    both = first.kind in _NO_DAY and second.kind in _NO_DAY
    kind = TimeKind.TIMERANGE if both else TimeKind.DATETIMERANGE
    return (Point(kind, begin, end, Grain.HOUR), j) if end > begin else None


def _join_clocks(r: TimeParser, first: Point, second: Point, j: int) -> Parsed:
    """A range of which one end at least is a time of day."""
    begin, end = first.begin, second.begin
    if begin is None or end is None:
        return None
    half = timedelta(hours=12)
    if second.kind is TimeKind.TIME:
        end = begin.replace(hour=end.hour, minute=end.minute, second=end.second)
        if end <= begin:
            end += half if end + half > begin and end.hour < 12 else DAY
    elif first.kind is TimeKind.TIME and second.begin == r.now:
        begin = begin - half if begin > end else begin
    elif second.kind in _DAYS and second.end is not None:
        end = second.end
    if end < begin:
        return None
    kind = TimeKind.DATETIMERANGE
    if first.kind is TimeKind.TIME and second.kind is TimeKind.TIME:
        kind = TimeKind.TIMERANGE
    return Point(kind, begin, end, Grain.MINUTE), j


# --- since, until, before, after ------------------------------------------------------------------


def _limited(r: TimeParser, i: int, relation: TimeRelation, j: int) -> Parsed:
    if r.word(j) == "date" and relation is TimeRelation.UNTIL:
        point = date(r.today)
        return replace(_relate(r, point, relation, False), bound=r.today), j + 1
    meal = r.skip(j, "the")
    if r.word(meal) in w.MEALS:
        return _around_meal(r, relation, meal)
    grain = w.UNITS.get(r.word(j + 1)) if r.word(j) == "the" else None
    over = _over(r, j + 2) if relation is TimeRelation.BEFORE else None
    if grain and over and grain not in w.BELOW_A_DAY:
        begin, end = calendar.unit(r.today, grain, 0)
        whole = Point(TimeKind.DATERANGE, begin, end, grain)
        return _relate(r, whole, TimeRelation.UNTIL, True), over
    found = single(r, j)
    if not found or found[1] == j + 1:
        timed = moment(r, j, bare=True)  # "by 3 tomorrow"
        found = timed if timed and timed[0].kind is TimeKind.DATETIME else found
    if not found or found[0].kind in (TimeKind.DURATION, TimeKind.SET):
        return found if found and found[0].kind is TimeKind.SET else None
    point, k = found
    closed = point.kind in _PARTS and r.word(k - 1) not in w.DAYPARTS
    if point.relation is not TimeRelation.IN or (closed and relation is TimeRelation.SINCE):
        return found
    ranged = (
        _range_behind(r, j, point, k, r.word(k) in w.TO) if relation is TimeRelation.SINCE else None
    )
    if ranged:
        return ranged
    signs = r.word(i) in ("<", ">", "≤", "≥")
    if r.word(i) in ("starting", "beginning") and not _has_just_begun(r, point):
        point = replace(point, nth=None)  # unlike "since", it may be still to come
    over = _over(r, k) if relation is TimeRelation.BEFORE and point.kind in _DAYS else None
    if over:  # "before the month is out"
        return _relate(r, point, TimeRelation.UNTIL, True), over
    return _relate(r, point, relation, signs), k


def _over(r: TimeParser, k: int) -> int | None:
    """The place behind words that say that a time is over, as in "is out" or "ends"."""
    if r.word(k) in ("ends", "closes", "finishes"):
        return k + 1
    k = r.skip(k, "'")
    return k + 2 if r.word(k) in ("is", "s") and r.word(k + 1) in _OVER else None


_OVER = frozenset("out over up finish finished done through".split())


def _has_just_begun(r: TimeParser, point: Point) -> bool:
    past = _of_tense(r, point, TimeRelation.SINCE)
    return past.begin is not None and r.now - past.begin < _JUST


_JUST = timedelta(days=62)


def _around_meal(r: TimeParser, relation: TimeRelation, i: int) -> Parsed:
    meal = on(date(r.today), part_of_day(r.word(i)))
    return limited(meal.of_kind(TimeKind.TIMERANGE), relation), i + 1


def _relate(r: TimeParser, point: Point, relation: TimeRelation, include: bool) -> Point:
    """Only from or only up to a point; `include` includes its last day and leaves out the bound."""
    if point.kind not in _DAYS:
        return limited(point, relation)
    point = _of_tense(r, point, relation)
    begin, end = point.begin, point.end
    ranged = replace(point, kind=TimeKind.DATERANGE, relation=relation)
    if relation is TimeRelation.SINCE:
        return replace(ranged, end=None)
    if relation is TimeRelation.UNTIL:
        bound = None if point.edge or include else begin
        return replace(ranged, begin=None, bound=bound)
    if relation is TimeRelation.BEFORE:
        return replace(ranged, begin=None, end=end if point.edge else begin)
    day = point.kind is TimeKind.DATE
    return replace(ranged, begin=end, end=None, bound=begin if day else None)


def _of_tense(r: TimeParser, point: Point, relation: TimeRelation) -> Point:
    """The point in the year that fits: "since" has begun, "until" has not ended."""
    if not point.nth or relation not in (TimeRelation.SINCE, TimeRelation.UNTIL):
        return point
    past = relation is TimeRelation.SINCE
    for k in range(2, -10, -1) if past else range(-2, 10):
        made = point.nth(k)
        if made and (made[0] <= r.now if past else made[1] > r.now):
            return point.moved(made)
    return point


Read = Callable[[TimeParser, int], Parsed]
_ALL: tuple[Read, ...] = (moment, period, _shifted, duration)
_READERS: dict[str, tuple[Read, ...]] = {
    **{words[0]: () for words, _ in w.RELATIONS},
    **{word: (moment, period) for word in (*w.UNITS, *w.EDGES)},
    **{word: (moment, period) for word in w.MONTHS},
    **{word: (period,) for word in (*w.SEASONS, *w.DECADES)},
    **{word: (moment,) for word in (*w.WEEKDAYS, *w.DAYS, *w.TONIGHT)},
    **{word: (moment, period, _shifted) for word in w.SHIFTS},
    **{
        word: (moment, duration)
        for word in ("in", "within", "inside", "a", "an", "another", *w.SOME)
    },
    **{word: (moment,) for word in ("at", "around", "during", "right")},
    **{word: (moment, period) for word in w.ORDINALS},
    **{word: (moment, _shifted, duration) for word in w.DIGITS},
    "for": (moment,),
    "that": (moment, period),
    "current": _ALL,
}
"""The parsers to try at a word; all of them at any other word."""
