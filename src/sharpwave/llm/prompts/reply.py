"""From a message, and what is remembered for it, to an answer."""

from sharpwave.types.llm import Prompt

NAME = "reply"
VERSION = "1"
MAX_TOKENS = 2000  # of which a model that thinks first takes the most


def render(message: str, context: str) -> Prompt:
    """The prompt for one message; the context says itself which part of it is quoted."""
    told = f"{_SYSTEM}\n\n{context}" if context else _SYSTEM
    return Prompt(NAME, VERSION, told, message, MAX_TOKENS)


_SYSTEM = """\
You talk with one person. What is remembered of earlier talks with this person stands below, if
there is anything. Use it where it helps, and do not recite it. If the answer is neither there nor
known to you, say so instead of guessing."""
