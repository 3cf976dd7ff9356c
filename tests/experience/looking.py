"""Looking at what is stored, whatever the facade shows of it."""

from sharpwave import Memory, Record
from sharpwave.testing import workspace_of


def stored(memory: Memory) -> list[Record]:
    """Every record of the user, in the order they were stored."""
    return workspace_of(memory).store.scan(0, 100_000)
