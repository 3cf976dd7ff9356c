"""Are two statements inconsistent? Yes or no, and why [CON-02]."""

from pydantic import BaseModel, Field

from sharpwave.llm.prompts.transcript import RULE, Line, block
from sharpwave.types.llm import Prompt

NAME = "conflict"
VERSION = "1"
MAX_TOKENS = 1000  # of which a model that thinks first takes the most


class Output(BaseModel):
    """The verdict; the reason comes first, so that it is thought of first."""

    why: str = Field(description="The reason, in one sentence.")
    inconsistent: bool = Field(description="true if both cannot hold at the same time.")


def render(earlier: Line, later: Line, nonce: str) -> Prompt:
    """The prompt, with both statements as turns of the same block."""
    asked = f"{block([earlier, later], nonce)}\n\nAre these two statements inconsistent?"
    return Prompt(NAME, VERSION, _SYSTEM.format(rule=RULE), asked, MAX_TOKENS)


_SYSTEM = """\
You judge whether two statements are inconsistent: whether they cannot both be true at one time.

{rule}

- A new value of what a person has only one of (home town, employer, age) is inconsistent with the
  old one, even if it is plain that it changed: the dates are there to tell, not to excuse.
- A further value of what a person can have many of (hobbies, friends, pets) is not.
- More or less detail about the same thing is not.
- Statements about different people or things are not.
- If you cannot tell, they are not."""
