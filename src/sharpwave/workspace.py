"""Everything one call needs, bound to one user.

`Resources` are opened once and shared by all users; `Resources.for_user` binds them for one call.
Below a `Workspace` nothing takes a user id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from sharpwave.errors import Overtaken, ProviderError
from sharpwave.privacy.consent import Consents
from sharpwave.settings import Settings
from sharpwave.temporal.clock import StandingClock

if TYPE_CHECKING:
    from sharpwave.ports import (
        LLM,
        Clock,
        Embedder,
        Index,
        IntentModel,
        NameFinder,
        Publisher,
        Reader,
        Reranker,
        Sender,
        Store,
        TokenMatcher,
        UserIndex,
        UserStore,
    )
    from sharpwave.settings.weights import WeightsFile
    from sharpwave.types.records import Record
    from sharpwave.types.storing import Change

ATTEMPTS = 8
"""Maximum number of attempts to write while other writers change the same data."""
PAGE_RECORDS = 500
"""Records read at once when iterating over all."""
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Resources:
    """An open memory: its store, index, models, clock and settings, shared by all users."""

    store: Store
    index: Index
    embedder: Embedder
    clock: Clock
    settings: Settings
    weights: WeightsFile
    llm: LLM | None = None
    tokens: TokenMatcher | None = None
    """Without one, recall leaves out its part of the score."""
    reranker: Reranker | None = None
    """Reorders the best candidates; slow, so only if configured."""
    sender: Sender | None = None
    """Sends webhooks."""
    publisher: Publisher | None = None
    """Publishes events."""
    names: NameFinder | None = None
    """Without one, rules find names."""
    reader: Reader | None = None
    """Without one, patterns alone say what is worth keeping."""
    intent_model: IntentModel | None = None
    """The integrator's own; without one, the bundled model reads messages."""
    cache_hit_rate: Callable[[], float | None] | None = None
    """Share of texts with a cached vector, if the embedder has a cache."""
    close_connections: Callable[[], None] | None = None
    """Closes connections to models that were opened together with the store."""
    comment_embedder: Embedder | None = None
    """Reads comments on answers; without one, `embedder` does."""

    def for_user(self, user_id: str) -> Workspace:
        """What one call for one user works with."""
        store = self.store.for_user(user_id)
        return Workspace(user_id, store, self.index.for_user(store), self)


@dataclass(frozen=True)
class Workspace:
    """One user's store and index, with the shared clock, models and settings.

    Made for one call: the user's row and consents are read at most once. After something of the
    user was forgotten by another call it writes nothing any more: what it read may be gone. What
    runs for long takes a `fresh` one for each step.
    """

    user_id: str
    store: UserStore
    index: UserIndex
    shared: Resources = field(repr=False)

    @property
    def clock(self) -> Clock:
        """The only source of the current time."""
        return self.shared.clock

    @property
    def embedder(self) -> Embedder:
        """Turns text into vectors."""
        return self.shared.embedder

    @property
    def llm(self) -> LLM | None:
        """The language model, if one is configured."""
        return self.shared.llm

    @property
    def llm_reads(self) -> bool:
        """True if a language model reads what is said, in the background."""
        return (
            self.settings.remember.read_with_llm and self.llm is not None and self.consents.may_send
        )

    @property
    def settings(self) -> Settings:
        """All settings."""
        return self.shared.settings

    @cached_property
    def consents(self) -> Consents:
        """What the user agreed to, as of the first time it is asked in this call."""
        return Consents(self.store.consents(), self.settings.privacy)

    def with_vectors(self, change: Change) -> Change:
        """A change with the vectors of its records; as it is if there are none, or none are given.

        Records without a vector are found by keywords only, until `reembed`.
        """
        if not change.records:
            return change
        try:
            vectors = self.embedder.embed([record.text for record in change.records])
        except ProviderError:
            return change
        return replace(change, vectors=vectors, space=self.embedder.space)

    def records(self, after: int = 0) -> Iterator[Record]:
        """Every record with a number above this, in the order of storage, read page by page."""
        while page := self.store.scan(after, PAGE_RECORDS):
            yield from page
            after = page[-1].number

    def fresh(self) -> Workspace:
        """The same for a new call: the user's row and consents are read again."""
        return self.shared.for_user(self.user_id)

    def retried(self, attempt: Callable[[Workspace], Answer]) -> Answer:
        """The result of `attempt`; after a concurrent write it is repeated with a fresh one."""
        workspace = self
        for _ in range(ATTEMPTS - 1):
            try:
                return attempt(workspace)
            except Overtaken:
                workspace = self.fresh()
        return attempt(workspace)

    def at(self, moment: datetime) -> Workspace:
        """A fresh workspace with a clock that always shows this moment."""
        return replace(self.shared, clock=StandingClock(moment)).for_user(self.user_id)
