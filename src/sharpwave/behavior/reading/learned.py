"""What was learned from phrases, as numbers; those of the bundled phrases come with the package.

Whoever brings other phrases, another embedder or other settings learns anew. The file is a NumPy
archive without pickles. With n runs of letters, s senses and l languages it holds

    runs        uint8           the runs as UTF-8, one a line
    rarity      float16 (n,)    how much a run counts
    by_run      int8 (n, s)     what a run says for each sense, divided by `run_scale`
    run_scale   float32 (s,)
    tongues     uint8 (n, l)    the share of each language in a run, in 255ths
    middle      float32 (d,)    the mean vector of the phrases
    by_vector   float32 (d, s)  what a vector says for each sense
    directions  float16 (d, k)  those in which the phrases differ most
    by_pair     int8 (k, k, s)  what each pair of them says for each sense, by `pair_scale`
    pair_scale  float32 (s,)
    usual       float32 (s,)    how likely each sense is before anything is read
    digest      uint8           of everything that it was learned from
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.reading.phrases import Phrases
from sharpwave.tunables.reading import ReadingSettings
from sharpwave.types.storing import Space

BUNDLED = "feedback_reader.npz"
FEATURES = 1
"""Counted up when texts are cut into runs in another way: what was learned before is void."""


@dataclass(frozen=True, slots=True)
class Learned:
    """Everything a reader needs besides its embedder."""

    runs: tuple[str, ...]
    rarity: NDArray[np.float32]
    by_run: NDArray[np.float32]
    tongues: NDArray[np.float32]
    middle: NDArray[np.float32]
    by_vector: NDArray[np.float32]
    directions: NDArray[np.float32]
    by_pair: NDArray[np.float32]
    usual: NDArray[np.float32]


def digest(phrases: Phrases, space: Space, settings: ReadingSettings) -> str:
    """A name for everything that the numbers depend on."""
    told = (
        FEATURES,
        (space.name, space.version, space.dimension),
        (settings.meaning_share, settings.pair_share, settings.pair_directions),
        (settings.ridge, settings.least_seen),
        [one.name for one in phrases.senses],
        [(one.text, one.language, one.sense) for one in phrases.examples],
    )
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def bundled(wanted: str) -> Learned | None:
    """What came with the package, if it was learned from the same; None if not."""
    name, learned = _bundled()
    return learned if name == wanted else None


def load(file: Path) -> tuple[str, Learned]:
    """The digest in a file, and the numbers."""
    with np.load(file, allow_pickle=False) as held:
        learned = Learned(
            tuple(held["runs"].tobytes().decode().split("\n")),
            held["rarity"].astype(np.float32),
            held["by_run"] * held["run_scale"],
            held["tongues"] / np.float32(255),
            held["middle"],
            held["by_vector"],
            held["directions"].astype(np.float32),
            held["by_pair"] * held["pair_scale"],
            held["usual"],
        )
        return held["digest"].tobytes().decode(), learned


def save(file: Path, name: str, learned: Learned) -> None:
    """Write the numbers, the many of them in eight bits."""
    by_run, run_scale = _in_eight_bits(learned.by_run)
    by_pair, pair_scale = _in_eight_bits(learned.by_pair)
    np.savez_compressed(
        file,
        runs=_letters("\n".join(learned.runs)),
        rarity=learned.rarity.astype(np.float16),
        by_run=by_run,
        run_scale=run_scale,
        tongues=np.rint(learned.tongues * 255).astype(np.uint8),
        middle=learned.middle,
        by_vector=learned.by_vector,
        directions=learned.directions.astype(np.float16),
        by_pair=by_pair,
        pair_scale=pair_scale,
        usual=learned.usual,
        digest=_letters(name),
    )


@cache
def _bundled() -> tuple[str, Learned]:
    with as_file(files("sharpwave") / "data" / BUNDLED) as file:
        return load(file)


def _in_eight_bits(
    numbers: NDArray[np.float32],
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole numbers, and by what those of each sense are multiplied."""
    largest = np.abs(numbers).reshape(-1, numbers.shape[-1]).max(axis=0)
    scale: NDArray[np.float32] = largest / np.float32(127)
    return np.rint(numbers / scale).astype(np.int8), scale


def _letters(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)
