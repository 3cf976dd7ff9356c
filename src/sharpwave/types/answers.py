"""What the facade gives back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from sharpwave.types.records import Kind, Record


class Verdict(StrEnum):
    """What became of something that a text was found to say."""

    ACCEPTED = "accepted"
    """It is new, and stored."""
    REINFORCED = "reinforced"
    """It was known, and is surer now."""
    VERSIONED = "versioned"
    """It takes the place of an older value, which is kept as history."""
    CLOSED = "closed"
    """Something known no longer holds, or is done."""
    VARIANT = "variant"
    """A weaker source says otherwise; kept beside what is known, as uncertain."""
    QUEUED = "queued"
    """It contradicts what is known: both are uncertain until you say which is right."""
    REJECTED = "rejected"
    """Not stored; the reason says why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one thing that a text was found to say."""

    verdict: Verdict
    text: str
    id: str | None = None
    """The record it became, or that it changed."""
    reason: str = ""
    kind: Kind | None = None
    """A fact, a task, a note or a rule (`behavior`); None if it was refused."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof that something was remembered: it is on disk before you hold this."""

    ids: tuple[str, ...]
    """The turns, in the order they were given."""
    recorded_at: datetime
    replayed: tuple[str, ...] = ()
    """The ids that an earlier call with the same idempotency key had already stored."""
    notes: tuple[str, ...] = ()
    """Anything worth knowing, such as that vectors are still missing."""
    learned: tuple[Outcome, ...] = ()
    """What the turns were found to say, and what became of it [WR-09]."""
    rules: tuple[Outcome, ...] = ()
    """Standing instructions in the turns, and what became of them [BEH-01]."""

    def with_verdict(self, *verdicts: Verdict) -> tuple[Outcome, ...]:
        """What was learned and had one of these verdicts."""
        return tuple(outcome for outcome in self.learned if outcome.verdict in verdicts)


@dataclass(frozen=True, slots=True)
class Recalled:
    """One record that answers a query, with every term of its score."""

    record: Record
    score: float
    terms: Mapping[str, float]
    """What the score is made of, for example `{"vector": 0.61, "vector_rank": 1, ...}`."""
    outdated_by: str | None = None
    """Id of what took its place, if all that was learned from it no longer holds."""
    outdated: tuple[str, ...] = ()
    """Facts that were learned from it and no longer hold, if others of it do."""

    @property
    def text(self) -> str:
        """The words themselves."""
        return self.record.text


class WhyNot(StrEnum):
    """Why a candidate is not among what was recalled."""

    BELOW_FLOOR = "below_floor"
    """Neither words nor meaning of the question were ever mentioned, so nothing was given."""
    RESTATEMENT = "restatement"
    """It says the same as a better one, or rests on it."""
    SUPERSEDED = "superseded"
    """Something newer took its place."""
    OVER = "over"
    """A fact whose time has passed."""
    TOO_ALIKE = "too_alike"
    """Good enough, but so like a better one that something else said more."""
    BEYOND_K = "beyond_k"
    """Others were better, and no more were asked for."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A near miss: a candidate that was not recalled, and why."""

    id: str
    text: str
    """The beginning of its words."""
    why: WhyNot
    instead: str | None = None
    """Id of the recalled record that stands for it, if one does."""
    score: float | None = None
    """None for what was not searched, such as a superseded fact."""
    terms: Mapping[str, float] = field(default_factory=dict)
    kind: Kind | None = None


class Decision(StrEnum):
    """What can be done with what was recalled [CNF-01…03]."""

    ASSERT = "assert"
    """It can be said outright."""
    HEDGE = "hedge"
    """It can be said with a hedge: "I believe …"."""
    CLARIFY = "clarify"
    """Something fits, but it is not clear who or what is meant: ask back."""
    VERIFY = "verify"
    """Something fits, but it is weak: check it with a tool or the user before using it."""
    ABSTAIN = "abstain"
    """Nothing remembered answers this: say so."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """What recall found for a query, best first."""

    query: str
    items: tuple[Recalled, ...]
    searched: int
    """How many records of this user were searched."""
    weights: str
    """Name of the weights preset that ranked them."""
    notes: tuple[str, ...] = ()
    """Anything the reader should know, such as records that failed their checksum."""
    decision: Decision = Decision.ABSTAIN
    confidence: float = 0.0
    """How likely the first items hold the answer, from 0 to 1; calibrated."""
    rationale: str = ""
    signs: Mapping[str, float] = field(default_factory=dict)
    """What the confidence is made of."""
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
    """What the language model says to a message."""

    text: str | None
    """None if it was not asked."""
    model: str = ""
    tokens: int = 0
    """Sent and written."""
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Receipt of an erasure: how many of each were removed, and whether any trace is left."""

    memories: int
    vectors: int
    snapshots: int
    users: int
    traces_cleared: bool
    """True if no byte of it is left in the file or its log. False if a reader was in the way, which
    is tried again shortly, or if the file is large: then `scrub` rewrites it when it suits you."""
    derived: int = 0
    """How many of the memories were erased because they rested on nothing but the others."""
    unfinished: int = 0
    """Interactions that were still going on, and had not become memories yet."""
    copies: int = 0
    """Copies of the file that were erased with it: from before a migration, or cut off."""
    copies_left: int = 0
    """Copies of the file that still hold it: kept by `restore`, or being written."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    added: int
    already_there: int
    left_out: int = 0
    """Facts and the like in another user's file: only words are taken from it."""


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something in an export that could not be taken in: where it stands, and what is wrong."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportedChats:
    """What an import of another program's export did."""

    format: str
    added: int
    already_there: int
    conversations: int
    skipped: int
    """Messages, conversations or lines that are damaged or cannot be stored."""
    problems: tuple[ImportProblem, ...] = ()
    """The first of those, each with its place and reason."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Whole, but not worth remembering: how many for each reason, such as `reasoning`."""


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
    """How often looking back on a turn failed since this program opened the file; the turn itself
    was stored all the same, and the log says why."""
    embedder_reuse: float | None = None
    """Which share of the texts to embed this program had embedded before. Only for all users: one
    user could tell by it what others said."""
