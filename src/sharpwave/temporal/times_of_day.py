"""Times of day and parts of a day: "3pm", "half past seven", "from 2 to 4", "in the morning".

A clock is kept as it was said until all that belongs to it is read: "3" in "between 3 and 4:30
tomorrow afternoon" is settled by the afternoon. An hour that nothing settles is a guess: 1 to 6
are in the afternoon, 7 to 12 are not.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from sharpwave.temporal import tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.durations import compound, seconds
from sharpwave.temporal.parsing import Point, TimeParser, relation_at, trailing_relation
from sharpwave.temporal.tokens import NUMBER, WORD
from sharpwave.types.times import Grain, TimeKind, TimeRelation

HOUR, NOON, WHOLE_DAY = 3600, 12 * 3600, 24 * 3600
_LATE = frozenset({"afternoon", "evening", "night"})
_FRACTIONS = {"half": 30, "quarter": 15}
_PAST = frozenset({"past", "after", "gone"})
_TO_THE_HOUR = frozenset({"to", "till", "before", "of"})
_MINUTES = frozenset({"minutes", "minute", "mins", "min"})
_BEHIND_MINUTES = _PAST | _TO_THE_HOUR | _MINUTES
_UP_TO = frozenset("by until till til before through than".split())
_SMALL_HOURS = 6 * HOUR
"""Second of the day until which hours "at night" belong to the next day."""
_ASKS_A_MINUTE = frozenset("at by around about until till since before after is was it's".split())
"""Words before "five to eight" as 7:55; elsewhere it is from five to eight."""
_ASKS_AN_HOUR = _ASKS_A_MINUTE | _PAST | _TO_THE_HOUR | {"from", "between", "and", "half"}


@dataclass(frozen=True, slots=True)
class ClockTime:
    """Seconds since midnight."""

    time: int
    grain: Grain
    sure: bool
    """Whether morning or afternoon is known."""
    certain: bool
    """Whether it can only be a time: "at 4" is not certain, "4pm" and "4:15" are."""


@dataclass(frozen=True, slots=True)
class Hours:
    """A time of day, a range of times, or one open at an end; or a part of the day."""

    first: ClockTime
    last: ClockTime | None = None
    length: int | None = None
    relation: TimeRelation = TimeRelation.IN
    certain: bool = True

    @property
    def is_range(self) -> bool:
        """Whether it has an end."""
        return self.last is not None or self.length is not None


Read = tuple[ClockTime, int] | None
ReadHours = tuple[Hours, int] | None


# --- one clock ------------------------------------------------------------------------------------


def clock(r: TimeParser, i: int) -> Read:
    """A time of day, with the part of the day behind it; a number alone is not `certain`."""
    j = r.skip_all(i, w.ABOUT)
    found = _noon(r, j) or _fraction(r, j) or _hour(r, j)
    if not found:
        return None
    time, j = found
    j = j + 3 if r.says(j, "on", "the", "dot") else j
    j = r.skip(j, "sharp", "exactly", "precisely")
    part = part_behind(r, j)
    if not part or (r.word(j) in w.DAYPARTS and not time.certain):
        return time, j
    return replace(in_part(time, part[0]), certain=True), part[1]


def in_part(time: ClockTime, part: str) -> ClockTime:
    """The time as it is in the morning or evening; 2 at night is after midnight."""
    at = time.time
    if time.sure or part not in w.DAYPARTS:
        return time
    if part == "night" and (at % NOON < 5 * HOUR):
        at %= NOON
    elif part in _LATE and at < NOON:
        at += NOON
    elif part == "morning" and at >= NOON:
        at -= NOON
    return replace(time, time=at, sure=True)


def _noon(r: TimeParser, i: int) -> Read:
    i = r.skip(i, "12", "twelve") if r.word(i + 1) in w.NOONS else i
    if r.word(i) == "mid" and r.word(r.skip(i + 1, "-")) in ("night", "day"):
        j = r.skip(i + 1, "-")
        return (_midnight(r, i) if r.word(j) == "night" else _sharp(12)), j + 1
    if r.word(i) == "eod":
        return ClockTime(WHOLE_DAY - 1, Grain.SECOND, True, True), i + 1
    if r.word(i) in w.NOONS:
        hour = w.NOONS[r.word(i)]
        return (_sharp(hour) if hour else _midnight(r, i)), _ish(r, i + 1)
    return None


def _midnight(r: TimeParser, i: int) -> ClockTime:
    """The beginning of a day; the end of it in "until midnight"."""
    return _sharp(24 if r.before(i) in _UP_TO else 0)


def _sharp(hour: int) -> ClockTime:
    return ClockTime(hour * HOUR, Grain.HOUR, True, True)


def _ish(r: TimeParser, j: int) -> int:
    k = r.skip(j, "-")
    return k + 1 if r.word(k) == "ish" else j


def _fraction(r: TimeParser, i: int) -> Read:
    """Reads "half past seven", "half 7", "ten to 9", "thirty-six minutes past eight"."""
    if r.tokens[i].kind == NUMBER and r.word(i + 1) not in _BEHIND_MINUTES:
        return None
    j = r.skip(i, "a")
    minutes = _FRACTIONS.get(r.word(j))
    named = minutes is not None
    if minutes is not None:
        j += 1
        if minutes == 30 and (hour := _hour(r, j)) and hour[0].grain is Grain.HOUR:
            at = hour[0].time + 30 * 60
            british = replace(hour[0], time=at, grain=Grain.MINUTE, certain=True)
            return (british, hour[1]) if not _counts(r, hour[1]) else None
    else:
        counted = tokens.amount(r.tokens, i)
        if not counted or not 0 < counted[0] < 60 or counted[0] != int(counted[0]):
            return None
        minutes, j = int(counted[0]), counted[1]
        named = r.word(j) in _MINUTES
        j += named
    word = r.word(j)
    if word not in _PAST and word not in _TO_THE_HOUR:
        return None
    whole = _noon(r, j + 1) or _hour(r, j + 1)
    if not whole or whole[0].grain is not Grain.HOUR:
        return None
    time, k = whole
    if not named and not _says_minutes(r, i, word, minutes, time.time // HOUR):
        return None
    sign = 1 if word in _PAST else -1
    at = (time.time + sign * minutes * 60) % WHOLE_DAY
    return replace(time, time=at, grain=Grain.MINUTE, certain=True), k


def _says_minutes(r: TimeParser, i: int, word: str, minutes: int, hour: int) -> bool:
    """Whether "ten to seven" is 6:50; it is a range from ten to seven only if that runs forward."""
    if word in _PAST:
        return word == "past" or minutes % 5 == 0
    if word == "of" or minutes % 5:
        return False
    spoken = r.tokens[i].kind == WORD
    backward = spoken and (minutes > 12 or minutes > hour)
    return backward or r.before(i) in _ASKS_A_MINUTE


def _hour(r: TimeParser, i: int) -> Read:
    """Reads "7:56:30 pm", "8.30", "340pm", "four o'clock", "nine thirty", "0730", "5ish"."""
    read = _digits(r, i) if r.tokens[i].kind == NUMBER else _spoken(r, i)
    if not read:
        return None
    at, grain, written, j = read
    meridiem = _meridiem(r, r.skip(j, "o'clock", "oclock"))
    if meridiem is not None:
        late = at >= 13 * HOUR
        return ClockTime(
            at if late else at % NOON + meridiem[0] * HOUR, grain, True, True
        ), meridiem[1]
    sure = at >= 13 * HOUR or at < HOUR or r.word(i).startswith("0")
    behind = _clock_word(r, i, j)
    if behind > j:
        return ClockTime(at, grain, sure, True), behind
    if at > WHOLE_DAY or (len(r.word(i)) > 2 and r.word(i).isdigit() and r.word(i)[0] != "0"):
        return None
    if r.tokens[j].glued or r.word(j) in w.NOT_A_CLOCK or (r.word(i) == "one" and _joins(r, j)):
        return None
    if not written and (r.word(j) in w.UNITS or r.word(j) in w.MONTHS):
        return None
    return ClockTime(at, grain, sure, written), j


def _clock_word(r: TimeParser, i: int, j: int) -> int:
    """The place behind "o'clock", "ish", the "hours" of "0730 hours", the "h" of "at 19h"."""
    if r.word(j) in ("o'clock", "oclock"):
        return j + 1
    if r.word(j) == "o" and r.word(k := r.skip(j + 1, "'")) == "clock":
        return k + 1
    military = len(r.word(i)) == 4 and r.word(i).isdigit() and r.word(j) in ("hours", "hrs", "h")
    if military or (r.word(j) == "h" and r.before(i) in ("at", "@")):
        return j + 1
    return _ish(r, j)


def _joins(r: TimeParser, j: int) -> bool:
    """Whether "one" before a place is not an hour: "at one with it", "that one this morning"."""
    return r.word(j) == "with" or (j > 1 and r.tokens[j - 2].word not in _ASKS_AN_HOUR)


def _digits(r: TimeParser, i: int) -> tuple[int, Grain, bool, int] | None:
    """Seconds, grain, whether it can only be a time, and the place behind."""
    text = r.word(i)
    sign = ":" if ":" in text else "."
    parts = text.split(sign)
    if not all(part.isdigit() and len(part) <= 4 for part in parts) or len(parts) > 3:
        return None
    if len(parts) == 1 and len(text) > 2:
        parts, sign = [text[:-2], text[-2:]], ""
    hour, *rest = (int(part) for part in parts)
    if hour > 24 or any(len(part) != 2 for part in parts[1:]) or any(part > 59 for part in rest):
        return None
    j = i + 1
    if not rest and (spaced := _spaced(r, j)):
        rest, j = spaced
    elif not rest and (minutes := tokens.below_hundred(r.tokens, j)) and 10 <= minutes[0] < 60:
        rest, j = ([minutes[0]], minutes[1]) if r.word(minutes[1]) not in w.UNITS else (rest, j)
    grain = (Grain.HOUR, Grain.MINUTE, Grain.SECOND)[len(rest)]
    at = hour * HOUR + sum(part * 60 ** (1 - n) for n, part in enumerate(rest))
    return at, grain, sign == ":" and j == i + 1 and bool(rest), j


def _spaced(r: TimeParser, j: int) -> tuple[list[int], int] | None:
    """Minutes and seconds behind spaces, if am or pm follows: the "56 30" of "7 56 30 pm"."""
    rest: list[int] = []
    while len(rest) < 2 and len(r.word(j)) == 2 and (tokens.digits(r.tokens, j) or 60) < 60:
        rest.append(int(r.word(j)))
        j += 1
    return (rest, j) if rest and _meridiem(r, j) else None


def _spoken(r: TimeParser, i: int) -> tuple[int, Grain, bool, int] | None:
    """Reads "nine", "nine thirty", "seven twenty-seven", "six oh five"."""
    hour = w.DIGITS.get(r.word(i), 0)
    if not 1 <= hour <= 12:
        return None
    j = i + 1
    if r.word(j) in ("oh", "o") and 0 < w.DIGITS.get(r.word(j + 1), 0) < 10:
        return hour * HOUR + w.DIGITS[r.word(j + 1)] * 60, Grain.MINUTE, False, j + 2
    minutes = tokens.below_hundred(r.tokens, r.skip(j, "-"))
    if minutes and 10 <= minutes[0] < 60:
        return hour * HOUR + minutes[0] * 60, Grain.MINUTE, False, minutes[1]
    return hour * HOUR, Grain.HOUR, False, j


def _meridiem(r: TimeParser, j: int) -> tuple[int, int] | None:
    """Hours to add for am or pm, in all its writings, and the place behind."""
    word = r.word(j)
    if word in ("am", "pm"):
        return w.MERIDIEMS[word], r.skip(j + 1, ".") if r.word(j + 1) == "m" else j + 1
    if word not in ("a", "p"):
        return None
    k = r.skip(j + 1, ".")
    if r.word(k) == "m":
        dotted = k > j + 1 and r.word(k + 1) == "."
        return w.MERIDIEMS[word], k + 1 + dotted
    short = not r.before(j).isdigit() or len(r.before(j)) < 3
    return (w.MERIDIEMS[word], j + 1) if r.tokens[j].glued and short else None


def _counts(r: TimeParser, j: int) -> bool:
    """Whether the number before a place counts the noun there: "at 6 people" is no time."""
    token = r.tokens[j]
    content = token.kind == WORD and token.word not in w.FUNCTION_WORDS
    return token.kind == NUMBER or (content and token.word not in w.TIME_WORDS)


# --- hours ----------------------------------------------------------------------------------------


def hours(r: TimeParser, i: int) -> ReadHours:
    """One clock, or from one to another: "at 4", "from 2 to 4pm", "for 2 hours from 2pm"."""
    word = r.word(i)
    if word == "for":
        return _long_from(r, i)
    prefix = word in ("from", "between")
    j = i + 1 if prefix else r.skip(i, "at", "@")
    expected = j > i or j < r.skip_all(j, w.ABOUT) or r.before(i) in w.ASKS_A_CLOCK
    first = clock(r, j)
    if not first:
        return None
    start, j = first
    if prefix and r.word(j) == "for" and (length := compound(r, j + 1)):
        return Hours(replace(start, sure=True), length=int(seconds(length[0]))), length[1]
    second = None
    if r.word(j) in w.TO or (r.word(j) == "and" and word == "between"):
        second = clock(r, r.skip(j + 1, "at"))
    if second:
        stop, k = second
        certain = start.certain or stop.certain or Grain.MINUTE in (start.grain, stop.grain)
        if certain or not _counts(r, k):
            return Hours(start, stop, certain=certain or prefix or expected), k
    if prefix:
        onward = word == "from" and r.word(j) in ("on", "onward", "onwards") and start.certain
        since = Hours(start, relation=TimeRelation.SINCE)
        return (since, j + 1) if onward and r.word(j + 1) not in w.DAY_WORDS else None
    sound = start.certain or not _counts(r, j)
    return (Hours(start, certain=start.certain or expected), j) if sound else None


def _long_from(r: TimeParser, i: int) -> ReadHours:
    """Reads "for 2 hours from 2pm"."""
    length = compound(r, i + 1)
    if not length or r.word(length[1]) not in ("from", "starting"):
        return None
    start = clock(r, r.skip(length[1] + 1, "at", "from"))
    return (Hours(start[0], length=int(seconds(length[0]))), start[1]) if start else None


def limited_hours(r: TimeParser, i: int) -> ReadHours:
    """Hours behind a day: also "after 5pm", "until noon", "5pm or later"."""
    limit = relation_at(r, i)
    if limit:
        since = limit[0] is TimeRelation.SINCE
        ranged = hours(r, r.skip(limit[1], "from", "at")) if since else None
        if ranged and ranged[0].is_range:
            return ranged
        found = clock(r, r.skip(limit[1], "at"))
        day_ = not found or (r.word(i) in ("through", "thru") and not found[0].certain)
        return None if day_ or not found else (Hours(found[0], relation=limit[0]), found[1])
    plain = hours(r, i)
    if not plain or plain[0].is_range or plain[0].relation is not TimeRelation.IN:
        return plain
    behind = trailing_relation(r, plain[1])
    return (replace(plain[0], relation=behind[0]), behind[1]) if behind else plain


# --- parts of a day -------------------------------------------------------------------------------


def part_behind(r: TimeParser, j: int) -> tuple[str, int] | None:
    """Reads "… in the morning", "… at night", "… early morning"."""
    k = r.skip(r.skip(j, "in", "at", "during"), "the")
    k = r.skip(r.skip(k, "early", "late"), "-")
    return (r.word(k), k + 1) if r.word(k) in w.DAYPARTS else None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a day by its name, from and to which second."""

    name: str
    begin: int
    end: int


def part_of_day(name: str, half: str = "") -> Part:
    """Some hours, or the first or second half of them."""
    begin, end = (hour * HOUR for hour in w.DAYPARTS.get(name) or w.MEALS[name])
    middle = (begin + end) // 2
    if half in ("early", "earlier"):
        end = middle
    elif half in ("late", "later"):
        begin = middle
    elif half == "mid":
        begin, end = begin + (end - begin) // 4, end - (end - begin) // 4
    return Part(name, begin, end)


def part(r: TimeParser, i: int) -> tuple[Part, int, bool] | None:
    """Reads "in the morning", "late evening", "at lunchtime"; whether it may stand alone."""
    half, j = "", i
    if r.word(i) in w.EDGES and r.word(i) not in ("end", "start", "beginning"):
        half, j = w.EDGES[r.word(i)], r.skip(i + 1, "-")
    k = r.skip(r.skip(j, "in", "on", "at", "during", "around", "by"), "the")
    if not half and r.word(k) in ("early", "late", "mid"):
        half, k = r.word(k), r.skip(k + 1, "-")
    name = r.word(k)
    if name == "night" and r.word(k + 1) == "-" and r.word(k + 2) == "time":
        name, k = "nighttime", k + 2
    if k > j and name.endswith("s") and name[:-1] in w.DAYPARTS:
        name = name[:-1]
    is_expected = name.endswith("time") or (k > j and r.word(j) not in ("in", "on"))
    meal = name in w.MEALS and is_expected
    if (name not in w.DAYPARTS and not meal) or r.before(i) in ("good", "every", "each"):
        return None
    return part_of_day(name, half), k + 1, k > j or bool(half)


# --- settled --------------------------------------------------------------------------------------


def settle(found: Hours, name: str) -> tuple[int, int | None]:
    """From and to which second of a day; `name` is the part of the day they are in."""
    first, last = found.first, found.last
    if found.length is not None:
        begin = _guess(in_part(first, name)).time
        return begin, begin + found.length
    if last is None:
        return _guess(in_part(first, name)).time, None
    first = in_part(first, name) if name == "night" else first  # "tonight from 10 to 1"
    noon = name == "morning" and last.time == NOON
    last = replace(last, sure=True) if noon else in_part(last, name)
    return _join(first, last)


def _guess(time: ClockTime) -> ClockTime:
    if not time.sure and time.time < 7 * HOUR:
        return replace(time, time=time.time + NOON)
    return time


def _join(first: ClockTime, last: ClockTime) -> tuple[int, int]:
    """From one time to the other, the unsure one in the half of the day that fits."""
    begin, end = first.time, last.time
    if last.sure and not first.sure:
        fitting = [time for time in (begin % NOON, begin % NOON + NOON) if time < end]
        begin = max(fitting, default=begin)
    elif not first.sure:
        begin = _guess(first).time
    if not last.sure:
        fitting = [time for time in (end % NOON, end % NOON + NOON) if time > begin]
        end = min(fitting, default=end % NOON)
    return begin, end if end > begin else end + WHOLE_DAY


def on(day: Point, found: Hours | Part, name: str = "") -> Point:
    """Some hours on a day."""
    if isinstance(found, Part):
        begin, end, grain = found.begin, found.end, Grain.HOUR
        kind = TimeKind.DATETIMERANGE
    else:
        begin, settled = settle(found, name)
        if name == "night" and begin < _SMALL_HOURS:  # "tonight at 1am"
            begin, settled = begin + WHOLE_DAY, settled and settled + WHOLE_DAY
        grains = [time.grain for time in (found.first, found.last) if time]
        grain = min(grains, key=lambda grain: w.SECONDS[grain])
        end = begin + w.SECONDS[grain] if settled is None else settled
        kind = TimeKind.DATETIME if settled is None else TimeKind.DATETIMERANGE
    first, last = timedelta(seconds=begin), timedelta(seconds=end)
    made = day.mapped(lambda span: (span[0] + first, span[0] + last), grain)
    if made is None:
        return day
    point = made.of_kind(kind)
    relation = found.relation if isinstance(found, Hours) else TimeRelation.IN
    return point if relation is TimeRelation.IN else limited(point, relation)


def limited(point: Point, relation: TimeRelation) -> Point:
    """Only from or only up to a moment, or the beginning or end of a part of a day."""
    kinds = {TimeKind.DATETIME: TimeKind.DATETIMERANGE, TimeKind.TIME: TimeKind.TIMERANGE}
    kind = kinds.get(point.kind, point.kind)
    moment = point.kind in kinds
    after = point.begin if moment else point.end
    if relation in (TimeRelation.AFTER, TimeRelation.SINCE):
        begin = after if relation is TimeRelation.AFTER else point.begin
        return replace(point, kind=kind, begin=begin, end=None, relation=relation)
    end = point.begin if relation is TimeRelation.BEFORE or moment else point.end
    return replace(point, kind=kind, begin=None, end=end, relation=relation)
