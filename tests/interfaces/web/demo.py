"""Months of made-up talks and tasks, so that every page has something to show."""

from collections.abc import Sequence
from dataclasses import replace

from sharpwave import Memory, Message
from sharpwave.interfaces.cli.remember import CONVERSATION, turns
from sharpwave.types.records import Channel

PREFIX = "demo-"
WORK = f"{PREFIX}work"
TODAY = f"{PREFIX}today"
_MORE = """
2026-06-14 Maya: I live in Braga, in a flat above a bakery.
2026-06-14 Maya: My friend Inês works as a nurse in Porto.
2026-07-03 Maya: I like green tea, and I hate instant coffee.
2026-08-19 Maya: Please don't use emojis when you write to me.
2026-09-06 Maya: I moved to Lisbon last week.
2026-09-06 Assistant: How is the new flat?
2026-09-06 Maya: Small, but the river is close. Pixel runs every morning.
2026-09-21 Maya: I am allergic to pollen.
2026-10-02 Maya: I am not allergic to pollen.
2026-10-11 Maya: I prefer trains to planes.
"""
_NOW = (
    "I have to renew my passport by tomorrow.",
    "Remind me to book the vet for Pixel next week.",
)
_TASKS: Sequence[tuple[str, tuple[str, ...], bool]] = (
    ("Plot the river levels of March", ("load_csv", "clean_gaps", "plot"), True),
    ("Plot the river levels of April", ("load_csv", "clean_gaps", "plot"), True),
    ("Plot the river levels of May", ("load_csv", "plot"), False),
    ("Plot the river levels of June", ("load_csv", "clean_gaps", "plot"), True),
    ("Write the flood report for July", ("load_csv", "clean_gaps", "plot", "write_text"), True),
    ("Write the flood report for August", ("load_csv", "clean_gaps", "plot", "write_text"), True),
)
_RATED = (
    ("How do I read a hydrograph?", 1, None),
    ("What is a return period?", 1, None),
    ("Explain the rating curve to me.", -1, "too_verbose"),
    ("When does the tram to Belém leave?", 1, None),
)


def load(memory: Memory) -> None:
    """Store all of it, and consolidate it."""
    memory.remember(_talks())
    memory.agents.observe([_task(place, *one) for place, one in enumerate(_TASKS)])
    for message, reward, reason in _RATED:
        choice = memory.skills.select(message, session=WORK, message_id=PREFIX + message)
        memory.feedback(choice.message_id, reward, reason)
    memory.sleep(heavy=True)


def _talks() -> list[Message]:
    talks = turns(CONVERSATION.rstrip() + _MORE, Channel.DASHBOARD)
    return [replace(talk, speaker=None) for talk in talks] + [
        Message(text, session=TODAY, channel=Channel.DASHBOARD) for text in _NOW
    ]


def _task(place: int, query: str, tools: tuple[str, ...], success: bool) -> dict[str, object]:
    steps = [{"action": tool, "success": success or tool != "plot"} for tool in tools]
    return {
        "query": query,
        "steps": steps,
        "success": success,
        "task_id": f"{PREFIX}{place}",
        "session": WORK,
    }
