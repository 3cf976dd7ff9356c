"""From one exchange to what the person wants done differently from now on [BEH-06]."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, Field, field_validator

from sharpwave.llm.prompts.transcript import RULE, Line, block
from sharpwave.types.llm import Prompt

NAME = "reflection"
VERSION = "1"
MAX_TOKENS = 800
MOST = 5


class Steering(BaseModel):
    """One thing that the person wants for good."""

    type: Literal["correction", "preference", "style", "knowledge"] = Field(
        description="Against what was done; wanted; how answers sound; how things are done there."
    )
    rule: str = Field(description="The instruction in the imperative, at most 15 words.")
    quote: str = Field(description="The exact words of the person's last turn that say it.")
    scope: Literal["global", "project", "file"] = Field(
        "global", description="Where it holds, as far as the words say."
    )
    confidence: float = Field(description="How sure it is that it is meant for good, 0 to 1.")


class Output(BaseModel):
    """All that the last turn asks for good."""

    steering: list[Steering] = []

    @field_validator("steering")
    @classmethod
    def _few(cls, steering: list[Steering]) -> list[Steering]:
        return steering[:MOST]


def render(turns: Sequence[Line], nonce: str) -> Prompt:
    """The prompt for one exchange; the last turn is the one to judge."""
    asked = f"{block(turns, nonce)}\n\nWhat does the last turn ask of the assistant for good?"
    return Prompt(NAME, VERSION, _SYSTEM.format(rule=RULE, most=MOST), asked, MAX_TOKENS)


_SYSTEM = """\
You read an exchange between a person and an assistant and find what the person wants the assistant
to do, or not to do, in later conversations too.

{rule}

At most {most} findings, each from the person's own words in the last turn:
- correction: the assistant did something in a way that the person does not want.
- preference: a way of working that the person wants.
- style: length, form or tone of answers.
- knowledge: how things are done where the person works, which every answer should respect.

Give nothing for a task, a question, a request for this answer only, a story, what somebody else
said, or what is quoted or supposed. Write each rule as an instruction in English, without names of
people and without the subject of today. If there is nothing, give nothing."""
