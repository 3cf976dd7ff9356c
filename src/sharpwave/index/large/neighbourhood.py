"""The rows around some candidates as a small index of their own, for the same features.

What the rest of a session says is one more row of it, that nobody finds: so the formulas that add
up a session add up to what they would if all of it were here.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharpwave.index.around import features
from sharpwave.index.context import Context
from sharpwave.index.large.catalog import Reading
from sharpwave.index.large.question import Told, average_length
from sharpwave.index.postings import Hits, Matched
from sharpwave.settings.storage import IndexSettings
from sharpwave.types.searching import Placed, Statistics
from sharpwave.types.storing import IndexRow

_REST = "rest of a session"
_SPEAKER = "somebody who speaks elsewhere"
_SPEAKERS = 1000
"""People looked through for one whom the question names."""


class _Lengths(NamedTuple):
    """See `features.Lengths`."""

    lengths: NDArray[np.int32]
    counted: NDArray[np.bool_]
    average_length: float


class Neighbourhood(NamedTuple):
    """Candidates and what is around them."""

    context: Context
    parts: features.Parts
    matched: Matched
    allowed: NDArray[np.bool_]
    """Which rows pass the filter."""


def read(
    reading: Reading,
    candidates: Sequence[int],
    told: Told,
    statistics: Statistics,
    settings: IndexSettings,
) -> Neighbourhood:
    """All that features are made of, for candidates and the turns right beside them."""
    placed = reading.around(candidates, features.REACH + 1)
    sessions = sorted({each.session_no for each in placed})
    terms = list(told.idf)
    numbers = [each.number for each in placed]
    row_of = {number: row for row, number in enumerate(numbers)}
    around = reading.surroundings(terms, numbers, sessions, _SPEAKERS)
    here = {
        term: {row_of[number]: count for number, count in found}
        for term, found in _by_term(terms, around.counts).items()
    }
    whole = _by_term(terms, around.session_counts)
    first = len(placed)
    rest_of = {session: first + place for place, session in enumerate(sessions)}
    for term, counts in here.items():
        left_over = Counter(dict(whole[term]))
        for row, count in counts.items():
            left_over[placed[row].session_no] -= count * placed[row].counted
        counts |= {rest_of[session]: count for session, count in left_over.items() if count > 0}
    lengths = around.session_lengths
    others = sorted(set(around.speakers) - {each.speaker for each in placed})
    context = Context()
    context.extend(_rows(placed, sessions, others))
    known = np.array([each.length for each in placed], np.int32)
    counted = np.array([each.counted for each in placed], np.bool_)
    owner = np.array([rest_of[each.session_no] - first for each in placed], np.intp)
    there = np.bincount(owner, weights=known * counted, minlength=len(sessions))
    left = np.array([lengths.get(session, 0) for session in sessions]) - there
    extra = np.concatenate([np.maximum(left, 0), np.zeros(len(others))]).astype(np.int32)
    all_counted = np.concatenate([counted, np.ones(len(extra), np.bool_)])
    measured = _Lengths(np.concatenate([known, extra]), all_counted, average_length(statistics))
    totals = features.Sessions.of(context, measured)
    average = max(statistics.length / max(statistics.sessions, 1), 1.0)
    parts = features.Parts(context, measured, totals._replace(average=average), settings)
    matched = Matched([_hits(here[term]) for term in terms], list(told.idf.values()), 0, 0.0)
    allowed = np.zeros(len(all_counted), np.bool_)
    allowed[:first] = [each.allowed for each in placed]
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
    placed: Sequence[Placed], sessions: Sequence[int], others: Sequence[str]
) -> list[IndexRow]:
    """The records, a row for the rest of each session, and one for each other speaker."""
    last = max((each.number for each in placed), default=0)
    rows = [
        IndexRow(
            each.number,
            0,
            each.kind,
            each.role,
            each.speaker,
            str(each.session_no),
            each.valid_from_us,
            "",
            None,
        )
        for each in placed
    ]
    for place, session in enumerate(sessions, start=last + 1):
        rows.append(IndexRow(place, 0, _REST, None, None, str(session), 0, "", None))
    for place, name in enumerate(others, start=last + 1 + len(sessions)):
        rows.append(IndexRow(place, 0, _SPEAKER, None, name, None, 0, "", None))
    return rows
