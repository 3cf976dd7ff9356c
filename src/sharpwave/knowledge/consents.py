"""What a user agreed to."""

from collections.abc import Collection

from sharpwave.errors import InvalidInput
from sharpwave.types.answers import Recollection
from sharpwave.types.records import Kind
from sharpwave.types.working import Purpose

WITHDRAWN = (
    "this user does not agree to being remembered: nothing is stored, nothing remembered is used; "
    'what was there is kept until it is erased, or until consent("memory", True)'
)


_LEARNED = frozenset(
    {Kind.NOTE, Kind.BEHAVIOR, Kind.SKILL, Kind.PATTERN, Kind.TOOL_RECORD, Kind.INSIGHT}
)


def nothing_used(query: str) -> Recollection:
    """What is recalled for somebody who does not agree to it."""
    return Recollection(query, (), 0, weights="", notes=(WITHDRAWN,), rationale=WITHDRAWN)


def not_learned(kinds: Collection[Kind | str]) -> list[Kind | str]:
    """The kinds that may be recalled for somebody who does not agree to being learned from."""
    return [kind for kind in kinds or list(Kind) if kind not in _LEARNED]


def purpose(name: str) -> Purpose:
    """The purpose of that name."""
    try:
        return Purpose(name)
    except ValueError:
        known = ", ".join(Purpose)
        raise InvalidInput(f"purpose must be one of {known}, not {name!r}") from None
