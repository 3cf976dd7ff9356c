"""The recall index of one user: codes for vectors, postings and wordings for words, and context.

Rows are positions shared by these parts. It is given rows and returns candidates; it knows
nothing of the store, of other users, or of the full vectors. Not safe to share between threads.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sharpwave.index import features
from sharpwave.index.codes import Codes
from sharpwave.index.columns import best, distinct, empty
from sharpwave.index.context import REPEATING, RowAttributes
from sharpwave.index.postings import Matched, Postings
from sharpwave.index.snapshot import Contents, InvalidSnapshot, pack, require, unpack
from sharpwave.index.terms import TermReader
from sharpwave.index.wordings import Wordings
from sharpwave.ports import TokenMatcher
from sharpwave.types.searching import Filter, Gathered, Ranking, Worded
from sharpwave.types.storing import IndexRow

RESCORE = 400
"""Most records that are fetched and scored with their full vectors."""
RESCORE_SHARE = 0.01
"""The same limit as a share of a small user's records."""
SHORTLIST_FACTOR = 4
"""Times as many rows of the scan by sign bits are compared a second time."""
BESIDE = 20
"""The turns before and after this many of the best are candidates too."""
Mask = NDArray[np.bool_]


class Candidates(NamedTuple):
    """What one user's index found."""

    near: NDArray[np.int64]
    """Numbers of the records that seem nearest, increasing; not yet scored exactly."""
    keyword: Ranking
    searched: int
    matched: Matched
    allowed: Mask | None
    """Which rows pass the filter; None if all do."""


class IndexQuery(NamedTuple):
    """A question as the index sees it."""

    text: str
    vector: NDArray[np.float32] | None
    """At length 1; None if it has no direction."""
    limit: int
    also: Sequence[int] = ()
    """Numbers of candidates that were found by other means."""


class InMemoryIndex:
    """Finds candidates among the records of one user."""

    def __init__(
        self, dimension: int, reader: TermReader, tokens: TokenMatcher | None = None
    ) -> None:
        self._dimension = dimension
        self._reader = reader
        self._context = RowAttributes()
        self._codes = Codes(dimension)
        self._postings = Postings()
        self._wordings = Wordings(tokens)
        self._sessions: features.SessionLengths | None = None
        """Counted when first needed after a change."""

    def __len__(self) -> int:
        """How many records can be found."""
        return self._context.living

    @property
    def size_bytes(self) -> int:
        """Memory taken, estimated."""
        parts = (self._context, self._codes, self._postings, self._wordings)
        return sum(part.nbytes for part in parts)

    @property
    def removed(self) -> int:
        """Rows of records that are not found any more, which `compact` drops."""
        return self._context.dead

    @property
    def without_vector(self) -> int:
        """Records that only keywords find."""
        return self._codes.missing(self._context.alive)

    def add(self, rows: Sequence[IndexRow]) -> None:
        """Add records. A record with a known number replaces what was known of it.

        Records that are not current any more are removed.
        """
        newest = {row.number: row for row in rows}
        latest = [row for row in newest.values() if row.current]
        texts = [self._reader.read(spoken(row)) for row in latest]
        self.remove(list(newest))
        self._sessions = None
        self._context.extend(latest)
        self._codes.extend([row.vector for row in latest])
        self._postings.extend(texts, [row.kind not in REPEATING for row in latest])
        self._wordings.extend(latest)

    def remove(self, numbers: Sequence[int]) -> None:
        """Remove records; unknown numbers are ignored."""
        self._sessions = None
        rows = self._context.bury(numbers)
        self._postings.bury(rows)
        self._wordings.bury(rows)
        if self._context.dead > self._context.living:
            self.compact()

    def forget(self, numbers: Sequence[int]) -> None:
        """Remove records, and leave no trace of them: neither rows nor words."""
        if np.isin(np.array(numbers, np.int64), self._context.numbers).any():
            self.remove(numbers)
            self.compact()

    def compact(self) -> None:
        """Leave nothing of removed records behind, and everything else in its most compact form."""
        self._sessions = None
        rows = self._context.living_rows()
        for part in (self._postings, self._codes, self._wordings, self._context):
            part.keep(rows)

    def search(
        self, text: str, vector: NDArray[np.float32] | None, limit: int, only: Filter
    ) -> Candidates:
        """The best `limit` records by keywords, and those to be scored by their full vectors.

        Only records that pass the filter compete. Without a vector none is near.
        """
        allowed = self._allowed(only)
        searched = len(self) if allowed is None else int(np.count_nonzero(allowed))
        matched = self._postings.matched(self._reader.read(text), self._context.alive, allowed)
        keyword = self._by_keywords(matched, limit, allowed)
        near = np.empty(0, np.int64)
        if vector is not None:
            near = self._near(vector, limit, allowed, RESCORE)
        return Candidates(near, keyword, searched, matched, allowed)

    def rank(
        self, text: str, vector: NDArray[np.float32] | None, limit: int, only: Filter
    ) -> tuple[NDArray[np.int64], Ranking]:
        """As `search`: which seem nearest, and the best by keywords; nothing else is looked at."""
        allowed = self._allowed(only)
        if allowed is not None and not allowed.any():
            return np.empty(0, np.int64), empty()
        matched = self._postings.matched(self._reader.read(text), self._context.alive, allowed)
        keyword = self._by_keywords(matched, limit, allowed)
        if vector is None:
            return np.empty(0, np.int64), keyword
        return self._near(vector, limit, allowed, SHORTLIST_FACTOR * limit), keyword

    def gather(
        self, query: IndexQuery, found: Candidates, exact: Ranking, vector: Ranking
    ) -> Gathered:
        """What was found by either means, and beside the best of it, with its features.

        `exact` holds cosines of full vectors, as far as they were read, in order of their numbers;
        `vector` is the best of it.
        """
        rows = self._candidate_rows(found, vector, query.also)
        places, read = self._context.found(exact.numbers)
        cosines = np.zeros(len(self._context.numbers), np.float32)
        cosines[read] = exact.scores[places]

        def near(rows: NDArray[np.intp]) -> NDArray[np.float32]:
            if query.vector is None:
                return np.zeros(len(rows), np.float32)
            values = cosines[rows]
            unread = values == 0
            values[unread] = self._codes.cosines(query.vector, rows[unread])
            return values

        if self._sessions is None:
            self._sessions = features.SessionLengths.of(self._context, self._postings.measured)
        parts = features.Parts(self._context, self._postings.measured, self._sessions)
        table = features.table(parts, rows, found.matched, query.text, near, self._reader.read)
        ideal = found.matched.ideal
        whole = ideal + found.matched.unknown * found.matched.unknown_idf
        numbers = self._context.numbers
        around = self._context.windows(rows, 1)[:, [0, 2]]
        beside = np.where(around < 0, 0, numbers[around])
        return Gathered(numbers[rows], table, beside, ideal / whole if whole else 0.0)

    def worded(self, numbers: NDArray[np.int64]) -> Worded:
        """The wordings of some records, in this order; empty for unknown records."""
        places, rows = self._context.found(numbers)
        return self._wordings.worded(rows, self._context.times[rows], places, len(numbers))

    def to_bytes(self) -> bytes:
        """The index as bytes, without a trace of removed records."""
        self.compact()
        about = {"made_by": self._made_by(), "names": self._context.names()}
        parts = (self._context, self._codes, self._postings, self._wordings)
        return pack(about, {name: array for part in parts for name, array in part.arrays().items()})

    @classmethod
    def from_bytes(
        cls, payload: bytes, dimension: int, reader: TermReader, tokens: TokenMatcher | None = None
    ) -> Self | None:
        """The index that `to_bytes` saved; None if it is damaged or was made in another way."""
        index = cls(dimension, reader, tokens)
        try:
            index._restore(unpack(payload))
        except InvalidSnapshot:
            return None
        return index

    def _candidate_rows(
        self, found: Candidates, vector: Ranking, also: Sequence[int]
    ) -> NDArray[np.intp]:
        """The rows of all candidates: the best by each means, and turns beside the very best."""
        ranked = (found.keyword.numbers, vector.numbers)
        best_rows = self._context.found(np.concatenate(ranked))[1]
        top = self._context.found(np.concatenate([numbers[:BESIDE] for numbers in ranked]))[1]
        around = self._context.windows(top, 1).ravel()
        around = around[around >= 0]
        if len(also):
            extra = self._context.found(np.array(also, np.int64))[1]
            around = np.concatenate([around, extra])
        if found.allowed is not None:
            around = around[found.allowed[around]]
        return distinct(np.concatenate([best_rows, around]))

    def _allowed(self, only: Filter) -> Mask | None:
        """Which rows pass the filter; None if all do."""
        allowed = self._context.mask(only)
        if not only.words:
            return allowed
        held = self._postings.held(self._reader.required(only.words), self._context.alive)
        return held if allowed is None else allowed & held

    def _by_keywords(self, matched: Matched, limit: int, allowed: Mask | None) -> Ranking:
        few = allowed is not None and 2 * np.count_nonzero(allowed) < len(allowed)
        if allowed is not None and few:
            matched = matched.among(allowed)
        scores = self._postings.scores(matched)
        rows = np.flatnonzero(scores > 0)
        if allowed is not None and not few:
            rows = rows[allowed[rows]]
        return best(self._context.numbers[rows], scores[rows], limit)

    def _near(
        self, vector: NDArray[np.float32], limit: int, allowed: Mask | None, most: int
    ) -> NDArray[np.int64]:
        """Numbers of what seems nearest, increasing: at most `most`, fewer of a small user."""
        numbers = self._context.numbers
        enough = int(RESCORE_SHARE * len(self))
        count = max(2 * limit, min(most, enough))
        shortlist = SHORTLIST_FACTOR * count
        return np.sort(numbers[self._codes.nearest(vector, allowed, numbers, shortlist, count)])

    def _made_by(self) -> dict[str, object]:
        """What must be the same for saved codes, terms and pieces to be of use."""
        return {
            "dimension": self._dimension,
            "terms": self._reader.signature,
            "wordings": self._wordings.signature,
        }

    def _restore(self, saved: Contents) -> None:
        require(saved.about.get("made_by") == self._made_by())
        self._context.restore(saved.arrays, saved.about["names"])
        records = len(self._context.numbers)
        self._codes.restore(saved.arrays, records)
        self._postings.restore(saved.arrays, ~self._context.having("kind", REPEATING))
        self._wordings.restore(saved.arrays, records)


def spoken(row: IndexRow) -> str:
    """The words by which a record is found: its text, and who said it."""
    return f"{row.speaker}: {row.text}" if row.speaker else row.text
