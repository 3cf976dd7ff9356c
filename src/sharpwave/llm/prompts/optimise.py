"""From remarks on answers to a better instruction for giving them [LLM-02]."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from sharpwave.llm.prompts.transcript import RULE, Line, block
from sharpwave.types.llm import Prompt

NAME = "optimise"
VERSION = "1"
MAX_TOKENS = 1500  # of which a model that thinks first takes the most


class Output(BaseModel):
    """The proposal; the reason comes first, so that it is thought of first."""

    why: str = Field(description="What the remarks have in common, in one sentence.")
    instruction: str = Field(description="The whole new instruction; empty to keep the old one.")


def render(instruction: Line, remarks: Sequence[Line], nonce: str) -> Prompt:
    """The prompt, with the instruction as the first turn of the block."""
    shown = block([instruction, *remarks], nonce)
    asked = f"{shown}\n\nTurn 1 is the instruction. How should it read after these remarks?"
    return Prompt(NAME, VERSION, _SYSTEM.format(rule=RULE), asked, MAX_TOKENS)


_SYSTEM = """\
You improve the instruction by which an assistant answers one kind of question. The first turn is
the instruction as it stands; the others are remarks of one person on answers given by it.

{rule}

- Keep what the instruction is for; change only what remarks ask for, the more often the sooner.
- What one remark says about the subject of one answer is no reason to change anything.
- The instruction is general: no names, no facts, nothing that only one answer needed.
- At most 80 words, in the language of the old instruction, addressed to the assistant.
- If the remarks ask for nothing that it does not say already, leave it empty."""
