"""Fakes for your tests: a clock that stands still, a store in memory, an embedder of hashes."""

from datetime import UTC, datetime, timedelta

from sharpwave.index.recall_index import RecallIndex
from sharpwave.memory import Memory
from sharpwave.ports import Clock, Embedder, Ports, Store
from sharpwave.providers.hash_embedder import HashEmbedder
from sharpwave.settings import Settings
from sharpwave.storage.in_memory.store import InMemoryStore
from sharpwave.temporal.clock import UtcClock
from sharpwave.wiring import load_weights

__all__ = ["FrozenClock", "HashEmbedder", "InMemoryStore", "in_memory"]


class FrozenClock:
    """A clock that moves only when told to.

    >>> clock = FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    >>> clock.advance(days=2)
    >>> clock.now().isoformat()
    '2026-01-03T00:00:00+00:00'
    """

    def __init__(self, now: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._now = now

    def now(self) -> datetime:
        """The moment it stands at."""
        return self._now

    def advance(self, **duration: float) -> None:
        """Move on, by the arguments of `timedelta`."""
        self._now += timedelta(**duration)


def in_memory(
    user: str = "default",
    *,
    store: Store | None = None,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
) -> Memory:
    """A Memory that leaves no file behind."""
    settings = Settings()
    chosen = embedder or HashEmbedder(settings.embedder.hash_dimension)
    backing = store or InMemoryStore()
    index = RecallIndex(backing, chosen.space, settings.index)
    ports = Ports(backing, index, chosen, UtcClock((clock or FrozenClock()).now))
    return Memory(ports, settings, load_weights(None), user)
