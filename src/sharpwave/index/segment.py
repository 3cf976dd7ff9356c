"""An immutable, compact part of a user's postings: which rows hold which term, and how often."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharpwave.index.columns import distinct

Counts = NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings by term: those of `terms[i]` lie between `offsets[i]` and `offsets[i + 1]`."""

    terms: NDArray[np.int32]
    """Term ids, increasing."""
    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    """Rows that hold the term, each once."""
    counts: Counts
    """How often; as few bytes each as the highest needs."""

    @property
    def nbytes(self) -> int:
        """Memory taken."""
        return self.terms.nbytes + self.offsets.nbytes + self.rows.nbytes + self.counts.nbytes

    def find(self, terms: NDArray[np.int32]) -> list[slice]:
        """Where the postings of each of these terms lie."""
        places = np.searchsorted(self.terms, terms)
        return [
            slice(int(self.offsets[place]), int(self.offsets[place + 1]))
            if place < len(self.terms) and self.terms[place] == term
            else slice(0, 0)
            for place, term in zip(places.tolist(), terms, strict=True)
        ]


def build(tokens: NDArray[np.int32], rows: NDArray[np.int32]) -> Segment:
    """The segment of a stream of tokens, each with the row it occurs in."""
    keys, counts = np.unique(tokens.astype(np.int64) << 32 | rows, return_counts=True)
    return _segment(
        (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32), _smallest(counts)
    )


def merge(segments: Sequence[Segment]) -> Segment:
    """One segment with the postings of all; no row may be in two of them.

    Every posting is moved once to its place: nothing is sorted but the list of terms.
    """
    terms = distinct(np.concatenate([segment.terms for segment in segments]))
    places = [np.searchsorted(terms, segment.terms) for segment in segments]
    sizes = [np.diff(segment.offsets) for segment in segments]
    offsets = np.zeros(len(terms) + 1, np.int64)
    for place, size in zip(places, sizes, strict=True):
        offsets[place + 1] += size
    np.cumsum(offsets, out=offsets)
    rows = np.empty(offsets[-1], np.int32)
    counts = np.empty(offsets[-1], np.result_type(*(segment.counts for segment in segments)))
    free = offsets[:-1].copy()
    for segment, place, size in zip(segments, places, sizes, strict=True):
        to = np.repeat(free[place] - segment.offsets[:-1], size) + np.arange(len(segment.rows))
        rows[to] = segment.rows
        counts[to] = segment.counts
        free[place] += size
    return Segment(terms, offsets, rows, counts)


def renumbered(segment: Segment, new_rows: NDArray[np.int32]) -> Segment:
    """The segment with each row replaced by `new_rows[row]`; below zero means: drop it."""
    rows = new_rows[segment.rows]
    kept = rows >= 0
    terms = np.repeat(segment.terms, np.diff(segment.offsets))[kept]
    return _segment(terms, rows[kept], segment.counts[kept])


def _segment(terms: NDArray[np.int32], rows: NDArray[np.int32], counts: Counts) -> Segment:
    """A segment of postings that are already in order of their terms."""
    starts = np.flatnonzero(np.diff(terms, prepend=np.int32(-1)))
    return Segment(terms[starts], np.append(starts, len(terms)).astype(np.int64), rows, counts)


def _smallest(counts: NDArray[np.intp]) -> Counts:
    highest = int(counts.max(initial=0))
    return counts.astype(np.min_scalar_type(highest))
