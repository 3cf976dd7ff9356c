"""A day with a time of day: "tomorrow at 3pm", "last night", "Monday from 2 to 4", "3pm today"."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from sharpwave.temporal import tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import DAY, Days
from sharpwave.temporal.dates import day
from sharpwave.temporal.parsing import Parsed, Point, TimeParser, date
from sharpwave.temporal.times_of_day import (
    HOUR,
    TimeOfDay,
    adjust,
    clock,
    clock_range,
    daypart,
    part_of_day,  # fmt: skip
    timed_every_day,
)
from sharpwave.temporal.tokens import ISO, NUMBER, WORD
from sharpwave.temporal.units import shifted_unit
from sharpwave.types.times import Grain, TimeKind, TimeRelation

_AT = ("at", "@", "around", "about", "approximately", ",", "by")
_BEHIND_A_CLOCK = frozenset(
    "on in and or for to today tomorrow tonight this next last with sharp est pst gmt utc".split()
)
_NOWS = (("right", "now"), ("now",), ("at", "present"), ("at", "the", "present", "time"),
         ("at", "the", "moment"))  # fmt: skip


Phrases = dict[str, list[tuple[tuple[str, ...], TimeRelation]]]


def _by_first_word(table: tuple[tuple[tuple[str, ...], str], ...]) -> Phrases:
    phrases: Phrases = {}
    for words, relation in table:
        phrases.setdefault(words[0], []).append((words, TimeRelation(relation)))
    return phrases


_RELATIONS = _by_first_word(w.RELATIONS)
_TRAILING = _by_first_word(w.TRAILING)


_BEHIND_A_DAY = frozenset(
    {*_AT, "from", "between", "for", "-", "in", "during", "the", "half", "quarter", "a", "mid"}
    | w.DAYPARTS.keys() | w.DIGITS.keys() | w.TENS.keys() | w.NOONS.keys() | w.EDGES.keys()
    | _RELATIONS.keys()
)  # fmt: skip


class _Day(NamedTuple):
    """A day, and the part of it if one is named."""

    point: Point
    part: TimeOfDay | None
    name: str
    end: int


def moment(r: TimeParser, i: int, bare: bool = False) -> Parsed:
    """A day, a time of day, or both."""
    return _now(r, i) or _iso(r, i) or _end_of_day(r, i) or by_day(r, i) or by_clock(r, i, bare)


def _now(r: TimeParser, i: int) -> Parsed:
    if r.word(i) not in ("now", "right", "at", "current"):
        return None
    for words in _NOWS:
        if all(r.word(i + step) == word for step, word in enumerate(words)):
            second = timedelta(seconds=1)
            return Point(TimeKind.DATETIME, r.now, r.now + second, Grain.SECOND), i + len(words)
    if r.word(i) == "current" and r.word(i + 1) == "date":
        return date(r.today), i + 2
    return None


def _iso(r: TimeParser, i: int) -> Parsed:
    if r.tokens[i].kind != ISO:
        return None
    read = datetime.fromisoformat(r.word(i))
    if read.tzinfo is not None:
        read = read.astimezone(r.at.tzinfo).replace(tzinfo=None)
    return Point(TimeKind.DATETIME, read, read + timedelta(seconds=1), Grain.SECOND), i + 1


def _end_of_day(r: TimeParser, i: int) -> Parsed:
    """The last second of a day: "end of tomorrow", "eod"."""
    j = r.skip(i, "the")
    if r.word(j) == "eod":
        return _last_second(r.today), j + 1
    if r.word(j) != "end" or r.word(j + 1) != "of":
        return None
    k = r.skip(j + 2, "the", "my")
    if r.word(k) == "day":
        return _last_second(r.today), k + 1
    found = day(r, k)
    if not found or found[0].begin is None:
        return None
    return _last_second(found[0].begin), found[1]


def _last_second(begin: datetime) -> Point:
    last = begin + DAY - timedelta(seconds=1)
    return Point(TimeKind.DATETIME, last, begin + DAY, Grain.SECOND)


# --- the day first --------------------------------------------------------------------------------


def by_day(r: TimeParser, i: int) -> Parsed:
    """A day, with the time of day behind it."""
    found = _day(r, i)
    if not found:
        return None
    timed = _time_behind(r, found) if _goes_on(r, found.end) else None
    if timed:
        return timed
    if found.part:
        return on(found.point, found.part), found.end
    return found.point, found.end


def _day(r: TimeParser, i: int) -> _Day | None:
    """A day, with the morning or evening of it if one is named."""
    word, j = r.word(i), i
    half = ""
    if word in w.EDGES and word not in ("end", "start", "beginning"):
        half = w.EDGES[word]
        j = r.skip(i + 1, "in", "-")
        j = j + 2 if r.word(j) == "the" and r.word(j + 1) == "day" else j
    if r.word(j) in w.TONIGHT:
        return _Day(date(r.today), part_of_day(w.DAYPARTS["night"], half, "night"), "night", j + 1)
    shift = w.SHIFTS.get(r.word(j))
    if shift is not None and r.word(j + 1) in w.DAYPART_CODES:
        name = r.word(j + 1)
        begin = r.today + DAY * shift
        return _Day(date(begin), part_of_day(w.DAYPARTS[name], half, name), name, j + 2)
    found = day(r, j) or (shifted_unit(r, j) if shift is not None else None)
    if not found or not found[0].is_day:
        return None
    point, k = found
    if not half and not _goes_on(r, k) and k == j + 1:
        return _Day(point, None, "", k)
    if half:
        return _Day(point, _half_day(half), "", k) if r.word(j) not in w.MONTHS else None
    return _with_part(r, i, point, k)


def _goes_on(r: TimeParser, j: int) -> bool:
    """Whether a time of day can begin there."""
    return r.tokens[j].kind == NUMBER or r.word(j) in _BEHIND_A_DAY


def _half_day(half: str) -> TimeOfDay:
    hours = {"mid": (10, 14), "early": (0, 12), "earlier": (0, 12)}.get(half, (12, 24))
    return TimeOfDay(hours[0] * HOUR, hours[1] * HOUR, Grain.HOUR, True)


def _with_part(r: TimeParser, i: int, point: Point, k: int) -> _Day:
    inside = next((r.word(n) for n in range(i + 1, k) if r.word(n) in w.DAYPART_CODES), "")
    if inside:
        return _Day(point, part_of_day(w.DAYPARTS[inside], "", inside), inside, k)
    j = r.skip(k, ",")
    part = daypart(r, j, needs_in=False)
    if part and r.word(part[1] - 1) in w.DAYPARTS and r.word(j) not in ("by", "around"):
        timed = clock(r, r.skip(part[1], "at"), bare=r.word(part[1]) == "at")
        feast = r.tokens[k - 1].word not in w.WEEKDAYS and r.word(j) in ("early", "late") and timed
        return (
            _Day(point, None, "", k)
            if feast
            else _Day(point, part[0], r.word(part[1] - 1), part[1])
        )
    return _Day(point, None, "", k)


def _time_behind(r: TimeParser, found: _Day) -> Parsed:
    """The time behind a day: "… at 3", "… from 2 to 4", "… after 1pm"."""
    point, _, name, j = found
    if not point.is_day:
        return None
    k = r.skip(r.skip(j, ","), *_AT)
    asked = k > j
    ranged = clock_range(r, k, bare=asked or r.tokens[k].kind == NUMBER)
    if ranged:
        return on(point, _in_part(ranged[0], name)), ranged[1]
    limit = relation_at(r, j)
    if limit:
        timed = clock(r, limit[1], bare=True)
        if timed:
            return limited(on(point, timed[0]), limit[0]), timed[1]
    timed = clock(r, k, bare=asked or _can_be_spoken(r, k))
    if not timed:
        return None
    time, j = (adjust(timed[0], name) if name else timed[0]), timed[1]
    year = tokens.year(r.tokens, j) if point.nth and point.begin else None
    if year and point.nth and point.begin and (made := point.nth(year[0] - point.begin.year)):
        point, j = date(made[0]), year[1]
    return on(point, time), j


def _can_be_spoken(r: TimeParser, k: int) -> bool:
    """As in "March eighteenth nine thirty": two numbers in words."""
    return r.word(k) in w.DIGITS and (r.word(k + 1) in w.TENS or r.word(k + 1) in w.DIGITS)


def _in_part(time: TimeOfDay, name: str) -> TimeOfDay:
    """A range of hours moved to the afternoon or evening that is named."""
    late = name in ("afternoon", "evening", "night")
    if not late or time.end is None or time.begin >= 12 * HOUR or time.sure:
        return time
    return replace(time, begin=time.begin + 12 * HOUR, end=time.end + 12 * HOUR)


def relation_at(r: TimeParser, i: int) -> tuple[TimeRelation, int] | None:
    """Reads "since", "no later than", "before" … at a place, and the place behind it."""
    return _phrase(r, i, _RELATIONS)


def trailing_relation(r: TimeParser, i: int) -> tuple[TimeRelation, int] | None:
    """Reads "… or later", "… and before"."""
    found = _phrase(r, i, _TRAILING)
    if not found:
        return None
    relation, j = found
    follows = r.tokens[j].kind == WORD and r.word(j) not in ("on", "is", "but", "or", "and")
    return None if follows else (relation, j)


def _phrase(r: TimeParser, i: int, table: Phrases) -> tuple[TimeRelation, int] | None:
    for words, relation in table.get(r.word(i), ()):
        if all(r.word(i + n) == word for n, word in enumerate(words)):
            return relation, i + len(words)
    return None


def limited(point: Point, relation: TimeRelation) -> Point:
    """Only from or only up to a moment."""
    kinds = {TimeKind.DATETIME: TimeKind.DATETIMERANGE, TimeKind.TIME: TimeKind.TIMERANGE}
    kind = kinds.get(point.kind, point.kind)
    moment_ = point.kind in kinds
    after = point.begin if moment_ else point.end
    before = point.begin
    if relation in (TimeRelation.AFTER, TimeRelation.SINCE):
        begin = after if relation is TimeRelation.AFTER else point.begin
        return replace(point, kind=kind, begin=begin, end=None, relation=relation)
    end = before if relation is TimeRelation.BEFORE or moment_ else point.end
    return replace(point, kind=kind, begin=None, end=end, relation=relation)


# --- the time first -------------------------------------------------------------------------------


def by_clock(r: TimeParser, i: int, bare: bool = False) -> Parsed:
    """A time of day, with the day behind it."""
    asked = r.word(i) == "at"
    j = r.skip(i, "at", "@", "around", "about") if r.word(i + 1) not in ("the",) else i
    ranged = clock_range(r, j, bare) or daypart(r, i)
    if ranged:
        return _day_behind(r, *ranged) or (_ranged(r, ranged[0]), ranged[1])
    loose = _loose(r, j)
    if loose:
        return loose
    timed = clock(r, j, bare or asked)
    if not timed or (asked and not _ends_well(r, j, timed[1])):
        return None
    time, j = timed
    every = timed_every_day(r, time, j)
    if every:
        return every
    limit = trailing_relation(r, j)
    with_day = _day_behind(r, time, limit[1] if limit else j)
    if with_day:
        return (limited(with_day[0], limit[0]), with_day[1]) if limit else with_day
    point = on(date(r.today), time)
    return replace(point, kind=TimeKind.TIME), j


def _ends_well(r: TimeParser, i: int, j: int) -> bool:
    """Whether "at 6" is a time: nothing is counted behind it."""
    alone = j == i + 1 and (r.word(i).isdigit() or r.word(i) in w.DIGITS)
    return not alone or r.tokens[j].kind != WORD or r.word(j) in _BEHIND_A_CLOCK


def _ranged(r: TimeParser, time: TimeOfDay) -> Point:
    return replace(on(date(r.today), time), kind=TimeKind.TIMERANGE)


def _loose(r: TimeParser, i: int) -> Parsed:
    """Numbers that are times only by the day behind them: "6-8 next Monday", "10, tonight"."""
    if r.tokens[i].kind != NUMBER or not r.word(i).isdigit():
        return None
    ranged = clock_range(r, i, bare=True)
    if ranged:
        return _day_behind(r, *ranged)
    timed = clock(r, i, bare=True)
    found = _day(r, r.skip(timed[1], ",")) if timed else None
    return _day_behind(r, *timed) if timed and found and found.part else None


def _day_behind(r: TimeParser, time: TimeOfDay, j: int) -> Parsed:
    k = r.skip(r.skip(j, ",", "of"), "on")
    found = _day(r, k)
    if not found or not found.point.is_day:
        return None
    if found.name and time.end is None:
        raw = replace(time, begin=time.begin % (12 * HOUR)) if not time.sure else time
        time = adjust(raw, found.name)
    elif found.name:
        time = _in_part(_morning(time), found.name)
    return on(found.point, time), found.end


def _morning(time: TimeOfDay) -> TimeOfDay:
    """A guessed afternoon taken back, so that the named part of the day decides."""
    guessed = not time.sure and time.end is not None and time.begin >= 12 * HOUR
    if not guessed or time.end is None:
        return time
    return replace(time, begin=time.begin - 12 * HOUR, end=time.end - 12 * HOUR)


def on(point: Point, time: TimeOfDay) -> Point:
    """A time of day on a day."""
    if point.begin is None:
        return point
    length = {Grain.HOUR: HOUR, Grain.MINUTE: 60}.get(time.grain, 1)
    begin, end = time.begin, time.begin + length if time.end is None else time.end
    kind = TimeKind.DATETIME if time.end is None else TimeKind.DATETIMERANGE
    return Point(kind, *_hours(point.begin, begin, end), time.grain, _others(point, begin, end))


def _hours(day_: datetime, begin: int, end: int) -> Days:
    return day_ + timedelta(seconds=begin), day_ + timedelta(seconds=end)


def _others(point: Point, begin: int, end: int) -> Callable[[int], Days | None] | None:
    nth = point.nth
    if nth is None:
        return None

    def others(k: int) -> Days | None:
        made = nth(k)
        return _hours(made[0], begin, end) if made else None

    return others
