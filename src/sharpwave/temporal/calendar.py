"""Arithmetic on dates without a zone: days, weeks, months, and holidays by name."""

from calendar import monthrange
from collections.abc import Callable
from datetime import datetime, timedelta

from sharpwave.temporal import words as w
from sharpwave.temporal.tokens import TimeToken
from sharpwave.types.times import Grain

Days = tuple[datetime, datetime]
"""From a moment up to, not including, another."""
DAY = timedelta(days=1)
WEEK = timedelta(days=7)
MONTHS_IN = {
    Grain.MONTH: 1, Grain.QUARTER: 3, Grain.YEAR: 12, Grain.DECADE: 120, Grain.CENTURY: 1200,
}  # fmt: skip


def midnight(moment: datetime) -> datetime:
    """The beginning of a day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def add_months(day: datetime, months: int) -> datetime:
    """The same day some months on, or the last of a shorter month.

    >>> add_months(datetime(2024, 1, 31), 1)
    datetime.datetime(2024, 2, 29, 0, 0)
    """
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return day.replace(year=year, month=month, day=min(day.day, monthrange(year, month)[1]))


def day(year: int, month: int, number: int) -> Days | None:
    """A day, or None if it does not exist, such as 30 February."""
    if not (1 <= month <= 12 and 1 <= number <= monthrange(year, month)[1]):
        return None
    begin = datetime(year, month, number)
    return begin, begin + DAY


def months(year: int, month: int, count: int = 1) -> Days:
    """Some months, from the first of one."""
    begin = datetime(year, month, 1)
    return begin, add_months(begin, count)


def years(year: int, count: int = 1) -> Days:
    """Some years."""
    return datetime(year, 1, 1), datetime(year + count, 1, 1)


def week(moment: datetime) -> Days:
    """The week a day is in, from its Monday."""
    begin = midnight(moment) - timedelta(days=moment.weekday())
    return begin, begin + WEEK


def unit(today: datetime, grain: Grain, shift: int) -> Days:
    """The week, month, year … of a day, or the one `shift` before or after it."""
    if grain in (Grain.WEEK, Grain.WEEKEND):
        monday = week(today)[0] + WEEK * shift
        return (monday + 5 * DAY if grain is Grain.WEEKEND else monday), monday + WEEK
    if grain is Grain.DAY:
        begin = midnight(today) + DAY * shift
        return begin, begin + DAY
    size = MONTHS_IN[grain]
    index = ((today.year * 12 + today.month - 1) // size + shift) * size
    return months(index // 12, index % 12 + 1, size)


def week_of_year(year: int, number: int) -> Days:
    """A week by its ISO number: the first is the one with 4 January."""
    begin = week(datetime(year, 1, 4))[0] + WEEK * (number - 1)
    return begin, begin + WEEK


def nth_weekday(begin: datetime, end: datetime, weekday: int, nth: int) -> datetime | None:
    """The nth such weekday of a period; -1 is the last."""
    if nth < 0:
        last = end - DAY
        found = last - timedelta(days=(last.weekday() - weekday) % 7)
    else:
        found = begin + timedelta(days=(weekday - begin.weekday()) % 7 + 7 * (nth - 1))
    return found if begin <= found < end else None


def business_days(moment: datetime, count: int) -> Days:
    """The next or, below zero, the previous working days, without today."""
    step = DAY if count > 0 else -DAY
    today = midnight(moment)
    current = today
    for _ in range(min(abs(count), 3000)):
        current += step
        while current.weekday() > 4:
            current += step
    return (today + DAY, current + DAY) if count > 0 else (current, today)


def easter(year: int) -> datetime:
    """Easter Sunday, Gregorian.

    >>> easter(2024)
    datetime.datetime(2024, 3, 31, 0, 0)
    """
    century = year // 100
    moon = (19 * (year % 19) + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    moon -= (moon // 28) * (1 - (29 // (moon + 1)) * ((21 - year % 19) // 11))
    sunday = moon - (year + year // 4 + moon + 2 - century + century // 4) % 7
    month = 3 + (sunday + 40) // 44
    return datetime(year, month, sunday + 28 - 31 * (month // 4))


Rule = Callable[[int], datetime | None]


def _fixed(month: int, day: int) -> Rule:
    return lambda year: datetime(year, month, day)


def _weekday(month: int, weekday: int, nth: int, plus: int = 0) -> Rule:
    def rule(year: int) -> datetime | None:
        found = nth_weekday(*months(year, month), weekday, nth)
        return found + timedelta(days=plus) if found else None

    return rule


def _from_easter(days: int) -> Rule:
    return lambda year: easter(year) + timedelta(days=days)


_RULES: dict[str, Rule] = {
    "new year's day|new years day|new year|new years|new year's": _fixed(1, 1),
    "new year's eve|new years eve|nye|hogmanay": _fixed(12, 31),
    "epiphany|twelfth night": _fixed(1, 6),
    "burns night": _fixed(1, 25),
    "australia day": _fixed(1, 26),
    "waitangi day": _fixed(2, 6),
    "martin luther king day|mlk day": _weekday(1, 0, 3),
    "groundhog day|candlemas": _fixed(2, 2),
    "valentine's day|valentines day|saint valentine|st valentine|valentine's": _fixed(2, 14),
    "presidents day|president's day|presidents' day|washington's birthday": _weekday(2, 0, 3),
    "international women's day|women's day": _fixed(3, 8),
    "saint patrick's day|st patrick's day|st patricks day|saint patrick|st patrick"
    "|paddy's day|paddys day": _fixed(3, 17),
    "lady day": _fixed(3, 25),
    "april fools' day|april fool's day|april fools day|april fools": _fixed(4, 1),
    "ash wednesday": _from_easter(-46),
    "mardi gras|shrove tuesday": _from_easter(-47),
    "palm sunday": _from_easter(-7),
    "maundy thursday": _from_easter(-3),
    "good friday": _from_easter(-2),
    "easter sunday|easter day|easter": _from_easter(0),
    "easter monday": _from_easter(1),
    "ascension day": _from_easter(39),
    "pentecost|whit sunday|whitsun": _from_easter(49),
    "whit monday": _from_easter(50),
    "corpus christi": _from_easter(60),
    "tax day": _fixed(4, 15),
    "earth day": _fixed(4, 22),
    "anzac day": _fixed(4, 25),
    "may day|labour day|international workers' day": _fixed(5, 1),
    "star wars day": _fixed(5, 4),
    "cinco de mayo": _fixed(5, 5),
    "mother's day|mothers day|mothers' day": _weekday(5, 6, 2),
    "memorial day": _weekday(5, 0, -1),
    "father's day|fathers day|fathers' day": _weekday(6, 6, 3),
    "juneteenth|freedom day|jubilee day": _fixed(6, 19),
    "canada day": _fixed(7, 1),
    "independence day|fourth of july|july fourth": _fixed(7, 4),
    "bastille day": _fixed(7, 14),
    "labor day": _weekday(9, 0, 1),
    "columbus day|indigenous peoples day|indigenous peoples' day": _weekday(10, 0, 2),
    "michaelmas": _fixed(9, 29),
    "halloween|hallowe'en|all hallows eve": _fixed(10, 31),
    "all saints day|all saints' day|all saints|all hallows": _fixed(11, 1),
    "all souls day|all souls' day|day of the dead": _fixed(11, 2),
    "guy fawkes night|bonfire night|guy fawkes day": _fixed(11, 5),
    "veterans day|veteran's day|armistice day|remembrance day": _fixed(11, 11),
    "thanksgiving day|thanksgiving": _weekday(11, 3, 4),
    "black friday": _weekday(11, 3, 4, plus=1),
    "cyber monday": _weekday(11, 3, 4, plus=4),
    "saint nicholas day|st nicholas day": _fixed(12, 6),
    "christmas eve|xmas eve": _fixed(12, 24),
    "christmas day|christmas|xmas|x mas": _fixed(12, 25),
    "boxing day|st stephen's day|saint stephen's day": _fixed(12, 26),
}


def _plain(word: str) -> str:
    """Without the apostrophe and its ending, as tokens have it."""
    return word.removesuffix("'s").removesuffix("'")


_BY_FIRST_WORD: dict[str, list[tuple[tuple[str, ...], Rule]]] = {}
for _names, _rule in _RULES.items():
    for _name in _names.split("|"):
        _words = tuple(_plain(word) for word in _name.split())
        _BY_FIRST_WORD.setdefault(_words[0], []).append((_words, _rule))
for _named in _BY_FIRST_WORD.values():
    _named.sort(key=lambda pair: -len(pair[0]))

FIRST_WORDS = frozenset(_BY_FIRST_WORD)
_OTHERWISE_NAMED = w.UNITS.keys() | w.WEEKDAYS.keys() | w.MONTHS.keys()
NAMES = frozenset(
    max(words, key=len)
    for named in _BY_FIRST_WORD.values()
    for words, _ in named
    if _OTHERWISE_NAMED.isdisjoint(words)
)
"""A text without any of these, and without a unit, weekday or month, names no holiday."""
_ALONE = frozenset({("new", "year"), ("new", "years"), ("valentine",)})
"""Holidays only behind a word that expects a day: "happy new year", "a new year" are none."""
_ASKS = frozenset("on for at and until till by before after since last next this over".split())


def holiday(tokens: list[TimeToken], i: int) -> tuple[Rule, int] | None:
    """The holiday named at a place, and the place behind it."""
    for words, rule in _BY_FIRST_WORD.get(tokens[i].word, ()):
        j = i
        for word in words:
            if tokens[j].word in (".", "'"):
                j += 1
            if tokens[j].word != word:
                break
            j += 1
        else:
            is_day = words not in _ALONE or (i > 0 and tokens[i - 1].word in _ASKS)
            return (rule, j) if is_day else None
    return None


def day_of(rule: Rule, year: int) -> Days | None:
    """The whole day."""
    begin = rule(year)
    return (begin, begin + DAY) if begin else None
