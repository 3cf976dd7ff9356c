"""Classifications of messages, and of comments on answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class MessageLabels:
    """Probabilities of intents and sentiments of a message, as a model returns them."""

    intents: Mapping[str, float] = field(default_factory=dict)
    """Empty if the model gives no intents."""
    sentiments: Mapping[str, float] = field(default_factory=dict)
    """positive, neutral and negative; empty if the model gives none."""


@dataclass(frozen=True, slots=True)
class ReadContext:
    """The context of a message [SKL-19]."""

    intent: str
    """question, explanation, how_to, brainstorming, coding, technical, code_review, summary,
    technical_summary, planning, writing, request, chat, emotional_support, feedback or other; or
    one that your own model knows. `technical` is a question that needs an exact answer, `request`
    asks for one thing only, `other` asks for nothing: a plain statement, or no words."""
    sentiment: str
    """positive, neutral or negative."""
    time_of_day: str
    """morning, afternoon, evening or night, in the time zone of the moment given."""
    topic: NDArray[np.float32] | None
    """The vector of the message; None without text or embedder."""
    entities: tuple[str, ...]
    intents: Mapping[str, float] = field(default_factory=dict)
    """Probability of each intent; if empty, `intent` is certain."""


@dataclass(frozen=True, slots=True)
class Classified:
    """The complaints of a comment on an answer; empty if it is no complaint [FB-10]."""

    categories: Mapping[str, float]
    """The confidence of each category, in [0, 1], highest first."""
    signals: Mapping[str, float]
    """How far to move each style dimension: -1 (less) to 1 (more) [PV-14]."""
    language: str | None
    """ISO 639-1; None if the spelling does not show it."""


@dataclass(frozen=True, slots=True)
class Implicit:
    """The reaction of the next message to an answer that was not rated."""

    reward: float
    """Weak: well inside -1 to 1."""
    reason: str
    """thanks, correction or repeated."""
