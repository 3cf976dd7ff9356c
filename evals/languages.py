"""`sharpwave eval languages`: whether the English meaning of a phrase is the nearest.

The phrases are ours, in `data/phrases.toml`: parallel short sentences, and English sentences that
are near to one of them and mean something else. Both sides are embedded as statements.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from sharpwave.errors import InvalidSettings, NotFound
from evals import retrievers
from sharpwave.ports import Embedder

ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class Phrases:
    """Sentences by language, in the same order in each, and English distractors."""

    by_language: dict[str, tuple[str, ...]]
    distractors: tuple[str, ...]

    @property
    def other_languages(self) -> tuple[str, ...]:
        """All but English."""
        return tuple(language for language in self.by_language if language != ENGLISH)


@dataclass(frozen=True, slots=True)
class LanguageResult:
    """One embedder: share of the phrases whose English meaning came first, by language."""

    name: str
    accuracy: dict[str, float]
    mean: float


@dataclass(frozen=True, slots=True)
class LanguageComparison:
    """All embedders that are there."""

    phrases: int
    candidates: int
    results: tuple[LanguageResult, ...]
    notes: tuple[str, ...]


def compare(names: Sequence[str]) -> LanguageComparison:
    """Measure the named embedders on our phrases."""
    phrases = load_phrases()
    results, notes = [], []
    for name in names:
        try:
            opened = retrievers.open_named(name)
        except (NotFound, InvalidSettings) as error:
            notes.append(f"{name} left out: {error}")
            continue
        if opened.embedder is None:
            notes.append(f"{name} left out: it makes no vectors")
            continue
        accuracy = measure(opened.embedder, phrases)
        results.append(LanguageResult(name, accuracy, sum(accuracy.values()) / len(accuracy)))
    english = phrases.by_language[ENGLISH]
    candidates = len(english) + len(phrases.distractors)
    return LanguageComparison(len(english), candidates, tuple(results), tuple(notes))


def load_phrases() -> Phrases:
    """The phrases that came with the package."""
    text = (files("evals") / "data" / "phrases.toml").read_text("utf-8")
    content = tomllib.loads(text)
    rows = content["phrases"]
    by_language = {language: tuple(row[language] for row in rows) for language in rows[0]}
    return Phrases(by_language, tuple(content["distractors"]))


def measure(embedder: Embedder, phrases: Phrases) -> dict[str, float]:
    """Share of the phrases of each language that are nearest to their English meaning."""
    meanings = embedder.embed([*phrases.by_language[ENGLISH], *phrases.distractors])
    accuracy = {}
    for language in phrases.other_languages:
        texts = phrases.by_language[language]
        nearest = np.argmax(embedder.embed(texts) @ meanings.T, axis=1)
        accuracy[language] = float(np.mean(nearest == np.arange(len(texts))))
    return accuracy
