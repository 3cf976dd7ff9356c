"""How long, and how long ago: "three hours", "two weeks ago", "a week after Easter"."""

from dataclasses import replace
from datetime import datetime, timedelta

from sharpwave.temporal import calendar, tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import DAY, WEEK
from sharpwave.temporal.dates import day
from sharpwave.temporal.parsing import Parsed, Point, TimeParser, date, days
from sharpwave.temporal.periods import day_of_period
from sharpwave.temporal.tokens import NUMBER, WORD
from sharpwave.temporal.units import in_unit, year_named
from sharpwave.types.times import Grain, TimeKind, TimeRelation

_SHARES = {
    "1/2": 0.5, "½": 0.5, "1/4": 0.25, "¼": 0.25, "3/4": 0.75, "¾": 0.75,
    "half": 0.5, "quarter": 0.25, "quarters": 0.25,
}  # fmt: skip
_HALVED = frozenset({Grain.MINUTE, Grain.HOUR, Grain.DAY, Grain.YEAR})
_SIGNS = {"later": 1, "hence": 1, "afterwards": 1, "afterward": 1, "earlier": -1, "beforehand": -1}
_GOES_ON = frozenset("and or but at in on from around by for with to so".split())
COUNTS = (
    w.DIGITS.keys() | w.TENS.keys() | w.SOME.keys() | w.UNITS.keys()
    | w.DAYPART_CODES.keys()
    | {"a", "an", "another", "the", "in", "half", "quarter", "hundred", "dozen"}
)  # fmt: skip
Parts = list[tuple[float, Grain]]
_MAX_PARTS = 6
"""Maximum number of parts of one duration."""
_NO_NOUN = frozenset("ago later and or to is was before after from in at for on".split())


def compound(r: TimeParser, i: int) -> tuple[Parts, int] | None:
    """Amounts of time in a row: "3 hours and 30 minutes", "an hour and a half"."""
    if i not in r.lengths:
        r.lengths[i] = _compound(r, i)
    return r.lengths[i]


def _compound(r: TimeParser, i: int) -> tuple[Parts, int] | None:
    found = _amount(r, i)
    if not found:
        return None
    parts, j = [found[0]], found[1]
    half = _and_a_half(r, j)
    if half:
        return [(parts[0][0] + half[0], parts[0][1])], half[1]
    minutes = tokens.below_hundred(r.tokens, j) if parts[0][1] is Grain.HOUR else None
    if minutes and minutes[0] >= 10 and r.word(minutes[1]) not in w.UNITS:
        return [*parts, (minutes[0], Grain.MINUTE)], minutes[1]
    while len(parts) < _MAX_PARTS:
        next_part = _amount(r, r.skip(r.skip(j, ","), "and"))
        if not next_part or w.SECONDS[next_part[0][1]] >= w.SECONDS[parts[-1][1]]:
            break
        parts.append(next_part[0])
        j = next_part[1]
    return parts, j


def _amount(r: TimeParser, i: int) -> tuple[tuple[float, Grain], int] | None:
    counted = _count(r, i)
    if not counted:
        return None
    count, j = counted
    j = r.skip_all(r.skip(j, "-"), w.PADDING)
    word = r.word(j)
    if word in w.FORTNIGHT:
        return (count * 2, Grain.WEEK), j + 1
    dashed = i > 0 and r.tokens[i - 1].word == "-" and r.tokens[i - 1].end == r.tokens[i].start
    if r.tokens[j].glued and word in w.SHORT_UNITS and not dashed:
        return (count, w.SHORT_UNITS[word]), j + 1
    if r.word(j - 1) in ("some", "several", "few") and not word.endswith("s"):
        return None
    if word not in w.UNITS or (word == "second" and not _counts_seconds(r, count, j)):
        return None
    return (count, w.UNITS[word]), j + 1


def _counts_seconds(r: TimeParser, count: float, j: int) -> bool:
    """Whether "a second" is a duration: it is not in "a second round"."""
    noun = r.tokens[j + 1].kind == WORD and r.word(j + 1) not in _NO_NOUN
    return count == 1 and not noun


def _count(r: TimeParser, i: int) -> tuple[float, int] | None:
    """Reads "three", "2.5", "a", "half an", "a quarter of an", "a couple of", "two and a half"."""
    j = r.skip(i, "a", "an", "another")
    share = _SHARES.get(r.word(j))
    if share and (j == i or r.word(i) != "another"):
        k = r.skip(j + 1, "-")
        halved = w.UNITS.get(r.word(k)) in _HALVED and not r.word(k).endswith("s")
        if halved and r.before(i) not in ("a", "-"):
            return share, k
        k = r.skip(j + 1, "of")
        whole = r.word(k) in ("a", "an")
        if (share == 0.5 and (whole or j > i)) or (whole and k > j + 1):
            return share, k + whole
    if r.word(j) in w.SOME and r.word(j) != "half":
        return w.SOME[r.word(j)], r.skip(j + 1, "of")
    found = tokens.amount(r.tokens, j)
    if not found:
        return (1.0, j) if j > i else None
    if j > i and r.word(i) != "another" and r.word(j) not in tokens.MANY:
        return None
    if (share := _SHARES.get(r.word(found[1]))) and share < 1:
        is_share_of = r.word(found[1] + 1) == "of" and r.word(found[1] + 2) in ("a", "an")
        if is_share_of:
            return found[0] * share, found[1] + 3
        return (found[0] + share, found[1] + 1) if not r.word(found[1]).isalpha() else found
    half = _and_a_half(r, found[1])
    return (found[0] + half[0], half[1]) if half else found


def _and_a_half(r: TimeParser, i: int) -> tuple[float, int] | None:
    """Reads "... and a half", "... and a quarter"."""
    if r.word(i) != "and":
        return None
    j = r.skip(i + 1, "a", "an", "one")
    share = {"half": 0.5, "quarter": 0.25, "quarters": 0.25}.get(r.word(j))
    return (share, j + 1) if share and r.word(j + 1) not in ("an", "of") else None


def move(r: TimeParser, begin: datetime | None, parts: Parts, sign: int) -> datetime:
    """A day, or with None this moment, some time before or after."""
    moved = r.now if begin is None else begin
    for count, grain in parts:
        months = calendar.MONTHS_IN.get(grain)
        if months and count * months == int(count * months):
            moved = calendar.add_months(moved, sign * int(count * months))
        elif grain in w.BELOW_A_DAY and begin is None:
            moved = r.clock_after(
                moved - r.now + timedelta(seconds=sign * count * w.SECONDS[grain])
            )
        else:
            moved += timedelta(seconds=sign * count * w.SECONDS[grain])
    return moved


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
        if grain is Grain.QUARTER:
            text += f"{count * 3:g}M"
        elif years := w.YEARS.get(grain):
            text += f"{count * years:g}Y"
        else:
            text += f"{count:g}{w.CODES[grain]}"
    return text


def finest(parts: Parts) -> Grain:
    """The smallest unit of a duration."""
    return min((grain for _, grain in parts), key=lambda grain: w.SECONDS[grain])


def duration(r: TimeParser, i: int) -> Parsed:
    """How long, or when if it says from where to count."""
    counted = _away(r, i)
    if counted:
        return counted
    j = i + 2 if _compares(r, i) else i
    if r.word(i) in ("the", "all", "whole"):
        return _whole_unit(r, i)
    found = compound(r, j)
    return (_plain(found[0]), found[1]) if found else None


def any_day(r: TimeParser, i: int) -> Parsed:
    """A day by its name or date, or counted from another: "a week from today", "the day before"."""
    found = day(r, i)
    number = r.tokens[i].kind == NUMBER
    if number or r.word(i) in COUNTS:
        away = _away(r, i)
        if away and away[0].is_day and (not found or away[1] > found[1]):
            return away
    return found or (None if number else day_of_period(r, i))


def _compares(r: TimeParser, i: int) -> bool:
    return r.word(i) in ("more", "less", "longer", "shorter") and r.word(i + 1) == "than"


def _away(r: TimeParser, i: int) -> Parsed:
    """Some time before or after a day, a moment, or the time named last."""
    if i not in r.aways:
        r.aways[i] = _read_away(r, i)
    return r.aways[i]


def _read_away(r: TimeParser, i: int) -> Parsed:
    if r.word(i) in ("in", "within", "inside"):
        return _ahead(r, i)
    compared = _compares(r, i)
    j = r.skip(i, "the")
    if j == i and (found := compound(r, i + 2 if compared else i)):
        return _counted_from(r, i, *found, compared)
    grain = Grain.DAY if r.word(j) in w.DAYPART_CODES else w.UNITS.get(r.word(j))
    if not grain or grain in w.BELOW_A_DAY or r.word(j + 1) not in ("before", "after", "following"):
        return None
    if r.says(j + 1, "after", "next") or r.says(j + 1, "before", "last"):
        return in_unit(r, grain, 2 if r.word(j + 1) == "after" else -2, j + 3)
    sign = -1 if r.word(j + 1) == "before" else 1
    if (origin := any_day(r, j + 2)) and origin[0].begin:
        return _unit_beside(origin[0].begin, grain, sign), origin[1]
    k = r.skip(j + 2, "that", "this", "it")
    if not r.anchor or j == i or (r.tokens[k].kind == WORD and r.word(k) not in _GOES_ON):
        return None
    return _unit_beside(r.anchor[0], grain, sign), k


def _unit_beside(day_: datetime, grain: Grain, sign: int) -> Point:
    """The day, week, weekend … before or after that of a day."""
    near = grain is Grain.WEEKEND and sign > 0 and day_.weekday() < 5
    span = calendar.unit(day_, grain, 0 if near else sign)
    return days(span, grain)


def _plain(parts: Parts) -> Point:
    length = seconds(parts)
    return Point(TimeKind.DURATION, None, None, finest(parts), seconds=length, timex=timex(parts))


def _whole_unit(r: TimeParser, i: int) -> Parsed:
    """Reads "all week", "the whole day", "for the hour"."""
    j = r.skip(r.skip(i, "the", "all"), "whole", "entire")
    unit = w.UNITS.get(r.word(j))
    hour = r.word(i) == "the" and unit in w.BELOW_A_DAY and r.before(i) == "for"
    if unit is Grain.SECOND and not _counts_seconds(r, 1, j):
        return None
    if unit and (hour or (r.word(i) == "all" and r.word(j) in ("day", "week", "month", "year"))):
        return _plain([(1.0, unit)]), j + 1
    return None


def _ahead(r: TimeParser, i: int) -> Parsed:
    """Reads "in 3 days", "within 5 minutes", "in two weeks since 2011"."""
    found = compound(r, i + 1)
    if not found:
        return None
    parts, j = found
    if r.word(i) != "in":
        return stretch(r, parts, 1), j
    counted = _counted_from(r, i, parts, j, False)
    if not counted and r.past(i) and r.word(j) != "time":
        return _plain(parts), j
    k = r.skip(j, "'")
    j = k + 1 if r.word(k) == "time" else j
    return counted or (moment(r, parts, 1), j)


def moment(r: TimeParser, parts: Parts, sign: int, origin: datetime | None = None) -> Point:
    """The time this long before or after now or a time: a day, or a moment for hours and less."""
    grain = finest(parts)
    if grain in w.BELOW_A_DAY:
        begin = move(r, origin, parts, sign)
        return Point(TimeKind.DATETIME, begin, begin + timedelta(seconds=1), grain)
    begin = calendar.midnight(move(r, origin or r.today, parts, sign))
    return Point(TimeKind.DATE, begin, begin + DAY, grain)


def stretch(r: TimeParser, parts: Parts, sign: int) -> Point:
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
    if r.word(j) == "ago" and (first := _amount(r, i)):  # "the last 3 months, and 2 days ago …"
        parts, j = [first[0]], first[1]
    count, grain = parts[0]
    if grain not in (Grain.QUARTER, Grain.DECADE, Grain.CENTURY) or len(parts) > 1:
        return stretch(r, parts, sign), j
    near, far = (calendar.unit(r.today, grain, sign * nth) for nth in (1, int(count)))
    return Point(TimeKind.DATERANGE, min(near[0], far[0]), max(near[1], far[1]), grain), j


def _counted_from(r: TimeParser, i: int, parts: Parts, j: int, compared: bool) -> Parsed:
    """Reads "... ago", "... from now", "... after Easter"; the place `j` is behind the duration."""
    word, then = r.word(j), r.word(j + 1)
    in_days = finest(parts) not in w.BELOW_A_DAY
    named = r.anchor[0] if r.anchor else None
    if word == "ago" or (word == "back" and (r.tokens[j + 1].kind != WORD or r.past(i))):
        return _ago(r, parts, j + 1)
    if word in _SIGNS and then not in ("this", "in", "than", "today", "tonight"):
        return moment(r, parts, _SIGNS[word], named), j + 1
    if word in ("before", "after") and then in ("that", "this") and r.tokens[j + 2].kind != WORD:
        coming = r.comes if word == "before" and not r.past(i) else None
        return moment(r, parts, 1 if word == "after" else -1, coming or named), j + 2
    if word == "from" and then in ("now", "today") and (then == "now" or in_days):
        return moment(r, parts, 1), j + 2
    if word == "starting" and in_days:
        start = any_day(r, r.skip(j + 1, "from", "on"))
        if start and start[0].begin:
            end = move(r, start[0].begin, parts, 1)
            point = Point(TimeKind.DATERANGE, start[0].begin, end, finest(parts))
            return point, start[1]
    weeks = word == "on" and parts[-1][1] is Grain.WEEK and (then in w.WEEKDAYS or then in w.DAYS)
    if (word in ("before", "after", "from", "since", "following") or weeks) and in_days:
        offset = _offset(r, i, parts, j, compared)
        if offset or word != "before":
            return offset
    ahead = word in ("before", "beforehand", "ahead", "prior") or r.says(j, "in", "advance")
    in_days = in_days or seconds(parts) >= DAY.total_seconds()
    if ahead and in_days and r.comes and (r.comes == named or not r.past(i)):
        return moment(r, parts, -1, r.comes), j + 1 + (word == "in")  # "the 9th; a week before"
    return None


def _ago(r: TimeParser, parts: Parts, j: int) -> Parsed:
    """Reads "two weeks ago", "ten years ago today", "three weeks ago on Sunday"."""
    point = moment(r, parts, -1)
    k = r.skip(j, "on")
    if point.is_day and r.word(k) == "today":
        return point, k + 1
    if point.is_day and point.begin and parts[-1][1] is Grain.WEEK and r.word(k) in w.WEEKDAYS:
        begin = calendar.week(point.begin)[0] + w.WEEKDAYS[r.word(k)] * DAY
        return date(begin), k + 1
    return point, j


def _offset(r: TimeParser, i: int, parts: Parts, j: int, compared: bool) -> Parsed:
    start = any_day(r, j + 1) or year_named(r, r.skip(j + 1, "the"))
    if not start or start[0].begin is None:
        return None
    point, k = start
    origin = _next_occurrence(r, point) if r.word(j) != "before" else point.begin
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


def _next_occurrence(r: TimeParser, point: Point) -> datetime | None:
    """The start to count on from: of a day without a year the next one, unless it is recent."""
    if point.begin and point.nth and point.begin < r.today - WEEK * 40:
        following = point.nth(1)
        return following[0] if following else point.begin
    return point.begin
