"""Times of day: "3pm", "half past seven", "noon", "in the morning", "from 2 to 4".

An hour without am or pm is a guess: 1 to 6 are in the afternoon, 7 to 12 are not.
"""

from dataclasses import dataclass, replace

from sharpwave.temporal.expressions.durations import compound, seconds
from sharpwave.temporal.expressions.english import numbers
from sharpwave.temporal.expressions.english import words as w
from sharpwave.temporal.expressions.english.tokens import NUMBER
from sharpwave.temporal.expressions.reading import Reader
from sharpwave.types.times import Grain

HOUR, NOON, WHOLE_DAY = 3600, 12 * 3600, 24 * 3600
_NOT_A_CLOCK = frozenset("% percent dollars euros points people times of".split())
_TO = frozenset({"to", "-", "~", "until", "till", "through", "thru"})
_LATE = frozenset({"afternoon", "evening", "night"})


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds since midnight; a time that is only a moment has no end."""

    begin: int
    end: int | None
    grain: Grain
    sure: bool
    """Nothing is left to guess about morning or afternoon."""
    timex: str = ""


Read = tuple[Clock, int] | None


def clock(r: Reader, i: int, bare: bool = False) -> Read:
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


def guess(time: Clock) -> Clock:
    """An hour from 1 to 6 without am or pm is in the afternoon."""
    if not time.sure and HOUR <= time.begin < 7 * HOUR:
        return replace(time, begin=time.begin + NOON)
    return time


def adjust(time: Clock, part: str) -> Clock:
    """The time as it is in the morning or evening."""
    begin = time.begin
    if not time.sure and part in _LATE and begin < NOON and not (part == "night" and begin < 5):
        begin += NOON
    elif not time.sure and part == "morning" and begin >= NOON:
        begin -= NOON
    return replace(time, begin=begin, sure=True)


def _noon(r: Reader, i: int) -> Read:
    if r.word(i) == "12" and r.word(i + 1) in w.NOONS:
        i += 1
    if r.word(i) in w.NOONS:
        return Clock(w.NOONS[r.word(i)] * HOUR, None, Grain.HOUR, True), i + 1
    if r.word(i) == "mid" and r.word(i + 1) in ("night", "day"):
        hour = 0 if r.word(i + 1) == "night" else 12
        return Clock(hour * HOUR, None, Grain.HOUR, True), i + 2
    return None


def _past(r: Reader, i: int) -> Read:
    """Reads "half past seven", "ten to 9", "thirty-six minutes past eight"."""
    j = r.skip(i, "a")
    if r.word(j) in ("half", "quarter"):
        minutes, j = (30 if r.word(j) == "half" else 15), j + 1
        named = True
    else:
        counted = numbers.below_hundred(r.tokens, i)
        number = numbers.digits(r.tokens, i)
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


def _plain(r: Reader, i: int, bare: bool) -> Read:
    """Reads "7:56:30 pm", "8.30", "3 p.m.", "four o'clock", "nine thirty", "0730"."""
    read = _digits(r, i) if r.tokens[i].kind == NUMBER else _spoken(r, i)
    if not read:
        return None
    begin, grain, written, j = read
    told = _meridiem(r, j)
    if told is not None:
        if begin >= 13 * HOUR:
            return Clock(begin, None, grain, True), told[1]
        return Clock(begin % NOON + told[0] * HOUR, None, grain, True), told[1]
    if r.word(j) in ("o'clock", "oclock"):
        return Clock(begin, None, grain, begin > NOON), j + 1
    if r.word(j) == "o" and r.word(j + 1) in ("'",) and r.word(j + 2) == "clock":
        return Clock(begin, None, grain, begin > NOON), j + 3
    if r.tokens[j].glued or r.word(j) in _NOT_A_CLOCK or not (written or bare):
        return None
    if not written and (r.word(j) in w.UNITS or r.word(j) in w.MONTHS):
        return None
    sure = begin >= 13 * HOUR or begin < HOUR or r.word(i).startswith("0")
    return Clock(begin, None, grain, sure), j


def _digits(r: Reader, i: int) -> tuple[int, Grain, bool, int] | None:
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


def _spoken(r: Reader, i: int) -> tuple[int, Grain, bool, int] | None:
    """Reads "nine", "nine thirty", "seven twenty-seven", "six oh five"."""
    hour = w.DIGITS.get(r.word(i), 0)
    if not 1 <= hour <= 12:
        return None
    j = i + 1
    if r.word(j) in ("oh", "o") and 0 < w.DIGITS.get(r.word(j + 1), 0) < 10:
        return hour * HOUR + w.DIGITS[r.word(j + 1)] * 60, Grain.MINUTE, False, j + 2
    minutes = numbers.below_hundred(r.tokens, j)
    if minutes and 10 <= minutes[0] < 60:
        return hour * HOUR + minutes[0] * 60, Grain.MINUTE, False, minutes[1]
    return hour * HOUR, Grain.HOUR, False, j


def _meridiem(r: Reader, j: int) -> tuple[int, int] | None:
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


def daypart_behind(r: Reader, j: int) -> tuple[str, int] | None:
    """Reads "… in the morning", "… at night", "… early morning"."""
    k = r.skip(r.skip(j, "in", "at", "during"), "the")
    k = r.skip(k, "early", "late")
    return (r.word(k), k + 1) if r.word(k) in w.DAYPARTS else None


def daypart(r: Reader, i: int, needs_in: bool = True) -> Read:
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


def part_of_day(hours: tuple[int, int], half: str, name: str) -> Clock:
    """Some hours, or the first or second half of them."""
    begin, end = hours[0] * HOUR, hours[1] * HOUR
    middle = (begin + end) // 2
    if half in ("early", "earlier"):
        end = middle
    elif half in ("late", "later"):
        begin = middle
    return Clock(begin, end, Grain.HOUR, True, w.DAYPART_CODES.get(name, ""))


# --- from one time to another ---------------------------------------------------------------------


def clock_range(r: Reader, i: int, bare: bool = False) -> Read:
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


def _long_from(r: Reader, i: int) -> Read:
    """Reads "for 2 hours from 2pm"."""
    length = compound(r, i + 1)
    if not length or r.word(length[1]) not in ("from", "starting"):
        return None
    start = clock(r, r.skip(length[1] + 1, "at", "from"), bare=True)
    if not start:
        return None
    return replace(start[0], end=start[0].begin + int(seconds(length[0]))), start[1]


def join(one: Clock, two: Clock) -> Clock:
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
    return Clock(begin, end, grain, one.sure or two.sure)
