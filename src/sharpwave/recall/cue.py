"""Step 1: what was asked becomes a checked question, a filter, and the times it names."""

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
"""Time expressions are looked for in the beginning of a question only."""

_OF_DAYS = frozenset({TimeKind.DATE, TimeKind.DATERANGE, TimeKind.DATETIME, TimeKind.DATETIMERANGE})
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
"""A question about what was so."""


class TimeWindow(NamedTuple):
    """Days that a question names, in microseconds, and how."""

    start_us: int
    end_us: int
    said: TimeExpression


def understand(asked: RecallQuery, now: datetime, settings: RecallSettings) -> Question:
    """The question, or an error that says what is wrong with it."""
    since = None if asked.since is None else to_microseconds(checks.moment(asked.since, "since"))
    until = None if asked.until is None else to_microseconds(checks.moment(asked.until, "until"))
    session = checks.optional_name(asked.session, "session")
    text = checks.text(asked.query, "the query", MAX_QUERY_BYTES)
    windows = _windows(text, now)
    only_when = _asks_only_when(text, windows)
    kinds = checks.choices(Kind, asked.kinds, "kinds")
    roles = checks.choices(Role, asked.roles, "roles")
    goal = None
    if asked.goal is not None:
        goal = checks.text(asked.goal, "the goal", MAX_QUERY_BYTES)
    return Question(
        text=_content(text, windows) if settings.dated_lift or only_when else text,
        k=settings.k if asked.k is None else checks.count(asked.k, "k", MAX_RECALLED),
        only=Filter(kinds, session, since, until, roles, *_required(asked)),
        asked_at=now,
        goal=goal,
        times=tuple((one.start_us, one.end_us) for one in windows),
        only_when=only_when,
        of_past=bool(windows or _OF_PAST.search(text)),
    )


def _asks_only_when(text: str, windows: Sequence[TimeWindow]) -> bool:
    """True if nothing is asked but what was in some days: "What did I do last week?"."""
    if not windows:
        return False
    rest = text
    for _, _, said in reversed(windows):
        rest = f"{rest[: said.span.start]} {rest[said.span.end :]}"
    words = {lemma(word) for word in _WORDS.findall(rest.lower()) if word not in STOP}
    return words <= _OF_NOTHING


_WORDS = re.compile(r"[^\W\d_]+")
_OF_NOTHING = frozenset("do happen go be say talk tell mention get up on remember know".split())
"""What remains of such a question besides the days."""


def _required(
    asked: RecallQuery,
) -> tuple[frozenset[str], tuple[str, ...]]:
    """The tags and words that whatever is found must have."""
    for given, what in ((asked.tags, "tags"), (asked.words, "words")):
        if isinstance(given, str) or not isinstance(given, Collection):
            raise InvalidInput(f"{what} must be a list of {what}, such as ['home']")
    tags = frozenset(checks.name(tag, "a tag") for tag in asked.tags)
    return tags, tuple(checks.text(w, "a word", MAX_QUERY_BYTES) for w in asked.words)


def _windows(text: str, now: datetime) -> list[TimeWindow]:
    """The days that a question names, as far as something can have been said on them by now."""
    return [
        TimeWindow(to_microseconds(one.start), to_microseconds(one.end), one)
        for one in find(text[:MAX_TIMED_CHARS], now)
        if one.start is not None and one.end is not None and one.kind in _OF_DAYS
        if one.start < one.end and one.start <= now
    ]


def _content(text: str, windows: Sequence[TimeWindow]) -> str:
    """The question without "last week": in whatever was said, these words mean another week."""
    rest = text
    for _, _, said in reversed(windows):
        if _RELATIVE.search(said.text):
            rest = f"{rest[: said.span.start]} {rest[said.span.end :]}"
    return rest if _WORD.search(rest) else text
