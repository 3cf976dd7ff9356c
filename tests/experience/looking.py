"""Looking at what is stored, whatever the facade shows of it."""

from sharpwave.memory import Memory
from sharpwave.types.records import Record


def stored(memory: Memory) -> list[Record]:
    """Every record of the user, in the order they were stored."""
    return memory._ports.store.scan(memory.user_id, 0, 100_000)
