"""How long, and how long ago: "three hours", "two weeks ago", "a week after Easter"."""

from dataclasses import replace
from datetime import datetime, timedelta

from sharpwave.temporal import calendar, tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import DAY, WEEK
from sharpwave.temporal.dates import day
from sharpwave.temporal.parsing import Parsed, Point, TimeParser
from sharpwave.temporal.tokens import WORD
from sharpwave.temporal.units import year_named
from sharpwave.types.times import Grain, TimeKind, TimeRelation

_FRACTIONS = {"1/2": 0.5, "½": 0.5, "1/4": 0.25, "¼": 0.25, "3/4": 0.75, "¾": 0.75}
Parts = list[tuple[float, Grain]]
_MOST = 6
"""Parts of one duration."""
_NO_NOUN = frozenset("ago later and or to is was before after from in at for on".split())


def compound(r: TimeParser, i: int) -> tuple[Parts, int] | None:
    """Amounts of time in a row: "3 hours and 30 minutes", "an hour and a half"."""
    found = _one(r, i)
    if not found:
        return None
    parts, j = [found[0]], found[1]
    half = _and_a_half(r, j)
    if half:
        return [(parts[0][0] + half[0], parts[0][1])], half[1]
    while len(parts) < _MOST:
        more = _one(r, r.skip(r.skip(j, ","), "and"))
        if not more or w.SECONDS[more[0][1]] >= w.SECONDS[parts[-1][1]]:
            break
        parts.append(more[0])
        j = more[1]
    return parts, j


def _one(r: TimeParser, i: int) -> tuple[tuple[float, Grain], int] | None:
    counted = _count(r, i)
    if not counted:
        return None
    count, j = counted
    j += r.word(j) == "-"
    word = r.word(j)
    if word in w.FORTNIGHT:
        return (count * 2, Grain.WEEK), j + 1
    dashed = i > 0 and r.tokens[i - 1].word == "-" and r.tokens[i - 1].end == r.tokens[i].start
    if r.tokens[j].glued and word in w.SHORT_UNITS and not dashed:
        return (count, w.SHORT_UNITS[word]), j + 1
    if word not in w.UNITS or (word == "second" and not _counts_seconds(r, count, j)):
        return None
    return (count, w.UNITS[word]), j + 1


def _counts_seconds(r: TimeParser, count: float, j: int) -> bool:
    """Whether "a second" is a duration: it is not in "a second round"."""
    noun = r.tokens[j + 1].kind == WORD and r.word(j + 1) not in _NO_NOUN
    return count == 1 and not noun


def _count(r: TimeParser, i: int) -> tuple[float, int] | None:
    word, then = r.word(i), r.word(i + 1)
    if word == "half" and then in ("a", "an"):
        return 0.5, i + 2
    if word in w.SOME and word not in ("half", "couple"):
        return w.SOME[word], i + 1
    if word in ("a", "an", "another", "couple"):
        if then == "half":
            return 0.5, i + 2
        j = i if word == "couple" else i + 1
        if r.word(j) in ("few", "couple"):
            return w.SOME[r.word(j)], r.skip(j + 1, "of")
        return (1.0, i + 1) if word != "couple" else None
    found = tokens.amount(r.tokens, i)
    if found and (share := _FRACTIONS.get(r.word(found[1]))):
        return found[0] + share, found[1] + 1
    half = _and_a_half(r, found[1]) if found else None
    return (found[0] + half[0], half[1]) if found and half else found


def _and_a_half(r: TimeParser, i: int) -> tuple[float, int] | None:
    """Reads "... and a half", "... and a quarter"."""
    if r.word(i) != "and":
        return None
    j = r.skip(i + 1, "a", "an", "one")
    share = {"half": 0.5, "quarter": 0.25, "quarters": 0.25}.get(r.word(j))
    return (share, j + 1) if share and r.word(j + 1) not in ("an", "of") else None


def move(r: TimeParser, begin: datetime | None, parts: Parts, sign: int) -> datetime:
    """A day, or with None this moment, some time before or after."""
    moment = r.now if begin is None else begin
    for count, grain in parts:
        months = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.YEAR: 12, Grain.DECADE: 120}.get(grain)
        months = 1200 if grain is Grain.CENTURY else months
        if months and count * months == int(count * months):
            moment = calendar.add_months(moment, sign * int(count * months))
        elif grain in w.BELOW_A_DAY and begin is None:
            moment = r.later(moment - r.now + timedelta(seconds=sign * count * w.SECONDS[grain]))
        else:
            moment += timedelta(seconds=sign * count * w.SECONDS[grain])
    return moment


def seconds(parts: Parts) -> float:
    """How long that is; a month counts 30 days, a year 365."""
    total = sum(count * w.SECONDS[grain] for count, grain in parts)
    return round(total, 6)


def timex(parts: Parts) -> str:
    """ISO 8601: `P3D`, `PT2H30M`, `P1.5Y`."""
    text, in_time = "P", False
    for count, grain in parts:
        if grain in w.BELOW_A_DAY and not in_time:
            text, in_time = f"{text}T", True
        number = f"{count:g}" if grain is not Grain.QUARTER else f"{count * 3:g}"
        text += number + (w.CODES[grain] if grain is not Grain.QUARTER else "M")
    return text


def finest(parts: Parts) -> Grain:
    """The smallest unit of a duration."""
    return min((grain for _, grain in parts), key=lambda grain: w.SECONDS[grain])


def duration(r: TimeParser, i: int) -> Parsed:
    """How long, or when if it says from where to count."""
    j = i
    compared = r.word(i) in ("more", "less", "longer", "shorter") and r.word(i + 1) == "than"
    if compared:
        j = i + 2
    elif r.word(i) in ("the", "all", "whole"):
        return _whole_unit(r, i)
    elif r.word(i) in ("in", "within"):
        return _ahead(r, i)
    found = compound(r, j)
    if not found:
        return None
    parts, j = found
    counted = _counted_from(r, i, parts, j, compared)
    return counted or (_plain(parts), j)


def _plain(parts: Parts) -> Point:
    length = seconds(parts)
    return Point(TimeKind.DURATION, None, None, finest(parts), seconds=length, timex=timex(parts))


def _whole_unit(r: TimeParser, i: int) -> Parsed:
    """Reads "all week", "the whole day", "for the hour"."""
    j = r.skip(r.skip(i, "the", "all"), "whole", "entire")
    unit = w.UNITS.get(r.word(j))
    hour = r.word(i) == "the" and unit in w.BELOW_A_DAY and r.before(i) == "for"
    if unit and (hour or (r.word(i) == "all" and r.word(j) in ("day", "week", "month", "year"))):
        return _plain([(1.0, unit)]), j + 1
    return None


def _ahead(r: TimeParser, i: int) -> Parsed:
    """Reads "in 3 days", "within 5 minutes", "in two weeks since 2011"."""
    found = compound(r, i + 1)
    if not found:
        return None
    parts, j = found
    if r.word(i) == "within":
        return _stretch(r, parts, 1), j
    counted = _counted_from(r, i, parts, j, False)
    if not counted and r.past(i) and r.word(j) != "time":
        return _plain(parts), j
    j = j + 1 if r.word(j) == "time" else j
    return counted or (_moment(r, parts, 1), j)


def _moment(r: TimeParser, parts: Parts, sign: int) -> Point:
    """So long before or after now: a day, or a moment for hours and less."""
    grain = finest(parts)
    if grain in w.BELOW_A_DAY:
        begin = move(r, None, parts, sign)
        return Point(TimeKind.DATETIME, begin, begin + timedelta(seconds=1), grain)
    begin = calendar.midnight(move(r, r.today, parts, sign))
    return Point(TimeKind.DATE, begin, begin + DAY, grain)


def _stretch(r: TimeParser, parts: Parts, sign: int) -> Point:
    """All the time from now until then, or from then until now."""
    grain = finest(parts)
    if grain in w.BELOW_A_DAY:
        ends = sorted((r.now, move(r, None, parts, sign)))
        return Point(TimeKind.DATETIMERANGE, ends[0], ends[1], grain)
    first = r.today + DAY if sign > 0 else r.today
    ends = sorted((first, move(r, first, parts, sign)))
    return Point(TimeKind.DATERANGE, ends[0], ends[1], grain)


def shifted_duration(r: TimeParser, i: int, sign: int) -> Parsed:
    """Reads "the last 3 months", "next two weeks and 3 days": the place is behind the shift."""
    found = compound(r, i)
    if not found:
        return None
    parts, j = found
    if r.word(j) == "ago" and len(parts) > 1:
        first = _one(r, i)
        parts, j = ([first[0]], first[1]) if first else found
    count, grain = parts[0]
    if grain in (Grain.QUARTER, Grain.DECADE, Grain.CENTURY) and len(parts) == 1:
        return _calendar_units(r, int(count), grain, sign), j
    return _stretch(r, parts, sign), j


def _calendar_units(r: TimeParser, count: int, grain: Grain, sign: int) -> Point:
    size = {Grain.QUARTER: 3, Grain.DECADE: 120, Grain.CENTURY: 1200}[grain]
    index = (r.now.year * 12 + r.now.month - 1) // size * size
    first = index + size if sign > 0 else index - size * count
    begin = datetime(first // 12, first % 12 + 1, 1)
    return Point(TimeKind.DATERANGE, begin, calendar.add_months(begin, size * count), grain)


def _counted_from(r: TimeParser, i: int, parts: Parts, j: int, compared: bool) -> Parsed:
    """Reads "... ago", "... from now", "... after Easter"; the place `j` is behind the duration."""
    word, then = r.word(j), r.word(j + 1)
    in_days = finest(parts) not in w.BELOW_A_DAY
    if word == "ago" or (word == "back" and (r.tokens[j + 1].kind != WORD or r.past(i))):
        return _moment(r, parts, -1), j + 1
    if word in ("later", "hence") and then not in ("this", "in", "than", "today", "tonight"):
        return _moment(r, parts, 1), j + 1
    if word == "from" and then == "now":
        return _moment(r, parts, 1), j + 2
    if word == "starting" and in_days:
        start = day(r, r.skip(j + 1, "from", "on"))
        if start and start[0].begin:
            end = move(r, start[0].begin, parts, 1)
            point = Point(TimeKind.DATERANGE, start[0].begin, end, finest(parts))
            return point, start[1]
    if word in ("before", "after", "from", "since", "following") and in_days:
        return _offset(r, i, parts, j, compared)
    return None


def _offset(r: TimeParser, i: int, parts: Parts, j: int, compared: bool) -> Parsed:
    start = day(r, j + 1) or year_named(r, r.skip(j + 1, "the"))
    if not start or start[0].begin is None:
        return None
    point, k = start
    origin = _next_one(r, point) if r.word(j) != "before" else point.begin
    sign = -1 if r.word(j) == "before" else 1
    if origin is None:
        return None
    moved = move(r, origin, parts, sign)
    result = Point(TimeKind.DATE, moved, moved + DAY, finest(parts))
    if not compared:
        return result, k
    ranged = replace(result, kind=TimeKind.DATERANGE)
    if r.word(i) in ("less", "shorter"):
        return replace(ranged, begin=min(origin, moved), end=max(origin, moved)), k
    if sign < 0:
        return replace(ranged, begin=None, end=moved, relation=TimeRelation.BEFORE), k
    return replace(ranged, begin=moved, end=None, relation=TimeRelation.AFTER), k


def _next_one(r: TimeParser, point: Point) -> datetime | None:
    """Counting on from a day of no stated year means the next one, unless the tense says past."""
    if point.begin and point.nth and point.begin < r.today - WEEK * 40:
        following = point.nth(1)
        return following[0] if following else point.begin
    return point.begin
