"""Prompts for answers and better templates of skills.

Token limits are wide, since a model that thinks first uses most of them.
"""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from sharpwave.llm.prompts.transcript import RULE, TranscriptLine, block
from sharpwave.types.llm import Prompt


def render_reply(message: str, context: str) -> Prompt:
    """The prompt for one message; the context marks which part of it is quoted."""
    system = f"{_REPLY}\n\n{context}" if context else _REPLY
    return Prompt("reply", "1", system, message, 2000)


_REPLY = """\
You talk with one person. What is remembered of earlier talks with this person stands below, if
there is anything. Use it where it helps, and do not recite it. If the answer is neither there nor
known to you, say so instead of guessing."""


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
