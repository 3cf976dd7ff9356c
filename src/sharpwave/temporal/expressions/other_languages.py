"""The most frequent relative expressions of German, French and Spanish.

Days and periods of the calendar only ("gestern", "la semaine dernière", "el año pasado"), and
"… ago" with a number ("vor drei Tagen", "il y a 2 ans", "hace dos semanas").
"""

from datetime import timedelta

from sharpwave.temporal.calendar import DAY, add_months
from sharpwave.temporal.expressions.english import numbers
from sharpwave.temporal.expressions.reading import Parsed, Point, Reader, date, days
from sharpwave.temporal.expressions.units import unit
from sharpwave.types.times import Grain, TimeKind

_DAYS = {
    "heute": 0, "gestern": -1, "vorgestern": -2, "übermorgen": 2,
    "aujourd'hui": 0, "hier": -1, "avant-hier": -2, "demain": 1, "après-demain": 2,
    "hoy": 0, "ayer": -1, "anteayer": -2, "pasado mañana": 2,
}  # fmt: skip
_UNITS = {
    Grain.DAY: "tag tage tagen jour jours día días dia dias",
    Grain.WEEK: "woche wochen semaine semaines semana semanas",
    Grain.MONTH: "monat monate monaten mois mes meses",
    Grain.YEAR: "jahr jahre jahren an ans année années año años",
}
_UNIT = {word: grain for grain, words in _UNITS.items() for word in words.split()}
_LAST = "letzte letzten letztes letzter vergangene vergangenen dernier dernière pasado pasada"
_NEXT = "nächste nächsten nächstes nächster kommende kommenden prochain prochaine próximo próxima"
_THIS = "diese diesen dieses dieser cette este esta"
_SHIFT = {
    word: shift for shift, words in ((-1, _LAST), (1, _NEXT), (0, _THIS)) for word in words.split()
}
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

NAMES = frozenset(
    (_DAYS.keys() - {"aujourd'hui", "avant-hier", "après-demain", "pasado mañana"})
    | {"aujourd", "hui"}
    | (_UNIT.keys() - {"an", "ans", "mes", "dia", "dias"})
)
"""A text without any of these has no expression of these languages; all but "an" and "mes"."""
STARTS = (
    _DAYS.keys()
    | {"avant", "après", "pasado", "la", "le", "el"}
    | {words[0] for words, _ in _AGO}
    | _SHIFT.keys()
    | _UNIT.keys()
)


def phrase(r: Reader, i: int) -> Parsed:
    """The expression of another language at a place."""
    if r.word(i) not in STARTS:
        return None
    return _day(r, i) or _ago(r, i) or _shifted(r, i)


def _day(r: Reader, i: int) -> Parsed:
    for size, joint in ((3, ""), (2, " "), (1, "")):
        word = joint.join(r.word(i + n) for n in range(size))
        if word in _DAYS:
            return date(r.today + timedelta(days=_DAYS[word])), i + size
    return None


def _ago(r: Reader, i: int) -> Parsed:
    for words, sign in _AGO:
        if any(r.word(i + n) != word for n, word in enumerate(words)):
            continue
        j = i + len(words)
        count = numbers.digits(r.tokens, j) or _NUMBERS.get(r.word(j))
        grain = _UNIT.get(r.word(j + 1))
        if count and grain:
            return _away(r, sign * count, grain), j + 2
    return None


def _away(r: Reader, count: int, grain: Grain) -> Point:
    if grain in (Grain.MONTH, Grain.YEAR):
        begin = add_months(r.today, count * (12 if grain is Grain.YEAR else 1))
    else:
        begin = r.today + DAY * count * (7 if grain is Grain.WEEK else 1)
    return Point(TimeKind.DATE, begin, begin + DAY, grain)


def _shifted(r: Reader, i: int) -> Parsed:
    """Reads "letzte Woche", "la semaine dernière", "el año pasado", "este mes"."""
    j = i + (r.word(i) in ("la", "le", "el"))
    for first, second in ((j, j + 1), (j + 1, j)):
        shift, grain = _SHIFT.get(r.word(first)), _UNIT.get(r.word(second))
        if shift is not None and grain and grain is not Grain.DAY:
            return days(unit(r, grain, shift), grain), j + 2
    return None
