"""Read a message by cue words: its intent, mood, hour, topic, and its reaction to the last answer.

Without a model: well below a millisecond a message besides its vector [SKL-19, resolution 48].
Reactions are inferred carefully: a missed one costs little, a false one teaches something wrong.
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
from sharpwave.types.intent import Implicit, ReadContext

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
"""The intents; of equals the first wins. Without any cue it is `other`."""
SENTIMENTS = ("positive", "neutral", "negative")
TIMES_OF_DAY = ((5, "night"), (12, "morning"), (17, "afternoon"), (22, "evening"), (24, "night"))
"""Each with the hour at which it ends."""

READ_CHARS = 600
"""The intent is at the beginning or end of a message; only these characters are read."""
MAX_REACTION_CHARS = 2000
"""Characters of a message that are searched for a reaction."""
OPENING_CHARS = 24
"""Thanks and corrections about the answer are at the beginning of a message."""
IMPLICIT_REWARD = 0.3
"""Reward of thanks, a correction or a repetition; a rating has 1."""
MAX_THANKS_CHARS = 120
"""In a longer message thanks are a courtesy, and do not count."""
MIN_REPEAT_CHARS, MAX_REPEAT_CHARS = 20, 300
"""Shorter messages repeat nothing; longer ones are pasted texts."""
REPEAT_WORDS, REPEAT_COSINE = 0.7, 0.92
"""Least share of words in common, and least cosine, of a repetition."""

_CODE = re.compile(
    r"```|\bdef \w+\(|\bclass \w+[:({]|\bimport \w+|=>|\);|\{\s*\n|</\w+>|#include\b"
    r"|\bSELECT\b.+\bFROM\b"
)
_QUESTION_MARK = re.compile("[?\uff1f\u061f\u037e]")


def read_context(message: str, at: datetime, embedder: Embedder | None) -> ReadContext:
    """The context of a message at a moment, in the moment's time zone."""
    text = _ends(message)
    words = spaced(text)
    return ReadContext(
        intent=_intent(text, words),
        sentiment=_sentiment(words),
        time_of_day=time_of_day(at),
        topic=_topic(message, embedder),
        entities=tuple(mention.name for mention in mentions(text, tokenize(text), {})),
    )


def time_of_day(at: datetime) -> str:
    """Morning from five, afternoon from noon, evening from five, night from ten.

    >>> time_of_day(datetime(2026, 1, 1, 17, 0))
    'evening'
    """
    return next(name for until, name in TIMES_OF_DAY if at.hour < until)


def _intent(text: str, words: str) -> str:
    cues = load_cues("intents").found(words)
    if _CODE.search(text):
        cues["coding"] = cues.get("coding", 0) + 2
    if cues.get("code_review"):
        return "code_review"
    if cues.get("coding") and cues.get("writing"):
        return "coding"
    question = ["question"] if _QUESTION_MARK.search(text) else []
    intents = [kind for kind in INTENTS if kind in cues]
    special = [kind for kind in intents if kind not in ("question", "chat")]
    if special:
        return max(special, key=lambda kind: cues[kind])
    return next(iter([*intents, *question]), "other")


def _sentiment(words: str) -> str:
    cues = load_cues("sentiment").found(words)
    balance = cues.get("positive", 0) - cues.get("negative", 0)
    if balance == 0:
        return "neutral"
    return "positive" if balance > 0 else "negative"


def _topic(message: str, embedder: Embedder | None) -> NDArray[np.float32] | None:
    """The vector of a message; None if the embedder fails, so that reading never does."""
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


def implicit_reward(
    message: str,
    previous_user_message: str | None,
    previous_assistant_message: str | None,
    embedder: Embedder | None,
) -> Implicit | None:
    """The reaction of a message to the answer before it; None if there is none."""
    if not previous_assistant_message or not message.strip():
        return None
    words = spaced(message[:MAX_REACTION_CHARS])
    cues = load_cues("implicit").found(words[:OPENING_CHARS])
    if cues.get("correction"):
        return Implicit(-IMPLICIT_REWARD, "correction")
    if cues.get("thanks") and len(words) <= MAX_THANKS_CHARS:
        return Implicit(IMPLICIT_REWARD, "thanks")
    if previous_user_message and _repeats(words, previous_user_message, embedder):
        return Implicit(-IMPLICIT_REWARD, "repeated")
    return None


def _repeats(words: str, before: str, embedder: Embedder | None) -> bool:
    """Whether a message repeats the one before: many words in common, nearly the same meaning."""
    earlier = spaced(before[:MAX_REACTION_CHARS])
    ours, theirs = set(words.split()), set(earlier.split())
    sizes = (len(words), len(earlier))
    if min(sizes) < MIN_REPEAT_CHARS or max(sizes) > MAX_REPEAT_CHARS:
        return False
    if len(ours & theirs) < REPEAT_WORDS * len(ours | theirs):
        return False
    if embedder is None:
        return ours == theirs
    try:
        vector, other = embedder.embed([words, earlier])
    except ProviderError:
        return False
    return float(vector @ other) >= REPEAT_COSINE
