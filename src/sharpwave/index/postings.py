"""Which rows hold which term, and how often: compact segments, and a tail of the newest rows."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharpwave.formulas.text import BM25_B, BM25_K1, idf, term_weight
from sharpwave.index.columns import Column, distinct
from sharpwave.index.snapshot import require
from sharpwave.index.terms import Vocabulary

Counts = NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True)
class PostingsSegment:
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


def build(tokens: NDArray[np.int32], rows: NDArray[np.int32]) -> PostingsSegment:
    """The segment of a stream of tokens, each with the row it occurs in."""
    keys, counts = np.unique(tokens.astype(np.int64) << 32 | rows, return_counts=True)
    smallest = np.min_scalar_type(int(counts.max(initial=0)))
    terms, places = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
    return _segment(terms, places, counts.astype(smallest))


def merge(segments: Sequence[PostingsSegment]) -> PostingsSegment:
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
    return PostingsSegment(terms, offsets, rows, counts)


def renumbered(segment: PostingsSegment, new_rows: NDArray[np.int32]) -> PostingsSegment:
    """The segment with each row replaced by `new_rows[row]`; below zero means: drop it."""
    rows = new_rows[segment.rows]
    kept = rows >= 0
    terms = np.repeat(segment.terms, np.diff(segment.offsets))[kept]
    return _segment(terms, rows[kept], segment.counts[kept])


def _segment(terms: NDArray[np.int32], rows: NDArray[np.int32], counts: Counts) -> PostingsSegment:
    """A segment of postings that are already in order of their terms."""
    starts = np.flatnonzero(np.diff(terms, prepend=np.int32(-1)))
    return PostingsSegment(
        terms[starts], np.append(starts, len(terms)).astype(np.int64), rows, counts
    )


Mask = NDArray[np.bool_]
Hits = tuple[NDArray[np.int32], NDArray[np.float32]]
"""Rows that hold a term, each once, and how often each does."""


class Matched(NamedTuple):
    """The terms of a query that count, and where they stand."""

    terms: list[Hits]
    idf: list[float]
    """How telling each of them is."""
    unknown: int
    """How many distinct terms of the query no record holds."""
    unknown_idf: float
    """What one of these would be worth."""

    @property
    def ideal(self) -> float:
        """What a text would score that holds every known term once, at average length."""
        return sum(self.idf)

    def among(self, allowed: Mask) -> "Matched":
        """The same terms, but only where they stand in allowed rows."""
        masks = [allowed[rows] for rows, _ in self.terms]
        kept = zip(self.terms, masks, strict=True)
        return self._replace(terms=[(rows[mask], counts[mask]) for (rows, counts), mask in kept])


COMMON_TERM_SHARE = 0.1
"""A term in more than this share of the records is skipped if rarer ones match."""
COMMON_TERM_FLOOR = 1000
"""Below this many records no term counts as common."""
TAIL_RECORDS = 2048
"""New records gathered before they become a compact segment."""
USUAL_TERMS = 64
"""Terms of a record of usual length: longer ones fill the tail sooner."""


class Lengths(NamedTuple):
    """How many terms each row has, which rows count in statistics, and the mean of those."""

    lengths: NDArray[np.int32]
    counted: Mask
    average_length: float


class Postings:
    """The postings of one user."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._lengths = Column(np.int32)
        self._counted = Column(np.bool_)
        self._living = 0
        self._living_length = 0
        self._segments: list[PostingsSegment] = []
        self._tail_tokens = array("i")
        self._tail_first = 0
        self._tail: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None

    @property
    def nbytes(self) -> int:
        """Memory taken, the vocabulary included."""
        segments = sum(segment.nbytes for segment in self._segments)
        tail = len(self._tail_tokens) * self._tail_tokens.itemsize
        rows = self._lengths.nbytes + self._counted.nbytes
        return segments + tail + rows + self._vocabulary.nbytes

    def extend(self, texts: Sequence[Sequence[str]], counted: Sequence[bool]) -> None:
        """Add a row for each text, given as its terms, and whether it counts in statistics."""
        lengths = np.array([len(terms) for terms in texts], np.int32)
        for terms in texts:
            self._tail_tokens.extend(self._vocabulary.ids(terms))
        self._lengths.extend(lengths)
        count = np.array(counted, np.bool_)
        self._counted.extend(count)
        self._living += int(count.sum())
        self._living_length += int(lengths[count].sum())
        self._tail = None
        if self._tail_is_full():
            self._seal()
            self._merge_alike()

    def bury(self, rows: NDArray[np.intp]) -> None:
        """Remove living rows from the statistics; masks must hide them from now on."""
        counted = rows[self._counted.values[rows]]
        self._living -= len(counted)
        self._living_length -= int(self._lengths.values[counted].sum())

    @property
    def measured(self) -> Lengths:
        """How long the rows are."""
        average = self._living_length / self._living if self._living_length else 1.0
        return Lengths(self._lengths.values, self._counted.values, average)

    def matched(self, terms: Sequence[str], alive: Mask | None, allowed: Mask | None) -> Matched:
        """Where the distinct terms of a query stand, in living rows.

        A term that a large share of the records holds is left out, if a rarer one is found in an
        allowed row; one that nearly all hold, if there is any other.
        """
        rare, frequent = list[Hits](), list[Hits]()
        for hits in self._find(terms, alive):
            common = is_frequent(self._holding(hits), self._living)
            (frequent if common else rare).append(hits)
        unknown = len(set(terms)) - len(rare) - len(frequent)
        if not any(len(rows) and (allowed is None or allowed[rows].any()) for rows, _ in rare):
            held = ((hits, self._holding(hits)) for hits in frequent)
            spread = [hits for hits, count in held if not is_everywhere(count, self._living)]
            rare += spread or frequent
        idfs = [float(idf(self._living, float(self._holding(hits)))) for hits in rare]
        return Matched(rare, idfs, unknown, float(idf(self._living, 0.0)))

    def held(self, terms: Sequence[str], alive: Mask | None) -> Mask:
        """Which living rows hold every one of these terms."""
        counts = np.zeros(len(self._lengths), np.int32)
        for rows, _ in self._find(terms, alive):
            counts[rows] += 1
        every: Mask = counts == len(set(terms))
        return every

    def scores(self, matched: Matched) -> NDArray[np.float32]:
        """BM25 score of every row; 0 where no term matches, and for dead rows."""
        scores = np.zeros(len(self._lengths), np.float32)
        for (rows, counts), weight in zip(matched.terms, matched.idf, strict=True):
            scores[rows] += np.float32(weight) * self._weights(rows, counts)
        return scores

    def keep(self, rows: NDArray[np.intp]) -> None:
        """Keep only these rows, in this order, in one segment; unused terms are dropped."""
        self._seal()
        new_rows = np.full(len(self._lengths), -1, np.int32)
        new_rows[rows] = np.arange(len(rows), dtype=np.int32)
        segment = renumbered(self._merged(), new_rows)
        self._vocabulary = self._vocabulary.subset(segment.terms)
        terms = np.arange(len(segment.terms), dtype=np.int32)
        self._segments = [PostingsSegment(terms, segment.offsets, segment.rows, segment.counts)]
        self._lengths.keep(rows)
        self._counted.keep(rows)
        self._tail_first = len(rows)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What `restore` needs; call `keep` first, so that there is one segment and no tail."""
        segment = self._merged()
        return {
            "lengths": self._lengths.values,
            "vocabulary": np.frombuffer(self._vocabulary.to_bytes(), np.uint8),
            "offsets": segment.offsets,
            "rows": segment.rows,
            "counts": segment.counts,
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]], counted: Mask) -> None:
        """Load saved rows, of which some count; only while it is empty."""
        records = len(counted)
        require({"lengths", "vocabulary", "offsets", "rows", "counts"} <= arrays.keys())
        lengths, offsets, rows = arrays["lengths"], arrays["offsets"], arrays["rows"]
        self._vocabulary = Vocabulary.from_bytes(arrays["vocabulary"].tobytes())
        terms = np.arange(len(self._vocabulary), dtype=np.int32)
        require(len(lengths) == records and len(offsets) == len(terms) + 1)
        require(offsets[0] == 0 and offsets[-1] == len(rows) == len(arrays["counts"]))
        require(bool((np.diff(offsets) > 0).all()))
        require(bool(rows.min(initial=0) >= 0 and rows.max(initial=-1) < records))
        self._lengths.extend(lengths)
        self._counted.extend(counted)
        self._tail_first = records
        self._living = int(counted.sum())
        self._living_length = int(lengths[counted].sum())
        self._segments = [PostingsSegment(terms, offsets, rows, arrays["counts"])]

    def _find(self, terms: Sequence[str], alive: Mask | None) -> list[Hits]:
        """For each distinct known term, the living rows that hold it."""
        wanted = self._vocabulary.known(terms)
        parts: list[list[Hits]] = [[] for _ in wanted]
        for segment in self._segments:
            for part, place in zip(parts, segment.find(wanted), strict=True):
                if place.stop > place.start:
                    counts = segment.counts[place].astype(np.float32)
                    part.append(_living(segment.rows[place], counts, alive))
        tokens, rows = self._tail_view()
        for part, term in zip(parts, wanted, strict=True):
            term_rows = rows[tokens == term]
            if len(term_rows) or not part:
                found, repeats = np.unique(term_rows, return_counts=True)
                part.append(_living(found, repeats.astype(np.float32), alive))
        return [_joined(part) for part in parts]

    def _holding(self, hits: Hits) -> int:
        """How many rows that count hold a term."""
        return int(np.count_nonzero(self._counted.values[hits[0]]))

    def _weights(self, rows: NDArray[np.int32], counts: NDArray[np.float32]) -> NDArray[np.float32]:
        lengths = self._lengths.values[rows].astype(np.float32)
        return term_weight(counts, lengths, self.measured.average_length, BM25_K1, BM25_B)

    def _tail_view(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The tokens of the tail, and the row of each."""
        if self._tail is None:
            first, end = self._tail_first, len(self._lengths)
            rows = np.repeat(np.arange(first, end, dtype=np.int32), self._lengths.values[first:])
            self._tail = (np.array(self._tail_tokens, np.int32), rows)
        return self._tail

    def _tail_is_full(self) -> bool:
        records = len(self._lengths) - self._tail_first
        return max(records, len(self._tail_tokens) // USUAL_TERMS) >= TAIL_RECORDS

    def _seal(self) -> None:
        """Turn the tail into a segment."""
        tokens, rows = self._tail_view()
        if len(tokens):
            self._segments.append(build(tokens, rows))
        self._tail_tokens = array("i")
        self._tail_first = len(self._lengths)
        self._tail = None

    def _merge_alike(self) -> None:
        """Merge until each segment is more than twice as large as the next."""
        segments = self._segments
        while len(segments) > 1 and len(segments[-2].rows) <= 2 * len(segments[-1].rows):
            segments[-2:] = [merge(segments[-2:])]

    def _merged(self) -> PostingsSegment:
        if not self._segments:
            return build(np.empty(0, np.int32), np.empty(0, np.int32))
        return merge(self._segments) if len(self._segments) > 1 else self._segments[0]


def is_frequent(containing: int, records: int) -> bool:
    """True if a large share of many records holds a term."""
    is_large = records >= COMMON_TERM_FLOOR
    return is_large and containing > COMMON_TERM_SHARE * records


def is_everywhere(containing: int, records: int) -> bool:
    """True if nearly all records hold a term."""
    return containing > (1.0 - COMMON_TERM_SHARE) * records


def _living(rows: NDArray[np.int32], counts: NDArray[np.float32], alive: Mask | None) -> Hits:
    if alive is None:
        return rows, counts
    kept = alive[rows]
    return (rows, counts) if kept.all() else (rows[kept], counts[kept])


def _joined(parts: Sequence[Hits]) -> Hits:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([tf for _, tf in parts])
