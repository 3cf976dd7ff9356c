"""What a user agreed to."""

from collections.abc import Collection

from sharpwave.types.answers import Recollection
from sharpwave.types.records import Kind

WITHDRAWN = (
    "this user does not agree to being remembered: nothing is stored, nothing remembered is used; "
    'what was there is kept until it is erased, or until consent("memory", True)'
)
_LEARNED = frozenset(
    {Kind.NOTE, Kind.BEHAVIOR, Kind.SKILL, Kind.PATTERN, Kind.TOOL_RECORD, Kind.INSIGHT}
)


def nothing_used(query: str) -> Recollection:
    """The answer for a user who does not agree to being remembered."""
    return Recollection(query, (), 0, weights="", notes=(WITHDRAWN,), rationale=WITHDRAWN)


def not_learned(kinds: Collection[Kind | str]) -> list[Kind | str]:
    """The kinds that may be recalled for a user who does not agree to learning."""
    return [kind for kind in kinds or list(Kind) if kind not in _LEARNED]
