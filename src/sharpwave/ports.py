"""What the flows need from the outside. Adapters live in `storage`, `index`, `embedding`."""

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
    """Turns text into unit vectors. Questions and statements may be embedded differently."""

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored beside the vectors."""

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector per statement, shape (n, dimension)."""

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """The unit vector to search with, shape (dimension,)."""


@runtime_checkable
class MeaningEmbedder(Embedder, Protocol):
    """An embedder with vectors that hold meaning and words apart."""

    def likeness(
        self, question: NDArray[np.float32], vectors: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Similarity of vectors to that of a question by meaning alone, shape (n,)."""


class IntentModel(Protocol):
    """Your own classifier of the intents and the sentiment of a message."""

    def read(self, message: str) -> MessageLabels:
        """Probability of each intent and sentiment; the bundled model fills in what is left empty.

        Called when a skill is selected, so it should answer within milliseconds. Intents may be
        words of your own, for triggers of your own skills. Raise ProviderError if it fails.
        """


class Reranker(Protocol):
    """Judges how well texts answer a question; slower than an index, so it sees the best only."""

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """One finite number per text, shape (n,): higher is better, comparable within one call."""


class TokenMatcher(Protocol):
    """How well texts match each word of a question; cheap enough for every recall."""

    @property
    def signature(self) -> str:
        """Changes whenever the same text might be cut into other pieces."""

    def cut(self, texts: Sequence[str]) -> Pieces:
        """The distinct pieces of each text."""

    def forget_words(self) -> None:
        """Drop all cached words: some of them were forgotten."""

    def match(self, query: str, texts: Pieces) -> NDArray[np.float32]:
        """Shape (texts, words): what each word contributes. A row's sum is at most 1."""


class LLM(Protocol):
    """A language model, or several by role. Slow and fallible: never on the hot path.

    Every call ends within a deadline, in an answer or a ProviderError.
    """

    def model(self, role: LLMRole) -> str:
        """The name of the model that has this role."""

    def complete(self, prompt: Prompt, role: LLMRole) -> Completion:
        """A text that answers the prompt."""

    def structured(self, prompt: Prompt, output: type[Output], role: LLMRole) -> Structured[Output]:
        """An answer in the form of `output`; AnswerUnfit if the model cannot give one."""


class Reader(Protocol):
    """Classifies whether sentences are worth keeping, and as what. A model on this machine."""

    def read(self, text: str, sentences: Sequence[Span]) -> list[Reading]:
        """What each sentence of a text says; fewer if the text is too long to be read whole."""

    def compare(self, notes: Sequence[str], remark: str) -> list[Effect]:
        """What a remark does to each older note; `TO_DO` begins a task. Never raises."""


@runtime_checkable
class NameFinder(Protocol):
    """Finds names that rules may miss. A model on this machine: it reads every turn as it comes."""

    def find(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """The names in each text, each once, where it first stands."""


@runtime_checkable
class FormTelling(Protocol):
    """A language model that can say in which form it is given the schema of an answer."""

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
    """Background jobs of all users. A job is queued by the change that asks for it."""

    def lease(self, now: datetime, for_: timedelta, number: int | None = None) -> Job | None:
        """Lease the next job that is due, or the given one; None if there is none.

        A job with an expired lease is due again. Jobs of one user are leased one at a time, and of
        those that are due the oldest first; a postponed job does not block those behind it.
        """

    def listen(self, notify: Callable[[], None]) -> CommitSubscription:
        """Call `notify` as soon as there may be a job, whichever process queued it."""

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
        """Every key, revoked ones too, by name."""

    def revoke(self, name: str, at: datetime) -> bool:
        """Revoke a key; False if no active key has that name."""

    def used(self, name: str, at: datetime) -> None:
        """Record that a key was used."""


class UserStore(Protocol):
    """The memories of one user. `Store.for_user` makes one for each call."""

    @property
    def user_id(self) -> str:
        """Whose memories these are."""

    # ---- writing

    def commit(self, change: Change) -> tuple[Stored, ...]:
        """Apply a change in one transaction; returns once it is durable.

        A record whose idempotency key is known and whose content is the same is not stored again;
        the known one is returned. Raises KeyReused if the content differs, and Overtaken if the
        change was decided on something that has changed since.
        """

    def forget(self, selection: Selection, at: datetime) -> Forgotten:
        """Erase records with their vectors, and what rested on nothing else.

        What they had superseded holds again, what they contradicted is no longer in doubt. The
        receipt says whether every byte is erased, or `scrub` is still due.
        """

    def touch(self, numbers: Sequence[int], at: datetime) -> None:
        """Count an access to these records; returns at once, durable a little later."""

    def replace_vectors(
        self, space: Space, numbers: Sequence[int], vectors: NDArray[np.float32]
    ) -> None:
        """Give records new vectors, of a new embedder."""

    def save_snapshot(self, snapshot: Snapshot) -> bool:
        """Save a recall index; refused (False) if something was forgotten since its head."""

    # ---- records

    def one_state(self) -> AbstractContextManager[object]:
        """Within it, every read of this thread sees the same state of the store.

        Reads cost less inside. It delays maintenance, so never wait for other threads in it.
        """

    def find(self, ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order; unknown ids are left out."""

    def fetch(self, numbers: Sequence[int]) -> list[Record]:
        """The records with these numbers, in this order; missing or damaged ones are left out."""

    def spoken_texts(self, numbers: Sequence[int]) -> list[SpokenText]:
        """Speaker and text of these records, in this order: quick, unchecked, not for callers."""

    def scan(self, after: int, limit: int) -> list[Record]:
        """The next `limit` records with a number above `after`, in order."""

    def latest(self, session: str | None, limit: int, before: int | None = None) -> list[Record]:
        """The last turns of a session, or of all, before a number, oldest first."""

    def latest_within(self, within: str, limit: int, before: int | None = None) -> list[Record]:
        """The last turns of the sessions with a name that starts with `within`, oldest first."""

    def sessions(self, limit: int) -> list[Session]:
        """The sessions with the newest last turn, newest first; without summaries."""

    def stated(self, wanted: Stated) -> list[Record]:
        """Facts, tasks and notes, in the order they were recorded or by what they are worth."""

    def staged(self, wanted: Staged) -> list[Record]:
        """Records by stage and temperature, in the order they were recorded."""

    def pending(self, kind: Kind) -> int:
        """How many records of a kind are still active or working."""

    def newest(self, kinds: Collection[Kind], before: int, limit: int) -> list[int]:
        """Numbers of the newest records of some kinds, below a number, newest first."""

    def known_since(self, within: Sequence[str]) -> datetime | None:
        """When the first fact with a slot that starts with one of these began; None without."""

    def slot_numbers(self, within: str, limit: int) -> list[int]:
        """Numbers of the newest records with a slot that starts with `within`."""

    def newest_in_slots(self, prefixes: Sequence[str], limit: int) -> dict[str, list[int]]:
        """As `slot_numbers`, for several prefixes in one read."""

    def slot_heads(self, slots: Sequence[str]) -> dict[str, int]:
        """For each slot the newest change in it; 0 where there is none. See `Change.seen`."""

    def known(self, keys: Sequence[str]) -> dict[str, Record]:
        """Stored records by idempotency key, for those of these keys that are in use."""

    def was_erased(self, key: str, since: datetime) -> bool:
        """Whether the record of a key was erased since; kept for a day: see `names_a_delivery`."""

    def evidence(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that support it."""

    def derived(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that it supports."""

    def entities(self, limit: int, longer_than: str = "") -> list[EntityCount]:
        """The names that this user's records mention, most mentioned first.

        `longer_than` is a name in normal form: only names that start with it and go on.
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
        """How much this user has stored."""

    # ---- what was learned, as running numbers

    def tallies(self, topic: str, names: Sequence[str] | None = None) -> dict[str, Tally]:
        """What was learned under a topic, or under some of its names, in order of the names.

        With a record of a kind in GOES_WITH the tallies learned from it are forgotten too.
        """

    def topics(self, within: str) -> list[str]:
        """The topics below this one, in order, under which anything was learned."""

    # ---- what the recall index follows

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
        """By purpose, whether the user agreed; without purposes never asked for."""

    def consent(self, purpose: Purpose, granted: bool, at: datetime) -> None:
        """Record that the user agrees to a purpose, or no longer does."""

    def charge(self, day: date, spent: Spending) -> None:
        """Add to what language models cost this user on a day."""

    def spent(self, day: date) -> Spending:
        """What language models cost this user on a day."""


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
        """Erase all traces of what was forgotten, however long it takes; False if not now."""

    def tidy(self) -> Tidied:
        """Maintenance that can wait until the store is idle; may take long, loses nothing."""

    def tallied(self, topic: str, name: str) -> list[Tallied]:
        """Every user who has a record, by name, and one tally of each."""

    def users(self) -> list[str]:
        """Every user who has a record."""

    def users_with(self, topics: str) -> list[str]:
        """Every user with a tally whose topic starts with `topics`, with records or without."""

    def counts(self) -> StoreCounts:
        """How much is stored, of all users."""

    def events(self, after: int, limit: int) -> list[Event]:
        """Events of all users above this sequence number, in order, as committed."""

    def listen(self, notify: Callable[[], None]) -> CommitSubscription:
        """Call `notify` as soon as there may be an event, whichever process wrote it.

        It is called from another thread, and must not wait.
        """

    def audit(self) -> Iterator[AuditEntry]:
        """The audit chain, in order."""

    def audit_before(self, seq: int, limit: int) -> list[AuditEntry]:
        """The last entries of the audit chain before a number, newest first."""

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Verification:
        """Check every row against its checksum, the audit chain, and the file's structure."""

    def require_space(self) -> None:
        """StoreFull if there is no space for what is new, as far as that is known."""

    def backup(self, to: Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Write a consistent, checked copy while others go on writing."""

    def close(self) -> None:
        """Flush and close. Further calls raise StoreClosed."""


class UserIndex(Protocol):
    """Finds candidates among one user's records; derived from the store, and follows it."""

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        only: Filter,
        also: Sequence[int] = (),
    ) -> Found:
        """The best `limit` records by vector and by keywords, of what the store holds now.

        `also` are numbers of further candidates, as far as they pass the filter.
        """

    def rank(self, text: str, vector: NDArray[np.float32], limit: int, only: Filter) -> Rankings:
        """The rankings of `search` alone, without the features of each candidate."""

    def worded(self, numbers: NDArray[np.int64]) -> Worded:
        """The word pieces of these records, which a search has just found."""

    def tidy(self) -> int:
        """Drop what deleted records left behind; returns how many. 0 for a user never searched."""


class Index(Protocol):
    """The recall indexes of all users."""

    def for_user(self, store: UserStore) -> UserIndex:
        """The index of the user of this store."""

    def close(self) -> None:
        """Save a snapshot for a fast next start, and release the memory."""


class Sender(Protocol):
    """Sends events to other servers."""

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a body, never to an address inside; a ProviderError if it was not taken."""


class Publisher(Protocol):
    """Publishes events to current subscribers; others miss them."""

    def open(self, last: int) -> bool:
        """Accept subscribers, starting after the last event; False if another process does it."""

    def publish(self, message: BusMessage) -> None:
        """Publish one message. Never waits."""

    def close(self) -> None:
        """Send what is left, for a moment, and release the address."""
