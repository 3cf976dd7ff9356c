"""Find the time expressions of a text, and resolve them against the time it was said.

    1 quick check         is there any word of time at all?
    2 tokens              words, numbers and signs with their places
    3 expression          at each word that can begin one, the longest expression there
    4 zone                the wall clock becomes a moment in the time zone of the text

Where the text leaves open which year, month or week is meant, the verbs around decide between the
last and the next; if they do not, it is the next. "Since" is past, "until" is not. Numbers of the
form 5/3 are month and day. A week begins on Monday; "next Friday" is in the next week.

Of German, French and Spanish only days and periods relative to the text are read ("gestern", "la
semaine dernière", "el año pasado"), and "… ago" with a number ("vor drei Tagen"). Weekdays are read
in these, in Italian, Portuguese and Dutch; "nächsten Freitag" is the first one after today there.
"""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from sharpwave.errors import InvalidInput
from sharpwave.temporal import calendar, tokens
from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import DAY
from sharpwave.temporal.dates import nearest_weekday
from sharpwave.temporal.durations import moment
from sharpwave.temporal.parsing import Parsed, Point, TimeParser, date, days
from sharpwave.temporal.ranges import expression
from sharpwave.temporal.sets import EVERY
from sharpwave.temporal.tokens import ISO, NUMBER, ORDINAL, TimeToken
from sharpwave.types.statements import Span
from sharpwave.types.times import Grain, TimeExpression

_DAYS = {
    "heute": 0, "gestern": -1, "vorgestern": -2, "übermorgen": 2,
    "aujourd'hui": 0, "hier": -1, "avant-hier": -2, "demain": 1, "après-demain": 2,
    "hoy": 0, "ayer": -1, "anteayer": -2, "pasado mañana": 2,
}  # fmt: skip
_UNITS = {
    Grain.DAY: "tag tage tagen jour jours día días dia dias",
    Grain.WEEK: "woche wochen semaine semaines semana semanas settimana settimane week weken",
    Grain.MONTH: "monat monate monaten mois mes meses",
    Grain.YEAR: "jahr jahre jahren an ans année années año años",
}
_UNIT = {word: grain for grain, words in _UNITS.items() for word in words.split()}
_LAST = (
    "letzte letzten letztes letzter vergangene vergangenen dernier dernière pasado pasada"
    " scorso scorsa passado passada vorige afgelopen"
)
_NEXT = (
    "nächste nächsten nächstes nächster kommende kommenden prochain prochaine próximo próxima"
    " prossimo prossima komende aanstaande volgende"
)
_THIS = "diese diesen dieses dieser cette este esta questo questa deze"
_SHIFT = {
    word: shift for shift, words in ((-1, _LAST), (1, _NEXT), (0, _THIS)) for word in words.split()
}
_WEEKDAYS = {
    word: number
    for number, words in enumerate(
        (
            "montag lundi lunes lunedì lunedi segunda maandag",
            "dienstag mardi martes martedì martedi terça dinsdag",
            "mittwoch mercredi miércoles miercoles mercoledì mercoledi quarta woensdag",
            "donnerstag jeudi jueves giovedì giovedi quinta donderdag",
            "freitag vendredi viernes venerdì venerdi sexta vrijdag",
            "samstag sonnabend samedi sábado sabado sabato zaterdag",
            "sonntag dimanche domingo domenica zondag",
        )
    )
    for word in words.split()
}
_FEIRA = frozenset("segunda terça quarta quinta sexta".split())
"""Weekdays before "-feira" or behind one of `_BEFORE_FEIRA`; else "second", "third" …"""
_BEFORE_FEIRA = frozenset("na próxima nesta".split())
_BEFORE_DOMINGO = frozenset("el o no ao do este próximo".split())
"""Before "Domingo" with a capital, which is also a name."""
_BEFORE_NO_DAY = frozenset(
    "jeden jeder chaque los cada ogni toda todo aos nas elke iedere herr frau herrn".split()
)
"""Before a weekday that is repeated, or a name: "jeden Freitag", "Frau Freitag"."""
_PAST = frozenset(
    """war waren hatte hatten ging gemacht getroffen était étais avait avais fait fui fue fuimos
    estuve estuvo tuve hice hizo ero era ho fatto foi fomos estava tive fiz heb gedaan""".split()
)
"""Words that show the past beside a weekday, besides those of English."""
_HOURS = frozenset("uhr h heures heure horas uur :".split())
_BEFORE_A_NUMBER = ("den", "dem", "der", "le", "el", "il", "dia", "día", "de")
_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            "einem einer un une una uno", "zwei deux dos", "drei trois tres",
            "vier quatre cuatro", "fünf cinq cinco", "sechs six seis", "sieben sept siete",
            "acht huit ocho", "neun neuf nueve", "zehn dix diez",
        ),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
_AGO: tuple[tuple[tuple[str, ...], int], ...] = (
    (("vor",), -1), (("il", "y", "a"), -1), (("hace",), -1),
    (("in",), 1), (("dans",), 1), (("dentro", "de"), 1),
)  # fmt: skip

LANGUAGE_NAMES = frozenset(
    (_DAYS.keys() - {"aujourd'hui", "avant-hier", "après-demain", "pasado mañana"})
    | {"aujourd", "hui"}
    | (_UNIT.keys() - {"an", "ans", "mes", "dia", "dias"})
    | _WEEKDAYS.keys()
)
"""A text without any of these has no expression of these languages; all but "an" and "mes"."""
LANGUAGE_STARTS = (
    _DAYS.keys()
    | {"avant", "après", "pasado", "la", "le", "el"}
    | {words[0] for words, _ in _AGO}
    | _SHIFT.keys()
    | _UNIT.keys()
    | _WEEKDAYS.keys()
)


def phrase(r: TimeParser, i: int) -> Parsed:
    """The expression of another language at a place."""
    if r.word(i) not in LANGUAGE_STARTS:
        return None
    return _day(r, i) or _ago(r, i) or _shifted(r, i) or _weekday(r, i)


def _day(r: TimeParser, i: int) -> Parsed:
    for size, joint in ((3, ""), (2, " "), (1, "")):
        word = joint.join(r.word(i + n) for n in range(size))
        if word in _DAYS:
            return date(r.today + timedelta(days=_DAYS[word])), i + size
    return None


def _ago(r: TimeParser, i: int) -> Parsed:
    for words, sign in _AGO:
        if not r.says(i, *words):
            continue
        j = i + len(words)
        count = tokens.digits(r.tokens, j) or _NUMBERS.get(r.word(j))
        grain = _UNIT.get(r.word(j + 1))
        if count and grain:
            return moment(r, [(count, grain)], sign), j + 2
    return None


def _shifted(r: TimeParser, i: int) -> Parsed:
    """Reads "letzte Woche", "la semaine dernière", "el año pasado", "este mes"."""
    j = i + (r.word(i) in ("la", "le", "el"))
    for first, second in ((j, j + 1), (j + 1, j)):
        shift, grain = _SHIFT.get(r.word(first)), _UNIT.get(r.word(second))
        if shift is not None and grain and grain is not Grain.DAY:
            span, k = calendar.unit(r.today, grain, shift), r.skip(j + 2, "am")
            if grain is Grain.WEEK and r.word(k) in _WEEKDAYS:  # "nächste Woche Freitag"
                return date(span[0] + DAY * _WEEKDAYS[r.word(k)]), k + 1
            return days(span, grain), j + 2
    return None


def _weekday(r: TimeParser, i: int) -> Parsed:
    """Reads "(am) Freitag", "nächsten Freitag", "vendredi dernier", "na sexta-feira".

    Without "last", "this" or "next" it is the first after today, or with a word of the past the
    last before. Before a date ("Freitag, 5. Juni") it names no day by itself.
    """
    place = i + (r.word(i) in _SHIFT)
    number = _WEEKDAYS.get(r.word(place))
    if number is None or not _is_weekday(r, place):
        return None
    j = place + (3 if r.says(place + 1, "-", "feira") else 1)
    k = r.skip(r.skip(j, ","), *_BEFORE_A_NUMBER)
    if r.tokens[k].kind in _NUMBER_KINDS and ":" not in r.word(k) and r.word(k + 1) not in _HOURS:
        return None
    if week := next((k for k in range(j, j + 4) if _UNIT.get(r.word(k)) is Grain.WEEK), 0):
        return _of_week(r, week, number)
    shift = _SHIFT.get(r.word(i))
    if place == i and (shift := _SHIFT.get(r.word(j))) is not None:
        j += 1
    if shift == 0 or r.word(i) == "volgende":
        return date(calendar.unit(r.today, Grain.WEEK, shift or 0)[0] + DAY * number), j
    if shift is None:
        past = r.past(place) or any(r.word(k) in _PAST for k in range(max(0, i - 8), j + 8))
        shift = -1 if past else 1
    return date(nearest_weekday(r.today, number, shift)), j


def _is_weekday(r: TimeParser, i: int) -> bool:
    """Whether a weekday's name means a single day, not every such day, a rank or a person."""
    word, before = r.word(i), r.before(i)
    if word in _FEIRA and not r.says(i + 1, "-", "feira") and before not in _BEFORE_FEIRA:
        return False
    is_name = word == "domingo" and r.capital(i) and before not in _BEFORE_DOMINGO
    return before not in _BEFORE_NO_DAY and not is_name


def _of_week(r: TimeParser, k: int, number: int) -> Parsed:
    """Reads "(Freitag) nächste Woche", "(vendredi) de la semaine prochaine"."""
    for place, end in ((k - 1, k + 1), (k + 1, k + 2)):
        if (shift := _SHIFT.get(r.word(place))) is not None:
            return date(calendar.unit(r.today, Grain.WEEK, shift)[0] + DAY * number), end
    return None


_PIECE = re.compile(r"[a-z\u00df-\u00ff]+|[0-9]")
_MANY_DAYPARTS = {f"{word}s" for word in w.DAYPARTS}
_NAMES = frozenset(
    w.MONTHS.keys() | w.WEEKDAYS.keys() | w.MANY_WEEKDAYS.keys() | w.DECADES.keys()
    | w.UNITS.keys() | w.FORTNIGHT | w.DAYS.keys() | w.TONIGHT | w.DAYPARTS.keys()
    | w.MEALS.keys() | w.NOONS.keys() | w.SEASONS.keys() | w.FREQUENCIES.keys()
    | calendar.NAMES | _MANY_DAYPARTS | LANGUAGE_NAMES
    | {"now", "eod", "eow", "eom", "eoq", "eoy", "weekdays", "workweek", "present",
       "moment", "o'clock", "oclock", "clock", "date", "weekday", "workday", "pm", "ish"}
)  # fmt: skip
_HINTS = _NAMES | frozenset("0123456789") | (w.ORDINALS.keys() - {"first", "second", "third"})
"""A text without any of these is not tokenized."""
_ASK_AN_HOUR = frozenset(
    "am at past half quarter around about until till from between by after before since".split()
)
"""Words of time beside a number in words: "at six thirty"."""
_STARTS = (
    _NAMES | calendar.FIRST_WORDS | LANGUAGE_STARTS | w.SHIFTS.keys() | w.EDGES.keys()
    | EVERY | w.DIGITS.keys() | w.TENS.keys() | w.ORDINALS.keys() | w.SOME.keys()
    | {words[0] for words, _ in w.RELATIONS}
    | {"the", "a", "an", "another", "in", "within", "inside", "at", "from", "between", "right",
       "all", "once", "twice", "bi", "semi", "q", "h", "fy", "cy", "sy", "fiscal", "school",
       "calendar", "longer", "during", "for", "around", "'"}
)  # fmt: skip
_REACHED = (
    _NAMES | calendar.FIRST_WORDS | w.DIGITS.keys() | w.TENS.keys() | w.ORDINALS.keys()
    | {"q", "h"}
)  # fmt: skip
_BEHIND_THAT = w.UNITS.keys() | w.DAYPARTS.keys() | w.WEEKDAYS.keys()
_NUMBER_KINDS = frozenset({NUMBER, ORDINAL, ISO})
_MAX_NUMBERS = 6
"""Maximum number of numbers in a row that may be a date and a time."""
_MAX_CHARS = 50_000
"""Maximum number of characters that are read; a longer message is a file rather than talk."""
_MAX_TRIES = 1500
"""Maximum number of places at which an expression is parsed."""
_REACH = 8
"""Tokens within which an expression has a name or number; other places do not count as tried."""


def without_times(text: str, at: datetime) -> str:
    """The text without the times that it names, and the prepositions before them.

    >>> without_times("Write the report by Friday", datetime(2024, 5, 20, tzinfo=UTC))
    'Write the report'
    """
    rest = text
    for time in reversed(find(text, at)):
        rest = f"{_BEFORE_A_TIME.sub('', rest[: time.span.start])} {rest[time.span.end :]}"
    return " ".join(rest.split())


_BEFORE_A_TIME = re.compile(r"\b(?:at|by|for|from|in|on|the|until)\s*$", re.IGNORECASE)


def find(text: str, at: datetime) -> list[TimeExpression]:
    """The time expressions of a text that was said `at` a moment, in order.

    >>> [found] = find("We met two weeks ago.", datetime(2024, 5, 20, tzinfo=UTC))
    >>> found.text, found.start.isoformat(), found.kind.value
    ('two weeks ago', '2024-05-06T00:00:00+00:00', 'date')
    """
    if at.tzinfo is None:
        raise InvalidInput("the moment a text was said needs a time zone")
    if not _names_time(text.lower()):
        return []
    reader = TimeParser(text[:_MAX_CHARS], at)
    tokens = reader.tokens
    found: list[TimeExpression] = []
    behind, named, tries = 0, -1, 0
    for i in _starts(tokens):
        if i < behind:
            continue
        named = max(named, i)
        while named < i + _REACH and not (
            tokens[named].kind in _NUMBER_KINDS or tokens[named].word in _REACHED
        ):  # every expression has such a word or number
            named += 1
        if named >= i + _REACH:
            continue
        tries += 1
        if tries > _MAX_TRIES:
            break
        try:
            read = _read(reader, i)
        except RecursionError:  # "the day after the day after …", hundreds of times
            break
        if read:
            found.append(read[0])
            behind = read[1]
            reader.remember(read[2])
    return found


def _names_time(lower: str) -> bool:
    """Whether a text in lower case has any word of time."""
    words = _PIECE.findall(lower)
    pieces = set(words)
    if not _HINTS.isdisjoint(pieces):
        return True
    return not w.HOURS.isdisjoint(pieces) and _has_spoken_hour(words)


def _has_spoken_hour(words: list[str]) -> bool:
    """Whether an hour in words has a word of time beside it: "at six thirty", "ten past one"."""
    return any(
        (second in w.HOURS and first in _ASK_AN_HOUR)
        or (first in w.HOURS and second in ("am", "past"))
        for first, second in pairwise(words)
    )


def _starts(tokens: list[TimeToken]) -> list[int]:
    """Where an expression can begin; not in the midst of a table of numbers."""
    found, numbers = [], 0
    for i in range(len(tokens) - 1, -1, -1):
        kind, word, start, end, glued = tokens[i]
        numbers = numbers + 1 if kind == NUMBER else 0
        begins = word in _STARTS or kind in _NUMBER_KINDS
        if word == "that" and end - start == len(word):  # not "that's"
            begins = tokens[i + 1].word in _BEHIND_THAT
        if begins and not glued and numbers <= _MAX_NUMBERS:
            found.append(i)
    return found[::-1]


def _read(r: TimeParser, i: int) -> tuple[TimeExpression, int, Point] | None:
    """The expression at a place; none if it lies outside the calendar."""
    try:
        parsed = expression(r, i) or phrase(r, i)
        if not parsed:
            return None
        return _placed(r, i, *parsed), parsed[1], parsed[0]
    except (OverflowError, ValueError):  # a year beyond 1 to 9999: not representable
        return None


def _placed(r: TimeParser, i: int, point: Point, j: int) -> TimeExpression:
    span = Span(r.tokens[i].start, r.tokens[j - 1].end)
    start, end = _zoned(r, point.begin), _zoned(r, point.end)
    if start and end and end.timestamp() < start.timestamp():
        end = start
    return TimeExpression(
        span,
        r.text[span.start : span.end],
        point.kind,
        point.grain,
        start,
        end,
        point.relation,
        _zoned(r, point.bound),
        point.seconds,
        point.timex,
    )


def _zoned(r: TimeParser, moment: datetime | None) -> datetime | None:
    """The wall clock as a moment; an hour skipped in spring is read as the hour after it.

    Raises OverflowError for hours at the ends of the calendar that are beyond it in UTC.
    """
    if moment is None:
        return None
    return moment.replace(tzinfo=r.at.tzinfo).astimezone(UTC).astimezone(r.at.tzinfo)
