"""`feedback`: what the user thought of an answer. It is offered where the facade has it."""

from typing import Annotated, Any, Literal

from pydantic import Field

from sharpwave.interfaces.mcp import answers
from sharpwave.interfaces.mcp.visit import Answer, Visit
from sharpwave.memory import Memory

_METHOD = "feedback"


def is_offered() -> bool:
    """Whether answers can be rated at all."""
    return hasattr(Memory, _METHOD)


def feedback(
    visit: Visit,
    message_id: Annotated[str, Field(description="Id of the remembered message or answer.")],
    reward: Annotated[Literal[-1, 0, 1], Field(description="1 liked, 0 indifferent, -1 disliked.")],
    reason: Annotated[str | None, Field(description="Why, in a word, such as too_long.")] = None,
    comment: Annotated[
        str | None, Field(max_length=300, description="What the user said about it.")
    ] = None,
) -> Answer[answers.Rated]:
    """Note what the user thought of an answer, so that the next ones suit them better.

    Use it when the user praises or criticises an answer ("too long", "perfect"), or asks for
    another style. Give what the user said as `comment`. Do not rate your own work: only what the
    user expressed counts. A second rating of the same message replaces the first.
    """
    rate: Any = getattr(visit.memory, _METHOD)
    rate(message_id, reward, reason, comment)
    return Answer("Noted.", answers.Rated(message_id=message_id, reward=reward))
