"""The part of a list that a caller requests."""

from sharpwave import checks
from sharpwave.types.storing import Window

MAX_LISTED = 1_000
"""Maximum `limit` of a list."""
MAX_OFFSET = 999_999


def window(limit: int | None, offset: int) -> Window:
    """`limit` items after the first `offset`; all of them without a limit."""
    count = None if limit is None else checks.count(limit, "limit", MAX_LISTED)
    return Window(checks.count(offset, "offset", MAX_OFFSET, at_least=0), count)
