"""Read a message: its intent, sentiment, hour, topic, and its reaction to the last answer.

Intent and sentiment come from a linear layer over the message's vector and words, well below a
millisecond besides the vector [SKL-19, resolution 48]; an integrator's own model wins over it.
Reactions are inferred cautiously: a missed one costs little, a false one teaches something wrong.
"""

import logging
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior import message_model
from sharpwave.errors import ProviderError
from sharpwave.ports import Embedder, IntentModel
from sharpwave.reading.entities import mentions
from sharpwave.reading.grammar.lexicon import load_cues, spaced
from sharpwave.reading.grammar.tokens import tokenize
from sharpwave.types.intent import Implicit, MessageLabels, ReadContext

_LOG = logging.getLogger(__name__)
Vector = NDArray[np.float32]
OTHER = "other"

TIMES_OF_DAY = ((5, "night"), (12, "morning"), (17, "afternoon"), (22, "evening"), (24, "night"))
"""Each with the hour at which it ends."""

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
"""Minimum share of common words, and minimum cosine, of a repetition."""


def read_context(
    message: str, at: datetime, embedder: Embedder | None, model: IntentModel | None = None
) -> ReadContext:
    """The context of a message at a moment, in the moment's time zone.

    `model` is the integrator's own; the bundled model fills in what it leaves out.
    """
    text = message_model.ends(message)
    topic = message_vector(message, embedder)
    own = _own_labels(message, model)
    intents, sentiments = own.intents, own.sentiments
    if not intents or not sentiments:
        bundled = _bundled_labels(message, text, topic, embedder)
        intents, sentiments = intents or bundled.intents, sentiments or bundled.sentiments
    return ReadContext(
        intent=max(intents, key=lambda name: intents[name], default=OTHER),
        sentiment=max(sentiments, key=lambda name: sentiments[name], default="neutral"),
        time_of_day=time_of_day(at),
        topic=topic,
        entities=tuple(mention.name for mention in mentions(text, tokenize(text), {})),
        intents=intents,
    )


def _own_labels(message: str, model: IntentModel | None) -> MessageLabels:
    """The labels of the integrator's model; empty if there is none or it fails."""
    if model is None:
        return MessageLabels()
    try:
        return model.read(message)
    except ProviderError as error:
        _LOG.warning("the intent model failed, the bundled one is used: %s", error)
        return MessageLabels()


def _bundled_labels(
    message: str, text: str, topic: Vector | None, embedder: Embedder | None
) -> MessageLabels:
    """The labels of the bundled model; empty for a message without words."""
    if not spaced(text).strip():
        return MessageLabels()
    vector = topic if text == message else message_vector(text, embedder)
    space = embedder.space if embedder else None
    return message_model.bundled().labels(text, vector, space)


def time_of_day(at: datetime) -> str:
    """Morning from five, afternoon from noon, evening from five, night from ten.

    >>> time_of_day(datetime(2026, 1, 1, 17, 0))
    'evening'
    """
    return next(name for until, name in TIMES_OF_DAY if at.hour < until)


def message_vector(message: str, embedder: Embedder | None) -> Vector | None:
    """The vector of a message; None if the embedder fails, so reading never fails."""
    if embedder is None or not message.strip():
        return None
    try:
        vector: Vector = embedder.embed([message])[0]
    except ProviderError:
        return None
    return vector


def implicit_reward(
    message: str,
    previous_user_message: str | None,
    previous_assistant_message: str | None,
    embedder: Embedder,
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


def _repeats(words: str, before: str, embedder: Embedder) -> bool:
    """Whether a message repeats the one before: many words in common, nearly the same meaning."""
    earlier = spaced(before[:MAX_REACTION_CHARS])
    current_words, earlier_words = set(words.split()), set(earlier.split())
    sizes = (len(words), len(earlier))
    if min(sizes) < MIN_REPEAT_CHARS or max(sizes) > MAX_REPEAT_CHARS:
        return False
    if len(current_words & earlier_words) < REPEAT_WORDS * len(current_words | earlier_words):
        return False
    try:
        vector, earlier_vector = embedder.embed([words, earlier])
    except ProviderError:
        return False
    return float(vector @ earlier_vector) >= REPEAT_COSINE
