"""What feedback complains about, by a few words of English."""

import re
from collections.abc import Sequence

from sharpwave.ports import Embedder
from sharpwave.tunables.skills import FeedbackSettings
from sharpwave.types.behavior.reading import Classified

_RULES: tuple[tuple[str, dict[str, float], str], ...] = (
    ("too_verbose", {"verbosity": -1.0}, r"too long|verbose|wordy|shorter|concise|tl;?dr"),
    ("too_brief", {"verbosity": 1.0, "explanation_depth": 1.0}, r"too (short|brief)|more detail"),
    ("wrong_tone", {"formality": -1.0}, r"too formal|stiff|friendlier"),
    ("wrong_tone", {"formality": 1.0}, r"too casual|more professional"),
    ("not_helpful", {}, r"not helpful|useless|off topic|irrelevant"),
    ("incorrect_info", {}, r"incorrect|wrong|inaccurate|not true|mistake"),
)


class FeedbackClassifier:
    """Sorts comments into categories and directions of style."""

    def __init__(self, embedder: Embedder, settings: FeedbackSettings) -> None:
        self._embedder = embedder
        self._settings = settings

    def classify(self, texts: Sequence[str]) -> list[Classified]:
        """For each text the categories it belongs to, and where the style should go."""
        return [_classified(text) for text in texts]


def _classified(text: str) -> Classified:
    categories: dict[str, float] = {}
    signals: dict[str, float] = {}
    for category, directions, words in _RULES:
        if re.search(words, text, re.I):
            categories[category] = 1.0
            signals.update(directions)
    return Classified(categories, signals, "en" if categories else None)
