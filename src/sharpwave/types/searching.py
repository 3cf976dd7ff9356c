"""The values that pass between the read path and a recall index."""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Filter:
    """Which records may be found at all. Applied before ranking, never after."""

    kinds: frozenset[str] = frozenset()
    """Empty means every kind."""
    session: str | None = None
    since_us: int | None = None
    """Valid from this moment on, itself included."""
    until_us: int | None = None
    """Valid from before this moment."""
    roles: frozenset[str] = frozenset()
    """Who spoke: user, assistant, system or tool; empty means any."""
    tags: frozenset[str] = frozenset()
    """Tagged with each of these."""
    words: tuple[str, ...] = ()
    """Holding each of these words, as keyword search reads them."""


class Ranking(NamedTuple):
    """Record numbers, best first, with the score each got from one retriever."""

    numbers: NDArray[np.int64]
    scores: NDArray[np.float32]


AMONG_SPEAKERS = "among_speakers"
"""The sign that a question names one of the speakers."""
ANSWERS = 5
"""The first items, which are to hold the answer."""
FEATURES = tuple(
    """bm25 bm25_before bm25_after bm25_window1 bm25_window3 bm25_session cover cover_window1
    cosine cosine_before cosine_window3 speaker_named other_named other_role recency
    length""".split()
)
"""What an index knows of each candidate, in the order of the columns of `Gathered.features`.

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
    """Candidates of all retrievers together, with what is known of each."""

    numbers: NDArray[np.int64]
    features: NDArray[np.float32]
    """One row a candidate, one column each of `names`."""
    beside: NDArray[np.int64]
    """Numbers of the turns before and after each, two columns; 0 where there is none."""
    known: float
    """Share of what the question asks, by how telling its terms are, that any record mentions."""
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
    """The user's records that only keywords find, as far as they are counted."""


class Pieces(NamedTuple):
    """The words of some texts as a token matcher cuts them, one text after the other."""

    ids: NDArray[np.int64]
    counts: NDArray[np.int64]
    """How many pieces each text has."""
    priors: NDArray[np.float32]
    """How much of an answer each text is, whatever is asked."""


@dataclass(frozen=True, slots=True)
class Worded:
    """The wordings of some records, in the order asked for; empty for those that are missing."""

    pieces: Pieces
    own: NDArray[np.bool_]
    """Which records speak of the speaker."""
    numbers: NDArray[np.bool_]
    """Which records have a number or a word of time."""
    said_at_us: NDArray[np.int64]


class Scored(NamedTuple):
    """A candidate with its score and what the score is made of."""

    number: int
    score: float
    terms: dict[str, float]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Scored candidates, best first, and the signs of whether they hold an answer."""

    best: tuple[Scored, ...]
    signs: dict[str, float]


class CatalogEntry(NamedTuple):
    """A record as the catalog of a database keeps it, to be searched there."""

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
    """How often each term stands in it."""
    vector: bytes | None
    """float16, little-endian."""


@dataclass(frozen=True, slots=True)
class Catalogued:
    """What is known of a user's catalog."""

    seq: int
    """How far the user's history goes."""
    followed: int
    """How far the catalog has followed it."""
    ours: bool
    """True if it was made for the same embedder, and with words cut the same way."""
    ready: bool


class Statistics(NamedTuple):
    """Statistics of the records in a catalog."""

    entries: int
    records: int
    """Records that count."""
    length: int
    """Terms of the records that count."""
    sessions: int
    """Sessions that have any of these terms."""


class CatalogSurroundings(NamedTuple):
    """What a catalog knows of some records, and of the sessions that they stand in."""

    counts: list[tuple[str, int, int]]
    """How often each term stands in each record, where it does."""
    session_counts: list[tuple[str, int, int]]
    """How often each term stands in each session."""
    session_lengths: dict[int, int]
    """How many terms each session has."""
    speakers: list[str]
    """Everyone who speaks in any record."""


class Placed(NamedTuple):
    """A record of a catalog, and where it stands."""

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
