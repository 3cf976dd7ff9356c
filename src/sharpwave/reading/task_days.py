"""The day of a task: which of the days that a turn names, if any.

Each is scored by where it stands and how it is said, the sum of the WEIGHTS of its features; they
are fitted on people of the corpus (`python -m training.task_days`). Below NONE it is another's.

    own, before1 …     in the sentence of the task; one, two or more before it; right behind it
    was                a sentence before the task that tells of the past
    obliged            behind the words that oblige: "I must … by Friday"
    away               logarithm of the words between these and the day, against it
    deadline, latest   "by Friday"; "Friday at the latest"
    rivals             no deadline, in a sentence that names one
    only, first, last  of all days that the turn names; first and last
    ends_sentence      the last one of the task's own sentence
    nearest, alone     the last one before the task; and the task's sentence names none
    by_then, bring     the nearest, and the task says "before that"; "bring the papers"
    of_it, says_due    behind the task: "they want it Friday"; "the last day is Friday"
    bare               a sentence of hardly more than a day
    on                 "on the 5th", "the 5th"
    today, coarse, far, hour   today; a week or more; in months; a time of day
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sharpwave.reading.candidates import DEADLINES, days_to_come
from sharpwave.types.statements import Span, TimeSpan

WEIGHTS: Mapping[str, float] = {
    "own": 0.75, "before1": -0.18, "before2": -0.24, "before3": -0.43, "behind": 0.37,
    "obliged": 0.32, "rivals": -0.34, "away": 0.24, "deadline": 0.53, "latest": 0.34, "only": 0.19,
    "first": 0.14, "last": 0.54, "ends_sentence": 0.31, "nearest": -0.52, "alone": 0.27,
    "by_then": 0.11, "bring": 0.5, "of_it": 0.22, "was": -0.49, "says_due": 0.3, "bare": 0.28,
    "on": 0.17, "today": -1.84, "coarse": -1.49, "far": -1.01, "hour": 0.3,
}  # fmt: skip
NONE = -0.39

AROUND = 20
"""Sentences before and behind a task in which its day may be named."""
COARSE, FAR = timedelta(days=5), timedelta(days=120)
BARE_WORDS = 3


class Named(NamedTuple):
    """A day that a turn names, and the sentence that does."""

    time: TimeSpan
    day: datetime
    place: int


def day_of(
    text: str, spans: Sequence[Span], place: int, times: Sequence[TimeSpan], at: datetime
) -> datetime | None:
    """The day of the task in a sentence of the text."""
    scored = [
        (sum(WEIGHTS[name] * value for name, value in features.items()), one.day)
        for one, features in featured(text, spans, place, times, at)
    ]
    best = max(scored, key=lambda each: each[0], default=None)
    return best[1] if best and best[0] > NONE else None


def featured(
    text: str, spans: Sequence[Span], place: int, times: Sequence[TimeSpan], at: datetime
) -> Iterator[tuple[Named, dict[str, float]]]:
    """The days that are still to come, each with its features for the task in a sentence."""
    days = list(_named(text, spans, place, times, at))
    task = spans[place]
    said = text[slice(*task)]
    obliges = _OBLIGES.search(said)
    begins = task.start + (obliges.start() if obliges else 0)
    before = [one for one in days if one.time.span.start < task.start]
    only = len({one.day.date() for one in days}) == 1
    for number, one in enumerate(days):
        time, sentence = one.time, spans[one.place]
        start, end = time.span
        away = one.place - place
        rest = text[sentence.start : start] + text[end : sentence.end]
        between = text[min(end, begins) : max(start, begins)].split()
        length = time.end - time.start if time.start and time.end else timedelta(days=1)
        nearest = bool(before) and one is before[-1]
        yield (
            one,
            {
                "own": away == 0,
                "before1": away == -1,
                "before2": away == -2,
                "before3": away < -2,
                "behind": away == 1,
                "obliged": away == 0 and obliges is not None and start > begins,
                "rivals": time.relation not in DEADLINES
                and any(two.place == one.place and two.time.relation in DEADLINES for two in days),
                "away": -math.log1p(len(between)),
                "deadline": time.relation in DEADLINES,
                "latest": bool(_LATEST.search(_clause(text, sentence, time.span))),
                "only": only,
                "first": number == 0,
                "last": number == len(days) - 1,
                "ends_sentence": away == 0
                and all(each.place != place for each in days[number + 1 :]),
                "nearest": nearest,
                "alone": nearest and all(each.place != place for each in days),
                "by_then": bool(_BY_THEN.search(said))
                and (nearest or (away == 0 and start < begins)),
                "bring": bool(_BRING.search(said)) and nearest,
                "of_it": away == 1 and bool(_OF_IT.search(rest)),
                "was": away < 0 and bool(_PAST.search(rest)),
                "says_due": away > 0 and bool(_DUE.search(rest)),
                "bare": len(_WORD.findall(rest)) <= BARE_WORDS,
                "on": bool(_ON.search(text[max(0, start - _ON_CHARS) : start])),
                "today": one.day.date() == at.date(),
                "coarse": length >= COARSE,
                "far": one.day.date() - at.date() > FAR,
                "hour": length < timedelta(days=1),
            },
        )


def _named(
    text: str, spans: Sequence[Span], place: int, times: Sequence[TimeSpan], at: datetime
) -> Iterator[Named]:
    """The days to come that may be the task's: not those of another item of a list.

    A day behind the task may be if the sentence names a deadline, or speaks of the task, the person
    or nothing else, and not of the past.
    """
    item = _ITEM if text.count(";") > 1 else _LINE
    task = spans[place]
    around = range(max(place - AROUND, 0), min(place + AROUND + 1, len(spans)))
    begins, ends = spans[around[0]].start, spans[around[-1]].end
    near = [time for time in times if begins <= time.span.start < ends]
    for time, day in days_to_come(near, text, at):
        for number in around:
            span = spans[number]
            if not span.start <= time.span.start < span.end:
                continue
            rest = text[span.start : time.span.start] + text[time.span.end : span.end]
            between = text[min(span.end, task.end) : max(span.start, task.start)]
            deadline = time.relation in DEADLINES or _DUE.search(rest)
            of_it = _OF_IT.search(rest) or _PERSON.search(rest) or _BARE.fullmatch(rest)
            own = deadline or (of_it and not _PAST.search(rest))
            if number == place or (not item.search(between) and (number < place or own)):
                yield Named(time, day, number)


def _clause(text: str, sentence: Span, time: Span) -> str:
    """The part of a sentence between commas that names a time."""
    return (
        _COMMA.split(text[sentence.start : time.start])[-1]
        + text[time.start : time.end]
        + (_COMMA.split(text[time.end : sentence.end])[0])
    )


_DUE = re.compile(r"\b(?:deadline|due|latest|last day|closes?|up)\b", re.IGNORECASE)
_LINE = re.compile(r"\n\s*(?:[-*\u2022]|\d+[.)])")
_ITEM = re.compile(rf"{_LINE.pattern}|;")
_PERSON = re.compile(r"\b(?:i|we|me|us)\b", re.IGNORECASE)
_BARE = re.compile(
    r"(?:\W|\b(?:at|the|on|by|so|is|that|that['\u2019]?s|latest|outside|please)\b)*", re.IGNORECASE
)
_PAST = re.compile(r"\b(?:was|were|had|did|been|\w+ed)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_COMMA = re.compile(r"[,;:()\u2013\u2014]")
_LATEST = re.compile(r"\blatest\b", re.IGNORECASE)
_ON_CHARS = 10
_ON = re.compile(r"\b(?:on|the)\s+$", re.IGNORECASE)
_OF_IT = re.compile(r"\b(?:it|them|both|those|that)\b", re.IGNORECASE)
_BRING = re.compile(r"\b(?:bring|take|there|with me|for it|for that)\b", re.IGNORECASE)
_BY_THEN = re.compile(
    r"\b(?:by|until|till|before) (?:then|that|it)\b|\b(?:before|beforehand)(?=\W|$)", re.IGNORECASE
)
_OBLIGES = re.compile(
    r"\b(?:must|ha(?:ve|s|d)|got|gotta|needs?|ought|supposed|meant|wants?|promised|said|told|owes?"
    r"|i['\u2019](?:m|ve) to|to do|due|remind|don['\u2019]t let|remember|forget)\b",
    re.IGNORECASE,
)
