"""What a user says of an answer, held against the answer itself."""

import re
from collections.abc import Sequence

from sharpwave.reading.steering.frames import Instruction
from sharpwave.reading.steering.lexicon import words
from sharpwave.reading.steering.sentences import Word

_TERSE = 15
"""Nobody means an answer of so few words with "too long"."""
_LENGTHY = 400
"""Nor one of so many with "too short"."""
_SIGNS = {
    "emoji": re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]"),
    "bullet": re.compile(r"^\s*[-*•] ", re.MULTILINE),
    "heading": re.compile(r"^#{1,6} ", re.MULTILINE),
    "table": re.compile(r"^\|.+\|", re.MULTILINE),
    "apologize": re.compile(r"\b(?:sorry|apolog\w+)\b", re.IGNORECASE),
    "apologise": re.compile(r"\b(?:sorry|apolog\w+)\b", re.IGNORECASE),
    "exclamation": re.compile(r"!"),
}
_REJECTED = re.compile(r"\b(?:not|instead of|rather than) (.+)$")
_EMPTY = words("the a an any so many much use using do and or of to in it")


def belies(remedy: Sequence[Word], answer: str | None) -> bool:
    """True if the answer cannot be what is complained about."""
    if answer is None:
        return False
    low, size = {one.low for one in remedy}, len(answer.split())
    return ("concise" in low and size <= _TERSE) or ("detailed" in low and size >= _LENGTHY)


def did(told: Instruction, answer: str | None) -> bool:
    """True if the answer did what the user does not want: then it is a correction."""
    if answer is None or told.always:
        return False
    text = " ".join(told.low)
    unwanted = text if told.negated else ""
    if not unwanted and (found := _REJECTED.search(text)):
        unwanted = found[1]
    if not unwanted:
        return False
    for name, sign in _SIGNS.items():
        if (name in unwanted or name == told.verb) and sign.search(answer):
            return True
    said = [one for one in unwanted.split() if one not in _EMPTY and one.isalpha()]
    shown = answer.casefold()
    return bool(said) and any(_root(one) in shown for one in said)


def _root(one: str) -> str:
    return one.removesuffix("ing").removesuffix("s")
