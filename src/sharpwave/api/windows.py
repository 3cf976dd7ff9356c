"""Which part of a list a caller wants."""

from sharpwave import checks
from sharpwave.types.storing import Window

MAX_LISTED = 1_000
"""The most of a list that one call gives, where it is asked for by number."""
MAX_OFFSET = 999_999


def window(limit: int | None, offset: int) -> Window:
    """So many after the first few; all of them without a limit."""
    count = None if limit is None else checks.count(limit, "limit", MAX_LISTED)
    return Window(checks.count(offset, "offset", MAX_OFFSET, at_least=0), count)
