"""Arguments and results of a recall index."""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Filter:
    """Which records may be found. Applied before ranking, never after."""

    kinds: frozenset[str] = frozenset()
    """Empty means every kind."""
    session: str | None = None
    since_us: int | None = None
    """Minimum `valid_from` in microseconds, inclusive."""
    until_us: int | None = None
    """Maximum `valid_from` in microseconds, exclusive."""
    roles: frozenset[str] = frozenset()
    """Roles of the speaker: user, assistant, system or tool; empty means any."""
    tags: frozenset[str] = frozenset()
    """Tags that a record must have, all of them."""
    words: tuple[str, ...] = ()
    """Words that a record must contain, all of them, stemmed as in keyword search."""


class Ranking(NamedTuple):
    """Record numbers, best first, with the score each got from one retriever."""

    numbers: NDArray[np.int64]
    scores: NDArray[np.float32]


AMONG_SPEAKERS = "among_speakers"
"""The sign that a question names one of the speakers."""
ANSWERS = 5
"""Number of first items that should contain the answer."""
FEATURES = tuple(
    """bm25 bm25_before bm25_after bm25_window1 bm25_window3 bm25_session cover cover_window1
    cosine cosine_before cosine_window3 speaker_named other_named other_role recency
    length""".split()
)
"""Features of each candidate, in the order of the columns of `Gathered.features`.

    bm25*           of the turn, the turn before and after, windows of 3 and 7 turns inside the
                    session, and the session; each as a share of what all known terms are worth
    cover*          share of the question's known terms that stand there, by how telling they are
    cosine*         of the turn, the turn before, and the mean over the window of 7
    speaker_named   1 if the question names who said it
    other_named     1 if it names another speaker of this user's records, and not this one
    other_role      1 if the assistant or a tool said it, unless a speaker is named; of a question
                    about what the assistant said, 1 if the assistant did not
    recency         the place in time among the candidates, unless the question names a speaker: a
                    user who asks about themself mostly means what holds now
    length          logarithm of how many terms it has
"""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Candidates of all retrievers together, with their features."""

    numbers: NDArray[np.int64]
    features: NDArray[np.float32]
    """One row per candidate, one column for each of `names`."""
    beside: NDArray[np.int64]
    """Numbers of the turns before and after each, two columns; 0 if there is none."""
    known: float
    """Share of the question's terms, weighted by informativeness, that any record mentions."""
    names: tuple[str, ...] = FEATURES

    def column(self, name: str) -> NDArray[np.float32]:
        """One feature of all candidates; zeros if it was not measured."""
        if name not in self.names:
            return np.zeros(len(self.numbers), np.float32)
        return self.features[:, self.names.index(name)]

    @property
    def names_speaker(self) -> bool:
        """True if the question names one of the speakers."""
        return len(self.numbers) > 0 and not self.column("recency").any()

    def with_columns(self, names: tuple[str, ...], features: NDArray[np.float32]) -> Self:
        """The same candidates with more features."""
        joined = np.hstack([self.features, features])
        return replace(self, features=joined, names=(*self.names, *names))


@dataclass(frozen=True, slots=True)
class Rankings:
    """What an index found for one query, by each of its retrievers."""

    vector: Ranking
    keyword: Ranking


@dataclass(frozen=True, slots=True)
class Found:
    """What an index found for one query, by each of its retrievers and together."""

    vector: Ranking
    keyword: Ranking
    searched: int
    gathered: Gathered
    without_vector: int = 0
    """Number of the user's records that only keywords can find, as far as counted."""


class Pieces(NamedTuple):
    """The tokens of some texts as a token matcher splits them, one text after the other."""

    ids: NDArray[np.int64]
    counts: NDArray[np.int64]
    """Number of tokens per text."""
    priors: NDArray[np.float32]
    """Prior of each text being an answer, independent of the query."""


@dataclass(frozen=True, slots=True)
class Worded:
    """The tokens of some records, in the order requested; empty for those that are missing."""

    pieces: Pieces
    own: NDArray[np.bool_]
    """True for records about their speaker."""
    numbers: NDArray[np.bool_]
    """True for records with a number or a word of time."""
    said_at_us: NDArray[np.int64]


class Scored(NamedTuple):
    """A candidate with its score and the terms of the score."""

    number: int
    score: float
    terms: dict[str, float]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Scored candidates, best first, and the features for the decision."""

    best: tuple[Scored, ...]
    signs: dict[str, float]


class CatalogEntry(NamedTuple):
    """A record in the catalog of a database."""

    number: int
    kind: str
    role: str | None
    speaker: str | None
    session_id: str | None
    valid_from_us: int
    tags: tuple[str, ...]
    counted: bool
    """False if it only repeats others."""
    terms: dict[str, int]
    """Number of occurrences of each term."""
    vector: bytes | None
    """float16, little-endian."""


@dataclass(frozen=True, slots=True)
class Catalogued:
    """State of a user's catalog."""

    seq: int
    """The user's current sequence number."""
    followed: int
    """The sequence number up to which the catalog is current."""
    ours: bool
    """True if it was made for the same embedder and the same tokenisation."""
    ready: bool


class Statistics(NamedTuple):
    """Statistics of the records in a catalog."""

    entries: int
    records: int
    """Number of counted records."""
    length: int
    """Number of terms of the counted records."""
    sessions: int
    """Number of sessions with any of these terms."""


class CatalogSurroundings(NamedTuple):
    """Term counts of some records in a catalog, and of their sessions."""

    counts: list[tuple[str, int, int]]
    """Number of occurrences of each term in each record, if any."""
    session_counts: list[tuple[str, int, int]]
    """Number of occurrences of each term in each session."""
    session_lengths: dict[int, int]
    """Number of terms of each session."""
    speakers: list[str]
    """All speakers of any record."""


class Placed(NamedTuple):
    """A record of a catalog, with its session and length."""

    number: int
    kind: str
    role: str | None
    speaker: str | None
    session_no: int
    valid_from_us: int
    counted: bool
    length: int
    allowed: bool
    """True if it passes the filter."""
