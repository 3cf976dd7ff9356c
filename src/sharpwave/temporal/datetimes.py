"""A day, a part of it and hours of it, in any order: "tomorrow at 3pm", "7 on Friday evening"."""

from dataclasses import replace
from datetime import datetime, timedelta

from sharpwave.temporal import calendar, tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import DAY
from sharpwave.temporal.durations import COUNTS, any_day, compound, finest, seconds
from sharpwave.temporal.parsing import Parsed, Point, TimeParser, date
from sharpwave.temporal.sets import timed_repeat
from sharpwave.temporal.times_of_day import (
    HOUR,
    Hours,
    Part,
    limited_hours,
    on,
    part,
    part_of_day,
)
from sharpwave.temporal.tokens import ISO, NUMBER, ORDINAL
from sharpwave.temporal.units import shifted_unit
from sharpwave.types.times import Grain, TimeKind

_NOWS = (("right", "now"), ("now",), ("at", "present"), ("at", "the", "present", "time"),
         ("at", "the", "moment"))  # fmt: skip


_NUMBERS = frozenset({NUMBER, ORDINAL})
_DAY_STARTS = (
    w.DAY_WORDS | w.EDGES.keys() | COUNTS | calendar.FIRST_WORDS | {"that"}
)  # fmt: skip
_HOUR_STARTS = frozenset(
    w.DIGITS.keys() | w.TENS.keys() | w.NOONS.keys() | w.ABOUT
    | {words[0] for words, _ in w.RELATIONS}
    | {"at", "@", "from", "between", "for", "mid", "half", "quarter", "a", "-",
       "eod"}
)  # fmt: skip
_PART_STARTS = frozenset(
    w.EDGES.keys()
    | w.DAYPARTS.keys()
    | w.MEALS.keys()
    | {"in", "on", "at", "during", "around", "by", "the"}
)


def moment(r: TimeParser, i: int, bare: bool = False) -> Parsed:
    """A day, a time of day, or both; with `bare` a number alone is a time."""
    found = _now(r, i) or _iso(r, i) or _end_of_day(r, i)
    return found or _beside_clock(r, i) or _composed(r, i, bare)


def _now(r: TimeParser, i: int) -> Parsed:
    if r.word(i) not in ("now", "right", "at", "current"):
        return None
    for words in _NOWS:
        if r.says(i, *words):
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
    """The last second of a day: "end of tomorrow", "eod Friday", "end of day on Friday"."""
    if r.word(i) not in ("the", "end", "eod"):
        return None
    j = r.skip(i, "the")
    if r.word(j) == "eod":
        k, named = j + 1, True
    elif r.word(j) == "end" and r.word(j + 1) == "of":
        k = r.skip(j + 2, "the", "my")
        named = r.word(k) == "day" or r.word(k + 1) == "day"
        k = k + 1 + (r.word(k) != "day") if named else k
    else:
        return None
    found = any_day(r, r.skip(r.skip(k, ","), "on", "of"))
    if not found or found[0].begin is None:
        return (_last_second(r.today), k) if named else None
    return _last_second(found[0].begin), found[1]


def _last_second(begin: datetime) -> Point:
    last = begin + DAY - timedelta(seconds=1)
    return Point(TimeKind.DATETIME, last, begin + DAY, Grain.SECOND)


def _beside_clock(r: TimeParser, i: int) -> Parsed:
    """Reads "two hours after midnight", "half an hour before 3pm on Friday"."""
    counts = r.tokens[i].kind == NUMBER or (r.word(i) in COUNTS and r.word(i) != "the")
    length = compound(r, i) if counts else None
    if not length or r.word(length[1]) not in ("before", "after", "from"):
        return None
    parts, j = length
    found = _composed(r, j + 1, False) if finest(parts) in w.BELOW_A_DAY else None
    if not found or found[0].kind not in (TimeKind.TIME, TimeKind.DATETIME):
        return None
    moved = timedelta(seconds=seconds(parts) * (-1 if r.word(j) == "before" else 1))
    point = found[0].mapped(lambda span: (span[0] + moved, span[1] + moved), finest(parts))
    return (point.of_kind(found[0].kind), found[1]) if point else None


# --- composed -------------------------------------------------------------------------------------


def _composed(r: TimeParser, i: int, bare: bool) -> Parsed:
    """Up to one day, one part of a day and one time, with the words that join them."""
    on_day: Point | None = None
    named: Part | None = None
    timed: Hours | None = None
    alone = True
    j = i
    while True:
        k = r.skip(j, ",") if j > i else i
        if r.word(k) == "." and r.before(k) in w.SHORT_NAMES:
            k += 1
        k = r.skip(k, "sometime", "anytime") if on_day else k
        if on_day is None and (found := _day(r, k if j == i else r.skip(k, "on", "of", "for"))):
            if found[1] and named and found[1].name != named.name:
                break
            on_day, named, j = found[0], found[1] or named, found[2]
        elif timed is None and (hours := _hours(r, k, j > i, on_day)):
            timed, j = hours
            if j_every := (timed_repeat(r, timed, j) if on_day is None else None):
                return j_every
        elif named is None and (timed is None or on_day) and (parted := _part(r, k, j > i)):
            named, j, alone = parted
        else:
            break
    return _put_together(r, j, on_day, named, timed, bare, alone)


def _part(r: TimeParser, k: int, behind: bool) -> tuple[Part, int, bool] | None:
    if r.word(k) not in _PART_STARTS or (behind and r.word(k) in ("by", "around", "on")):
        return None
    return part(r, k)


def _put_together(
    r: TimeParser, j: int, on_day: Point | None, named: Part | None, timed: Hours | None,
    bare: bool, alone: bool,
) -> Parsed:  # fmt: skip
    if timed is None:
        if named is None or (on_day is None and not alone):
            return (on_day, j) if on_day and named is None else None
        point = on(on_day or date(r.today), named)
    else:
        is_dated = on_day is not None and (named is not None or timed.is_range)
        if not timed.certain and not bare and not is_dated and named is None:
            return None
        year = tokens.year(r.tokens, j) if on_day and on_day.nth else None
        if year and on_day and on_day.nth and on_day.begin:
            made = on_day.nth(year[0] - on_day.begin.year)
            on_day, j = (date(made[0]), year[1]) if made else (on_day, j)
        point = on(on_day or date(r.today), timed, named.name if named else "")
    if on_day is not None:
        return point, j
    kinds = {TimeKind.DATETIME: TimeKind.TIME, TimeKind.DATETIMERANGE: TimeKind.TIMERANGE}
    return point.of_kind(kinds[point.kind]), j


def _hours(r: TimeParser, k: int, behind: bool, on_day: Point | None) -> tuple[Hours, int] | None:
    """The time at a place; behind something else a number alone needs "at"."""
    if r.tokens[k].kind != NUMBER and r.word(k) not in _HOUR_STARTS:
        return None
    found = limited_hours(r, k)
    if not found and behind and r.word(k) == "-":
        found = limited_hours(r, k + 1)
        return found if found and found[0].certain and not found[0].is_range else None
    if not found or not behind or found[0].certain:
        return found
    spoken = found[0].first.grain is Grain.MINUTE
    if spoken or (found[0].is_range and on_day):
        return replace(found[0], certain=True), found[1]
    return None


def _day(r: TimeParser, i: int) -> tuple[Point, Part | None, int] | None:
    """A day, with the morning or evening of it if its name says one: "tonight", "late Friday"."""
    if r.word(i) not in _DAY_STARTS and r.tokens[i].kind not in _NUMBERS:
        return None
    half, j = "", i
    if r.word(i) in w.EDGES and r.word(i) not in ("end", "start", "beginning"):
        half = w.EDGES[r.word(i)]
        j = r.skip(i + 1, "in", "-", "on", "of")
        j = j + 2 if r.word(j) == "the" and r.word(j + 1) == "day" else j
    if r.word(j) in w.TONIGHT:
        return date(r.today), part_of_day("night", half), j + 1
    shift = w.SHIFTS.get(r.word(j))
    if r.word(j) == "that" and r.anchor and r.word(j + 1) in w.DAYPART_CODES:
        return r.anchor_day(), part_of_day(r.word(j + 1), half), j + 2
    if shift is not None and r.word(j + 1) in w.DAYPART_CODES:
        return date(r.today + DAY * shift), part_of_day(r.word(j + 1), half), j + 2
    found = any_day(r, j) or (shifted_unit(r, j) if shift is not None else None)
    if not found or not found[0].is_day:
        return None
    point, k = found
    if not half:
        inside = next((r.word(n) for n in range(j + 1, k) if r.word(n) in w.DAYPART_CODES), "")
        return point, part_of_day(inside) if inside else None, k
    if r.word(k) in w.DAYPARTS:
        return point, part_of_day(r.word(k), half), k + 1
    if r.word(j) in w.MONTHS:
        return None
    begin, end = {"mid": (10, 14), "early": (0, 12), "earlier": (0, 12)}.get(half, (12, 24))
    return point, Part("", begin * HOUR, end * HOUR), k
