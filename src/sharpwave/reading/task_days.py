"""The day of a task: which of the days that a turn names, if any.

Each day is scored by the sum of the WEIGHTS of its features: its position and its wording. The
weights are fitted on the corpus (`python -m training.task_days`). At or below NONE, no day is due.

    own, before1 …     in the sentence of the task; one, two or more before it; in the next one
    was                in a sentence before the task, in the past tense
    obliged            after words of obligation: "I must … by Friday"
    away               minus the logarithm of the day_index of words between these and the day
    deadline, latest   "by Friday"; "Friday at the latest"
    rivals             no deadline, in a sentence with a deadline
    only, first, last  the only day that the turn names; the first and the last
    ends_sentence      the last day in the task's own sentence
    nearest, alone     the last day before the task; and the task's sentence names none
    by_then, bring     the nearest, and the task says "before that"; "bring the papers"
    of_it, says_due    after the task: "they want it Friday"; "the last day is Friday"
    bare               in a sentence of at most BARE_WORDS more words
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
"""Number of sentences before and after a task that are searched for its day."""
COARSE, FAR = timedelta(days=5), timedelta(days=120)
BARE_WORDS = 3


class Named(NamedTuple):
    """A day that a turn names, and the index of its sentence."""

    time: TimeSpan
    day: datetime
    sentence_index: int


def day_of(
    text: str, spans: Sequence[Span], task_index: int, times: Sequence[TimeSpan], at: datetime
) -> datetime | None:
    """The due day of the task in the sentence at index `task_index`."""
    scored = [
        (sum(WEIGHTS[name] * value for name, value in features.items()), named.day)
        for named, features in featured(text, spans, task_index, times, at)
    ]
    best = max(scored, key=lambda item: item[0], default=None)
    return best[1] if best and best[0] > NONE else None


def featured(
    text: str, spans: Sequence[Span], task_index: int, times: Sequence[TimeSpan], at: datetime
) -> Iterator[tuple[Named, dict[str, float]]]:
    """The days to come, each with its features for the task in one sentence."""
    days = list(_named(text, spans, task_index, times, at))
    task = spans[task_index]
    sentence_text = text[slice(*task)]
    obligation = _OBLIGATION.search(sentence_text)
    begins = task.start + (obligation.start() if obligation else 0)
    before = [named for named in days if named.time.span.start < task.start]
    only = len({named.day.date() for named in days}) == 1
    for day_index, named in enumerate(days):
        time, sentence = named.time, spans[named.sentence_index]
        start, end = time.span
        away = named.sentence_index - task_index
        rest = text[sentence.start : start] + text[end : sentence.end]
        between = text[min(end, begins) : max(start, begins)].split()
        length = time.end - time.start if time.start and time.end else timedelta(days=1)
        nearest = bool(before) and named is before[-1]
        yield (
            named,
            {
                "own": away == 0,
                "before1": away == -1,
                "before2": away == -2,
                "before3": away < -2,
                "behind": away == 1,
                "obliged": away == 0 and obligation is not None and start > begins,
                "rivals": time.relation not in DEADLINES
                and any(
                    rival.sentence_index == named.sentence_index
                    and rival.time.relation in DEADLINES
                    for rival in days
                ),
                "away": -math.log1p(len(between)),
                "deadline": time.relation in DEADLINES,
                "latest": bool(_LATEST.search(_clause(text, sentence, time.span))),
                "only": only,
                "first": day_index == 0,
                "last": day_index == len(days) - 1,
                "ends_sentence": away == 0
                and all(
                    following.sentence_index != task_index for following in days[day_index + 1 :]
                ),
                "nearest": nearest,
                "alone": nearest
                and all(following.sentence_index != task_index for following in days),
                "by_then": bool(_BY_THEN.search(sentence_text))
                and (nearest or (away == 0 and start < begins)),
                "bring": bool(_BRING.search(sentence_text)) and nearest,
                "of_it": away == 1 and bool(_OF_IT.search(rest)),
                "was": away < 0 and bool(_PAST.search(rest)),
                "says_due": away > 0 and bool(_DEADLINE_WORD.search(rest)),
                "bare": len(_WORD.findall(rest)) <= BARE_WORDS,
                "on": bool(_ON.search(text[max(0, start - _ON_CHARS) : start])),
                "today": named.day.date() == at.date(),
                "coarse": length >= COARSE,
                "far": named.day.date() - at.date() > FAR,
                "hour": length < timedelta(days=1),
            },
        )


def _named(
    text: str, spans: Sequence[Span], task_index: int, times: Sequence[TimeSpan], at: datetime
) -> Iterator[Named]:
    """The days to come that the task may be due on: not those of another item of a list.

    A day after the task counts if its sentence names a deadline, or is about the task, the person
    or nothing else, and is not in the past tense.
    """
    item = _ITEM if text.count(";") > 1 else _LINE
    task = spans[task_index]
    neighbours = range(max(task_index - AROUND, 0), min(task_index + AROUND + 1, len(spans)))
    begins, ends = spans[neighbours[0]].start, spans[neighbours[-1]].end
    nearby = [time for time in times if begins <= time.span.start < ends]
    for time, day in days_to_come(nearby, text, at):
        for index in neighbours:
            span = spans[index]
            if not span.start <= time.span.start < span.end:
                continue
            rest = text[span.start : time.span.start] + text[time.span.end : span.end]
            between = text[min(span.end, task.end) : max(span.start, task.start)]
            deadline = time.relation in DEADLINES or _DEADLINE_WORD.search(rest)
            is_related = _OF_IT.search(rest) or _PERSON.search(rest) or _BARE.fullmatch(rest)
            may_be_due = deadline or (is_related and not _PAST.search(rest))
            if index == task_index or (
                not item.search(between) and (index < task_index or may_be_due)
            ):
                yield Named(time, day, index)


def _clause(text: str, sentence: Span, time: Span) -> str:
    """The part of a sentence between commas that names a time."""
    return (
        _COMMA.split(text[sentence.start : time.start])[-1]
        + text[time.start : time.end]
        + (_COMMA.split(text[time.end : sentence.end])[0])
    )


_DEADLINE_WORD = re.compile(r"\b(?:deadline|due|latest|last day|closes?|up)\b", re.IGNORECASE)
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
_OBLIGATION = re.compile(
    r"\b(?:must|ha(?:ve|s|d)|got|gotta|needs?|ought|supposed|meant|wants?|promised|said|told|owes?"
    r"|i['\u2019](?:m|ve) to|to do|due|remind|don['\u2019]t let|remember|forget)\b",
    re.IGNORECASE,
)
