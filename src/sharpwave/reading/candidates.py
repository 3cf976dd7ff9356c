"""Turn matches into candidates: in the third person, dated, with span and confidence."""

import re
from bisect import bisect_left
from calendar import isleap, monthrange
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, tzinfo
from datetime import time as clock
from typing import NamedTuple

from sharpwave.knowledge.predicates import predicate, sentence
from sharpwave.reading.grammar.clauses import Clause
from sharpwave.reading.grammar.lexicon import ANIMALS, RELATIONS, is_past
from sharpwave.reading.grammar.objects import in_third_person
from sharpwave.reading.grammar.tokens import Token
from sharpwave.reading.patterns.match import FactMatch, When
from sharpwave.temporal.words import MANY_WEEKDAYS, MONTHS, ORDINALS, WEEKDAYS
from sharpwave.types.records import Kind, Statement
from sharpwave.types.statements import Candidate, Mode, Span, Spoken, TimeSpan
from sharpwave.types.times import due_in

VERSION = 1
"""Version of the rules: part of each candidate's `extractor`."""
_DAY = timedelta(days=1)
_PREPOSITIONS = frozenset(
    "in on at since by until from for back around during before after".split()
)
_LONGEST_OBJECT = 200


class Place(NamedTuple):
    """Where a match stands: its clause, the speaker, and the time that the clause names."""

    clause: Clause
    spoken: Spoken
    time: TimeSpan | None = None

    @property
    def span(self) -> Span:
        """The characters of the clause."""
        return Span(self.clause.start, self.clause.end)


def fact(match: FactMatch, subject: str, family: str, confidence: float, place: Place) -> Candidate:
    """A fact: its sentence names the date, since words such as "yesterday" do not last."""
    object_ = in_third_person(match.object, place.spoken)[:_LONGEST_OBJECT]
    statement = Statement(subject, match.predicate, object_)
    text = sentence(statement, match.mode)
    valid_from = valid_to = None
    time = place.time
    if time is not None:
        valid_from, valid_to = _validity(match, time, place.spoken.at)
        if match.when in {When.EVENT, When.DAY}:
            date = dated(_by_clock_of(place.spoken.at.tzinfo, time))
            text = f"{text} ({date})" if date else text
    return Candidate(
        kind=Kind.FACT,
        text=text,
        span=place.span,
        confidence=confidence,
        extractor=f"rules.{family} {VERSION}",
        statement=statement,
        mode=match.mode,
        instead_of=match.instead_of,
        valid_from=valid_from,
        valid_to=valid_to,
    )


def _due_of(time: TimeSpan, zone: tzinfo | None) -> datetime | None:
    """The day or moment by which a task with this time is due."""
    local = _by_clock_of(zone, time)
    return due_in(local.start, local.end)


def overdue(time: TimeSpan, words: Iterable[str], at: datetime) -> datetime | None:
    """The due day of a past time, unless long ago: "like last spring" is no deadline."""
    due = _due_of(time, at.tzinfo)
    exact = any(word[:1].isdigit() for word in words)
    return due if due is not None and (exact or due > at - LONG_AGO) else None


def _by_clock_of(zone: tzinfo | None, time: TimeSpan) -> TimeSpan:
    """A time in the speaker's time zone: a day there is not the same day in UTC."""
    start, end = (moment and moment.astimezone(zone) for moment in (time.start, time.end))
    return time._replace(start=start, end=end)


def due_day(times: Sequence[TimeSpan], text: str, at: datetime) -> datetime | None:
    """The due day of an open task: a deadline if the text names one, else the first day to come."""
    found = days_to_come(times, text, at)
    deadlines = [due for time, due in found if time.relation in DEADLINES]
    to_come = [due for _, due in found if due.date() > at.date()]
    return next(iter([*deadlines, *to_come, *(due for _, due in found)]), None)


def days_to_come(
    times: Sequence[TimeSpan], text: str, at: datetime
) -> list[tuple[TimeSpan, datetime]]:
    """The times that name a day to come, each with its day; of two for the same day, the closer."""
    found = [
        (time, due)
        for time in times
        if (due := _to_come(time, text[time.span.start : time.span.end].lower(), at)) is not None
    ]
    for index in range(len(found) - 1, 0, -1):  # "before Christmas, the 19th"
        (first, latest), (time, due) = found[index - 1], found[index]
        is_closer = first.relation in DEADLINES and due <= latest
        is_clause_end = _CLAUSE_END.match(text, time.span.end)
        if (
            is_closer
            and is_clause_end
            and _SAME_DAY.fullmatch(text, first.span.end, time.span.start)
        ):
            found[index - 1 : index + 1] = [(first, due)]
    return found


def _to_come(time: TimeSpan, words: str, at: datetime) -> datetime | None:
    """The day a time means for a task: "Tuesday" and "june 15" are the next ones, not the last."""
    due = _due_of(time, at.tzinfo)
    if time.relation == "before" and time.end is not None:
        due = time.end.astimezone(at.tzinfo) - timedelta(days="end of" in words)
    if due is None or words in _NOW or time.relation == "since":
        return None
    if due.date() == at.date() and due.time() == clock() and _WEEKDAY.search(words):
        return due if _THIS.search(words) else due + timedelta(days=7)
    if due.date() >= at.date():
        return due
    weekday = _WEEKDAY.search(words)
    numbered = _DAY_OF_MONTH.search(words)
    if _MONTH.search(words) and not _YEAR.search(words):
        if weekday and not numbered:  # "the last Sunday in February"
            year = timedelta(weeks=52)
            return due + (year if (due + year).month == due.month else timedelta(weeks=53))
        leaps = isleap(due.year + (due.month > _FEBRUARY))
        return due + timedelta(days=366 if leaps else 365)
    if numbered:
        return _in_a_later_month(due, at, bool(weekday))
    if weekday and "last" not in words:
        return due + timedelta(days=7 * -((due.date() - at.date()).days // 7))
    return None


def _in_a_later_month(due: datetime, at: datetime, weekday: bool) -> datetime | None:
    """The next day to come with this number, and on this weekday if one was named."""
    for months in range(1, 15):
        year, month = divmod(due.year * 12 + due.month - 1 + months, 12)
        if due.day <= monthrange(year, month + 1)[1]:
            day = due.replace(year=year, month=month + 1)
            if day.date() >= at.date() and not (weekday and day.weekday() != due.weekday()):
                return day
    return None


_SAME_DAY = re.compile(
    r", *|,? *(?:so|i\.e\.|that is|that['\u2019]?s|meaning) *(?:by|on)? *", re.IGNORECASE
)
"""Words between a time and a closer one for the same day."""
_CLAUSE_END = re.compile(r"\s*(?:[^\w\s'\u2019-]|$)")
LONG_AGO = timedelta(days=31)
DEADLINES = frozenset({"by", "before", "until"})
_NOW = frozenset({"now", "today", "right now"})
_FEBRUARY = 2
_DAYS_OF_WEEK = "|".join([*WEEKDAYS, *MANY_WEEKDAYS])
_DAY_OF_MONTH = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(ORDINALS)})\b(?! (?:{_DAYS_OF_WEEK})\b)"
)
_MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b")
_THIS = re.compile(r"\b(?:this|today|last)\b")
_WEEKDAY = re.compile(rf"\b(?:{_DAYS_OF_WEEK})\b")


def note(text: str, confidence: float, place: Place) -> Candidate:
    """A rule of thumb."""
    return Candidate(
        kind=Kind.NOTE,
        text=in_third_person(text, place.spoken),
        span=place.span,
        confidence=confidence,
        extractor=f"rules.notes {VERSION}",
    )


def _validity(
    match: FactMatch, time: TimeSpan, at: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return valid_from and valid_to; ended and planned facts only have the latter."""
    if match.when in {When.DATE, When.DAY}:
        return None, None
    is_to_come = match.when is When.STATE and time.start is not None and time.start > at
    if is_to_come and predicate(match.predicate).type == "event":
        return None, time.end or time.start
    if match.mode is Mode.ENDED:
        return None, time.end if time.relation == "until" else time.start or time.end
    if time.relation in DEADLINES:
        return None, time.end or time.start
    return time.start, None


def _is_no_time(time: TimeSpan, tokens: Sequence[Token]) -> bool:
    """True for the name in "my husband Jan", and the model year in "a Golf, 2009"."""
    words = [token for token in tokens if time.span.start <= token.start < time.span.end]
    position = bisect_left(tokens, time.span.start, key=lambda token: token.start)
    before = tokens[position - 1].low if position else ""
    if len(words) == 1 and words[0].capital:
        return before in RELATIONS or before in ANIMALS
    if not words or not _YEAR.fullmatch(words[-1].low):
        return False
    named = (len(words) == 1 and before == ",") or (len(words) == 2 and words[0].low == "from")
    return named and not any(
        is_past(token.low) for token in tokens[max(0, position - 12) : position]
    )


_YEAR = re.compile(r"(?:19|20)\d\d")


def dated(time: TimeSpan) -> str:
    """A time in words that do not depend on today: `7 May 2023`, `8 to 14 May 2023`."""
    start, end = time.start, time.end
    if start is None or end is None:
        bound = start or end
        return f"{'since' if start else 'until'} {_day(bound)}" if bound else ""
    last = end - timedelta(microseconds=1)
    if end - start <= _DAY:
        return _day(start)
    if (start.day, start.month, end.day, end.month) == (1, 1, 1, 1):
        return str(start.year) if last.year == start.year else f"{start.year} to {last.year}"
    if start.day == 1 and end.day == 1:
        until = "" if last.month == start.month else f" to {last:%B} {last.year}"
        return f"{start:%B} {start.year}{until}"
    return f"{_day(start)} to {_day(last)}"


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B} {moment.year}"


class Timed:
    """The times that a text names, by clause."""

    def __init__(self, times: Sequence[TimeSpan], tokens: Sequence[Token]) -> None:
        self._times = [
            time for time in times if (time.start or time.end) and not _is_no_time(time, tokens)
        ]

    def hidden(self, tokens: Sequence[Token]) -> frozenset[int]:
        """Indexes of the tokens that name times, with the prepositions before them."""
        hidden: set[int] = set()
        at = 0
        for time in sorted(self._times, key=lambda time: time.span.start):
            while at < len(tokens) and tokens[at].end <= time.span.start:
                at += 1
            if at and tokens[at - 1].low in _PREPOSITIONS:
                hidden.add(at - 1)
            while at < len(tokens) and tokens[at].start < time.span.end:
                hidden.add(at)
                at += 1
        return frozenset(hidden)

    def of(self, clause: Clause, near: Iterable[Clause]) -> TimeSpan | None:
        """The first time in the clause, or in the words that lead to it: "Last Friday, I went…"."""
        if not self._times:
            return None
        for nearby in (clause, *near):
            for time in self._times:
                if nearby.start <= time.span.start and time.span.end <= nearby.end:
                    return time
        return None
