"""Interfaces that the flows depend on. Adapters are in `storage`, `index`, `embedding`, `llm`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sharpwave.types.answers import Forgotten
from sharpwave.types.intent import MessageLabels
from sharpwave.types.records import Kind, Record
from sharpwave.types.searching import Filter, Found, Pieces, Rankings, Worded
from sharpwave.types.statements import Effect, Mention, Reading, Span
from sharpwave.types.storing import (
    AuditEntry,
    Change,
    Changes,
    EntityCount,
    Event,
    Head,
    Mentioned,
    Selection,
    Session,
    Snapshot,
    Space,
    SpokenText,
    Staged,
    Stated,
    StoreCounts,
    Stored,
    Tallied,
    Tally,
    Tidied,
    Verification,
)
from sharpwave.types.working import Job, Purpose, Spending

if TYPE_CHECKING:
    from sharpwave.types.access import ApiKey
    from sharpwave.types.llm import Completion, LLMRole, Output, Prompt, Structured
    from sharpwave.types.publishing import BusMessage


class Clock(Protocol):
    """The only source of the current time."""

    def now(self) -> datetime:
        """The current moment, in UTC."""


class Embedder(Protocol):
    """Converts text to unit vectors. Questions and statements may be embedded differently."""

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored with the vectors."""

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector per statement, shape (n, dimension)."""

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """The unit vector of a query, shape (dimension,)."""


@runtime_checkable
class MeaningEmbedder(Embedder, Protocol):
    """An embedder whose vectors have separate parts for meaning and words."""

    def likeness(
        self, question: NDArray[np.float32], vectors: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Similarity of vectors to that of a question by meaning only, shape (n,)."""


class IntentModel(Protocol):
    """Your own classifier of the intents and the sentiment of a message."""

    def read(self, message: str) -> MessageLabels:
        """Probability of each intent and sentiment; the bundled model fills in empty fields.

        Called when a skill is selected, so it should return within milliseconds. You can define
        your own intents, for triggers of your own skills. Raise ProviderError if it fails.
        """


class Reranker(Protocol):
    """Scores how well texts answer a question; slower than an index, so it gets only the best."""

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """One finite number per text, shape (n,): higher is better, comparable within one call."""


class TokenMatcher(Protocol):
    """Scores how well texts match each word of a question; cheap enough for every recall."""

    @property
    def signature(self) -> str:
        """Identifies the tokenisation; changes if the same text might give other tokens."""

    def cut(self, texts: Sequence[str]) -> Pieces:
        """The distinct tokens of each text."""

    def forget_words(self) -> None:
        """Drop all cached words, because some of them were forgotten."""

    def match(self, query: str, texts: Pieces) -> NDArray[np.float32]:
        """Contribution of each word, shape (texts, words). A row's sum is at most 1."""


class LLM(Protocol):
    """A language model, or several by role. Slow and fallible: never on the hot path.

    Every call ends within a deadline, with an answer or a ProviderError.
    """

    def model(self, role: LLMRole) -> str:
        """The name of the model of a role."""

    def complete(self, prompt: Prompt, role: LLMRole) -> Completion:
        """Generate text for a prompt."""

    def structured(self, prompt: Prompt, output: type[Output], role: LLMRole) -> Structured[Output]:
        """Generate an instance of `output`; AnswerUnfit if the model cannot."""


class Reader(Protocol):
    """Classifies whether sentences are worth storing, and as what. A local model."""

    def read(self, text: str, sentences: Sequence[Span]) -> list[Reading]:
        """Classify each sentence of a text; fewer if the text is too long to be read whole."""

    def compare(self, notes: Sequence[str], remark: str) -> list[Effect]:
        """Effect of a remark on each older note; tasks start with `TO_DO`. Never raises."""


@runtime_checkable
class NameFinder(Protocol):
    """Finds names that rules may miss. A local model: it reads every turn as it is stored."""

    def find(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """The names in each text, each once, at its first occurrence."""


@runtime_checkable
class FormTelling(Protocol):
    """A language model that reports the response format it uses for structured answers."""

    def form(self, role: LLMRole) -> str:
        """json_schema, json_object, tool or text: what worked last, or will be tried first."""


class CommitSubscription(Protocol):
    """Subscription to commits of all processes."""

    @property
    def live(self) -> bool:
        """False while no notification can arrive: poll instead."""

    def end(self) -> None:
        """End the subscription."""


class JobQueue(Protocol):
    """Background jobs of all users. A job is queued by the change that requests it."""

    def lease(self, now: datetime, for_: timedelta, number: int | None = None) -> Job | None:
        """Lease the next job that is due, or the given one; None if there is none.

        A job with an expired lease is due again. Jobs of one user are leased one at a time, the
        oldest due job first; a postponed job does not block later ones.
        """

    def listen(self, notify: Callable[[], None]) -> CommitSubscription:
        """Call `notify` as soon as there may be a job, from any process."""

    def finish(self, job: Job, at: datetime, error: str | None = None) -> bool:
        """Mark a job done, or permanently failed; False if another worker holds it by now."""

    def postpone(self, job: Job, until: datetime, error: str) -> bool:
        """Retry a job later; False if another worker holds it by now."""

    def hasten(self, at: datetime, number: int | None = None) -> None:
        """Make the given job due now; without a number, all waiting jobs that were never tried."""


class KeyRing(Protocol):
    """API keys. Only a digest of each secret is stored."""

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Store a new key; Conflict if the name was ever used."""

    def find(self, digest: bytes) -> ApiKey | None:
        """The key with a secret of this digest, revoked or not."""

    def all(self) -> list[ApiKey]:
        """All keys, including revoked ones, by name."""

    def revoke(self, name: str, at: datetime) -> bool:
        """Revoke a key; False if no active key has that name."""

    def used(self, name: str, at: datetime) -> None:
        """Record that a key was used."""


class UserStore(Protocol):
    """The memories of one user. `Store.for_user` creates one for each call."""

    @property
    def user_id(self) -> str:
        """The name of the user."""

    # ---- writing

    def commit(self, change: Change) -> tuple[Stored, ...]:
        """Apply a change in one transaction; returns once it is durable.

        A record with a known idempotency key and the same content is not stored again; the known
        one is returned. Raises KeyReused if the content differs, and Overtaken if data that the
        change is based on has changed since.
        """

    def forget(self, selection: Selection, at: datetime) -> Forgotten:
        """Erase records with their vectors, and everything derived only from them.

        Records that they had superseded become valid again, and those that they contradicted are no
        longer uncertain. The result says whether every byte is erased, or `scrub` is still due.
        """

    def touch(self, numbers: Sequence[int], at: datetime) -> None:
        """Count an access to these records; returns at once, durable a little later."""

    def replace_vectors(
        self, space: Space, numbers: Sequence[int], vectors: NDArray[np.float32]
    ) -> None:
        """Replace the vectors of records, for a new embedder."""

    def save_snapshot(self, snapshot: Snapshot) -> bool:
        """Save a recall index; refused (False) if something was forgotten since its head."""

    # ---- records

    def one_state(self) -> AbstractContextManager[object]:
        """A read transaction: every read of this thread sees the same state of the store.

        Reads are cheaper inside. It delays maintenance, so never wait for other threads in it.
        """

    def find(self, ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order; unknown ids are omitted."""

    def fetch(self, numbers: Sequence[int]) -> list[Record]:
        """The records with these numbers, in this order; missing or damaged ones are omitted."""

    def spoken_texts(self, numbers: Sequence[int]) -> list[SpokenText]:
        """Speaker and text of these records, in this order: fast, unverified, internal."""

    def scan(self, after: int, limit: int) -> list[Record]:
        """The next `limit` records with a number above `after`, in order."""

    def latest(self, session: str | None, limit: int, before: int | None = None) -> list[Record]:
        """The last turns of a session, or of all, before a record number, oldest first."""

    def latest_within(self, within: str, limit: int, before: int | None = None) -> list[Record]:
        """The last turns of the sessions with a name that starts with `within`, oldest first."""

    def sessions(self, limit: int) -> list[Session]:
        """The sessions with the newest last turn, newest first; without summaries."""

    def stated(self, wanted: Stated) -> list[Record]:
        """Facts, tasks and notes that match a filter, in its order."""

    def staged(self, wanted: Staged) -> list[Record]:
        """Records by stage and temperature, in the order they were recorded."""

    def pending(self, kind: Kind) -> int:
        """Number of records of a kind in the stages active or working."""

    def newest(self, kinds: Collection[Kind], before: int, limit: int) -> list[int]:
        """Numbers of the newest records of some kinds, below a number, newest first."""

    def known_since(self, within: Sequence[str]) -> datetime | None:
        """Earliest `valid_from` of facts with a slot that starts with one of these, if any."""

    def slot_numbers(self, within: str, limit: int) -> list[int]:
        """Numbers of the newest records with a slot that starts with `within`."""

    def newest_in_slots(self, prefixes: Sequence[str], limit: int) -> dict[str, list[int]]:
        """As `slot_numbers`, for several prefixes in one read."""

    def slot_heads(self, slots: Sequence[str]) -> dict[str, int]:
        """The sequence number of the last change in each slot; 0 if none. See `Change.seen`."""

    def known(self, keys: Sequence[str]) -> dict[str, Record]:
        """Stored records by idempotency key; unused keys are omitted."""

    def was_erased(self, key: str, since: datetime) -> bool:
        """Whether the record of a key was erased since; kept for a day: see `names_a_delivery`."""

    def evidence(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of the records that support it."""

    def derived(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of the records that it supports."""

    def entities(self, limit: int, longer_than: str = "") -> list[EntityCount]:
        """The names that this user's records mention, most mentioned first.

        `longer_than` is a name in normal form: only longer names that start with it.
        """

    def mentions(self, ids: Sequence[str]) -> dict[str, tuple[Mentioned, ...]]:
        """For each record the names that it mentions."""

    def mentioned(self, entity: str, limit: int) -> list[int]:
        """Numbers of the records that mention an entity, newest first."""

    def newest_mentions(self, entities: Sequence[str], limit: int) -> dict[str, list[int]]:
        """As `mentioned`, for several entities in one read."""

    def unembedded(self, space: Space, after: int, limit: int) -> list[Record]:
        """As `scan`, but only records that have no vector in this space."""

    def counts(self) -> StoreCounts:
        """Counts of this user's records."""

    # ---- tallies

    def tallies(self, topic: str, names: Sequence[str] | None = None) -> dict[str, Tally]:
        """The tallies of a topic, or those with some names, in order of the names.

        Erasing a record of a kind in GOES_WITH also erases the tallies learned from it.
        """

    def topics(self, within: str) -> list[str]:
        """The topics below this one that have tallies, in order."""

    # ---- changes for the recall index

    def head(self) -> Head:
        """The end of this user's history; (0, 0) for an unknown user. Read once per call."""

    def changes(self, since: int, space: Space, limit: int) -> Changes:
        """The changes that bring the recall index from `since` to the head."""

    def vectors(
        self, numbers: Sequence[int], space: Space
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Vectors of these records (those that have one): their numbers, and a matrix."""

    def load_snapshot(self, space: Space) -> Snapshot | None:
        """The saved recall index of this user, if there is a valid one."""

    # ---- events, jobs, consent and cost

    def events(self, after: int, limit: int) -> list[Event]:
        """Events of this user above this sequence number, in order, as committed."""

    def listen(self, notify: Callable[[], None]) -> CommitSubscription:
        """Call `notify` as soon as there may be an event of this user; see `Store.listen`."""

    def jobs(self, limit: int) -> list[Job]:
        """This user's jobs, newest first."""

    def retry_jobs(self, at: datetime) -> int:
        """Queue this user's failed jobs again, as if they were new; returns how many."""

    def consents(self) -> dict[Purpose, bool]:
        """The user's answer by purpose; purposes without an answer are omitted."""

    def consent(self, purpose: Purpose, granted: bool, at: datetime) -> None:
        """Record that the user consents to a purpose, or withdraws consent."""

    def charge(self, day: date, spent: Spending) -> None:
        """Add to the cost of language models for this user on a day."""

    def spent(self, day: date) -> Spending:
        """The cost of language models for this user on a day."""


class Store(Protocol):
    """A memory file or database. Each implementation passes `tests/storage/contract.py`."""

    def for_user(self, user_id: str) -> UserStore:
        """The memories of one user, for one call: the user's row is read once."""

    @property
    def jobs(self) -> JobQueue:
        """Background jobs of all users."""

    @property
    def keys(self) -> KeyRing:
        """API keys."""

    def scrub(self) -> bool:
        """Erase all traces of forgotten data, which may take long; False if not possible now."""

    def tidy(self) -> Tidied:
        """Run maintenance that can wait until the store is idle; may take long."""

    def tallied(self, topic: str, name: str) -> list[Tallied]:
        """Every user who has a record, by name, and one tally of each."""

    def users(self) -> list[str]:
        """Every user who has a record."""

    def users_with(self, topics: str) -> list[str]:
        """Every user with a tally whose topic starts with `topics`, with records or without."""

    def counts(self) -> StoreCounts:
        """Counts of the records of all users."""

    def events(self, after: int, limit: int) -> list[Event]:
        """Events of all users above this sequence number, in order, as committed."""

    def listen(self, notify: Callable[[], None]) -> CommitSubscription:
        """Call `notify` as soon as there may be an event, from any process.

        It is called from another thread, and must not block.
        """

    def audit(self) -> Iterator[AuditEntry]:
        """The audit chain, in order."""

    def audit_before(self, seq: int, limit: int) -> list[AuditEntry]:
        """The last entries of the audit chain before a number, newest first."""

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Verification:
        """Check every row against its checksum, the audit chain, and the file's structure."""

    def require_space(self) -> None:
        """Raise StoreFull if there is no space for new records, as far as known."""

    def backup(self, to: Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Write a consistent, verified copy while others are writing."""

    def close(self) -> None:
        """Flush and close. Further calls raise StoreClosed."""


class UserIndex(Protocol):
    """Finds candidates among one user's records; derived from the store, and kept current."""

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        only: Filter,
        also: Sequence[int] = (),
    ) -> Found:
        """The best `limit` records by vector and by keywords, current with the store.

        `also` are numbers of further candidates; they must pass the filter too.
        """

    def rank(self, text: str, vector: NDArray[np.float32], limit: int, only: Filter) -> Rankings:
        """Only the rankings of `search`, without the features of each candidate."""

    def worded(self, numbers: NDArray[np.int64]) -> Worded:
        """The tokens of these records, which a search has just found."""

    def tidy(self) -> int:
        """Drop the remains of deleted records; returns how many. 0 for a user never searched."""


class Index(Protocol):
    """The recall indexes of all users."""

    def for_user(self, store: UserStore) -> UserIndex:
        """The index of the user of this store."""

    def close(self) -> None:
        """Save a snapshot for a fast next start, and release the memory."""


class Sender(Protocol):
    """Sends events to other servers."""

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a body, never to a private address; ProviderError if it was not accepted."""


class Publisher(Protocol):
    """Publishes events to current subscribers; others miss them."""

    def open(self, last: int) -> bool:
        """Accept subscribers, starting after the last event; False if another process does it."""

    def publish(self, message: BusMessage) -> None:
        """Publish one message. Never waits."""

    def close(self) -> None:
        """Send what is left, for a moment, and release the address."""
