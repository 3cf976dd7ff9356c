"""Learns senses from example phrases, for any embedder.

A phrase is its runs of letters, which know the words of the languages that have phrases, and its
vector, which carries meaning from one language to another, with the pairs of its main directions
("too" and "long" say together what neither says alone). The spelling is learned first. What it
leaves unsaid of a phrase when that phrase itself is left out is what the vectors are fitted to: so
they are trusted as far as they add something to new words, and another embedder costs little more
than its vectors. Both are fitted in closed form: the same phrases give the same reader.
"""

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.intent.learned import Meant, Spelled
from sharpwave.behavior.intent.phrases import Phrases
from sharpwave.behavior.intent.spelling import Row, Spelling, known_runs, likeness
from sharpwave.formulas.linear import (
    as_square,
    centred_units,
    left_out,
    main_directions,
    pairs,
    primal_weights,
)
from sharpwave.ports import Embedder
from sharpwave.settings.reading import ReadingSettings


def learn_spelling(phrases: Phrases, settings: ReadingSettings) -> Spelled:
    """What the phrases say of each run of letters."""
    texts = [one.text for one in phrases.examples]
    runs, rarity = known_runs(texts, settings.least_seen)
    spelling = Spelling(runs, rarity)
    rows = [spelling.row(text) for text in texts]
    targets, importance = _wanted(phrases)
    usual = np.average(targets, axis=0, weights=importance).astype(np.float32)
    share = np.float32(settings.spelling_share)
    alike = likeness(rows, len(runs)) * share
    weights, left = left_out(alike, targets - usual, importance, settings.ridge)
    by_run = spelling.weighted(rows, weights) * share
    return Spelled(runs, rarity, by_run, _tongues(phrases, spelling, rows), left, usual)


def learn_meaning(
    phrases: Phrases,
    spelled: Spelled,
    embedder: Embedder,
    settings: ReadingSettings,
    main: int,
) -> Meant:
    """What each direction of a vector says, and each pair of so many main ones."""
    vectors = embedder.embed([one.text for one in phrases.examples])
    middle = vectors.mean(axis=0)
    units = centred_units(vectors, middle)
    directions = main_directions(units, main)
    shares = np.array([settings.meaning_share, settings.pair_share], dtype=np.float32)
    of_vector, of_pair = np.sqrt(shares)
    features = np.hstack([units * of_vector, pairs(units @ directions) * of_pair])
    _, importance = _wanted(phrases)
    weights = primal_weights(features, spelled.left, importance, settings.ridge)
    by_vector, by_pair = np.split(weights, [units.shape[1]])
    square = as_square(by_pair * of_pair, directions.shape[1])
    return Meant(middle, by_vector * of_vector, directions, square)


def _wanted(phrases: Phrases) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The sense of each phrase, and how much the phrase counts.

    One of a sense that has few counts more, by the root of how many there are.
    """
    senses = np.array([one.sense for one in phrases.examples])
    targets = np.eye(len(phrases.senses), dtype=np.float32)[senses]
    each = 1.0 / np.sqrt(np.maximum(targets.sum(axis=0), 1.0))[senses]
    return targets, (each / each.mean()).astype(np.float32)


def _tongues(phrases: Phrases, spelling: Spelling, rows: list[Row]) -> NDArray[np.float32]:
    """For each run, how it is shared among the languages."""
    languages = phrases.languages
    spoken = np.array([languages.index(one.language) for one in phrases.examples])
    totals = spelling.weighted(rows, np.eye(len(languages), dtype=np.float32)[spoken])
    sums = totals.sum(axis=1, keepdims=True)
    shares: NDArray[np.float32] = totals / np.maximum(sums, np.float32(1e-6))
    return shares
