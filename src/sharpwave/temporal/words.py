"""The English words of time, each with its number. Tables only."""

from sharpwave.types.times import Grain


def _table(*lines: str, first: int = 1) -> dict[str, int]:
    """The words of each line get the same number, counted from `first`."""
    return {word: number for number, line in enumerate(lines, start=first) for word in line.split()}


MONTHS = _table(
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
    "august aug", "september sept sep", "october oct", "november nov", "december dec",
)  # fmt: skip
WEEKDAYS = _table(
    "monday mon", "tuesday tue tues", "wednesday wed weds", "thursday thu thur thurs",
    "friday fri", "saturday sat", "sunday sun", first=0,
)  # fmt: skip
MANY_WEEKDAYS = _table(
    "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays", first=0
)

AMBIGUOUS = frozenset("may march mar wed sat sun fall spring dec second".split())
"""Also ordinary words: they need a time word beside them, or a capital inside a sentence."""

DIGITS = _table(
    "zero oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", first=0,
)  # fmt: skip
HOURS = DIGITS.keys() - {"zero", "oh"}
TENS = {
    word: 10 * number
    for word, number in _table(
        "twenty", "thirty", "forty fourty", "fifty", "sixty", "seventy", "eighty", "ninety", first=2
    ).items()
}
ORDINALS = _table(
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth",
) | {"twentieth": 20, "thirtieth": 30}  # fmt: skip
DECADES = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60,
    "seventies": 70, "eighties": 80, "nineties": 90,
}  # fmt: skip
SOME = {"few": 3.0, "couple": 2.0, "several": 3.0, "some": 3.0, "half": 0.5}

_UNITS = {
    Grain.SECOND: "second seconds sec secs",
    Grain.MINUTE: "minute minutes min mins",
    Grain.HOUR: "hour hours hr hrs",
    Grain.DAY: "day days night nights",
    Grain.WEEKEND: "weekend weekends",
    Grain.WEEK: "week weeks wk wks",
    Grain.MONTH: "month months",
    Grain.QUARTER: "quarter quarters",
    Grain.YEAR: "year years yr yrs",
    Grain.DECADE: "decade decades",
    Grain.CENTURY: "century centuries",
}
UNITS = {word: grain for grain, words in _UNITS.items() for word in words.split()}
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
CODES = {
    Grain.SECOND: "S", Grain.MINUTE: "M", Grain.HOUR: "H", Grain.DAY: "D", Grain.WEEKEND: "WE",
    Grain.WEEK: "W", Grain.MONTH: "M", Grain.YEAR: "Y",
}  # fmt: skip
YEARS = {Grain.DECADE: 10, Grain.CENTURY: 100}
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
DAYPART_CODES = {
    "morning": "MO", "afternoon": "AF", "evening": "EV", "night": "NI", "daytime": "DT",
}  # fmt: skip
MEALS = {
    "breakfast": (8, 12), "lunch": (11, 13), "dinner": (16, 20), "brunch": (10, 12),
    "breakfasttime": (8, 12), "lunchtime": (11, 13), "dinnertime": (16, 20),
}  # fmt: skip
NOONS = {"noon": 12, "midday": 12, "noonish": 12, "midnight": 0}
MERIDIEMS = {"am": 0, "pm": 12, "a": 0, "p": 12}

CLOCK_ENDINGS = frozenset({*MERIDIEMS, "o'clock", "oclock", "o", ":", "ish", "sharp", "h"})

SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
"""The first month, as in the north; a winter is of the year in which it begins."""
SEASON_CODES = {"spring": "SP", "summer": "SU", "fall": "FA", "autumn": "FA", "winter": "WI"}

EDGES = {
    "early": "early", "earlier": "earlier", "beginning": "early", "start": "early",
    "mid": "mid", "middle": "mid", "midst": "mid",
    "late": "late", "later": "later", "end": "late", "rest": "rest", "remainder": "rest",
}  # fmt: skip

PADDING = frozenset("straight whole full entire more extra further solid".split())
"""Between a number and its unit."""
ABOUT = frozenset("around about approximately roughly exactly precisely like circa ~".split())
ASKS_A_CLOCK = frozenset(
    "starts start begins ends closes opens leaves departs arrives lands starting".split()
)
TO = frozenset({"to", "-", "~", "until", "till", "til", "through", "thru"})
NOT_A_CLOCK = frozenset(
    """% percent dollars euros points people times of st kr nok sek dkk chf usd eur gbp pln bucks
    quid pounds francs kroner kronor rupees yen""".split()
)
FUNCTION_WORDS = frozenset(
    """a about after again all already also although am an and another any anyway are around as
    at away back bc be because been before between bst but by can cet cos could coz ct did do
    does done dont during each either else est et even every everybody everyone for from get
    gets gmt had has have he he'd he'll he's hence her here hers him his how i i'd i'll i'm i've
    if ill im in instead into is it it'll it's its ive just later latest let's like max maybe me
    might mine my n no nobody not now of off ok okay on once one only or otherwise our out over
    per perhaps please pls pst pt right same shall sharp she she'd she'll she's should since so
    some somebody someone soon sorry still straight such than thanks that that's thats the their
    them then there there's these they they'll they're they've this those though through thru
    til till to too u under unless until up us usually utc w was we we'd we'll we're we've were
    what when where whether which while who will with within without won't would yeah yes yet
    you you'd you'll you're your""".split()
)
"""A number before another word counts it: "at 6 people"."""

FREQUENCIES = {
    "hourly": "PT1H", "daily": "P1D", "nightly": "P1D", "weekly": "P1W", "biweekly": "P2W",
    "fortnightly": "P2W", "monthly": "P1M", "bimonthly": "P2M", "quarterly": "P3M",
    "semiannual": "P0.5Y", "semiannually": "P0.5Y", "biannual": "P0.5Y", "annual": "P1Y",
    "annually": "P1Y", "yearly": "P1Y", "everyday": "P1D",
}  # fmt: skip

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

VERBS_BEFORE_LAST = frozenset(
    """will won't would wouldn't should shouldn't can can't could couldn't may might must to
    didn't doesn't don't not i'll we'll it'll they'll""".split()
)
"""Before them "last" is a verb."""

PAST_CUES = frozenset(
    """was were did had went been ago met saw got came took made said told gave bought left found
    felt began became ate drank wrote ran flew drove spent knew thought grew fell broke sold taught
    caught lost won kept held paid sent read heard built slept woke born happened recently earlier
    didn wasn weren hadn i've we've they've you've he'd she'd docked""".split()
)
NOT_PAST = frozenset("hundred indeed speed breed exceed proceed succeed naked sacred".split())
"""They end like the past."""
SETS_A_DATE = frozenset(
    """planned scheduled rescheduled postponed delayed moved pushed shifted changed put brought set
    booked arranged fixed confirmed slated""".split()
)
FUTURE_CUES = frozenset(
    """will shall going gonna plan plans planning hope hoping want wants wanna let's lets schedule
    remind book due deadline expect expecting upcoming soon i'll we'll he'll she'll they'll you'll
    it'll won't is are isn't aren't it's that's must should can could might next tomorrow until
    by""".split()
)

DAY_WORDS = frozenset(
    WEEKDAYS.keys() | MONTHS.keys() | DAYS.keys() | TONIGHT | ORDINALS.keys() | TENS.keys()
    | SHIFTS.keys() | {"the", "after", "before", "from", "of", "ago", "later", "in"}
)  # fmt: skip
TIME_WORDS = frozenset(
    WEEKDAYS.keys() | MANY_WEEKDAYS.keys() | DAYS.keys() | TONIGHT | SHIFTS.keys()
    | FREQUENCIES.keys() | EDGES.keys()
)  # fmt: skip
SHORT_NAMES = frozenset(word for word in (*WEEKDAYS, *MONTHS) if len(word) < 5) - {
    "may",
    "june",
    "july",
}
"""They may end with a full stop."""
