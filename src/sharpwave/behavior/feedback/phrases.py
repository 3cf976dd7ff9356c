"""The phrases that the comment classifier learns from, and their features: n-grams of letters."""

import math
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidSettings

BUNDLED = "feedback_phrases.toml"


@dataclass(frozen=True, slots=True)
class Sense:
    """A meaning of a comment; several senses may belong to one category [resolution 47]."""

    name: str
    category: str | None
    """None: no complaint, such as praise."""
    signals: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Example:
    """A phrase, its language, and the index of its sense."""

    text: str
    language: str
    sense: int


@dataclass(frozen=True, slots=True)
class Phrases:
    """The senses and their example phrases."""

    senses: tuple[Sense, ...]
    examples: tuple[Example, ...]

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, each once, in the order of the file."""
        return tuple(dict.fromkeys(sense.category for sense in self.senses if sense.category))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages, each once, in the order of the file."""
        return tuple(dict.fromkeys(example.language for example in self.examples))


def load_phrases(file: Path | None = None) -> Phrases:
    """The phrases in a TOML file, or the bundled ones; raises InvalidSettings."""
    source = file or files("sharpwave") / "data" / BUNDLED
    try:
        return _phrases(tomllib.loads(source.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings(f"cannot read the phrases in {source}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidSettings(
            f"{source} has not the form of feedback phrases ({error!r}): give [senses.NAME] with "
            "category and signals, and [phrases.LANGUAGE] with a list for each sense"
        ) from error


def _phrases(content: Mapping[str, Any]) -> Phrases:
    senses = tuple(_sense(name, entry) for name, entry in content["senses"].items())
    number = {sense.name: at for at, sense in enumerate(senses)}
    examples = tuple(
        Example(str(text), language, number[name])
        for language, by_sense in content["phrases"].items()
        for name, texts in by_sense.items()
        for text in texts
    )
    if len({example.sense for example in examples}) < 2:
        raise ValueError("phrases of two senses at least are needed")
    return Phrases(senses, examples)


def _sense(name: str, entry: Mapping[str, Any]) -> Sense:
    signals = {dimension: float(shift) for dimension, shift in entry["signals"].items()}
    if any(abs(shift) > 1 for shift in signals.values()):
        raise ValueError(f"signals of {name} must lie between -1 and 1")
    return Sense(name, entry["category"] or None, signals)


LONGEST = 4
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e"
_WORD = re.compile(f"[\\w{_MARKS}]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")

Row = tuple[NDArray[np.intp], NDArray[np.float32]]
"""A sparse unit vector: columns and weights; empty if no n-gram is known."""


def runs(text: str) -> set[str]:
    """The words and n-grams of two to four letters; also single letters in unspaced scripts.

    >>> sorted(runs("Too"))
    ['#too', '<t', '<to', '<too', 'o>', 'oo', 'oo>', 'to', 'too', 'too>']
    """
    ngrams: set[str] = set()
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        shortest = 1 if _UNSPACED.search(word) else 2
        edged = f"<{word}>"
        for size in range(shortest, LONGEST + 1):
            ngrams.update(edged[at : at + size] for at in range(len(edged) - size + 1))
        ngrams.add(f"#{word}")
    return ngrams - {"<", ">"}


def known_runs(
    texts: Sequence[str], least_seen: int
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """The n-grams that occur in enough texts, and their inverse document frequencies."""
    seen = Counter(run for text in texts for run in runs(text))
    kept = tuple(sorted(run for run, count in seen.items() if count >= least_seen))
    rarity = [1.0 + math.log((1 + len(texts)) / (1 + seen[run])) for run in kept]
    return kept, np.array(rarity, dtype=np.float32)


class SpellingFeatures:
    """Texts as sparse unit vectors of known n-grams."""

    def __init__(self, known: Sequence[str], rarity: NDArray[np.float32]) -> None:
        self._column = {run: column for column, run in enumerate(known)}
        self._rarity = rarity

    def __len__(self) -> int:
        """Number of known n-grams."""
        return len(self._column)

    def row(self, text: str) -> Row:
        """The known n-grams of a text by column, with their weights."""
        known = sorted(self._column[run] for run in runs(text) if run in self._column)
        columns = np.array(known, dtype=np.intp)
        weights = self._rarity[columns]
        length = float(np.linalg.norm(weights))
        return columns, weights / length if length else weights

    def weighted(self, rows: Iterable[Row], of_rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sums of the values of the rows, weighted, by column: shape (n-grams, values)."""
        totals = np.zeros((len(self), of_rows.shape[1]), dtype=np.float32)
        for (columns, weights), values in zip(rows, of_rows, strict=True):
            totals[columns] += weights[:, None] * values
        return totals


def likeness(rows: Sequence[Row], columns: int) -> NDArray[np.float32]:
    """The cosine of every two rows, from an inverted index."""
    owners: list[list[int]] = [[] for _ in range(columns)]
    weights: list[list[float]] = [[] for _ in range(columns)]
    for number, (row_columns, row_weights) in enumerate(rows):
        for column, weight in zip(row_columns.tolist(), row_weights.tolist(), strict=True):
            owners[column].append(number)
            weights[column].append(weight)
    cosines = np.zeros((len(rows), len(rows)), dtype=np.float32)
    for row_numbers, column_weights in zip(owners, weights, strict=True):
        shared = np.array(column_weights, dtype=np.float32)
        cosines[np.ix_(row_numbers, row_numbers)] += np.outer(shared, shared)
    return cosines
