"""How often: "every Monday", "weekly", "each day at 3pm", "Tuesday mornings", "once a week"."""

from sharpwave.temporal.expressions.clocks import Clock, clock
from sharpwave.temporal.expressions.english import numbers
from sharpwave.temporal.expressions.english import words as w
from sharpwave.temporal.expressions.english.tokens import NUMBER
from sharpwave.temporal.expressions.reading import Parsed, Point, Reader
from sharpwave.types.times import Grain, TimeKind

EVERY = frozenset({"every", "each", "any"})
_TIMES = frozenset({"once", "twice", "times"})
_CODES = {**w.CODES, Grain.QUARTER: "3M", Grain.DECADE: "10Y", Grain.CENTURY: "100Y"}
_MANY_DAYPARTS = {f"{name}s": name for name in w.DAYPART_CODES}

_STARTS = frozenset(
    EVERY | w.FREQUENCIES.keys() | w.MANY_WEEKDAYS.keys() | w.WEEKDAYS.keys()
    | _MANY_DAYPARTS.keys() | w.DIGITS.keys() | w.TENS.keys()
    | {"bi", "semi", "weekends", "weekdays", "once", "twice"}
)  # fmt: skip


def repeat(r: Reader, i: int) -> Parsed:
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


def _every(r: Reader, i: int) -> Parsed:
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
    elif counted := numbers.amount(r.tokens, j) or numbers.ordinal(r.tokens, j):
        count, j = counted
    grain = w.UNITS.get(r.word(j))
    if not grain:
        return None
    return _at(r, _every_so(count, grain), j + 1, grain, grain is Grain.DAY and count == 1)


def _every_year(r: Reader, j: int) -> Parsed:
    """Reads "every summer", "each May", "every May 3rd"."""
    word = r.word(j)
    if word in w.SEASONS:
        return _set(w.SEASON_CODES[word], Grain.YEAR), j + 1
    number = numbers.day_number(r.tokens, j + 1)
    if number:
        return _set(f"XXXX-{w.MONTHS[word]:02d}-{number[0]:02d}", Grain.YEAR), number[1]
    return _set(f"XXXX-{w.MONTHS[word]:02d}", Grain.YEAR), j + 1


def _every_so(count: float, grain: Grain) -> str:
    if grain is Grain.QUARTER:
        return f"P{count * 3:g}M"
    return f"P{'T' if grain in w.BELOW_A_DAY else ''}{count:g}{_CODES[grain]}"


def _often(r: Reader, i: int) -> Parsed:
    """Reads "once a week", "twice a day", "three times a month"."""
    j = i
    count = numbers.amount(r.tokens, i)
    if count and r.word(count[1]) == "times":
        j = count[1]
    if r.word(j) not in _TIMES or r.word(j + 1) not in ("a", "an", "per", "every", "each"):
        return None
    grain = w.UNITS.get(r.word(j + 2))
    return (_set(_every_so(1, grain), grain), j + 3) if grain else None


def _at(r: Reader, timex: str, j: int, grain: Grain, timed: bool) -> Parsed:
    """The same with a time of day behind it."""
    time = clock(r, r.skip(j, "at", "@"), bare=r.word(j) == "at") if timed else None
    if not time:
        return _set(timex, grain), j
    base = "" if timex == "P1D" else timex
    return _set(base + _clock_code(time[0]), grain), time[1]


def _clock_code(time: Clock) -> str:
    hour, rest = divmod(time.begin, 3600)
    return f"T{hour:02d}" + (f":{rest // 60:02d}" if time.grain is not Grain.HOUR else "")


def timed_every_day(r: Reader, time: Clock, j: int) -> Parsed:
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


def day_of_every(r: Reader, i: int) -> Parsed:
    """Reads "the 19th of every month"."""
    number = numbers.day_number(r.tokens, i)
    if not number or r.word(number[1]) != "of" or r.word(number[1] + 1) not in EVERY:
        return None
    if r.word(number[1] + 2) != "month":
        return None
    return _set(f"XXXX-XX-{number[0]:02d}", Grain.MONTH), number[1] + 3


def _set(timex: str, grain: Grain) -> Point:
    return Point(TimeKind.SET, None, None, grain, timex=timex)
