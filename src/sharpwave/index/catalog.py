"""Searching by a database's own catalog: what it must offer, and candidates with surroundings.

The rows around some candidates form a small index of their own, for the same features. The rest of
a session is one more row of it, which is never found: so the formulas that add up a session add up
to what they would if all of it were here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sharpwave.formulas.text import idf
from sharpwave.index import features
from sharpwave.index.columns import empty
from sharpwave.index.context import RowAttributes
from sharpwave.index.postings import Hits, Lengths, Matched, is_everywhere, is_frequent
from sharpwave.types.searching import (
    CatalogEntry,
    CatalogSurroundings,
    Catalogued,
    Filter,
    Placed,
    Ranking,
    Statistics,
)
from sharpwave.types.storing import Head, IndexRow, Space


class CatalogSnapshot(Protocol):
    """One user's catalog, as it stood at one moment, behind one filter."""

    def statistics(self) -> Statistics | None:
        """Statistics of all records, whatever the filter; None if the catalog is gone."""

    def searched(self) -> int:
        """How many records pass the filter."""

    def nearest(self, vector: NDArray[np.float32], limit: int) -> Ranking:
        """The nearest of those that pass."""

    def cosines(self, vector: NDArray[np.float32], numbers: Sequence[int]) -> dict[int, float]:
        """Cosines of some records; those without a vector are left out."""

    def holding(self, terms: Sequence[str]) -> dict[str, int]:
        """How many records that count hold each term; terms that none has are left out."""

    def best(self, idf: Mapping[str, float], average: float, limit: int) -> Ranking:
        """The best by BM25 of those that pass, by what each term is worth."""

    def around(self, numbers: Sequence[int], reach: int) -> list[Placed]:
        """Records with the turns on either side of each in its session, by number."""

    def surroundings(
        self, terms: Sequence[str], numbers: Sequence[int], sessions: Sequence[int], speakers: int
    ) -> CatalogSurroundings:
        """How often terms stand in records and sessions, and at most `speakers` speakers."""


class Catalog(Protocol):
    """A database's own search, for users too large to be held in memory."""

    def held(self, user_id: str, space: Space, made_by: str) -> Catalogued | None:
        """What is known of a user's catalog; None if there is none."""

    def begin(self, user_id: str, space: Space, made_by: str) -> None:
        """Begin a catalog, in place of any other that the user has."""

    def put(
        self,
        user_id: str,
        space: Space,
        made_by: str,
        span: tuple[int, int],
        entries: Sequence[CatalogEntry],
        gone: Sequence[int],
        head: Head,
    ) -> bool:
        """Advance from one sequence number to another, with what was read at a head.

        False if another process did so meanwhile or began another catalog, or after an erasure.
        """

    def finish(self, user_id: str, space: Space, made_by: str) -> None:
        """Make it quick to search, and ready, unless another was begun."""

    def drop(self, user_id: str) -> None:
        """Delete a user's catalog."""

    def ask(
        self, user_id: str, only: Filter, terms: Sequence[str]
    ) -> AbstractContextManager[CatalogSnapshot]:
        """Ask for what passes a filter, and has all of these terms."""


class TermMatches(NamedTuple):
    """What a question's terms are worth, and what they found."""

    idf: dict[str, float]
    """Inverse document frequency of the terms that count."""
    known: float
    """Share of what the question asks, by how telling its terms are, that any record mentions."""
    best: Ranking


def by_words(
    reading: CatalogSnapshot, terms: Sequence[str], limit: int, statistics: Statistics
) -> TermMatches:
    """Rare terms if one is found in a record that passes, or else those that are not everywhere."""
    holding = reading.holding(list(dict.fromkeys(terms)))
    records = statistics.records
    average = average_length(statistics)
    frequent = {term for term, held in holding.items() if is_frequent(held, records)}
    spread = [term for term in frequent if not is_everywhere(holding[term], records)]
    rare = [term for term in holding if term not in frequent]
    chosen = _worth(rare, holding, records)
    found = reading.best(chosen, average, limit) if chosen else empty()
    if not len(found.numbers) and frequent:
        chosen = _worth([*rare, *(spread or frequent)], holding, records)
        found = reading.best(chosen, average, limit)
    ideal = sum(chosen.values())
    unknown = len(set(terms)) - len(holding)
    whole = ideal + unknown * float(idf(records, 0.0))
    return TermMatches(chosen, ideal / whole if whole else 0.0, found)


def average_length(statistics: Statistics) -> float:
    """Terms of a record that counts."""
    return statistics.length / statistics.records if statistics.length else 1.0


def _worth(terms: Sequence[str], holding: Mapping[str, int], records: int) -> dict[str, float]:
    return {term: float(idf(records, float(holding[term]))) for term in terms}


_REST = "rest of a session"
_SPEAKER = "speaker of other turns"
_SPEAKERS = 1000
"""Most speakers among whom the one that the question names is searched."""


class Neighbourhood(NamedTuple):
    """Candidates and their surroundings."""

    context: RowAttributes
    parts: features.Parts
    matched: Matched
    allowed: NDArray[np.bool_]
    """Which rows pass the filter."""


def read_neighbourhood(
    reading: CatalogSnapshot, candidates: Sequence[int], words: TermMatches, statistics: Statistics
) -> Neighbourhood:
    """All that features are made of, for candidates and the turns right beside them."""
    placed = reading.around(candidates, features.REACH + 1)
    sessions = sorted({record.session_no for record in placed})
    terms = list(words.idf)
    numbers = [record.number for record in placed]
    row_of = {number: row for row, number in enumerate(numbers)}
    around = reading.surroundings(terms, numbers, sessions, _SPEAKERS)
    counts_by_term = {
        term: {row_of[number]: count for number, count in found}
        for term, found in _by_term(terms, around.counts).items()
    }
    whole = _by_term(terms, around.session_counts)
    first = len(placed)
    rest_of = {session: first + place for place, session in enumerate(sessions)}
    for term, counts in counts_by_term.items():
        left_over = Counter(dict(whole[term]))
        for row, count in counts.items():
            left_over[placed[row].session_no] -= count * placed[row].counted
        counts |= {rest_of[session]: count for session, count in left_over.items() if count > 0}
    lengths = around.session_lengths
    other_speakers = sorted(set(around.speakers) - {record.speaker for record in placed})
    context = RowAttributes()
    context.extend(_rows(placed, sessions, other_speakers))
    known = np.array([record.length for record in placed], np.int32)
    counted = np.array([record.counted for record in placed], np.bool_)
    owner = np.array([rest_of[record.session_no] - first for record in placed], np.intp)
    placed_lengths = np.bincount(owner, weights=known * counted, minlength=len(sessions))
    left = np.array([lengths.get(session, 0) for session in sessions]) - placed_lengths
    extra = np.concatenate([np.maximum(left, 0), np.zeros(len(other_speakers))]).astype(np.int32)
    all_counted = np.concatenate([counted, np.ones(len(extra), np.bool_)])
    measured = Lengths(np.concatenate([known, extra]), all_counted, average_length(statistics))
    totals = features.SessionLengths.of(context, measured)
    average = max(statistics.length / max(statistics.sessions, 1), 1.0)
    parts = features.Parts(context, measured, totals._replace(average=average))
    matched = Matched(
        [_hits(counts_by_term[term]) for term in terms], list(words.idf.values()), 0, 0.0
    )
    allowed = np.zeros(len(all_counted), np.bool_)
    allowed[:first] = [record.allowed for record in placed]
    return Neighbourhood(context, parts, matched, allowed)


def _by_term(
    terms: Sequence[str], found: Sequence[tuple[str, int, int]]
) -> dict[str, list[tuple[int, int]]]:
    sorted_: dict[str, list[tuple[int, int]]] = {term: [] for term in terms}
    for term, place, count in found:
        sorted_[term].append((place, count))
    return sorted_


def _hits(counts: dict[int, int]) -> Hits:
    rows = np.array(sorted(counts), np.int32)
    return rows, np.array([counts[row] for row in rows.tolist()], np.float32)


def _rows(
    placed: Sequence[Placed], sessions: Sequence[int], other_speakers: Sequence[str]
) -> list[IndexRow]:
    """The records, a row for the rest of each session, and one for each other speaker."""
    last = max((record.number for record in placed), default=0)
    rows = [
        IndexRow(
            record.number,
            0,
            record.kind,
            record.role,
            record.speaker,
            str(record.session_no),
            record.valid_from_us,
            "",
            None,
        )
        for record in placed
    ]
    for place, session in enumerate(sessions, start=last + 1):
        rows.append(IndexRow(place, 0, _REST, None, None, str(session), 0, "", None))
    for place, name in enumerate(other_speakers, start=last + 1 + len(sessions)):
        rows.append(IndexRow(place, 0, _SPEAKER, None, name, None, 0, "", None))
    return rows
