"""The English words of time, each with its number. The lists are in `data/time_words.toml`."""

import tomllib
from importlib.resources import files
from typing import Any

from sharpwave.types.times import Grain

LISTS: dict[str, Any] = tomllib.loads(
    (files("sharpwave") / "data" / "time_words.toml").read_text("utf-8")
)


def words(name: str) -> frozenset[str]:
    """A list of the file."""
    return frozenset(LISTS[name].split())


def numbered(text: str, first: int = 1) -> dict[str, int]:
    """The words between two bars get the same number, counted from `first`."""
    parts = enumerate(text.split("|"), start=first)
    return {word: number for number, part in parts for word in part.split()}


MONTHS = numbered(LISTS["months"])
WEEKDAYS = numbered(LISTS["weekdays"], first=0)
MANY_WEEKDAYS = frozenset(f"{word}s" for word in WEEKDAYS if word.endswith("day"))
AMBIGUOUS = words("ambiguous")
DIGITS = numbered(LISTS["digits"], first=0)
HOURS = DIGITS.keys() - {"zero", "oh"}
TENS = {word: 10 * number for word, number in numbered(LISTS["tens"], first=2).items()}
ORDINALS = numbered(LISTS["ordinals"]) | {"thirtieth": 30}
DECADES = {word: 10 * number for word, number in numbered(LISTS["decades"], first=2).items()}
SOME = {"few": 3.0, "couple": 2.0, "several": 3.0, "some": 3.0, "half": 0.5}

UNITS = {word: Grain(name) for name, text in LISTS["units"].items() for word in text.split()}
SHORT_UNITS = {
    "s": Grain.SECOND, "m": Grain.MINUTE, "h": Grain.HOUR, "d": Grain.DAY,
    "w": Grain.WEEK, "y": Grain.YEAR,
}  # fmt: skip
"""Only directly behind a number: "10d"."""
FORTNIGHT = frozenset({"fortnight", "fortnights"})
SECONDS = {
    Grain.SECOND: 1, Grain.MINUTE: 60, Grain.HOUR: 3600, Grain.DAY: 86_400,
    Grain.WEEKEND: 2 * 86_400, Grain.WEEK: 7 * 86_400, Grain.MONTH: 30 * 86_400,
    Grain.QUARTER: 91 * 86_400, Grain.YEAR: 365 * 86_400, Grain.DECADE: 3650 * 86_400,
    Grain.CENTURY: 36_500 * 86_400, Grain.SEASON: 91 * 86_400,
}  # fmt: skip
BELOW_A_DAY = frozenset({Grain.SECOND, Grain.MINUTE, Grain.HOUR})

SHIFTS = {
    "last": -1, "past": -1, "previous": -1, "prior": -1, "preceding": -1,
    "this": 0, "current": 0, "same": 0, "present": 0,
    "next": 1, "coming": 1, "upcoming": 1, "following": 1,
}  # fmt: skip
DAYS = {
    "today": 0, "yesterday": -1, "yday": -1, "tomorrow": 1, "tmrw": 1, "tmr": 1, "tmw": 1,
    "tomorow": 1, "tommorow": 1, "tommorrow": 1,
}  # fmt: skip
TONIGHT = frozenset({"tonight", "tonite"})

DAYPARTS = {
    "morning": (8, 12), "afternoon": (12, 16), "evening": (16, 20), "night": (20, 24),
    "daytime": (8, 18), "nighttime": (0, 8),
}  # fmt: skip
"""From and to which hour; an evening ends where the night begins."""
NAMED_PARTS = DAYPARTS.keys() - {"nighttime"}
MEALS = {
    "breakfast": (8, 12), "lunch": (11, 13), "dinner": (16, 20), "brunch": (10, 12),
    "breakfasttime": (8, 12), "lunchtime": (11, 13), "dinnertime": (16, 20),
}  # fmt: skip
NOONS = {"noon": 12, "midday": 12, "noonish": 12, "midnight": 0}
MERIDIEMS = {"am": 0, "pm": 12, "a": 0, "p": 12}

CLOCK_ENDINGS = frozenset({*MERIDIEMS, "o'clock", "oclock", "o", ":", "ish", "sharp", "h"})

SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
"""The first month, as in the north; a winter is of the year in which it begins."""

EDGES = {
    "early": "early", "earlier": "earlier", "beginning": "early", "start": "early",
    "mid": "mid", "middle": "mid", "midst": "mid",
    "late": "late", "later": "later", "end": "late", "rest": "rest", "remainder": "rest",
}  # fmt: skip

PADDING = words("padding")
ABOUT = words("about")
ASKS_A_CLOCK = words("asks_a_clock")
TO = frozenset({"to", "-", "~", "until", "till", "til", "through", "thru"})
NOT_A_CLOCK = words("not_a_clock")
FUNCTION_WORDS = words("function_words")
FREQUENCIES = words("frequencies")

SINCE, UNTIL, BEFORE, AFTER = "since", "until", "before", "after"
RELATIONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("no", "later", "than"), UNTIL), (("not", "later", "than"), UNTIL),
    (("no", "earlier", "than"), SINCE), (("as", "early", "as"), SINCE),
    (("as", "late", "as"), UNTIL), (("on", "or", "after"), SINCE), (("on", "or", "before"), UNTIL),
    *(((verb, *rest), SINCE) for verb in ("starting", "beginning")
      for rest in (("on",), ("from",), ("in",), ("at",), ())),
    (("ever", "since"), SINCE), (("as", "of"), SINCE), (("up", "to"), UNTIL),
    (("up", "until"), UNTIL), (("up", "till"), UNTIL), (("prior", "to"), BEFORE),
    (("later", "than"), AFTER), (("earlier", "than"), BEFORE), (("greater", "than"), AFTER),
    (("less", "than"), BEFORE), (("more", "than"), AFTER),
    (("since",), SINCE), (("until",), UNTIL), (("till",), UNTIL),
    (("til",), UNTIL), (("by",), UNTIL), (("through",), UNTIL), (("before",), BEFORE),
    (("after",), AFTER),
    (("<", "="), UNTIL), (("≤",), UNTIL), ((">", "="), SINCE), (("≥",), SINCE), (("<",), BEFORE),
    ((">",), AFTER),
)  # fmt: skip
"""Longest first among those with the same first word."""
TRAILING: tuple[tuple[tuple[str, ...], str], ...] = (
    *(((first, second), relation)
    for first in ("or", "and")
    for second, relation in (
        ("later", SINCE), ("after", SINCE), ("onwards", SINCE), ("onward", SINCE),
        ("greater", SINCE), ("above", SINCE), ("earlier", UNTIL), ("before", UNTIL),
    )),
    (("onwards",), SINCE), (("onward",), SINCE),
)  # fmt: skip

VERBS_BEFORE_LAST = words("verbs_before_last")
PAST_CUES = words("past_cues")
NOT_PAST = words("not_past")
PRESENT_CUES = words("present_cues")
SETS_A_DATE = words("sets_a_date")
FUTURE_CUES = words("future_cues")

DAY_WORDS = frozenset(
    WEEKDAYS.keys() | MONTHS.keys() | DAYS.keys() | TONIGHT | ORDINALS.keys() | TENS.keys()
    | SHIFTS.keys() | {"the", "after", "before", "from", "of", "ago", "later", "in"}
)  # fmt: skip
TIME_WORDS = frozenset(
    WEEKDAYS.keys() | MANY_WEEKDAYS | DAYS.keys() | TONIGHT | SHIFTS.keys() | FREQUENCIES
    | EDGES.keys()
)  # fmt: skip
SHORT_NAMES = frozenset(word for word in (*WEEKDAYS, *MONTHS) if len(word) < 5) - {
    "may",
    "june",
    "july",
}
"""They may end with a full stop."""
