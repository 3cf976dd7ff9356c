"""From a session to a few sentences that say what it was about [EPI-05]."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from sharpwave.llm.prompts.transcript import RULE, Line, block
from sharpwave.types.llm import Prompt

NAME = "summary"
VERSION = "1"
MAX_TOKENS = 1500  # of which a model that thinks first takes the most


class Output(BaseModel):
    """What was said, in short."""

    summary: str = Field(description="The summary, in the language of the conversation.")


def render(turns: Sequence[Line], most_words: int, nonce: str) -> Prompt:
    """The prompt for one session."""
    asked = f"{block(turns, nonce)}\n\nSummarise the conversation in at most {most_words} words."
    return Prompt(NAME, VERSION, _SYSTEM.format(rule=RULE), asked, MAX_TOKENS)


_SYSTEM = """\
You summarise a conversation, so that somebody who was not there can later look up what was said.

{rule}

Write plain sentences. Keep who said what, names, numbers, dates, decisions and plans, spelt as they
are spelt there; leave out greetings and praise. Add nothing: no name, number or date that does not
stand in the conversation, and no conclusion of your own."""
