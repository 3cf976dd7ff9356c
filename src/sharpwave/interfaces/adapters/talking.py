"""What is said in a framework's conversation goes into memory; what bears on it comes back."""

import asyncio
from collections.abc import Sequence

from sharpwave.interfaces.adapters.keeping import PAGE, every_turn
from sharpwave.memory import Memory
from sharpwave.types.records import Record
from sharpwave.types.said import Said


def hear(memory: Memory, said: Sequence[Said]) -> None:
    """Remember what has words, all at once."""
    if worded := [one for one in said if one.text.strip()]:
        memory.remember(worded)


def prompt(memory: Memory, query: str, budget: int | None = None) -> str:
    """What is known of the user and bears on a question, as text for a prompt.

    What was remembered is quoted in it as data, between two lines with a code.
    """
    return memory.context(query, budget=budget).text if query.strip() else ""


async def aprompt(memory: Memory, query: str, budget: int | None = None) -> str:
    """As `prompt`, without holding up the event loop."""
    return await asyncio.to_thread(prompt, memory, query, budget)


def turns(memory: Memory, session: str, limit: int | None = None) -> list[Record]:
    """The last turns of a conversation, or all of them, oldest first."""
    if limit is not None and limit <= 0:
        return []
    if limit is not None and limit <= PAGE:
        return memory.recent(limit, session=session)
    said = every_turn(memory, session=session)
    return said[-limit:] if limit else said
