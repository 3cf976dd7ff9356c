"""The recall indexes of all users: each loaded on first use, following the store, evicted when old.

The store is the truth. Before every search the user's index is brought up to the store's head, so
whatever was committed before, by this process or another, is found, and what was forgotten is not.
One lock for each user; none is held for all while one user's index is loaded or searched.
"""

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidInput, StorageError
from sharpwave.index.columns import best, distinct, empty
from sharpwave.index.in_memory_index import IndexQuery, InMemoryIndex
from sharpwave.index.terms import TermReader
from sharpwave.ports import Store, TokenMatcher, UserStore
from sharpwave.settings.core import MIB
from sharpwave.settings.storage import IndexSettings
from sharpwave.types.searching import Filter, Found, Ranking, Rankings, Worded
from sharpwave.types.storing import Head, Snapshot, Space

SNAPSHOT_MIN_RECORDS = 2000
"""Users with fewer records are indexed from their rows on load."""
SNAPSHOT_GROWTH = 0.2
"""A new snapshot is saved after the index grew by this share."""
LOAD_BATCH = 5000
"""Rows read at once while following the store."""


@dataclass(slots=True)
class Loaded:
    """One user's index and how far it has followed the store."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    index: InMemoryIndex | None = None
    """None until loaded, and while it is being changed: a change that fails leaves none behind."""
    head: Head = field(default_factory=lambda: Head(0, 0))
    saved: int = 0
    """Records in the last snapshot; 0 if there is none."""
    unsaved: int = 0
    """Changes since then."""
    size_bytes: int = 0


class RecallIndex:
    """The recall indexes of all users; the `Index` of the ports."""

    def __init__(
        self,
        store: Store,
        space: Space,
        settings: IndexSettings,
        tokens: TokenMatcher | None = None,
    ) -> None:
        self._store = store
        self.space = space
        self._budget_bytes = settings.budget_mib * MIB
        self.tokens = tokens
        self.reader = TermReader()
        self._lock = threading.Lock()
        self._users: OrderedDict[str, Loaded] = OrderedDict()
        self._total_bytes = 0

    def for_user(self, store: UserStore) -> "RecallUserIndex":
        """The index of the user of this store."""
        return RecallUserIndex(self, store)

    @property
    def size_bytes(self) -> int:
        """Memory that all loaded indexes take, estimated."""
        return self._total_bytes

    def loaded(self, user_id: str) -> Loaded:
        """The entry of one user, loaded or not; it becomes the last to be evicted."""
        with self._lock:
            loaded = self._users.setdefault(user_id, Loaded())
            self._users.move_to_end(user_id)
            return loaded

    def if_loaded(self, user_id: str) -> Loaded | None:
        """The entry of one user, if the user was searched."""
        with self._lock:
            return self._users.get(user_id)

    def release(self, user_id: str) -> None:
        """Release the index of a user who is searched elsewhere from now on."""
        with self._lock:
            if loaded := self._users.pop(user_id, None):
                self._total_bytes -= loaded.size_bytes

    def close(self) -> None:
        """Save a snapshot of what grew since the last, and release the memory."""
        with self._lock:
            users = list(self._users.items())
            self._users.clear()
            self._total_bytes = 0
        for user_id, loaded in users:
            with loaded.lock:
                self.for_user(self._store.for_user(user_id)).save_if_grown(loaded)

    def unit(self, vector: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """The query at length 1; None if it has no direction."""
        if vector.shape != (self.space.dimension,):
            raise InvalidInput(
                f"the query vector has shape {vector.shape}, "
                f"but vectors of {self.space} have {self.space.dimension} dimensions"
            )
        length = float(np.linalg.norm(vector.astype(np.float64)))
        if not (np.isfinite(length) and length > 0):
            return None
        return (vector / length).astype(np.float32)

    def forget_words(self) -> None:
        """Clear the cached words, since something that was forgotten may have held them."""
        self.reader.forget_words()
        if self.tokens is not None:
            self.tokens.forget_words()

    def account(self, user_id: str, loaded: Loaded, size_bytes: int) -> None:
        """Note what this index takes now, and evict the least recently used beyond the budget."""
        with self._lock:
            if self._users.get(user_id) is not loaded:
                return
            self._total_bytes += size_bytes - loaded.size_bytes
            loaded.size_bytes = size_bytes
            if not size_bytes:
                del self._users[user_id]
            while self._users and self._total_bytes > self._budget_bytes:
                oldest = next(iter(self._users))
                if oldest == user_id:
                    break
                self._total_bytes -= self._users.pop(oldest).size_bytes


class RecallUserIndex:
    """Finds candidates among one user's records; the `UserIndex` of the ports."""

    def __init__(self, shared: RecallIndex, store: UserStore) -> None:
        self._shared = shared
        self._store = store
        self._user_id = store.user_id

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        only: Filter,
        also: Sequence[int] = (),
    ) -> Found:
        """The best `limit` records by vector and by keywords, of what the store holds now.

        Equal scores rank the newest record first. A zero vector or a text without terms finds
        nothing by that means.
        """
        query = self._shared.unit(vector)
        with self._followed() as index:
            found = index.search(text, query, limit, only)
            looked_at = distinct(np.concatenate([found.near, found.keyword.numbers]))
            exact = self._cosines(query, looked_at)
            nearest = best(*_among(exact, found.near), limit)
            gathered = index.gather(IndexQuery(text, query, limit, also), found, exact, nearest)
            unembedded = index.without_vector
        return Found(nearest, found.keyword, found.searched, gathered, unembedded)

    def rank(self, text: str, vector: NDArray[np.float32], limit: int, only: Filter) -> Rankings:
        """The rankings of `search` alone, without what else is known of each candidate."""
        query = self._shared.unit(vector)
        with self._followed() as index:
            near, keyword = index.rank(text, query, limit, only)
            nearest = best(*self._cosines(query, near), limit)
        return Rankings(nearest, keyword)

    def worded(self, numbers: NDArray[np.int64]) -> Worded:
        """The wordings of these records, in this order; empty for those that are missing."""
        loaded = self._shared.loaded(self._user_id)
        with loaded.lock:
            index = loaded.index or self._follow(loaded)
            return index.worded(numbers)

    def tidy(self) -> int:
        """Compact a loaded index, and save it if it grew; returns how many rows it dropped."""
        loaded = self._shared.if_loaded(self._user_id)
        if loaded is None:
            return 0
        with loaded.lock:
            index = self._follow(loaded)
            removed = index.removed
            loaded.index = None  # a change that fails leaves none behind
            if removed:
                index.compact()
            loaded.index = index
            self.save_if_grown(loaded)
            size_bytes = index.size_bytes if len(index) else 0
        self._shared.account(self._user_id, loaded, size_bytes)
        return removed

    def save_if_grown(self, loaded: Loaded) -> None:
        """Save a snapshot when it would spare the next load enough work."""
        index = loaded.index
        if index is None or len(index) < SNAPSHOT_MIN_RECORDS:
            return
        if loaded.saved and loaded.unsaved < SNAPSHOT_GROWTH * loaded.saved:
            return
        loaded.index = None
        snapshot = Snapshot(loaded.head, self._shared.space, index.to_bytes())
        loaded.index = index
        # A snapshot only saves time: a full or busy disk must not fail the search that makes it.
        with contextlib.suppress(StorageError):
            if self._store.save_snapshot(snapshot):
                loaded.saved, loaded.unsaved = len(index), 0

    @contextlib.contextmanager
    def _followed(self) -> Iterator[InMemoryIndex]:
        """The user's index, up to date and locked meanwhile."""
        loaded = self._shared.loaded(self._user_id)
        with loaded.lock:
            before = loaded.head
            index = self._follow(loaded)
            yield index
            changed = loaded.head != before or not len(index)
            size_bytes = index.size_bytes if changed and len(index) else 0
        if changed:
            self._shared.account(self._user_id, loaded, size_bytes)

    def _follow(self, loaded: Loaded) -> InMemoryIndex:
        """The user's index, after it took in everything up to the store's head."""
        head = self._store.head()
        index, fresh = loaded.index, False
        loaded.index = None
        while index is None or loaded.head != head:
            if index is None or head.epoch != loaded.head.epoch or head.seq < loaded.head.seq:
                if index is not None:
                    self._shared.forget_words()
                index, fresh = self._load(loaded, head), True
            head = self._take_in(loaded, index, head)
        loaded.index = index
        if fresh:
            self.save_if_grown(loaded)
        return index

    def _load(self, loaded: Loaded, head: Head) -> InMemoryIndex:
        """The saved index, if it is usable, or else an empty one."""
        made = (self._shared.space.dimension, self._shared.reader, self._shared.tokens)
        snapshot = self._store.load_snapshot(self._shared.space)
        index = None
        if snapshot and snapshot.space == self._shared.space and snapshot.head.epoch == head.epoch:
            if snapshot.head.seq <= head.seq:
                index = InMemoryIndex.from_bytes(snapshot.payload, *made)
        loaded.unsaved = 0
        if snapshot is None or index is None:
            loaded.head, loaded.saved = Head(head.epoch, 0), 0
            return InMemoryIndex(*made)
        loaded.head, loaded.saved = snapshot.head, len(index)
        return index

    def _take_in(self, loaded: Loaded, index: InMemoryIndex, head: Head) -> Head:
        """Take in one page of changes if there are any; return the head to reach."""
        if loaded.head == head:
            return head
        changes = self._store.changes(loaded.head.seq, self._shared.space, LOAD_BATCH)
        if changes.head.epoch != loaded.head.epoch:
            return changes.head
        index.add(changes.rows)
        if changes.gone:
            index.forget(changes.gone)
            self._shared.forget_words()
        loaded.unsaved += len(changes.rows) + len(changes.gone)
        if changes.complete or not changes.rows:
            loaded.head = changes.head
        else:
            loaded.head = Head(loaded.head.epoch, changes.rows[-1].seq)
        return changes.head

    def _cosines(self, query: NDArray[np.float32] | None, numbers: NDArray[np.int64]) -> Ranking:
        """The cosines of the full vectors of these records, in order of their numbers."""
        if query is None or not len(numbers):
            return empty()
        numbers, vectors = self._store.vectors(numbers.tolist(), self._shared.space)
        lengths = np.linalg.norm(vectors, axis=1)
        whole = np.isfinite(lengths) & (lengths > 0)
        cosines = np.einsum("ij,j->i", vectors[whole], query) / lengths[whole]
        order = np.argsort(numbers[whole])
        return Ranking(numbers[whole][order], cosines[order].astype(np.float32))


def _among(exact: Ranking, near: NDArray[np.int64]) -> Ranking:
    """The scored records that the scan of codes found."""
    if not len(near):
        return empty()
    places = np.minimum(np.searchsorted(near, exact.numbers), len(near) - 1)  # both increase
    kept = near[places] == exact.numbers
    return Ranking(exact.numbers[kept], exact.scores[kept])
