"""Classify comments on answers, in any language, without translating them."""

import threading
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.feedback.classifier_model import (
    MeaningModel,
    SpellingModel,
    bundled_meaning,
    bundled_spelling,
    learn_meaning,
    learn_spelling,
    meaning_digest,
    spelling_digest,
)
from sharpwave.behavior.feedback.phrases import Phrases, SpellingFeatures, load_phrases
from sharpwave.formulas.linear import centred_units, pair_scores, softmax
from sharpwave.ports import Embedder
from sharpwave.types.intent import Classified

THRESHOLD = 0.3
"""Minimum confidence of a category [CFG-02]; chosen on the development set."""
SECOND_SHARE = 0.6
"""Further categories need this share of the first one's confidence."""
MIN_SIGNAL = 0.25
"""Minimum absolute shift of a style dimension."""
MAX_CHARS = 2000
"""Longer texts are cut; feedback has at most 300 characters."""
QUICK_DIRECTIONS = 40
"""Number of main directions of the vectors, where the model is learned at the first use."""
_SHARPNESS = 10.0
"""Factor of the scores in the softmax."""
_LANGUAGE_MARGIN = 0.2
"""Minimum lead in share of the first language over the second."""


class Speller:
    """Scores texts by their n-grams of letters."""

    def __init__(self, model: SpellingModel, languages: Sequence[str]) -> None:
        self.model = model
        self._languages = languages
        self._features = SpellingFeatures(model.runs, model.rarity)

    def of_runs(self, text: str, by_run: NDArray[np.float32]) -> NDArray[np.float32]:
        """The sum of these weights over the n-grams of a text."""
        columns, weights = self._features.row(text)
        total: NDArray[np.float32] = weights @ by_run[columns]
        return total

    def language(self, text: str) -> str | None:
        """The language whose phrases are spelled most similarly (ISO 639-1); None if unclear."""
        shares = self.of_runs(text, self.model.tongues)
        if shares.size < 2 or not shares.any():
            return None
        second, first = np.sort(shares)[-2:]
        is_clear = (first - second) / shares.sum() >= _LANGUAGE_MARGIN
        return self._languages[int(shares.argmax())] if is_clear else None


@cache
def bundled_speller() -> Speller:
    """The speller of the bundled phrases."""
    return _speller(load_phrases())


def _speller(phrases: Phrases) -> Speller:
    spelled = bundled_spelling(spelling_digest(phrases)) or learn_spelling(phrases)
    return Speller(spelled, phrases.languages)


class FeedbackClassifier:
    """Finds the categories of complaints, and how each asks the style to move.

    The first category needs enough confidence, and more than "no complaint"; further ones nearly
    as much as the first. The model of the bundled phrases comes with the package for the built-in
    embedder; for another embedder or other phrases [CFG-10] it is learned at the first use or by
    `initialize`, in about the time that it takes to embed them. Thread-safe.
    """

    def __init__(
        self, embedder: Embedder, phrases: Phrases | None = None, threshold: float = THRESHOLD
    ) -> None:
        self._embedder = embedder
        self._phrases = phrases or load_phrases()
        self._threshold = threshold
        self._ready: tuple[Speller, MeaningModel] | None = None
        self._lock = threading.Lock()
        names = self._phrases.categories
        senses = self._phrases.senses
        belongs = [[sense.category == name for name in (*names, None)] for sense in senses]
        self._belongs = np.array(belongs, dtype=np.float64)

    def initialize(self) -> None:
        """Load or learn the model now instead of at the first use [FB-15]."""
        self._model()

    def classify(self, texts: Sequence[str]) -> list[Classified]:
        """What each text complains about; nothing for praise, other subjects and empty texts."""
        cut = [text[:MAX_CHARS] for text in texts]
        places = [at for at, text in enumerate(cut) if any(map(str.isalnum, text))]
        results = [Classified({}, {}, None)] * len(texts)
        if places:
            speller, meaning = self._model()
            likely = self._probabilities([cut[at] for at in places], speller, meaning)
            for at, row in zip(places, likely, strict=True):
                results[at] = self._classified(row, speller.language(cut[at]))
        return results

    def extract_preference_signals(self, text: str) -> Mapping[str, float]:
        """How a comment asks each style dimension to move, from -1 to 1 [PV-14]."""
        return self.classify([text])[0].signals

    def get_category_definitions(self) -> dict[str, tuple[str, ...]]:
        """The categories, each with its example phrases."""
        return {
            name: tuple(
                example.text
                for example in self._phrases.examples
                if self._phrases.senses[example.sense].category == name
            )
            for name in self._phrases.categories
        }

    def _probabilities(
        self, texts: Sequence[str], speller: Speller, meaning: MeaningModel
    ) -> NDArray[np.float64]:
        """One row per text, one column per sense."""
        units = centred_units(self._embedder.embed(texts), meaning.middle)
        scores = units @ meaning.by_vector
        scores += pair_scores(units @ meaning.directions, meaning.by_pair)
        scores += np.array([speller.of_runs(text, speller.model.by_run) for text in texts])
        return softmax(scores + speller.model.usual, _SHARPNESS)

    def _model(self) -> tuple[Speller, MeaningModel]:
        with self._lock:
            if self._ready is None:
                phrases, embedder = self._phrases, self._embedder
                speller = _speller(phrases)
                meaning = bundled_meaning(meaning_digest(spelling_digest(phrases), embedder.space))
                meaning = meaning or learn_meaning(
                    phrases, speller.model, embedder, QUICK_DIRECTIONS
                )
                self._ready = speller, meaning
            return self._ready

    def _classified(self, likely: NDArray[np.float64], language: str | None) -> Classified:
        *confidences, no_complaint = (likely @ self._belongs).tolist()
        pairs = zip(self._phrases.categories, confidences, strict=True)
        ranked = sorted(pairs, key=lambda pair: -pair[1])
        first = ranked[0][1]
        if first < self._threshold or first <= no_complaint:
            return Classified({}, {}, language)
        least = max(self._threshold, SECOND_SHARE * first)
        named = {name: round(value, 4) for name, value in ranked if value >= least}
        return Classified(named, self._signals(likely, named), language)

    def _signals(self, likely: NDArray[np.float64], named: Mapping[str, float]) -> dict[str, float]:
        """The style signals of the senses, weighted by their share of the category."""
        moved: dict[str, float] = {}
        for sense, probability in zip(self._phrases.senses, likely.tolist(), strict=True):
            if sense.category is not None and sense.category in named:
                share = probability / named[sense.category]
                for dimension, shift in sense.signals.items():
                    moved[dimension] = moved.get(dimension, 0.0) + share * shift
        return {
            dimension: round(max(-1.0, min(1.0, shift)), 3)
            for dimension, shift in moved.items()
            if abs(shift) >= MIN_SIGNAL
        }
