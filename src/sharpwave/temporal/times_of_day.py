"""Times of day and repetitions: "3pm", "half past seven", "from 2 to 4", "every Monday".

An hour without am or pm is a guess: 1 to 6 are in the afternoon, 7 to 12 are not.
"""

from dataclasses import dataclass, replace

from sharpwave.temporal import tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.durations import compound, seconds
from sharpwave.temporal.parsing import Parsed, Point, TimeParser
from sharpwave.temporal.tokens import NUMBER
from sharpwave.types.times import Grain, TimeKind

HOUR, NOON, WHOLE_DAY = 3600, 12 * 3600, 24 * 3600
_NOT_A_CLOCK = frozenset("% percent dollars euros points people times of".split())
_TO = frozenset({"to", "-", "~", "until", "till", "through", "thru"})
_LATE = frozenset({"afternoon", "evening", "night"})


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """Seconds since midnight; a time that is only a moment has no end."""

    begin: int
    end: int | None
    grain: Grain
    sure: bool
    """Nothing is left to guess about morning or afternoon."""
    timex: str = ""


Read = tuple[TimeOfDay, int] | None


def clock(r: TimeParser, i: int, bare: bool = False) -> Read:
    """A time of day; with `bare` a number alone is one: "at 4"."""
    j = r.skip(i, "early", "late") if r.word(i + 1) not in w.DAYPARTS else i
    found = _noon(r, j) or _past(r, j) or _plain(r, j, bare)
    if not found:
        return None
    time, j = found
    part = daypart_behind(r, j)
    if part:
        return adjust(time, part[0]), part[1]
    return guess(time), j


def guess(time: TimeOfDay) -> TimeOfDay:
    """An hour from 1 to 6 without am or pm is in the afternoon."""
    if not time.sure and HOUR <= time.begin < 7 * HOUR:
        return replace(time, begin=time.begin + NOON)
    return time


def adjust(time: TimeOfDay, part: str) -> TimeOfDay:
    """The time as it is in the morning or evening."""
    begin = time.begin
    if not time.sure and part in _LATE and begin < NOON and not (part == "night" and begin < 5):
        begin += NOON
    elif not time.sure and part == "morning" and begin >= NOON:
        begin -= NOON
    return replace(time, begin=begin, sure=True)


def _noon(r: TimeParser, i: int) -> Read:
    if r.word(i) == "12" and r.word(i + 1) in w.NOONS:
        i += 1
    if r.word(i) in w.NOONS:
        return TimeOfDay(w.NOONS[r.word(i)] * HOUR, None, Grain.HOUR, True), i + 1
    if r.word(i) == "mid" and r.word(i + 1) in ("night", "day"):
        hour = 0 if r.word(i + 1) == "night" else 12
        return TimeOfDay(hour * HOUR, None, Grain.HOUR, True), i + 2
    return None


def _past(r: TimeParser, i: int) -> Read:
    """Reads "half past seven", "ten to 9", "thirty-six minutes past eight"."""
    j = r.skip(i, "a")
    if r.word(j) in ("half", "quarter"):
        minutes, j = (30 if r.word(j) == "half" else 15), j + 1
        named = True
    else:
        counted = tokens.below_hundred(r.tokens, i)
        number = tokens.digits(r.tokens, i)
        if not counted and (number is None or not 0 < number < 60):
            return None
        minutes, j = counted or (number or 0, i + 1)
        named = r.word(j) in ("minutes", "minute", "mins")
        j += named
    if r.word(j) not in ("past", "to", "after") or (r.word(j) != "past" and not named):
        return None
    sign = 1 if r.word(j) != "to" else -1
    hour = _plain(r, j + 1, bare=True)
    if not hour or hour[0].grain is not Grain.HOUR:
        return None
    time, j = hour
    begin = (time.begin + sign * minutes * 60) % WHOLE_DAY
    return replace(time, begin=begin, grain=Grain.MINUTE), j


def _plain(r: TimeParser, i: int, bare: bool) -> Read:
    """Reads "7:56:30 pm", "8.30", "3 p.m.", "four o'clock", "nine thirty", "0730"."""
    read = _digits(r, i) if r.tokens[i].kind == NUMBER else _spoken(r, i)
    if not read:
        return None
    begin, grain, written, j = read
    meridiem = _meridiem(r, j)
    if meridiem is not None:
        if begin >= 13 * HOUR:
            return TimeOfDay(begin, None, grain, True), meridiem[1]
        return TimeOfDay(begin % NOON + meridiem[0] * HOUR, None, grain, True), meridiem[1]
    if r.word(j) in ("o'clock", "oclock"):
        return TimeOfDay(begin, None, grain, begin > NOON), j + 1
    if r.word(j) == "o" and r.word(j + 1) in ("'",) and r.word(j + 2) == "clock":
        return TimeOfDay(begin, None, grain, begin > NOON), j + 3
    if r.tokens[j].glued or r.word(j) in _NOT_A_CLOCK or not (written or bare):
        return None
    if not written and (r.word(j) in w.UNITS or r.word(j) in w.MONTHS):
        return None
    sure = begin >= 13 * HOUR or begin < HOUR or r.word(i).startswith("0")
    return TimeOfDay(begin, None, grain, sure), j


def _digits(r: TimeParser, i: int) -> tuple[int, Grain, bool, int] | None:
    """Seconds, grain, whether it can only be a time, and the place behind."""
    text = r.word(i)
    sign = ":" if ":" in text else "."
    parts = text.split(sign)
    if not all(part.isdigit() and len(part) <= 4 for part in parts) or len(parts) > 3:
        return None
    if len(parts) == 1:
        if len(text) == 4 and text[0] == "0" and int(text[2:]) < 60:
            return int(text[:2]) * HOUR + int(text[2:]) * 60, Grain.MINUTE, False, i + 1
        hour = int(text)
        return (hour * HOUR, Grain.HOUR, False, i + 1) if hour <= 24 and len(text) < 3 else None
    if any(len(part) != 2 for part in parts[1:]) or int(parts[0]) > 24:
        return None
    rest = [int(part) for part in parts[1:]]
    if max(rest) > 59:
        return None
    total = int(parts[0]) * HOUR + rest[0] * 60 + (rest[1] if len(rest) > 1 else 0)
    return total, Grain.SECOND if len(rest) > 1 else Grain.MINUTE, sign == ":", i + 1


def _spoken(r: TimeParser, i: int) -> tuple[int, Grain, bool, int] | None:
    """Reads "nine", "nine thirty", "seven twenty-seven", "six oh five"."""
    hour = w.DIGITS.get(r.word(i), 0)
    if not 1 <= hour <= 12:
        return None
    j = i + 1
    if r.word(j) in ("oh", "o") and 0 < w.DIGITS.get(r.word(j + 1), 0) < 10:
        return hour * HOUR + w.DIGITS[r.word(j + 1)] * 60, Grain.MINUTE, False, j + 2
    minutes = tokens.below_hundred(r.tokens, j)
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
    return (w.MERIDIEMS[word], j + 1) if r.tokens[j].glued else None


# --- parts of a day -------------------------------------------------------------------------------


def daypart_behind(r: TimeParser, j: int) -> tuple[str, int] | None:
    """Reads "… in the morning", "… at night", "… early morning"."""
    k = r.skip(r.skip(j, "in", "at", "during"), "the")
    k = r.skip(k, "early", "late")
    return (r.word(k), k + 1) if r.word(k) in w.DAYPARTS else None


def daypart(r: TimeParser, i: int, needs_in: bool = True) -> Read:
    """Reads "in the morning", "later in the evening", "at lunchtime"."""
    j = i
    half = w.EDGES.get(r.word(i), "") if r.word(i) not in ("end", "start", "beginning") else ""
    j += bool(half)
    k = r.skip(r.skip(j, "in", "at", "during", "around", "by"), "the")
    asked = k > j or bool(half) or not needs_in
    time = r.word(k)
    if k > j and time.endswith("s") and time[:-1] in w.DAYPARTS:
        time = time[:-1]
    if r.word(k) == "night" and r.word(k + 1) == "-" and r.word(k + 2) == "time":
        time, k = "nighttime", k + 2
    meal = time in w.MEALS and k > j and r.word(j) != "in"
    hours = w.DAYPARTS.get(time) or (w.MEALS[time] if meal else None)
    if not hours or not asked or r.before(i) in ("good", "every", "each"):
        return None
    return part_of_day(hours, half, time), k + 1


def part_of_day(hours: tuple[int, int], half: str, name: str) -> TimeOfDay:
    """Some hours, or the first or second half of them."""
    begin, end = hours[0] * HOUR, hours[1] * HOUR
    middle = (begin + end) // 2
    if half in ("early", "earlier"):
        end = middle
    elif half in ("late", "later"):
        begin = middle
    return TimeOfDay(begin, end, Grain.HOUR, True, w.DAYPART_CODES.get(name, ""))


# --- from one time to another ---------------------------------------------------------------------


def clock_range(r: TimeParser, i: int, bare: bool = False) -> Read:
    """Reads "from 2 to 4pm", "10:30 - 11", "between 3 and 5", "from 9 for 2 hours"."""
    prefix = r.word(i) in ("from", "between")
    if r.word(i) == "for":
        return _long_from(r, i)
    j = i + prefix
    first = _plain(r, j, bare=True) or _noon(r, j)
    if not first:
        return None
    one, j = first
    part = daypart_behind(r, j)
    one, j = (adjust(one, part[0]), part[1]) if part else (one, j)
    if r.word(j) == "for" and prefix and (length := compound(r, j + 1)):
        start = one if one.sure else replace(one, sure=True)
        return replace(start, end=start.begin + int(seconds(length[0]))), length[1]
    if r.word(j) not in _TO and not (r.word(j) == "and" and r.word(i) == "between"):
        return None
    second = _plain(r, j + 1, bare=True) or _noon(r, j + 1)
    if not second:
        return None
    two, k = second
    part = daypart_behind(r, k)
    two, k = (adjust(two, part[0]), part[1]) if part else (two, k)
    explicit = one.sure or two.sure or Grain.MINUTE in (one.grain, two.grain)
    return (join(one, two), k) if explicit or prefix or bare else None


def _long_from(r: TimeParser, i: int) -> Read:
    """Reads "for 2 hours from 2pm"."""
    length = compound(r, i + 1)
    if not length or r.word(length[1]) not in ("from", "starting"):
        return None
    start = clock(r, r.skip(length[1] + 1, "at", "from"), bare=True)
    if not start:
        return None
    return replace(start[0], end=start[0].begin + int(seconds(length[0]))), start[1]


def join(one: TimeOfDay, two: TimeOfDay) -> TimeOfDay:
    """From one time to the other, the unsure one in the half of the day that fits."""
    begin, end = one.begin, two.begin
    if two.sure and not one.sure:
        fitting = [each for each in (begin % NOON, begin % NOON + NOON) if each < end]
        begin = max(fitting, default=begin)
    elif not one.sure:
        begin = guess(one).begin
    if not two.sure:
        fitting = [each for each in (end % NOON, end % NOON + NOON) if each > begin]
        end = min(fitting, default=end)
    if end <= begin:
        end += WHOLE_DAY
    grain = min(one.grain, two.grain, key=lambda each: w.SECONDS[each])
    return TimeOfDay(begin, end, grain, one.sure or two.sure)


EVERY = frozenset({"every", "each", "any"})
_TIMES = frozenset({"once", "twice", "times"})
_CODES = {**w.CODES, Grain.QUARTER: "3M", Grain.DECADE: "10Y", Grain.CENTURY: "100Y"}
_MANY_DAYPARTS = {f"{name}s": name for name in w.DAYPART_CODES}

_STARTS = frozenset(
    EVERY | w.FREQUENCIES.keys() | w.MANY_WEEKDAYS.keys() | w.WEEKDAYS.keys()
    | _MANY_DAYPARTS.keys() | w.DIGITS.keys() | w.TENS.keys()
    | {"bi", "semi", "weekends", "weekdays", "once", "twice"}
)  # fmt: skip


def repeat(r: TimeParser, i: int) -> Parsed:
    """What happens again and again."""
    word = r.word(i)
    if word not in _STARTS and r.tokens[i].kind != NUMBER:
        return None
    if word in EVERY:
        return _every(r, i)
    if word in w.FREQUENCIES:
        return _at(r, w.FREQUENCIES[word], i + 1, Grain.DAY, word == "everyday")
    if word in ("bi", "semi") and r.word(i + 1) == "-" and word + r.word(i + 2) in w.FREQUENCIES:
        return _set(w.FREQUENCIES[word + r.word(i + 2)], Grain.DAY), i + 3
    if word in w.MANY_WEEKDAYS:
        return _at(r, f"XXXX-WXX-{w.MANY_WEEKDAYS[word] + 1}", i + 1, Grain.WEEK, True)
    if word in w.WEEKDAYS and r.word(i + 1) in _MANY_DAYPARTS:
        part = w.DAYPART_CODES[_MANY_DAYPARTS[r.word(i + 1)]]
        return _set(f"XXXX-WXX-{w.WEEKDAYS[word] + 1}T{part}", Grain.WEEK), i + 2
    if word in _MANY_DAYPARTS and r.before(i) != "the":
        return _set(f"T{w.DAYPART_CODES[_MANY_DAYPARTS[word]]}", Grain.DAY), i + 1
    if word in ("weekends", "weekdays") and r.before(i) not in w.DIGITS:
        return _set("P1WE" if word == "weekends" else "P1WD", Grain.WEEK), i + 1
    return _often(r, i)


def _every(r: TimeParser, i: int) -> Parsed:
    j = i + 1
    if r.word(j) in ("other", "second") and r.word(j + 1) in w.WEEKDAYS:
        j += 1
    word = r.word(j)
    if word in w.WEEKDAYS:
        return _at(r, f"XXXX-WXX-{w.WEEKDAYS[word] + 1}", j + 1, Grain.WEEK, True)
    if word in ("weekday", "workday"):
        return _set("P1WD", Grain.DAY), j + 1
    if word in w.DAYPART_CODES:
        return _set(f"T{w.DAYPART_CODES[word]}", Grain.DAY), j + 1
    if word in w.MONTHS or word in w.SEASONS:
        return _every_year(r, j)
    count: float = 1
    if word in ("other", "second") and r.word(j + 1) in w.UNITS:
        count, j = 2, j + 1
    elif counted := tokens.amount(r.tokens, j) or tokens.ordinal(r.tokens, j):
        count, j = counted
    grain = w.UNITS.get(r.word(j))
    if not grain:
        return None
    return _at(r, _every_so(count, grain), j + 1, grain, grain is Grain.DAY and count == 1)


def _every_year(r: TimeParser, j: int) -> Parsed:
    """Reads "every summer", "each May", "every May 3rd"."""
    word = r.word(j)
    if word in w.SEASONS:
        return _set(w.SEASON_CODES[word], Grain.YEAR), j + 1
    number = tokens.day_number(r.tokens, j + 1)
    if number:
        return _set(f"XXXX-{w.MONTHS[word]:02d}-{number[0]:02d}", Grain.YEAR), number[1]
    return _set(f"XXXX-{w.MONTHS[word]:02d}", Grain.YEAR), j + 1


def _every_so(count: float, grain: Grain) -> str:
    if grain is Grain.QUARTER:
        return f"P{count * 3:g}M"
    return f"P{'T' if grain in w.BELOW_A_DAY else ''}{count:g}{_CODES[grain]}"


def _often(r: TimeParser, i: int) -> Parsed:
    """Reads "once a week", "twice a day", "three times a month"."""
    j = i
    count = tokens.amount(r.tokens, i)
    if count and r.word(count[1]) == "times":
        j = count[1]
    if r.word(j) not in _TIMES or r.word(j + 1) not in ("a", "an", "per", "every", "each"):
        return None
    grain = w.UNITS.get(r.word(j + 2))
    return (_set(_every_so(1, grain), grain), j + 3) if grain else None


def _at(r: TimeParser, timex: str, j: int, grain: Grain, timed: bool) -> Parsed:
    """The same with a time of day behind it."""
    time = clock(r, r.skip(j, "at", "@"), bare=r.word(j) == "at") if timed else None
    if not time:
        return _set(timex, grain), j
    base = "" if timex == "P1D" else timex
    return _set(base + _clock_code(time[0]), grain), time[1]


def _clock_code(time: TimeOfDay) -> str:
    hour, rest = divmod(time.begin, 3600)
    return f"T{hour:02d}" + (f":{rest // 60:02d}" if time.grain is not Grain.HOUR else "")


def timed_every_day(r: TimeParser, time: TimeOfDay, j: int) -> Parsed:
    """Reads "3pm each day", "6am everyday", "4pm every Monday": the place is behind the time."""
    if r.word(j) not in EVERY and r.word(j) not in ("everyday", "daily"):
        return None
    found = repeat(r, j)
    if not found:
        return None
    base = "" if found[0].timex == "P1D" else found[0].timex
    if base and not base.startswith("XXXX-WXX"):
        return None
    return _set(base + _clock_code(time), found[0].grain), found[1]


def day_of_every(r: TimeParser, i: int) -> Parsed:
    """Reads "the 19th of every month"."""
    number = tokens.day_number(r.tokens, i)
    if not number or r.word(number[1]) != "of" or r.word(number[1] + 1) not in EVERY:
        return None
    if r.word(number[1] + 2) != "month":
        return None
    return _set(f"XXXX-XX-{number[0]:02d}", Grain.MONTH), number[1] + 3


def _set(timex: str, grain: Grain) -> Point:
    return Point(TimeKind.SET, None, None, grain, timex=timex)
