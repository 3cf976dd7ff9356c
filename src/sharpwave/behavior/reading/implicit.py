"""What a reaction says about the answer before it."""

import re

from sharpwave.ports import Embedder
from sharpwave.types.behavior.reading import Implicit

_THANKS = re.compile(r"\b(thanks?|thank you|perfect|great|exactly)\b", re.I)
_AGAIN = re.compile(r"\b(no,|not what i|that's wrong|again:|i meant)\b", re.I)


def implicit_reward(
    message: str,
    previous_user_message: str,
    previous_assistant_message: str,
    embedder: Embedder,
) -> Implicit | None:
    """A weak sign of whether the answer before was liked, if the message holds one."""
    if _AGAIN.search(message) or message.strip() == previous_user_message.strip():
        return Implicit(-1.0, "asked again")
    if _THANKS.search(message):
        return Implicit(1.0, "thanked")
    return None
