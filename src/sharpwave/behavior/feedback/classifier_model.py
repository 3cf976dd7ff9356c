"""The model of the comment classifier: learned from phrases, stored as numbers.

A phrase is its n-grams of letters, which know the words of the languages that have phrases, and its
vector, which carries meaning from one language to another, with the pairs of its main directions
("too" and "long" say together what neither says alone). The spelling is learned first; the vectors
are fitted to its leave-one-out residuals: so they count as far as they add something for new words,
and another embedder costs little more than its vectors. Both are ridge regressions in closed form:
the same phrases give the same model.

The model of the bundled phrases comes with the package. The file is a NumPy archive without
pickles. With p phrases, n n-grams, s senses and l languages it holds

    runs        uint8           the n-grams as UTF-8, one per line
    rarity      float16 (n,)    weight of an n-gram
    by_run      int8 (n, s)     weights of an n-gram for each sense, divided by `run_scale`
    run_scale   float32 (s,)
    tongues     uint8 (n, l)    the share of each language in an n-gram, in 255ths
    left        int8 (p, s)     leave-one-out residuals of the spelling, by `left_scale`
    left_scale  float32 (s,)
    usual       float32 (s,)    prior of each sense
    spelling    uint8           digest of everything that the spelling was learned from
    middle      float32 (d,)    the mean vector of the phrases
    by_vector   float32 (d, s)  weights of a vector for each sense
    directions  float16 (d, k)  the main directions of the phrases
    by_pair     int8 (k, k, s)  weights of each pair of directions, by `pair_scale`
    pair_scale  float32 (s,)
    meaning     uint8           digest of everything that these were learned from
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.feedback.phrases import Phrases, Row, SpellingFeatures, known_runs, likeness
from sharpwave.formulas.linear import (
    as_square,
    centred_units,
    left_out,
    main_directions,
    pairs,
    primal_weights,
)
from sharpwave.ports import Embedder
from sharpwave.types.storing import Space

BUNDLED = "feedback_reader.npz"
FEATURES = 2
"""Version of the features; a change makes learned models void."""
SPELLING_SHARE, MEANING_SHARE, PAIR_SHARE = 0.7, 0.3, 1.0
"""Prior variances of the weights of n-grams, of the vector and of pairs of directions.
These numbers were chosen by leaving phrases out, and on the development set."""
PAIR_DIRECTIONS = 96
"""Main directions of the vector whose pairs are used, in the bundled model."""
RIDGE = 1.0
MIN_PHRASES = 2
"""Minimum number of phrases that contain an n-gram."""


@dataclass(frozen=True, slots=True)
class SpellingModel:
    """Weights of n-grams of letters."""

    runs: tuple[str, ...]
    rarity: NDArray[np.float32]
    by_run: NDArray[np.float32]
    tongues: NDArray[np.float32]
    left: NDArray[np.float32]
    usual: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class MeaningModel:
    """Weights of the vectors of one embedder."""

    middle: NDArray[np.float32]
    by_vector: NDArray[np.float32]
    directions: NDArray[np.float32]
    by_pair: NDArray[np.float32]


def spelling_digest(phrases: Phrases) -> str:
    """Digest of everything that the spelling model depends on."""
    return _digest(
        FEATURES,
        (SPELLING_SHARE, RIDGE, MIN_PHRASES),
        [sense.name for sense in phrases.senses],
        [(example.text, example.language, example.sense) for example in phrases.examples],
    )


def meaning_digest(spelling: str, space: Space) -> str:
    """Digest of everything that the meaning model depends on."""
    return _digest(
        spelling,
        (space.name, space.version, space.dimension),
        (MEANING_SHARE, PAIR_SHARE, PAIR_DIRECTIONS),
    )


def bundled_spelling(digest: str) -> SpellingModel | None:
    """The bundled spelling model, if it has this digest."""
    own, _, spelled, _ = _bundled()
    return spelled if own == digest else None


def bundled_meaning(digest: str) -> MeaningModel | None:
    """The bundled meaning model, if it has this digest."""
    _, own, _, meaning = _bundled()
    return meaning if own == digest else None


def load(file: Path) -> tuple[str, str, SpellingModel, MeaningModel]:
    """The digests of spelling and meaning in a file, and both models."""
    with np.load(file, allow_pickle=False) as held:
        spelled = SpellingModel(
            tuple(_text(held["runs"]).split("\n")),
            held["rarity"].astype(np.float32),
            held["by_run"] * held["run_scale"],
            held["tongues"] / np.float32(255),
            held["left"] * held["left_scale"],
            held["usual"],
        )
        meaning = MeaningModel(
            held["middle"],
            held["by_vector"],
            held["directions"].astype(np.float32),
            held["by_pair"] * held["pair_scale"],
        )
        return _text(held["spelling"]), _text(held["meaning"]), spelled, meaning


@cache
def _bundled() -> tuple[str, str, SpellingModel, MeaningModel]:
    with as_file(files("sharpwave") / "data" / BUNDLED) as file:
        return load(file)


def _digest(*values: object) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def _text(letters: NDArray[np.uint8]) -> str:
    return letters.tobytes().decode()


def learn_spelling(phrases: Phrases) -> SpellingModel:
    """Fit the weights of n-grams to the phrases."""
    texts = [example.text for example in phrases.examples]
    runs, rarity = known_runs(texts, MIN_PHRASES)
    spelling = SpellingFeatures(runs, rarity)
    rows = [spelling.row(text) for text in texts]
    targets, importance = _targets(phrases)
    usual = np.average(targets, axis=0, weights=importance).astype(np.float32)
    share = np.float32(SPELLING_SHARE)
    alike = likeness(rows, len(runs)) * share
    weights, left = left_out(alike, targets - usual, importance, RIDGE)
    by_run = spelling.weighted(rows, weights) * share
    return SpellingModel(runs, rarity, by_run, _tongues(phrases, spelling, rows), left, usual)


def learn_meaning(
    phrases: Phrases,
    spelled: SpellingModel,
    embedder: Embedder,
    main: int = PAIR_DIRECTIONS,
) -> MeaningModel:
    """Fit the weights of vectors and of direction pairs to the residuals of the spelling model."""
    vectors = embedder.embed([example.text for example in phrases.examples])
    middle = vectors.mean(axis=0)
    units = centred_units(vectors, middle)
    directions = main_directions(units, main)
    shares = np.array([MEANING_SHARE, PAIR_SHARE], dtype=np.float32)
    of_vector, of_pair = np.sqrt(shares)
    features = np.hstack([units * of_vector, pairs(units @ directions) * of_pair])
    _, importance = _targets(phrases)
    weights = primal_weights(features, spelled.left, importance, RIDGE)
    by_vector, by_pair = np.split(weights, [units.shape[1]])
    square = as_square(by_pair * of_pair, directions.shape[1])
    return MeaningModel(middle, by_vector * of_vector, directions, square)


def _targets(phrases: Phrases) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The sense of each phrase (one-hot), and its weight: 1 / sqrt(phrases of that sense)."""
    senses = np.array([example.sense for example in phrases.examples])
    targets = np.eye(len(phrases.senses), dtype=np.float32)[senses]
    weights = 1.0 / np.sqrt(np.maximum(targets.sum(axis=0), 1.0))[senses]
    return targets, (weights / weights.mean()).astype(np.float32)


def _tongues(phrases: Phrases, spelling: SpellingFeatures, rows: list[Row]) -> NDArray[np.float32]:
    """The share of each language in each n-gram."""
    languages = phrases.languages
    spoken = np.array([languages.index(example.language) for example in phrases.examples])
    totals = spelling.weighted(rows, np.eye(len(languages), dtype=np.float32)[spoken])
    sums = totals.sum(axis=1, keepdims=True)
    shares: NDArray[np.float32] = totals / np.maximum(sums, np.float32(1e-6))
    return shares
