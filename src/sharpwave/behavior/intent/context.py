"""What situation a message is in: what it is after, its mood, its hour, its topic, its names.

By rules and cue words, without a model: a message costs well below a millisecond besides its
vector [SKL-19, resolution 48].
"""

import re
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import ProviderError
from sharpwave.ports import Embedder
from sharpwave.reading.entities import mentions
from sharpwave.reading.grammar.lexicon import load_cues, spaced
from sharpwave.reading.grammar.tokens import tokenize
from sharpwave.types.intent import ReadContext

INTENTS = (
    "code_review",
    "coding",
    "summary",
    "planning",
    "writing",
    "emotional_support",
    "feedback",
    "explanation",
    "chat",
    "question",
)
"""What a message can be after; of equals the first. Without any cue it is `other`."""
SENTIMENTS = ("positive", "neutral", "negative")
TIMES_OF_DAY = ((5, "night"), (12, "morning"), (17, "afternoon"), (22, "evening"), (24, "night"))
"""Each until the hour before it."""

READ_CHARS = 600
"""What a message is after stands at its beginning or at its end; more is not looked at."""

_CODE = re.compile(
    r"```|\bdef \w+\(|\bclass \w+[:({]|\bimport \w+|=>|\);|\{\s*\n|</\w+>|#include\b"
    r"|\bSELECT\b.+\bFROM\b"
)
_ASKED = re.compile("[?\uff1f\u061f\u037e]")


def read_context(message: str, at: datetime, embedder: Embedder | None) -> ReadContext:
    """The situation of a message said at a moment, in the time zone that the moment carries."""
    shown = _ends(message)
    words = spaced(shown)
    return ReadContext(
        intent=_intent(shown, words),
        sentiment=_sentiment(words),
        time_of_day=time_of_day(at),
        topic=_topic(message, embedder),
        entities=tuple(one.name for one in mentions(shown, tokenize(shown), {})),
    )


def time_of_day(at: datetime) -> str:
    """Morning from five, afternoon from noon, evening from five, night from ten.

    >>> time_of_day(datetime(2026, 1, 1, 17, 0))
    'evening'
    """
    return next(name for until, name in TIMES_OF_DAY if at.hour < until)


def _intent(text: str, words: str) -> str:
    found = load_cues("intents").found(words)
    if _CODE.search(text):
        found["coding"] = found.get("coding", 0) + 2
    if found.get("code_review"):
        return "code_review"
    if found.get("coding") and found.get("writing"):
        return "coding"
    asked = ["question"] if _ASKED.search(text) else []
    wanted = [kind for kind in INTENTS if kind in found]
    special = [kind for kind in wanted if kind not in ("question", "chat")]
    if special:
        return max(special, key=lambda kind: found[kind])
    return next(iter([*wanted, *asked]), "other")


def _sentiment(words: str) -> str:
    found = load_cues("sentiment").found(words)
    balance = found.get("positive", 0) - found.get("negative", 0)
    if balance == 0:
        return "neutral"
    return "positive" if balance > 0 else "negative"


def _topic(message: str, embedder: Embedder | None) -> NDArray[np.float32] | None:
    """A message whose vector cannot be had is read without: reading never fails."""
    if embedder is None or not message.strip():
        return None
    try:
        vector: NDArray[np.float32] = embedder.embed([message])[0]
    except ProviderError:
        return None
    return vector


def _ends(message: str) -> str:
    if len(message) <= READ_CHARS:
        return message
    return f"{message[: READ_CHARS // 2]}\n{message[-READ_CHARS // 2 :]}"
