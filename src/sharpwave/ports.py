"""What the flows need from the outside. Adapters live in `storage`, `index` and `providers`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sharpwave.types.answers import Forgotten
from sharpwave.types.records import Kind, Record
from sharpwave.types.searching import (
    Filter,
    Found,
    Pieces,
    Rankings,
    Worded,
)
from sharpwave.types.statements import Mention
from sharpwave.types.storing import (
    AuditEntry,
    Change,
    Changes,
    EntityCount,
    Event,
    Head,
    Heard,
    Mentioned,
    Selection,
    Session,
    Snapshot,
    Space,
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
    from sharpwave.types.publishing import Told


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
        """One unit vector a statement, shape (n, dimension)."""

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """The unit vector to search with, shape (dimension,)."""


class Reranker(Protocol):
    """Judges how well texts answer a question; slower than an index, so it sees the best only."""

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """One finite number a text, shape (n,): higher is better, comparable within one call."""


class TokenMatcher(Protocol):
    """How well each word of a question is met by texts; cheap enough for every recall."""

    @property
    def signature(self) -> str:
        """Changes whenever the same text might be cut otherwise."""

    def cut(self, texts: Sequence[str]) -> Pieces:
        """The pieces of texts, each once in a text."""

    def forget_words(self) -> None:
        """Keep no word of what was cut: some of it was forgotten."""

    def match(self, query: str, texts: Pieces) -> NDArray[np.float32]:
        """Shape (texts, words): what each word contributes. A row's sum is at most 1."""


class LLM(Protocol):
    """A language model, or several by role. Slow and fallible: never on the hot path.

    Every call ends within a deadline, in an answer or a ProviderError.
    """

    def model(self, role: LLMRole) -> str:
        """The name of the model that plays this role."""

    def complete(self, prompt: Prompt, role: LLMRole) -> Completion:
        """A text that answers the prompt."""

    def structured(self, prompt: Prompt, output: type[Output], role: LLMRole) -> Structured[Output]:
        """An answer in the form of `output`; AnswerUnfit if the model cannot give one."""


class NameFinder(Protocol):
    """Finds names that rules may miss. A model on this machine: it reads every turn as it comes."""

    def find(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """The names in each text, each once, where it first stands."""


@runtime_checkable
class FormTelling(Protocol):
    """A language model that can say how it is told the form of an answer."""

    def form(self, role: LLMRole) -> str:
        """json_schema, json_object, tool or text: what worked last, or will be tried first."""


class Hearing(Protocol):
    """Somebody who is told what any process commits, until they have heard enough."""

    @property
    def live(self) -> bool:
        """False while nothing can be heard: look now and then instead."""

    def end(self) -> None:
        """Be told no more."""


class JobQueue(Protocol):
    """Work for later. Jobs are queued by the change that asks for them, in its transaction."""

    def lease(self, now: datetime, for_: timedelta, number: int | None = None) -> Job | None:
        """Take on the next job that is due, or the one asked for; None if there is none.

        A job whose worker let its lease run out is due again. One user's jobs are taken on one
        after the other, in their order; one that was set back lets the others pass.
        """

    def listen(self, hear: Callable[[], None]) -> Hearing:
        """Call `hear` as soon as there may be a job, whichever process queued it."""

    def finish(self, job: Job, at: datetime, error: str | None = None) -> bool:
        """The job is done, or has failed for good; False if another worker took it over."""

    def postpone(self, job: Job, until: datetime, error: str) -> bool:
        """Try the job again later; False if another worker took it over."""

    def retry(self, user_id: str, at: datetime) -> int:
        """Queue a user's failed jobs again, as if they were new; returns how many."""

    def of_user(self, user_id: str, limit: int) -> list[Job]:
        """A user's jobs, the newest first."""


class Ledger(Protocol):
    """What models cost each user, and what each user agreed to."""

    def charge(self, user_id: str, day: date, spent: Spending) -> None:
        """Add to what models cost a user on a day."""

    def spent(self, user_id: str, day: date) -> Spending:
        """What models cost a user on a day."""

    def consents(self, user_id: str) -> dict[Purpose, bool]:
        """What a user agreed to, or not; nothing about purposes never asked for."""

    def consent(self, user_id: str, purpose: Purpose, granted: bool, at: datetime) -> None:
        """A user agrees to something, or no longer."""


class KeyRing(Protocol):
    """Who may come in by the doors. Only a digest of each secret is kept."""

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Keep a new key; Conflict if the name was ever used."""

    def find(self, digest: bytes) -> ApiKey | None:
        """The key whose secret has this digest, revoked or not."""

    def all(self) -> list[ApiKey]:
        """Every key, revoked ones too, in order of their names."""

    def revoke(self, name: str, at: datetime) -> bool:
        """The key opens nothing any more; False if there is none of that name that does."""

    def used(self, name: str, at: datetime) -> None:
        """Note that a key was used."""


class Store(Protocol):
    """Where memories live. `storage/check.py` is the contract each implementation passes."""

    @property
    def jobs(self) -> JobQueue:
        """Work for later."""

    @property
    def ledger(self) -> Ledger:
        """What models cost, and what users agreed to."""

    @property
    def keys(self) -> KeyRing:
        """Who may come in by the doors."""

    def commit(self, change: Change) -> tuple[Stored, ...]:
        """Do what a change says in one transaction and return once it is durable.

        A record whose idempotency key is known and whose content is the same is not stored again;
        the known one is returned. Raises KeyReused if the content differs, and Overtaken if the
        change was decided on something that has moved on since.
        """

    def forget(self, user_id: str, selection: Selection, at: datetime) -> Forgotten:
        """Erase records with their vectors, and what rested on nothing else.

        What they had superseded holds again, what they contradicted is no longer in doubt. The
        receipt says whether every byte is gone, or `scrub` is still due.
        """

    def scrub(self) -> bool:
        """Leave no trace of what was forgotten, however long it takes; False if not now."""

    def tidy(self) -> Tidied:
        """Put in order what can wait until nobody is in a hurry; may take long, loses nothing."""

    def touch(self, user_id: str, numbers: Sequence[int], at: datetime) -> None:
        """Count an access to these records; returns at once, durable a little later."""

    def replace_vectors(
        self, user_id: str, space: Space, numbers: Sequence[int], vectors: NDArray[np.float32]
    ) -> None:
        """Give records new vectors, of a new embedder."""

    def one_state(self) -> AbstractContextManager[object]:
        """Whatever this thread reads of one user meanwhile is of the same moment.

        Reads cost less inside. It holds up others who clean up: never wait for anybody in it.
        """

    def find(self, user_id: str, ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order; unknown ids are left out."""

    def fetch(self, user_id: str, numbers: Sequence[int]) -> list[Record]:
        """The records with these numbers, in this order; missing or damaged ones are left out."""

    def heard(self, user_id: str, numbers: Sequence[int]) -> list[Heard]:
        """Who said what, of these records, in this order: quick, unchecked, not to be served."""

    def scan(self, user_id: str, after: int, limit: int) -> list[Record]:
        """The next `limit` records whose number is above `after`, in order."""

    def latest(
        self, user_id: str, session: str | None, limit: int, before: int | None = None
    ) -> list[Record]:
        """The last turns of a session, or of all, before a number, oldest first."""

    def latest_within(
        self, user_id: str, within: str, limit: int, before: int | None = None
    ) -> list[Record]:
        """The last turns that count of the sessions whose name begins so, oldest first."""

    def sessions(self, user_id: str, limit: int) -> list[Session]:
        """The sessions whose last turn is newest, that one first; without summaries."""

    def stated(self, user_id: str, wanted: Stated) -> list[Record]:
        """Facts, tasks and notes, in the order they were recorded or by what they are worth."""

    def staged(self, user_id: str, wanted: Staged) -> list[Record]:
        """Records by stage and temperature, in the order they were recorded."""

    def pending(self, user_id: str, kind: Kind) -> int:
        """How many records of a kind are still active or working."""

    def newest(self, user_id: str, kinds: Collection[Kind], before: int, limit: int) -> list[int]:
        """Numbers of the newest records of some kinds, below a number, the newest first."""

    def known_since(self, user_id: str, within: Sequence[str]) -> datetime | None:
        """When the first of the facts began to hold whose slots begin so; None without any."""

    def slot_numbers(self, user_id: str, within: str, limit: int) -> list[int]:
        """Numbers of the newest records whose slot begins so."""

    def slot_heads(self, user_id: str, slots: Sequence[str]) -> dict[str, int]:
        """For each slot the newest change in it; 0 where there is none. See `Change.seen`."""

    def known(self, user_id: str, keys: Sequence[str]) -> dict[str, Record]:
        """The records that these idempotency keys already name."""

    def evidence(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that support it."""

    def derived(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record the ids of those that it supports."""

    def entities(self, user_id: str, limit: int, longer_than: str = "") -> list[EntityCount]:
        """The names that this user's records mention, the most mentioned first.

        `longer_than` is a name in normal form: only names that go on where it ends.
        """

    def mentions(self, user_id: str, ids: Sequence[str]) -> dict[str, tuple[Mentioned, ...]]:
        """For each record the names that it mentions."""

    def mentioned(self, user_id: str, entity: str, limit: int) -> list[int]:
        """Numbers of the records that mention an entity, the newest first."""

    def tallies(
        self, user_id: str, topic: str, names: Sequence[str] | None = None
    ) -> dict[str, Tally]:
        """What was learned under a topic, or under some of its names, in order of the names.

        With a record of a kind in GOES_WITH the tallies learned from it are forgotten too.
        """

    def topics(self, user_id: str, within: str) -> list[str]:
        """The topics below this one, in order, under which anything was learned."""

    def tallied(self, topic: str, name: str) -> list[Tallied]:
        """Every user who has a record, in order of their names, and one tally of each."""

    def unembedded(self, user_id: str, space: Space, after: int, limit: int) -> list[Record]:
        """As `scan`, but only records that have no vector in this space."""

    def head(self, user_id: str) -> Head:
        """How far this user's history goes; (0, 0) for a user nobody knows."""

    def changes(self, user_id: str, since: int, space: Space, limit: int) -> Changes:
        """What the recall index must take in to get from `since` to the head."""

    def vectors(
        self, user_id: str, numbers: Sequence[int], space: Space
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Vectors of these records (those that have one): their numbers, and a matrix."""

    def load_snapshot(self, user_id: str, space: Space) -> Snapshot | None:
        """The saved recall index of this user, if there is a valid one."""

    def save_snapshot(self, user_id: str, snapshot: Snapshot) -> bool:
        """Save a recall index; refused (False) if something was forgotten since its head."""

    def users(self) -> list[str]:
        """Every user who has a record."""

    def users_with(self, topics: str) -> list[str]:
        """Every user who has a tally whose topic begins so, with records or without."""

    def counts(self, user_id: str | None) -> StoreCounts:
        """Counts for one user, or for all."""

    def events(self, after: int, limit: int, user_id: str | None = None) -> list[Event]:
        """Events above this sequence number, of all or of one user, in order, as committed."""

    def listen(self, hear: Callable[[], None], user_id: str | None = None) -> Hearing:
        """Call `hear` as soon as there may be an event, of all or of one user.

        Whichever process wrote it. It is called from another thread, and must not wait.
        """

    def audit(self) -> Iterator[AuditEntry]:
        """The audit chain, in order."""

    def audit_before(self, seq: int, limit: int) -> list[AuditEntry]:
        """The last so many entries of the audit chain before a number, the newest first."""

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Verification:
        """Check every row against its checksum, the audit chain, and the file's structure."""

    def backup(self, to: Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Write a consistent, checked copy while others go on writing."""

    def close(self) -> None:
        """Flush and close. Further calls raise StoreClosed."""


class Index(Protocol):
    """Finds candidates among one user's records; derived from the store, and follows it."""

    def search(
        self,
        user_id: str,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        only: Filter,
        also: Sequence[int] = (),
    ) -> Found:
        """The best `limit` records by vector and by keywords, of what the store holds now.

        `also` are numbers of further candidates, as far as they pass the filter.
        """

    def rank(
        self, user_id: str, text: str, vector: NDArray[np.float32], limit: int, only: Filter
    ) -> Rankings:
        """The rankings of `search` alone, without what else is known of each candidate."""

    def worded(self, user_id: str, numbers: NDArray[np.int64]) -> Worded:
        """How these records are said; for those that a search has just found."""

    def tidy(self, user_id: str) -> int:
        """Let go of what records left behind that are not found any more; returns how many.

        Saves what makes the next start fast. Nothing is done for whoever has not been searched.
        """

    def close(self) -> None:
        """Save what makes the next start fast, and let go of the memory."""


class Sender(Protocol):
    """Tells other servers what happened."""

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a body, never to an address inside; a ProviderError if it was not taken."""


class Publisher(Protocol):
    """Tells whoever listens at the moment; who does not misses it."""

    def open(self, last: int) -> bool:
        """Let in whoever knocks, telling them the last event; False if another process does it."""

    def publish(self, told: Told) -> None:
        """Tell one thing. Never waits."""

    def close(self) -> None:
        """Send what is left, for a moment, and let go of the address."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a flow may use, in one value."""

    store: Store
    index: Index
    embedder: Embedder
    clock: Clock
    llm: LLM | None = None
    tokens: TokenMatcher | None = None
    """Without one, recall does without its part of the score."""
    reranker: Reranker | None = None
    """A second opinion on the best candidates; slow, so only where somebody asked for it."""
    sender: Sender | None = None
    """Without one, webhooks are told nothing."""
    publisher: Publisher | None = None
    """Without one, nothing is published."""
    names: NameFinder | None = None
    """Without one, rules find names."""
    reuse: Callable[[], float | None] | None = None
    """Which share of the texts to embed was known already, where somebody counts it."""
    hang_up: Callable[[], None] | None = None
    """Lets go of the connections to models that were opened together with the store."""
