"""Learns senses from example phrases, for any embedder, in a second or two.

A phrase is its vector, which carries meaning from one language to another, beside its runs of
letters, which know the words of the languages that have phrases. A linear reader is fitted to both
in closed form: the same phrases give the same reader.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.reading.phrases import Phrases
from sharpwave.behavior.reading.spelling import Row, Spelling, likeness
from sharpwave.formulas.behavior.ridge import dual_weights
from sharpwave.formulas.behavior.softmax import softmax
from sharpwave.ports import Embedder
from sharpwave.tunables.reading import ReadingSettings


class PhraseReader:
    """How likely a text has each sense, and which language it is in. Safe to share."""

    def __init__(self, phrases: Phrases, embedder: Embedder, settings: ReadingSettings) -> None:
        self._embedder = embedder
        self._settings = settings
        self._languages = phrases.languages
        texts = [one.text for one in phrases.examples]
        self._spelling = Spelling(texts, settings.least_seen)
        rows = [self._spelling.row(text) for text in texts]
        vectors = embedder.embed(texts)
        self._middle = vectors.mean(axis=0)
        senses = np.array([one.sense for one in phrases.examples])
        self._fit(rows, self._centred(vectors), senses, len(phrases.senses))
        spoken = np.array([self._languages.index(one.language) for one in phrases.examples])
        self._tongues = _shares(
            self._spelling.weighted(rows, np.eye(len(self._languages), dtype=np.float32)[spoken])
        )

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One row a text, one column a sense."""
        meaning = self._centred(self._embedder.embed(texts)) @ self._by_vector
        spelled = np.array([self._spelled(text, self._by_run) for text in texts])
        return softmax(meaning + spelled + self._usual, self._settings.sharpness)

    def language(self, text: str) -> str | None:
        """The language whose phrases are spelled alike; None if that does not tell."""
        shares = self._spelled(text, self._tongues)
        if shares.size < 2 or not shares.any():
            return None
        second, first = np.sort(shares)[-2:]
        sure = (first - second) / shares.sum() >= self._settings.language_margin
        return self._languages[int(shares.argmax())] if sure else None

    def _fit(
        self, rows: list[Row], vectors: NDArray[np.float32], senses: NDArray[np.intp], number: int
    ) -> None:
        share = np.float32(self._settings.meaning_share)
        targets = np.eye(number, dtype=np.float32)[senses]
        importance = 1.0 / np.sqrt(np.maximum(targets.sum(axis=0), 1.0))[senses]
        importance = (importance / importance.mean()).astype(np.float32)
        self._usual = np.average(targets, axis=0, weights=importance).astype(np.float32)
        alike = likeness(rows, len(self._spelling)) * (1 - share) + vectors @ vectors.T * share
        weights = dual_weights(alike, targets - self._usual, importance, self._settings.ridge)
        self._by_vector = vectors.T @ weights * share
        self._by_run = self._spelling.weighted(rows, weights) * (1 - share)

    def _spelled(self, text: str, by_run: NDArray[np.float32]) -> NDArray[np.float32]:
        columns, weights = self._spelling.row(text)
        total: NDArray[np.float32] = weights @ by_run[columns]
        return total

    def _centred(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        moved = vectors - self._middle
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        units: NDArray[np.float32] = moved / np.maximum(lengths, np.float32(1e-6))
        return units


def _shares(totals: NDArray[np.float32]) -> NDArray[np.float32]:
    sums = totals.sum(axis=1, keepdims=True)
    shares: NDArray[np.float32] = totals / np.maximum(sums, np.float32(1e-6))
    return shares
