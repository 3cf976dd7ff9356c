"""Prompts for answers, standing instructions, and better templates of skills.

A limit of tokens is wide where a model may think first, which takes most of it.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from sharpwave.llm.prompts.transcript import RULE, TranscriptLine, at_most, block
from sharpwave.types.llm import Prompt


def render_reply(message: str, context: str) -> Prompt:
    """The prompt for one message; the context says itself which part of it is quoted."""
    system = f"{_REPLY}\n\n{context}" if context else _REPLY
    return Prompt("reply", "1", system, message, 2000)


_REPLY = """\
You talk with one person. What is remembered of earlier talks with this person stands below, if
there is anything. Use it where it helps, and do not recite it. If the answer is neither there nor
known to you, say so instead of guessing."""


REFLECTION = "reflection"
MOST_FINDINGS = 5


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


class ReflectionOutput(BaseModel):
    """All that the last turn asks for good."""

    steering: Annotated[list[Steering], at_most(MOST_FINDINGS)] = []


def render_reflection(turns: Sequence[TranscriptLine], nonce: str) -> Prompt:
    """The prompt for one exchange; the last turn is the one to judge."""
    question = f"{block(turns, nonce)}\n\nWhat does the last turn ask of the assistant for good?"
    system = _REFLECTION.format(rule=RULE, most=MOST_FINDINGS)
    return Prompt(REFLECTION, "1", system, question, 800)


_REFLECTION = """\
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


class OptimiseOutput(BaseModel):
    """The proposal; the reason comes first, so that it is thought of first."""

    why: str = Field(description="What the remarks have in common, in one sentence.")
    instruction: str = Field(description="The whole new instruction; empty to keep the old one.")


def render_optimise(
    instruction: TranscriptLine, remarks: Sequence[TranscriptLine], nonce: str
) -> Prompt:
    """The prompt, with the instruction as the first turn of the block."""
    shown = block([instruction, *remarks], nonce)
    question = f"{shown}\n\nTurn 1 is the instruction. How should it read after these remarks?"
    return Prompt("optimise", "1", _OPTIMISE.format(rule=RULE), question, 1500)


_OPTIMISE = """\
You improve the instruction by which an assistant answers one kind of question. The first turn is
the instruction as it stands; the others are remarks of one person on answers given by it.

{rule}

- Keep what the instruction is for; change only what remarks ask for, the more often the sooner.
- What one remark says about the subject of one answer is no reason to change anything.
- The instruction is general: no names, no facts, nothing that only one answer needed.
- At most 80 words, in the language of the old instruction, addressed to the assistant.
- If the remarks ask for nothing that it does not say already, leave it empty."""
