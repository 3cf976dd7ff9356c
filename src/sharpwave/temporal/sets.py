"""Repeated times: "every Monday at 5", "twice a week", "the 19th of every month"."""

from sharpwave.temporal import tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.parsing import Parsed, Point, TimeParser
from sharpwave.temporal.times_of_day import HOUR, Hours, hours, part_behind, settle
from sharpwave.temporal.tokens import NUMBER, ORDINAL
from sharpwave.types.times import Grain, TimeKind

EVERY = frozenset({"every", "each", "any"})
_TIMES = frozenset({"once", "twice", "times"})
_MANY_DAYPARTS = {f"{name}s": name for name in w.DAYPART_CODES}
_STARTS = frozenset(
    EVERY | w.FREQUENCIES.keys() | w.MANY_WEEKDAYS.keys() | w.WEEKDAYS.keys()
    | _MANY_DAYPARTS.keys() | w.DIGITS.keys() | w.TENS.keys()
    | {"bi", "semi", "weekends", "weekdays", "once", "twice", "the"}
)  # fmt: skip


def repeat(r: TimeParser, i: int) -> Parsed:
    """A repeated time, with the part of the day and the clock behind it."""
    word = r.word(i)
    if word not in _STARTS and r.tokens[i].kind not in (NUMBER, ORDINAL):
        return None
    if word == "the":
        number = _day_of_every(r, i + 1)
        return (_set(number[0], number[1]), number[2]) if number else None
    found = _base(r, i)
    if not found:
        return None
    timex, grain, j = found
    timed = _clock_behind(r, j, _part_in(timex)) if _takes_a_clock(timex) else None
    return (_set(_joined(timex, timed[0]), grain), timed[1]) if timed else (_set(timex, grain), j)


def timed_repeat(r: TimeParser, time: Hours, j: int) -> Parsed:
    """Reads "3pm each day", "6am everyday", "4pm every Monday": the place is behind the time."""
    if r.word(j) not in EVERY and r.word(j) not in ("everyday", "daily"):
        j = r.skip(j, "on")
        if r.word(j) not in w.MANY_WEEKDAYS:
            return None
    found = _base(r, j)
    if not found or not _takes_a_clock(found[0]) or time.is_range or not time.certain:
        return None
    return _set(_joined(found[0], _code(time, _part_in(found[0]))), found[1]), found[2]


Base = tuple[str, Grain, int] | None


def _base(r: TimeParser, i: int) -> Base:
    word = r.word(i)
    if word in EVERY:
        return _every(r, i + 1)
    if word in w.FREQUENCIES:
        return w.FREQUENCIES[word], Grain.DAY, i + 1
    if word in ("bi", "semi") and r.word(i + 1) == "-" and word + r.word(i + 2) in w.FREQUENCIES:
        return w.FREQUENCIES[word + r.word(i + 2)], Grain.DAY, i + 3
    if word in w.MANY_WEEKDAYS:
        return _on_weekday(w.MANY_WEEKDAYS[word], r, i + 1)
    if word in w.WEEKDAYS and r.word(i + 1) in _MANY_DAYPARTS:
        return _on_weekday(w.WEEKDAYS[word], r, i + 1)
    if word in _MANY_DAYPARTS and r.before(i) != "the":
        return f"T{w.DAYPART_CODES[_MANY_DAYPARTS[word]]}", Grain.DAY, i + 1
    if word in ("weekends", "weekdays") and r.before(i) not in w.DIGITS:
        return "P1WE" if word == "weekends" else "P1WD", Grain.WEEK, i + 1
    return _often(r, i) or _day_of_every(r, i)


def _on_weekday(number: int, r: TimeParser, j: int) -> Base:
    part = _MANY_DAYPARTS.get(r.word(j), r.word(j))
    code = f"XXXX-WXX-{number + 1}"
    if part in w.DAYPART_CODES:
        return f"{code}T{w.DAYPART_CODES[part]}", Grain.WEEK, j + 1
    return code, Grain.WEEK, j


def _every(r: TimeParser, j: int) -> Base:
    """Behind "every": a weekday, a part of the day, a month or date, or a number of units."""
    if r.word(j) in ("other", "second", "single") and r.word(j + 1) in w.WEEKDAYS:
        j += 1
    j = r.skip(j, "single")
    word = r.word(j)
    if word in w.WEEKDAYS:
        return _on_weekday(w.WEEKDAYS[word], r, j + 1)
    if word in ("weekday", "workday"):
        return "P1WD", Grain.DAY, j + 1
    if word in w.DAYPART_CODES:
        return f"T{w.DAYPART_CODES[word]}", Grain.DAY, j + 1
    if word in w.SEASONS:
        return w.SEASON_CODES[word], Grain.YEAR, j + 1
    if word in w.MONTHS:
        number = tokens.day_number(r.tokens, j + 1)
        code = f"XXXX-{w.MONTHS[word]:02d}"
        return (
            (f"{code}-{number[0]:02d}", Grain.YEAR, number[1])
            if number
            else (code, Grain.YEAR, j + 1)
        )
    count: float = 1
    if word in ("other", "second") and r.word(j + 1) in w.UNITS:
        count, j = 2, j + 1
    elif word in w.SOME or word == "a":
        k = r.skip(j, "a")
        count, j = w.SOME.get(r.word(k), 1), r.skip(r.skip(k + 1, "of"), "an", "a")
    elif counted := tokens.amount(r.tokens, j) or tokens.ordinal(r.tokens, j):
        count, j = counted
    grain = w.UNITS.get(r.word(j))
    return (_every_so(count, grain), grain, j + 1) if grain else None


def _every_so(count: float, grain: Grain) -> str:
    if grain is Grain.QUARTER:
        return f"P{count * 3:g}M"
    if years := w.YEARS.get(grain):
        return f"P{count * years:g}Y"
    return f"P{'T' if grain in w.BELOW_A_DAY else ''}{count:g}{w.CODES[grain]}"


def _often(r: TimeParser, i: int) -> Base:
    """Reads "once a week", "twice a day", "three times a month"."""
    j = i
    count = tokens.amount(r.tokens, i)
    if count and r.word(count[1]) == "times":
        j = count[1]
    if r.word(j) not in _TIMES or r.word(j + 1) not in ("a", "an", "per", "every", "each"):
        return None
    grain = w.UNITS.get(r.word(j + 2))
    return (_every_so(1, grain), grain, j + 3) if grain else None


def _day_of_every(r: TimeParser, i: int) -> Base:
    """Reads "the 19th of every month"."""
    is_expected = r.word(i + 1) == "of" or r.word(i) in w.TENS
    number = tokens.day_number(r.tokens, i) if is_expected else None
    if not number or r.word(number[1]) != "of" or r.word(number[1] + 1) not in EVERY:
        return None
    month = r.word(number[1] + 2) == "month"
    return (f"XXXX-XX-{number[0]:02d}", Grain.MONTH, number[1] + 3) if month else None


# --- at a time ------------------------------------------------------------------------------------


def _takes_a_clock(timex: str) -> bool:
    return timex in ("P1D", "P1WD", "P1WE") or timex.startswith(("XXXX-W", "T"))


def _part_in(timex: str) -> str:
    code = timex.partition("T")[2]
    return next((name for name, known in w.DAYPART_CODES.items() if known == code), "")


def _clock_behind(r: TimeParser, j: int, name: str) -> tuple[str, int] | None:
    part = part_behind(r, j)
    name, k = part if part else (name, j)
    found = hours(r, r.skip(k, ","))
    if found and found[0].certain and not found[0].is_range:
        return _code(found[0], name), found[1]
    return (f"T{w.DAYPART_CODES[name]}", k) if part and name in w.DAYPART_CODES else None


def _code(time: Hours, name: str) -> str:
    hour, rest = divmod(settle(time, name)[0], HOUR)
    return f"T{hour:02d}" + (f":{rest // 60:02d}" if time.first.grain is not Grain.HOUR else "")


def _joined(timex: str, clock: str) -> str:
    """The code with a clock in place of a part of the day; for every day the clock alone."""
    base = timex.partition("T")[0]
    return clock if base == "P1D" else base + clock


def _set(timex: str, grain: Grain) -> Point:
    return Point(TimeKind.SET, None, None, grain, timex=timex)
