"""Step 1: what was asked becomes a checked question and a filter."""

from collections.abc import Collection

from sharpwave import checks
from sharpwave.errors import InvalidInput
from sharpwave.settings import MAX_RECALLED, RecallSettings
from sharpwave.temporal.moments import to_microseconds
from sharpwave.types.asking import Asked, Question
from sharpwave.types.records import Kind
from sharpwave.types.searching import Filter


def understand(asked: Asked, settings: RecallSettings) -> Question:
    """The question, or an error that says what is wrong with it."""
    since = None if asked.since is None else to_microseconds(checks.moment(asked.since, "since"))
    until = None if asked.until is None else to_microseconds(checks.moment(asked.until, "until"))
    session = checks.optional_name(asked.session, "session", settings.max_query_bytes)
    return Question(
        text=checks.text(asked.query, "the query", settings.max_query_bytes),
        k=settings.k if asked.k is None else checks.count(asked.k, "k", MAX_RECALLED),
        only=Filter(_kinds(asked.kinds), session, since, until),
    )


def _kinds(kinds: Collection[Kind | str]) -> frozenset[str]:
    if isinstance(kinds, str) or not isinstance(kinds, Collection):
        raise InvalidInput("kinds must be a list of kinds, such as ['turn']")
    known = {kind.value for kind in Kind}
    asked = frozenset(str(kind) for kind in kinds)
    if unknown := sorted(asked - known):
        raise InvalidInput(f"unknown kind {unknown[0]!r}; there are: {', '.join(sorted(known))}")
    return asked
