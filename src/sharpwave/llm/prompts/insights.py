"""From single lessons about tools and plans to a few that say more [SLP-20]."""

from collections.abc import Sequence

from pydantic import BaseModel, Field, field_validator

from sharpwave.llm.prompts.transcript import RULE, Line, block
from sharpwave.types.llm import Prompt

NAME = "insights"
VERSION = "1"
MAX_TOKENS = 1500
MOST = 5


class Drawn(BaseModel):
    """One lesson drawn from several."""

    text: str = Field(description="The lesson, one sentence of at most 30 words.")
    turns: list[int] = Field(description="Numbers of the lessons it follows from, at least two.")


class Output(BaseModel):
    """What several lessons say together, most useful first."""

    insights: list[Drawn] = []

    @field_validator("insights")
    @classmethod
    def _few(cls, insights: list[Drawn]) -> list[Drawn]:
        return insights[:MOST]


def render(lessons: Sequence[Line], nonce: str) -> Prompt:
    """The prompt for the lessons of one user."""
    asked = f"{block(lessons, nonce)}\n\nWhat do several of these lessons say together?"
    return Prompt(NAME, VERSION, _SYSTEM.format(rule=RULE, most=MOST), asked, MAX_TOKENS)


_SYSTEM = """\
You look at lessons that were counted out of the logs of a tool-using agent: which steps succeed,
which errors recur and what fixed them.

{rule}

Write at most {most} lessons that follow from two or more of those given and say something that none
of them says alone: a common cause, an order to keep, a check to make first. Name the tools. Claim
nothing that the given lessons do not show. If there is nothing, give none."""
