"""The demo: a small set of talks and tasks that we wrote, so that every page has something."""

from collections.abc import Sequence
from dataclasses import replace

from sharpwave.interfaces import sample
from sharpwave.interfaces.web.sessions import Viewer
from sharpwave.types.message import Message
from sharpwave.types.records import Channel

PREFIX = "demo-"
"""How the sessions of the demo begin."""
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
2026-09-21 Maya: I like fado.
2026-10-02 Maya: I hate fado.
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


async def load(viewer: Viewer) -> None:
    """Store the demo in the viewer's memory, and consolidate it."""
    memory = viewer.memory
    await viewer.ask(memory.remember, _talks())
    await viewer.ask(
        memory.agents.observe, [_task(place, *one) for place, one in enumerate(_TASKS)]
    )
    for message, reward, reason in _RATED:
        choice = await viewer.ask(
            memory.skills.select, message, session=WORK, message_id=PREFIX + message
        )
        await viewer.ask(memory.feedback, choice.message_id, reward, reason)
    await viewer.ask(memory.sleep, heavy=True)


async def sessions(viewer: Viewer) -> list[str]:
    """The sessions of the demo, if it was loaded."""
    found = await viewer.ask(viewer.memory.admin.sessions, 1000)
    ours = {one.session for one in _talks()}
    loaded = [one.id for one in found if one.id in ours]
    return [*loaded, WORK] if loaded else []


async def remove(viewer: Viewer) -> int:
    """Forget all of it; returns how many memories went."""
    gone = 0
    for session in await sessions(viewer):
        gone += (await viewer.ask(viewer.memory.forget, session=session)).memories
    return gone


def _talks() -> list[Message]:
    channel = Channel.DASHBOARD
    talks = sample.turns(sample.CONVERSATION.rstrip() + _MORE, channel, PREFIX)
    turns = [replace(talk, speaker=None) for talk in talks]  # so that it is about the visitor
    return turns + [
        Message(text, session=TODAY, channel=channel, idempotency_key=PREFIX + text)
        for text in _NOW
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
