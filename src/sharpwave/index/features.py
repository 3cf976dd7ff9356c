"""What a plain retriever throws away: the words and vectors around each candidate, and who spoke.

Every posting of the query's terms is read once; from it come the counts in the turn, in its
neighbours, in the windows around it and in its session. Knows nothing of users or the store.
"""

import re
from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sharpwave.formulas.text import BM25_B, BM25_K1, term_weight
from sharpwave.index.context import RowAttributes
from sharpwave.index.postings import Lengths, Matched
from sharpwave.types.records import Role
from sharpwave.types.searching import FEATURES

REACH = 3
"""Turns on either side that the widest window takes in."""

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]

_WINDOWS = {
    "bm25": slice(REACH, REACH + 1),
    "bm25_before": slice(REACH - 1, REACH),
    "bm25_after": slice(REACH + 1, REACH + 2),
    "bm25_window1": slice(REACH - 1, REACH + 2),
    "bm25_window3": slice(0, 2 * REACH + 1),
}
_COVERS = {"bm25": "cover", "bm25_window1": "cover_window1"}
_OF_ASSISTANT = re.compile(
    r"\bdid you\b"
    r"|(?<!\bare )(?<!\bwere )\byou(?:'ve|'d| have| had)? "
    r"(?:\w+ed|said|told|gave|wrote|made|found)\b"
    r"|\byour (?:advice|suggestion|recommendation|answer|tip|idea)s?\b"
    r"|\b(?:previous|earlier|last) (?:chat|conversation|discussion)\b",
    re.IGNORECASE,
)
"""A question about what the assistant said."""


class SessionLengths(NamedTuple):
    """How many terms the sessions have."""

    lengths: Floats
    average: float

    @classmethod
    def of(cls, context: RowAttributes, postings: Lengths) -> Self:
        """Count the terms of all living rows that do not only repeat other rows."""
        lengths = postings.lengths * postings.counted
        if context.alive is not None:
            lengths = lengths * context.alive
        total = np.bincount(context.sessions, weights=lengths, minlength=context.session_count)
        filled = int(np.count_nonzero(total))
        return cls(total.astype(np.float32), max(float(total.sum()) / max(filled, 1), 1.0))


class Parts(NamedTuple):
    """The parts of a user's index that features come from."""

    context: RowAttributes
    postings: Lengths
    sessions: SessionLengths


def table(
    parts: Parts,
    rows: Rows,
    matched: Matched,
    text: str,
    cosines: Callable[[Rows], Floats],
    terms_of: Callable[[str], list[str]],
) -> Floats:
    """The features of some rows for a question, one column each of `FEATURES`.

    `cosines` gives those of any rows with the question, `terms_of` the terms of a text.
    """
    windows = parts.context.windows(rows, REACH)
    columns = _lexical(parts, rows, windows, matched)
    columns |= _near(windows, cosines)
    columns |= _spoken(parts.context, rows, text, terms_of)
    columns["length"] = np.log1p(parts.postings.lengths[rows])
    return np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32)


def _lexical(parts: Parts, rows: Rows, windows: Rows, matched: Matched) -> dict[str, Floats]:
    """BM25 of each stretch around each row, and the share of the terms it covers."""
    idf_weights = np.array(matched.idf, np.float32)[:, np.newaxis]
    around, in_session = _counts(parts, rows, windows, matched)
    lengths = np.where(windows < 0, 0, parts.postings.lengths[windows]).astype(np.float32)
    average = max(parts.postings.average_length, 1.0)
    columns: dict[str, Floats] = {}

    def add(name: str, counts: Floats, length: Floats, usual: float) -> None:
        weights = term_weight(counts, length, usual, BM25_K1, BM25_B)
        columns[name] = (idf_weights * weights).sum(axis=0)

    for name, window in _WINDOWS.items():
        counts, length = around[:, :, window].sum(axis=2), lengths[:, window].sum(axis=1)
        add(name, counts, length, average * (window.stop - window.start))
        if name in _COVERS:
            columns[_COVERS[name]] = (idf_weights * (counts > 0)).sum(axis=0)
    session = parts.sessions.lengths[parts.context.sessions[rows]]
    add("bm25_session", in_session, session, parts.sessions.average)
    ideal = np.float32(max(matched.ideal, 1e-6))
    return {name: value / ideal for name, value in columns.items()}


def _counts(parts: Parts, rows: Rows, windows: Rows, matched: Matched) -> tuple[Floats, Floats]:
    """How often each term stands in each place of the windows, and in the session of each row."""
    sessions, count = parts.context.sessions, parts.context.session_count
    counted = parts.postings.counted
    around = np.empty((len(matched.terms), *windows.shape), np.float32)
    in_session = np.empty((len(matched.terms), len(rows)), np.float32)
    counts_by_row = np.zeros(len(sessions) + 1, np.float32)  # the last is for no row
    for place, (holding, counts) in enumerate(matched.terms):
        counts_by_row[holding] = counts
        around[place] = counts_by_row[windows]
        counts_by_row[holding] = 0
        own = counts * counted[holding]
        total = np.bincount(sessions[holding], weights=own, minlength=count)
        in_session[place] = total[sessions[rows]]
    return around, in_session


def _near(windows: Rows, cosines: Callable[[Rows], Floats]) -> dict[str, Floats]:
    """The cosine of the row, of the one before, and the mean over it and its neighbours."""
    present = windows >= 0
    distinct, places = np.unique(windows[present], return_inverse=True)
    values = np.zeros(windows.shape, np.float32)
    values[present] = cosines(distinct)[places]
    return {
        "cosine": values[:, REACH],
        "cosine_before": values[:, REACH - 1],
        "cosine_window3": values.sum(axis=1) / np.maximum(present.sum(axis=1), 1),
    }


def _spoken(
    context: RowAttributes, rows: Rows, text: str, terms_of: Callable[[str], list[str]]
) -> dict[str, Floats]:
    """Whether the question names who said it, or another speaker; and how lately."""
    speakers = context.named("speaker")
    terms = set(terms_of(text))
    found = [
        code for name, code in speakers.items() if name and not terms.isdisjoint(terms_of(name))
    ]
    named = np.isin(context.codes("speaker")[rows], found)
    roles, by = context.named("role"), context.codes("role")[rows]
    of_user = [code for name, code in roles.items() if name in (None, Role.USER)]
    other_role = np.isin(by, of_user, invert=True)
    if _OF_ASSISTANT.search(text):
        other_role = by != roles.get(Role.ASSISTANT, -1)
    _, place = np.unique(context.times[rows], return_inverse=True)
    return {
        "speaker_named": named.astype(np.float32),
        "other_named": (~named & bool(found)).astype(np.float32),
        "other_role": (other_role & (not found)).astype(np.float32),
        "recency": ((place + 1) * (not found)).astype(np.float32),
    }
