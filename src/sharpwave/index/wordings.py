"""The wording of each row: the pieces its words are cut into, and marks of what it mentions.

Kept beside the postings so that a question needs no text: reading and cutting those of its
candidates would take longer than everything else. Rows are positions. What is removed is
overwritten at once, because pieces spell out what was said.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.index.columns import Column
from sharpwave.index.snapshot import require
from sharpwave.ports import TokenMatcher
from sharpwave.types.searching import Pieces, Worded
from sharpwave.types.storing import IndexRow

VERSION = 1
"""Raise it when the same text would give other marks, so that saved indexes are built anew."""

MAX_CHARS = 1200
"""Most characters of a text that are read."""

OWN, NUMBERS = 1, 2
"""Marks: it speaks of the speaker ("I", "my", "we"); it has a number or a word of time."""

PIECE_BYTES = 3
"""Size of a stored piece; there are more pieces than two bytes can tell apart."""

_WORD = re.compile(r"[^\W_]+")
_ASCII_FOLDED = "".join(chr(c).lower() if chr(c).isalnum() else " " for c in range(128))
_DIGIT = re.compile(r"\d")
_OWN = frozenset("i me my mine we us our ours".split())
_NUMBERS = frozenset(
    """one two three four five six seven eight nine ten eleven twelve dozen twenty thirty
    forty fifty hundred thousand half couple few first second third once twice today tonight
    yesterday tomorrow ago last next weekend week weeks month months year years day days hour
    hours minutes monday tuesday wednesday thursday friday saturday sunday january february
    march april june july august september october november december morning evening night
    recently soon since summer winter spring autumn birthday christmas""".split()
)

Rows = NDArray[np.intp]


class Wordings:
    """The pieces and marks of one user's rows; without a matcher, only the marks."""

    def __init__(self, tokens: TokenMatcher | None) -> None:
        self._tokens = tokens
        self._pieces = Column(np.uint8, PIECE_BYTES)
        self._ends = Column(np.int64)
        self._priors = Column(np.float32)
        self._marks = Column(np.uint8)

    @property
    def nbytes(self) -> int:
        """Memory taken."""
        return sum(column.nbytes for column in (self._pieces, *self._by_row()))

    @property
    def signature(self) -> str:
        """Changes whenever the same text might be stored differently."""
        return f"{VERSION} {MAX_CHARS} {self._tokens.signature if self._tokens else 'none'}"

    def extend(self, rows: Sequence[IndexRow]) -> None:
        """Add a row for each."""
        self._marks.extend(np.array([marks(row.text[:MAX_CHARS]) for row in rows], np.uint8))
        if self._tokens is not None:
            cut = self._tokens.cut([_with_speaker(row) for row in rows])
        else:
            none = np.zeros(len(rows), np.int64)
            cut = Pieces(np.empty(0, np.int64), none, none.astype(np.float32))
        self._ends.extend(len(self._pieces) + np.cumsum(cut.counts))
        octets = cut.ids.astype("<u4").view(np.uint8).reshape(-1, 4)
        self._pieces.extend(octets[:, :PIECE_BYTES].T)
        self._priors.extend(cut.priors)

    def worded(self, rows: Rows, times: NDArray[np.int64], places: Rows, count: int) -> Worded:
        """The wordings and times of some rows, each at its place of `count`; empty elsewhere."""
        pieces = self.pieces(rows)
        counts, said_at = np.zeros((2, count), np.int64)
        own, counted = np.zeros((2, count), np.bool_)
        priors = np.zeros(count, np.float32)
        counts[places], priors[places], said_at[places] = pieces.counts, pieces.priors, times
        own[places], counted[places] = self.marked(rows, OWN), self.marked(rows, NUMBERS)
        return Worded(Pieces(pieces.ids, counts, priors), own, counted, said_at)

    def bury(self, rows: Rows) -> None:
        """Overwrite all that these rows say."""
        places, _ = self._places(rows)
        self._pieces.values[:, places] = 0
        self._priors.values[rows] = 0
        self._marks.values[rows] = 0

    def keep(self, rows: Rows) -> None:
        """Keep only these rows, in this order."""
        places, counts = self._places(rows)
        self._pieces.keep(places)
        for column in self._by_row():
            column.keep(rows)
        self._ends.values[:] = np.cumsum(counts)

    def pieces(self, rows: Rows) -> Pieces:
        """The pieces of some rows, one row after the other."""
        places, counts = self._places(rows)
        low, middle, high = self._pieces.values[:, places].astype(np.int64)
        return Pieces(low | middle << 8 | high << 16, counts, self._priors.values[rows])

    def marked(self, rows: Rows, mark: int) -> NDArray[np.bool_]:
        """Which of some rows have a mark."""
        return (self._marks.values[rows] & mark) > 0

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What `restore` needs."""
        return {
            "pieces": self._pieces.values,
            "ends": self._ends.values,
            "priors": self._priors.values.view(np.uint32),
            "marks": self._marks.values,
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]], records: int) -> None:
        """Load saved rows; only while it is empty."""
        require({"pieces", "ends", "priors", "marks"} <= arrays.keys())
        pieces, ends = arrays["pieces"], arrays["ends"]
        require(all(arrays[name].shape == (records,) for name in ("ends", "priors", "marks")))
        require(bool((np.diff(ends, prepend=0) >= 0).all()))
        require(pieces.shape == (PIECE_BYTES, int(ends[-1]) if records else 0))
        self._pieces.extend(pieces)
        self._ends.extend(ends)
        self._priors.extend(arrays["priors"].view(np.float32))
        self._marks.extend(arrays["marks"])

    def _by_row(self) -> tuple[Column[Any], ...]:
        return self._ends, self._priors, self._marks

    def _places(self, rows: Rows) -> tuple[Rows, NDArray[np.int64]]:
        """Where the pieces of some rows lie, and how many each row has."""
        ends = self._ends.values
        starts = np.where(rows > 0, ends[rows - 1], 0)
        counts = ends[rows] - starts
        first = np.cumsum(counts) - counts
        return np.repeat(starts - first, counts) + np.arange(int(counts.sum())), counts


def marks(text: str) -> int:
    """The marks of what a text mentions.

    >>> marks("My train leaves at 7"), marks("See you in May!"), marks("Last week we met")
    (3, 0, 3)
    """
    if text.isascii():  # the same words, in a third of the time
        words = text.translate(_ASCII_FOLDED).split()
    else:
        words = _WORD.findall(text.lower())
    own = OWN if not _OWN.isdisjoint(words) else 0
    counted = not _NUMBERS.isdisjoint(words) or _DIGIT.search(text)
    return own | (NUMBERS if counted else 0)


def _with_speaker(row: IndexRow) -> str:
    text = row.text[:MAX_CHARS]
    return f"{row.speaker}: {text}" if row.speaker else text
