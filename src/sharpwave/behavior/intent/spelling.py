"""Runs of letters, as features of a text: they know the words of a language, and forgive typos."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

LONGEST = 4
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e"
_WORD = re.compile(f"[\\w{_MARKS}]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")

Row = tuple[NDArray[np.intp], NDArray[np.float32]]
"""Which features a text has, and how strongly each: a unit vector, or nothing."""


def runs(text: str) -> set[str]:
    """Whole words, and runs of two to four letters; of one where words are not spaced.

    >>> sorted(runs("Too"))
    ['#too', '<t', '<to', '<too', 'o>', 'oo', 'oo>', 'to', 'too', 'too>']
    """
    found: set[str] = set()
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        shortest = 1 if _UNSPACED.search(word) else 2
        edged = f"<{word}>"
        for size in range(shortest, LONGEST + 1):
            found.update(edged[at : at + size] for at in range(len(edged) - size + 1))
        found.add(f"#{word}")
    return found - {"<", ">"}


def known_runs(
    texts: Sequence[str], least_seen: int
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """The runs that enough of the texts have, and how much each counts: the rarer, the more."""
    seen = Counter(run for text in texts for run in runs(text))
    kept = tuple(sorted(run for run, count in seen.items() if count >= least_seen))
    rarity = [1.0 + math.log((1 + len(texts)) / (1 + seen[run])) for run in kept]
    return kept, np.array(rarity, dtype=np.float32)


class Spelling:
    """Texts as unit vectors of the runs that are known."""

    def __init__(self, known: Sequence[str], rarity: NDArray[np.float32]) -> None:
        self._column = {run: column for column, run in enumerate(known)}
        self._rarity = rarity

    def __len__(self) -> int:
        """How many runs are known."""
        return len(self._column)

    def row(self, text: str) -> Row:
        """The known runs of a text, in order of their columns, with their weights."""
        known = sorted(self._column[run] for run in runs(text) if run in self._column)
        columns = np.array(known, dtype=np.intp)
        weights = self._rarity[columns]
        length = float(np.linalg.norm(weights))
        return columns, weights / length if length else weights

    def weighted(self, rows: Iterable[Row], of_rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sums of what is given for each row, by column: shape (runs, whatever)."""
        totals = np.zeros((len(self), of_rows.shape[1]), dtype=np.float32)
        for (columns, weights), one in zip(rows, of_rows, strict=True):
            totals[columns] += weights[:, None] * one
        return totals


def likeness(rows: Sequence[Row], columns: int) -> NDArray[np.float32]:
    """The cosine of every two rows, from the lists of who has which feature."""
    owners: list[list[int]] = [[] for _ in range(columns)]
    weights: list[list[float]] = [[] for _ in range(columns)]
    for number, (own, strong) in enumerate(rows):
        for column, weight in zip(own.tolist(), strong.tolist(), strict=True):
            owners[column].append(number)
            weights[column].append(weight)
    found = np.zeros((len(rows), len(rows)), dtype=np.float32)
    for who, strong_ in zip(owners, weights, strict=True):
        shared = np.array(strong_, dtype=np.float32)
        found[np.ix_(who, who)] += np.outer(shared, shared)
    return found
