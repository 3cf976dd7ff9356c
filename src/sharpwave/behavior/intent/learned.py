"""What was learned from phrases, as numbers; those of the bundled phrases come with the package.

What the spelling says holds with any embedder, and is learned anew only for other phrases; what a
vector adds to it is learned anew for another embedder too. The file is a NumPy archive without
pickles. With p phrases, n runs of letters, s senses and l languages it holds

    runs        uint8           the runs as UTF-8, one a line
    rarity      float16 (n,)    how much a run counts
    by_run      int8 (n, s)     what a run says for each sense, divided by `run_scale`
    run_scale   float32 (s,)
    tongues     uint8 (n, l)    the share of each language in a run, in 255ths
    left        int8 (p, s)     what the spelling of the others leaves unsaid of each phrase
    left_scale  float32 (s,)
    usual       float32 (s,)    how likely each sense is before anything is read
    spelling    uint8           digest of everything that the spelling was learned from
    middle      float32 (d,)    the mean vector of the phrases
    by_vector   float32 (d, s)  what a vector says for each sense
    directions  float16 (d, k)  those in which the phrases differ most
    by_pair     int8 (k, k, s)  what each pair of them says for each sense, by `pair_scale`
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

from sharpwave.behavior.intent.phrases import Phrases
from sharpwave.settings.reading import ReadingSettings
from sharpwave.types.storing import Space

BUNDLED = "feedback_reader.npz"
FEATURES = 2
"""Counted up when texts are cut into runs in another way: what was learned before is void."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """What runs of letters say."""

    runs: tuple[str, ...]
    rarity: NDArray[np.float32]
    by_run: NDArray[np.float32]
    tongues: NDArray[np.float32]
    left: NDArray[np.float32]
    usual: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Meant:
    """What the vectors of one embedder say besides."""

    middle: NDArray[np.float32]
    by_vector: NDArray[np.float32]
    directions: NDArray[np.float32]
    by_pair: NDArray[np.float32]


def spelling_digest(phrases: Phrases, settings: ReadingSettings) -> str:
    """A name for everything that the numbers of the spelling depend on."""
    return _digest(
        FEATURES,
        (settings.spelling_share, settings.ridge, settings.least_seen),
        [one.name for one in phrases.senses],
        [(one.text, one.language, one.sense) for one in phrases.examples],
    )


def meaning_digest(spelling: str, space: Space, settings: ReadingSettings) -> str:
    """A name for everything that the numbers of an embedder depend on."""
    return _digest(
        spelling,
        (space.name, space.version, space.dimension),
        (settings.meaning_share, settings.pair_share, settings.pair_directions),
    )


def bundled_spelling(wanted: str) -> Spelled | None:
    """What came with the package, if it was learned from the same; None if not."""
    name, _, spelled, _ = _bundled()
    return spelled if name == wanted else None


def bundled_meaning(wanted: str) -> Meant | None:
    """What came with the package, if it was learned from the same; None if not."""
    _, name, _, meant = _bundled()
    return meant if name == wanted else None


def load(file: Path) -> tuple[str, str, Spelled, Meant]:
    """The digests of the spelling and of the meaning in a file, and the numbers of each."""
    with np.load(file, allow_pickle=False) as held:
        spelled = Spelled(
            tuple(_text(held["runs"]).split("\n")),
            held["rarity"].astype(np.float32),
            held["by_run"] * held["run_scale"],
            held["tongues"] / np.float32(255),
            held["left"] * held["left_scale"],
            held["usual"],
        )
        meant = Meant(
            held["middle"],
            held["by_vector"],
            held["directions"].astype(np.float32),
            held["by_pair"] * held["pair_scale"],
        )
        return _text(held["spelling"]), _text(held["meaning"]), spelled, meant


def save(file: Path, spelling: str, meaning: str, spelled: Spelled, meant: Meant) -> None:
    """Write the numbers, the many of them in eight bits."""
    by_run, run_scale = _in_eight_bits(spelled.by_run)
    left, left_scale = _in_eight_bits(spelled.left)
    by_pair, pair_scale = _in_eight_bits(meant.by_pair)
    np.savez_compressed(
        file,
        runs=_letters("\n".join(spelled.runs)),
        rarity=spelled.rarity.astype(np.float16),
        by_run=by_run,
        run_scale=run_scale,
        tongues=np.rint(spelled.tongues * 255).astype(np.uint8),
        left=left,
        left_scale=left_scale,
        usual=spelled.usual,
        spelling=_letters(spelling),
        middle=meant.middle,
        by_vector=meant.by_vector,
        directions=meant.directions.astype(np.float16),
        by_pair=by_pair,
        pair_scale=pair_scale,
        meaning=_letters(meaning),
    )


@cache
def _bundled() -> tuple[str, str, Spelled, Meant]:
    with as_file(files("sharpwave") / "data" / BUNDLED) as file:
        return load(file)


def _digest(*told: object) -> str:
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _in_eight_bits(
    numbers: NDArray[np.float32],
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole numbers, and by what those of each sense are multiplied."""
    largest = np.abs(numbers).reshape(-1, numbers.shape[-1]).max(axis=0)
    scale: NDArray[np.float32] = largest / np.float32(127)
    return np.rint(numbers / scale).astype(np.int8), scale


def _letters(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _text(letters: NDArray[np.uint8]) -> str:
    return letters.tobytes().decode()
