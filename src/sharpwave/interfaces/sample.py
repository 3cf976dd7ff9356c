"""A short conversation that we wrote, to show what is made of one."""

from datetime import UTC, datetime

from sharpwave.types.message import Message
from sharpwave.types.records import Channel

SPEAKER = "Maya"
CONVERSATION = """
2026-03-02 Maya: I finally adopted a dog! Her name is Pixel, a two-year-old beagle.
2026-03-02 Assistant: Congratulations! How is Pixel settling in?
2026-03-02 Maya: She is afraid of the vacuum cleaner, but she loves my brother Tomás.
2026-04-11 Maya: I started a new job as a hydrologist at the river authority.
2026-04-11 Assistant: What does a normal day look like there?
2026-04-11 Maya: Mostly field work. I'm allergic to penicillin, so I always carry a card.
2026-05-20 Maya: We are moving to Lisbon in September, Tomás got a place at the university.
2026-06-01 Maya: From now on always keep your answers short, I read them on the tram.
"""


def turns(conversation: str, channel: Channel, prefix: str = "") -> list[Message]:
    """The turns of a conversation; each day is a session, its name behind a prefix."""
    return [_turn(line, channel, prefix) for line in conversation.strip().splitlines()]


def _turn(line: str, channel: Channel, prefix: str) -> Message:
    day, _, spoken = line.partition(" ")
    speaker, _, text = spoken.partition(": ")
    return Message(
        text,
        role="assistant" if speaker == "Assistant" else "user",
        speaker=speaker,
        at=datetime.fromisoformat(day).replace(tzinfo=UTC),
        session=prefix + day,
        channel=channel,
        idempotency_key=prefix + line,
    )
