"""What a remark about an answer means, in any language, without translating it."""

import threading
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.intent.learned import (
    bundled_meaning,
    bundled_spelling,
    meaning_digest,
    spelling_digest,
)
from sharpwave.behavior.intent.learning import learn_meaning, learn_spelling
from sharpwave.behavior.intent.phrase_reader import PhraseReader
from sharpwave.behavior.intent.phrases import Phrases, load_phrases
from sharpwave.ports import Embedder
from sharpwave.settings.reading import ReadingSettings
from sharpwave.types.intent import Classified


class FeedbackClassifier:
    """Names the categories of complaints, and which way each asks the style to move.

    The surest category is named if it is sure enough, and surer than no complaint at all; further
    ones if they are nearly as sure. The bundled phrases come learned for the built-in embedder; for
    another their vectors are made and learned at the first use or by `initialize`, in about the
    time that it takes to embed them. Safe to share between threads.
    """

    def __init__(
        self, embedder: Embedder, settings: ReadingSettings, phrases: Phrases | None = None
    ) -> None:
        self._embedder = embedder
        self._settings = settings
        self._phrases = phrases or load_phrases(settings.phrases_file)
        self._ready: PhraseReader | None = None
        self._lock = threading.Lock()
        names = self._phrases.categories
        belongs = [
            [1.0 if sense.category == name else 0.0 for name in (*names, None)]
            for sense in self._phrases.senses
        ]
        self._belongs = np.array(belongs)

    def initialize(self) -> None:
        """Get ready now instead of at the first use [FB-15]."""
        self._reader()

    def classify(self, texts: Sequence[str]) -> list[Classified]:
        """What each text complains of; nothing if it is praise, off the subject, or empty."""
        shown = [text[: self._settings.max_chars] for text in texts]
        said = [at for at, text in enumerate(shown) if any(map(str.isalnum, text))]
        results = [Classified({}, {}, None)] * len(texts)
        if said:
            reader = self._reader()
            likely = reader.probabilities([shown[at] for at in said])
            for at, row in zip(said, likely, strict=True):
                results[at] = self._judged(row, reader.language(shown[at]))
        return results

    def extract_preference_signals(self, text: str) -> Mapping[str, float]:
        """Which way a remark asks each style dimension to move, from -1 to 1 [PV-14]."""
        return self.classify([text])[0].signals

    def get_category_definitions(self) -> dict[str, tuple[str, ...]]:
        """The categories, each with the phrases it is known by."""
        return {
            name: tuple(
                one.text
                for one in self._phrases.examples
                if self._phrases.senses[one.sense].category == name
            )
            for name in self._phrases.categories
        }

    def _reader(self) -> PhraseReader:
        with self._lock:
            if self._ready is None:
                phrases, embedder, settings = self._phrases, self._embedder, self._settings
                spelling = spelling_digest(phrases, settings)
                meaning = meaning_digest(spelling, embedder.space, settings)
                spelled = bundled_spelling(spelling) or learn_spelling(phrases, settings)
                meant = bundled_meaning(meaning)
                meant = meant or learn_meaning(
                    phrases, spelled, embedder, settings, settings.quick_directions
                )
                self._ready = PhraseReader(spelled, meant, phrases.languages, embedder, settings)
            return self._ready

    def _judged(self, likely: NDArray[np.float64], language: str | None) -> Classified:
        *sure, none = (likely @ self._belongs).tolist()
        ranked = sorted(zip(self._phrases.categories, sure, strict=True), key=lambda one: -one[1])
        first = ranked[0][1]
        chosen = self._settings
        if first < chosen.threshold or first - none < chosen.margin or first <= none:
            return Classified({}, {}, language)
        least = max(chosen.threshold, chosen.second_share * first)
        named = {name: round(one, 4) for name, one in ranked if one >= least}
        return Classified(named, self._signals(likely, named), language)

    def _signals(self, likely: NDArray[np.float64], named: Mapping[str, float]) -> dict[str, float]:
        """Each sense moves the style as far as it stands for its category."""
        moved: dict[str, float] = {}
        for sense, sure in zip(self._phrases.senses, likely.tolist(), strict=True):
            if sense.category is not None and sense.category in named:
                share = sure / named[sense.category]
                for dimension, way in sense.signals.items():
                    moved[dimension] = moved.get(dimension, 0.0) + share * way
        return {
            dimension: round(max(-1.0, min(1.0, way)), 3)
            for dimension, way in moved.items()
            if abs(way) >= self._settings.least_signal
        }
