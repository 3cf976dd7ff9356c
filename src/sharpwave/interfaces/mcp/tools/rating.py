"""`feedback`: what the user thought of an answer."""

from typing import Annotated, Literal

from pydantic import Field

from sharpwave.interfaces.mcp import answers
from sharpwave.interfaces.mcp.visit import Answer, Visit


def feedback(
    visit: Visit,
    message_id: Annotated[str, Field(description="Id of the remembered message or answer.")],
    reward: Annotated[Literal[-1, 0, 1], Field(description="1 liked, 0 indifferent, -1 disliked.")],
    reason: Annotated[str | None, Field(description="Why, in a word, such as too_verbose.")] = None,
    comment: Annotated[
        str | None, Field(max_length=300, description="What the user said about it.")
    ] = None,
    skill: Annotated[
        str | None, Field(description="The skill it was answered with, if none was chosen here.")
    ] = None,
) -> Answer[answers.Rated]:
    """Note what the user thought of an answer, so that the next ones suit them better.

    Use it when the user praises or criticises an answer ("too long", "perfect"), or asks for
    another style. Give what the user said as `comment`. Do not rate your own work: only what the
    user expressed counts. A second rating of the same message replaces the first.
    """
    receipt = visit.memory.feedback(message_id, reward, reason, comment, skill)
    data = answers.Rated(
        message_id=message_id,
        reward=reward,
        status=receipt.status,
        skill=receipt.skill,
        skill_updated=receipt.skill_updated,
        new_confidence=round(receipt.new_confidence, 4),
    )
    return Answer(f"Rating {data.status}: {data.skill} stands at {data.new_confidence:.2f}.", data)
