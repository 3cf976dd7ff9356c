"""Return values of `Memory`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from sharpwave.types.records import Kind, Record


class Verdict(StrEnum):
    """Outcome of a statement found in a text."""

    ACCEPTED = "accepted"
    """It is new and was stored."""
    REINFORCED = "reinforced"
    """It was known; its confidence is higher now."""
    VERSIONED = "versioned"
    """It replaces an older value, which is kept as history."""
    CLOSED = "closed"
    """It ended a known fact, or completed a task."""
    VARIANT = "variant"
    """It contradicts a known fact but has a weaker source; stored as uncertain."""
    QUEUED = "queued"
    """It contradicts a known fact: both are uncertain until you resolve the conflict."""
    REJECTED = "rejected"
    """Not stored; see the reason."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A statement found in a text, and its outcome."""

    verdict: Verdict
    text: str
    id: str | None = None
    """Id of the record that was created or changed."""
    reason: str = ""
    kind: Kind | None = None
    """A fact, a task, a note or a rule (`behavior`); None if it was rejected."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Result of `remember`: the messages are on disk."""

    ids: tuple[str, ...]
    """Ids of the turns, in the order of the messages."""
    recorded_at: datetime
    replayed: tuple[str, ...] = ()
    """Ids that an earlier call with the same idempotency key had already stored."""
    notes: tuple[str, ...] = ()
    """Remarks, such as that vectors are still missing."""
    learned: tuple[Outcome, ...] = ()
    """Statements found in the turns, and their outcomes [WR-09]."""
    rules: tuple[Outcome, ...] = ()
    """Standing instructions found in the turns, and their outcomes [BEH-01]."""

    def with_verdict(self, *verdicts: Verdict) -> tuple[Outcome, ...]:
        """The items of `learned` with one of these verdicts."""
        return tuple(outcome for outcome in self.learned if outcome.verdict in verdicts)


@dataclass(frozen=True, slots=True)
class Recalled:
    """A record found for a query, with every term of its score."""

    record: Record
    score: float
    terms: Mapping[str, float]
    """The terms of the score, for example `{"vector": 0.61, "vector_rank": 1, ...}`."""
    outdated_by: str | None = None
    """Id of the record that replaced it, if nothing learned from it is valid any more."""
    outdated: tuple[str, ...] = ()
    """Ids of facts learned from it that are no longer valid, if others still are."""

    @property
    def text(self) -> str:
        """The text of the record."""
        return self.record.text


class WhyNot(StrEnum):
    """Why a candidate was not recalled."""

    BELOW_FLOOR = "below_floor"
    """Neither words nor meaning of the query were ever mentioned, so nothing was returned."""
    RESTATEMENT = "restatement"
    """It says the same as a better one, or was derived from it."""
    SUPERSEDED = "superseded"
    """It was replaced by something newer."""
    OVER = "over"
    """A fact that is no longer valid."""
    TOO_ALIKE = "too_alike"
    """Relevant, but too similar to a better one; something different was preferred."""
    BEYOND_K = "beyond_k"
    """Ranked below the first `k`."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A near miss: a candidate that was not recalled, and why."""

    id: str
    text: str
    """The beginning of its text."""
    why: WhyNot
    instead: str | None = None
    """Id of the record that was recalled instead, if any."""
    score: float | None = None
    """None if it was not searched, such as a superseded fact."""
    terms: Mapping[str, float] = field(default_factory=dict)
    kind: Kind | None = None


class Decision(StrEnum):
    """How to use the result of a recall [CNF-01…03]."""

    ASSERT = "assert"
    """State it without qualification."""
    HEDGE = "hedge"
    """State it with a qualification: "I believe …"."""
    CLARIFY = "clarify"
    """Something matches, but it is unclear who or what is meant: ask the user."""
    VERIFY = "verify"
    """Something matches weakly: check it with a tool or the user before using it."""
    ABSTAIN = "abstain"
    """No memory answers the query: say so."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """Result of `recall`, best first."""

    query: str
    items: tuple[Recalled, ...]
    searched: int
    """Number of records of this user that were searched."""
    weights: str
    """Name of the weights preset used for ranking."""
    notes: tuple[str, ...] = ()
    """Remarks, such as records that failed their checksum."""
    decision: Decision = Decision.ABSTAIN
    confidence: float = 0.0
    """Probability that the first items contain the answer, 0 to 1; calibrated."""
    rationale: str = ""
    signs: Mapping[str, float] = field(default_factory=dict)
    """The features from which the confidence was computed."""
    left_out: tuple[LeftOut, ...] = ()
    """The nearest misses, each with its reason."""

    def __iter__(self) -> Iterator[Recalled]:
        """Iterate over the items, best first."""
        return iter(self.items)

    def __len__(self) -> int:
        """How many items were recalled."""
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of the language model to a message."""

    text: str | None
    """None if the model was not called; `why_not` says why."""
    model: str = ""
    tokens: int = 0
    """Input and output tokens."""
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Result of `forget`: the number of erased items, and whether traces are left."""

    memories: int
    vectors: int
    snapshots: int
    users: int
    traces_cleared: bool
    """True if no byte of it is left in the file or its log. False if a reader blocked it, which is
    retried shortly, or if the file is large: then call `scrub` when convenient."""
    derived: int = 0
    """Number of these memories that were derived only from the others."""
    unfinished: int = 0
    """Interactions in progress, which had not become records yet."""
    copies: int = 0
    """Copies of the file that were erased too: from before a migration, or incomplete."""
    copies_left: int = 0
    """Copies of the file that still contain it: kept by `restore`, or being written."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Result of an import."""

    added: int
    already_there: int
    left_out: int = 0
    """Facts and other derived records of an untrusted file: only messages are imported."""


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something in an export that could not be imported: its place, and what is wrong."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportedChats:
    """Result of importing another program's export."""

    format: str
    added: int
    already_there: int
    conversations: int
    skipped: int
    """Messages, conversations or lines that are damaged or cannot be stored."""
    problems: tuple[ImportProblem, ...] = ()
    """The first of those, each with its place and reason."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Number of valid items that are not worth storing, by reason, such as `reasoning`."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of what is stored, for one user or for all."""

    users: int
    memories: int
    by_kind: Mapping[str, int]
    vectors: int
    awaiting_reembed: int
    """Records without a vector of the current embedder; recall finds them by keywords only."""
    file_bytes: int
    embedder: str
    reflection_failures: int = 0
    """Number of turns for which learning rules failed since this process opened the file; the turns
    were stored anyway, and the log says why."""
    embedder_reuse: float | None = None
    """Hit rate of the embedding cache of this process, 0 to 1. Only for all users: a single user
    could infer from it what others said."""
