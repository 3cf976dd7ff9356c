"""Learns senses from example phrases, for any embedder, in some seconds of CPU.

A phrase is its vector, which carries meaning from one language to another, with the pairs of its
main directions ("too" and "long" say together what neither says alone), beside its runs of letters,
which know the words of the languages that have phrases. A linear reader is fitted to all of it in
closed form: the same phrases give the same reader.
"""

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.reading.learned import Learned
from sharpwave.behavior.reading.phrases import Phrases
from sharpwave.behavior.reading.spelling import Row, Spelling, known_runs, likeness
from sharpwave.formulas.reading.pairs import main_directions, pair_weights
from sharpwave.formulas.reading.ridge import dual_weights
from sharpwave.formulas.reading.unit import centred_units
from sharpwave.ports import Embedder
from sharpwave.tunables.reading import ReadingSettings


def learn(phrases: Phrases, embedder: Embedder, settings: ReadingSettings) -> Learned:
    """What the phrases say of each run of letters, and of each direction of a vector."""
    texts = [one.text for one in phrases.examples]
    runs, rarity = known_runs(texts, settings.least_seen)
    spelling = Spelling(runs, rarity)
    rows = [spelling.row(text) for text in texts]
    vectors = embedder.embed(texts)
    middle = vectors.mean(axis=0)
    units = centred_units(vectors, middle)
    senses = np.array([one.sense for one in phrases.examples])
    targets = np.eye(len(phrases.senses), dtype=np.float32)[senses]
    importance = _importance(targets, senses)
    usual = np.average(targets, axis=0, weights=importance).astype(np.float32)
    share = np.float32(settings.meaning_share)
    directions = main_directions(units, settings.pair_directions)
    placed = units @ directions
    paired = np.float32(settings.pair_share)
    alike = likeness(rows, len(runs)) * (1 - share) + units @ units.T * share
    alike += (placed @ placed.T) ** 2 * paired
    weights = dual_weights(alike, targets - usual, importance, settings.ridge)
    return Learned(
        runs,
        rarity,
        by_run=spelling.weighted(rows, weights) * (1 - share),
        tongues=_tongues(phrases, spelling, rows),
        middle=middle,
        by_vector=units.T @ weights * share,
        directions=directions,
        by_pair=pair_weights(placed, weights) * paired,
        usual=usual,
    )


def _importance(targets: NDArray[np.float32], senses: NDArray[np.intp]) -> NDArray[np.float32]:
    """A phrase of a sense that has few counts more, by the root of how many there are."""
    each = 1.0 / np.sqrt(np.maximum(targets.sum(axis=0), 1.0))[senses]
    importance: NDArray[np.float32] = (each / each.mean()).astype(np.float32)
    return importance


def _tongues(phrases: Phrases, spelling: Spelling, rows: list[Row]) -> NDArray[np.float32]:
    """For each run, how it is shared among the languages."""
    languages = phrases.languages
    spoken = np.array([languages.index(one.language) for one in phrases.examples])
    totals = spelling.weighted(rows, np.eye(len(languages), dtype=np.float32)[spoken])
    sums = totals.sum(axis=1, keepdims=True)
    shares: NDArray[np.float32] = totals / np.maximum(sums, np.float32(1e-6))
    return shares
