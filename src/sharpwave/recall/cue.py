"""Step 1: what was asked becomes a checked question, a filter, and the times it names."""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum

from sharpwave import checks
from sharpwave.errors import InvalidInput
from sharpwave.temporal.expressions import find
from sharpwave.temporal.moments import to_microseconds
from sharpwave.tunables.recalling import MAX_RECALLED, RecallSettings
from sharpwave.types.asking import Asked, Question
from sharpwave.types.records import Kind, Role
from sharpwave.types.searching import Filter

MAX_TIMED_CHARS = 1000
"""Time expressions are looked for in the beginning of a question only."""


def understand(asked: Asked, now: datetime, settings: RecallSettings) -> Question:
    """The question, or an error that says what is wrong with it."""
    since = None if asked.since is None else to_microseconds(checks.moment(asked.since, "since"))
    until = None if asked.until is None else to_microseconds(checks.moment(asked.until, "until"))
    session = checks.optional_name(asked.session, "session", settings.max_query_bytes)
    text = checks.text(asked.query, "the query", settings.max_query_bytes)
    kinds, roles = _named(asked.kinds, Kind, "kinds"), _named(asked.roles, Role, "roles")
    goal = None
    if asked.goal is not None:
        goal = checks.text(asked.goal, "the goal", settings.max_query_bytes)
    return Question(
        text=text,
        k=settings.k if asked.k is None else checks.count(asked.k, "k", MAX_RECALLED),
        only=Filter(kinds, session, since, until, roles, *_required(asked, settings)),
        asked_at=now,
        goal=goal,
        times=_times(text[:MAX_TIMED_CHARS], now),
    )


def _required(asked: Asked, settings: RecallSettings) -> tuple[frozenset[str], tuple[str, ...]]:
    """The tags and words that whatever is found must have."""
    for given, what in ((asked.tags, "tags"), (asked.words, "words")):
        if isinstance(given, str) or not isinstance(given, Collection):
            raise InvalidInput(f"{what} must be a list of {what}, such as ['home']")
    tags = frozenset(checks.name(tag, "a tag", settings.max_query_bytes) for tag in asked.tags)
    return tags, tuple(checks.text(w, "a word", settings.max_query_bytes) for w in asked.words)


def _named(given: Collection[str], known: type[StrEnum], what: str) -> frozenset[str]:
    if isinstance(given, str) or not isinstance(given, Collection):
        raise InvalidInput(
            f"{what} must be a list of {what}, such as [{next(iter(known)).value!r}]"
        )
    values = {one.value for one in known}
    asked = frozenset(str(one) for one in given)
    if unknown := sorted(asked - values):
        one = what.removesuffix("s")
        raise InvalidInput(f"unknown {one} {unknown[0]!r}; there are: {', '.join(sorted(values))}")
    return asked


def _times(text: str, now: datetime) -> tuple[tuple[int, int], ...]:
    """The stretches of time that a question names."""
    return tuple(
        (to_microseconds(one.start), to_microseconds(one.end))
        for one in find(text, now)
        if one.start is not None and one.end is not None and one.start < one.end
    )
