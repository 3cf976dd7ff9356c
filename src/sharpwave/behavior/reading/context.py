"""What a message is about and how it is meant, by a few words of English."""

import re
from datetime import datetime

from sharpwave.errors import ProviderError
from sharpwave.ports import Embedder
from sharpwave.types.behavior.reading import ReadContext

_INTENTS = (
    ("code_review", re.compile(r"\b(review|pull request|code smell|critique)\b", re.I)),
    ("summary", re.compile(r"\b(summari[sz]e|summary|tl;?dr|key points|gist)\b", re.I)),
    ("explanation", re.compile(r"\b(explain|teach|learn|understand|how does|why does)\b", re.I)),
    ("planning", re.compile(r"\b(plan|ideas?|brainstorm|options|organi[sz]e)\b", re.I)),
    (
        "emotional_support",
        re.compile(r"\b(sad|lonely|afraid|anxious|exhausted|overwhelmed|upset)\b", re.I),
    ),
    ("question", re.compile(r"\?|^(what|who|when|where|which|how|why|is|are|do|does|can)\b", re.I)),
    ("request", re.compile(r"^(please|write|make|give|show|fix|create|find|send|list)\b", re.I)),
)
_NEGATIVE = re.compile(r"\b(sad|bad|hate|angry|awful|afraid|upset|lonely|tired|wrong)\b", re.I)
_POSITIVE = re.compile(r"\b(great|love|thanks?|nice|happy|awesome|glad|good)\b", re.I)
_PARTS = ((5, "night"), (12, "morning"), (18, "afternoon"), (22, "evening"), (24, "night"))


def read_context(message: str, at: datetime, embedder: Embedder | None) -> ReadContext:
    """What a message is about and how it is meant."""
    intent = next((name for name, words in _INTENTS if words.search(message)), "chat")
    feeling = "negative" if _NEGATIVE.search(message) else "neutral"
    if feeling == "neutral" and _POSITIVE.search(message):
        feeling = "positive"
    part = next(name for until, name in _PARTS if at.hour < until)
    topic = None
    if embedder is not None:
        try:
            topic = embedder.embed_question(message)
        except ProviderError:
            topic = None
    return ReadContext(intent, feeling, part, topic, ())
