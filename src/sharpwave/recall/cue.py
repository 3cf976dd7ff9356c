"""Step 1: a query becomes a checked question, a filter, and the times that it names."""

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sharpwave import checks
from sharpwave.errors import InvalidInput
from sharpwave.reading.grammar.lexicon import STOP, lemma
from sharpwave.settings.core import MAX_RECALLED, RecallSettings
from sharpwave.temporal.clock import to_microseconds
from sharpwave.temporal.expressions import find
from sharpwave.types.query import Question, RecallQuery
from sharpwave.types.records import Kind, Role
from sharpwave.types.searching import Filter
from sharpwave.types.times import TimeExpression, TimeKind

MAX_QUERY_BYTES = 64 * 1024
"""Longest query, UTF-8."""
MAX_TIMED_CHARS = 1000
"""Time expressions are searched for only in the beginning of a question."""

_DAY_KINDS = frozenset(
    {TimeKind.DATE, TimeKind.DATERANGE, TimeKind.DATETIME, TimeKind.DATETIMERANGE}
)
_RELATIVE = re.compile(
    r"\b(?:ago|last|past|previous|this|yesterday|today|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)"
    r"day)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")
_OF_PAST = re.compile(
    r"\b(?:was|were|did|had|use[ds]? to|before|previous(?:ly)?|former(?:ly)?|original(?:ly)?|once"
    r"|at first|first|earlier|until|back (?:then|when)|old)\b",
    re.IGNORECASE,
)
"""Words of a question about the past."""


class TimeWindow(NamedTuple):
    """Days that a question names, in microseconds, and the expression that names them."""

    start_us: int
    end_us: int
    expression: TimeExpression


def understand(query: RecallQuery, now: datetime, settings: RecallSettings) -> Question:
    """The question, or an error that says what is wrong with it."""
    since = None if query.since is None else to_microseconds(checks.moment(query.since, "since"))
    until = None if query.until is None else to_microseconds(checks.moment(query.until, "until"))
    session = checks.optional_name(query.session, "session")
    text = checks.text(query.query, "the query", MAX_QUERY_BYTES)
    windows = _windows(text, now)
    only_when = _asks_only_when(text, windows)
    kinds = checks.choices(Kind, query.kinds, "kinds")
    roles = checks.choices(Role, query.roles, "roles")
    goal = None
    if query.goal is not None:
        goal = checks.text(query.goal, "the goal", MAX_QUERY_BYTES)
    return Question(
        text=_content(text, windows) if settings.dated_lift or only_when else text,
        k=settings.k if query.k is None else checks.count(query.k, "k", MAX_RECALLED),
        only=Filter(kinds, session, since, until, roles, *_required(query)),
        asked_at=now,
        goal=goal,
        times=tuple((window.start_us, window.end_us) for window in windows),
        only_when=only_when,
        of_past=bool(windows or _OF_PAST.search(text)),
    )


def _asks_only_when(text: str, windows: Sequence[TimeWindow]) -> bool:
    """True if a question asks only about a time: "What did I do last week?"."""
    if not windows:
        return False
    rest = text
    for _, _, expression in reversed(windows):
        rest = f"{rest[: expression.span.start]} {rest[expression.span.end :]}"
    words = {lemma(word) for word in _WORDS.findall(rest.lower()) if word not in STOP}
    return words <= _FILLER_LEMMAS


_WORDS = re.compile(r"[^\W\d_]+")
_FILLER_LEMMAS = frozenset("do happen go be say talk tell mention get up on remember know".split())
"""Lemmas that such a question may have besides the time."""


def _required(
    query: RecallQuery,
) -> tuple[frozenset[str], tuple[str, ...]]:
    """The tags and words that every result must have."""
    for values, name in ((query.tags, "tags"), (query.words, "words")):
        if isinstance(values, str) or not isinstance(values, Collection):
            raise InvalidInput(f"{name} must be a list of {name}, such as ['home']")
    tags = frozenset(checks.name(tag, "a tag") for tag in query.tags)
    return tags, tuple(checks.text(word, "a word", MAX_QUERY_BYTES) for word in query.words)


def _windows(text: str, now: datetime) -> list[TimeWindow]:
    """The days that a question names, if they have begun by now."""
    return [
        TimeWindow(to_microseconds(time.start), to_microseconds(time.end), time)
        for time in find(text[:MAX_TIMED_CHARS], now)
        if time.start is not None and time.end is not None and time.kind in _DAY_KINDS
        if time.start < time.end and time.start <= now
    ]


def _content(text: str, windows: Sequence[TimeWindow]) -> str:
    """The question without "last week": in a stored text these words mean another week."""
    rest = text
    for _, _, expression in reversed(windows):
        if _RELATIVE.search(expression.text):
            rest = f"{rest[: expression.span.start]} {rest[expression.span.end :]}"
    return rest if _WORD.search(rest) else text
