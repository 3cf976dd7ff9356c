"""The index of all users: most in the memory of this process, the large ones in the database.

A large user's catalog is begun in sleep (`tidy`); until it is ready, and wherever the database has
none, the index in memory answers. Both cut words the same way and rank by the same formulas. A
catalog follows the store by sequence number: the first search reads what is new.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from sharpwave.index import catalog, features
from sharpwave.index.catalog import Catalog, CatalogSnapshot, by_words
from sharpwave.index.columns import best, empty
from sharpwave.index.context import REPEATING
from sharpwave.index.in_memory_index import BESIDE, spoken
from sharpwave.index.recall_index import LOAD_BATCH, RecallIndex, RecallUserIndex
from sharpwave.index.terms import TermReader
from sharpwave.index.wordings import Wordings
from sharpwave.ports import UserStore
from sharpwave.types.searching import (
    CatalogEntry,
    Catalogued,
    Filter,
    Found,
    Gathered,
    Ranking,
    Rankings,
    Worded,
)
from sharpwave.types.storing import IndexRow

SEARCH_ABOVE = 500_000
"""Users with more records are large; looked at in sleep."""
CATALOG_MINUTES = 60.0
"""How long one sleep indexes a large user's records; the next one continues there."""
_ASK_AGAIN = 256
"""Searches of a user without a catalog until it is looked for again."""
_MOST_REMEMBERED = 100_000


class LargeIndex:
    """The recall indexes of all users; the `Index` of the ports."""

    def __init__(self, inner: RecallIndex, catalog: Catalog) -> None:
        self.inner = inner
        self.catalog = catalog
        self._lock = threading.Lock()
        self._without: dict[str, int] = {}
        """Users who had no catalog at the last look, and after how many searches to look again."""

    def for_user(self, store: UserStore) -> "LargeUserIndex":
        """The index of the user of this store."""
        return LargeUserIndex(self, store)

    def close(self) -> None:
        """Save what makes the next start fast, and release the memory."""
        self.inner.close()

    @property
    def size_bytes(self) -> int:
        """Memory that all loaded indexes take, estimated."""
        return self.inner.size_bytes

    def is_large(self, user_id: str) -> bool:
        """True unless the user had no catalog at the last look."""
        with self._lock:
            return user_id not in self._without

    def may_have_catalog(self, user_id: str) -> bool:
        """True if it is time to look for a catalog; counts a search otherwise."""
        with self._lock:
            left = self._without.get(user_id, 0)
            if left:
                self._without[user_id] = left - 1
            return not left

    def note_catalog(self, user_id: str, has_catalog: bool | None) -> None:
        """Note whether the user has a catalog; None for not known."""
        with self._lock:
            self._without.pop(user_id, None)
            if has_catalog is False:
                if len(self._without) >= _MOST_REMEMBERED:
                    self._without.clear()
                self._without[user_id] = _ASK_AGAIN


class LargeUserIndex:
    """Finds candidates among one user's records, wherever they are searched."""

    def __init__(self, shared: LargeIndex, store: UserStore) -> None:
        self._shared = shared
        self._store = store
        self._user_id = store.user_id
        self._inner: RecallUserIndex = shared.inner.for_user(store)
        self._catalog = shared.catalog
        self._space = shared.inner.space
        self._reader: TermReader = shared.inner.reader

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        only: Filter,
        also: Sequence[int] = (),
    ) -> Found:
        """The best `limit` records by vector and by keywords, of what the store holds now."""
        if self._followed():
            query = self._shared.inner.unit(vector)
            with self._catalog.ask(
                self._user_id, only, self._reader.required(only.words)
            ) as reading:
                found = self._find(reading, text, query, limit, only, also)
            if found is not None:
                return found
        return self._inner.search(text, vector, limit, only, also)

    def rank(self, text: str, vector: NDArray[np.float32], limit: int, only: Filter) -> Rankings:
        """The rankings of `search` alone, without what else is known of each candidate."""
        if self._followed():
            query = self._shared.inner.unit(vector)
            with self._catalog.ask(
                self._user_id, only, self._reader.required(only.words)
            ) as reading:
                statistics = reading.statistics()
                if statistics is not None:
                    terms = self._reader.read(text)
                    words = by_words(reading, terms, limit, statistics)
                    return Rankings(_nearest(reading, query, limit), words.best)
        return self._inner.rank(text, vector, limit, only)

    def worded(self, numbers: NDArray[np.int64]) -> Worded:
        """The wordings of these records, in this order; empty for those that are missing."""
        if not self._shared.is_large(self._user_id):
            return self._inner.worded(numbers)
        wanted = numbers.tolist()
        spoken = self._store.spoken_texts(wanted)
        wordings = Wordings(self._shared.inner.tokens)
        wordings.extend([_row(*utterance) for utterance in spoken])
        place_of = {number: place for place, number in enumerate(wanted)}
        places = np.array([place_of[utterance.number] for utterance in spoken], np.intp)
        times = np.array([utterance.valid_from_us for utterance in spoken], np.int64)
        return wordings.worded(np.arange(len(spoken)), times, places, len(wanted))

    def tidy(self) -> int:
        """Begin, continue or drop a catalog, by how many records the user has by now."""
        held = self.held()
        records = self._store.counts().memories
        self._shared.note_catalog(self._user_id, None)
        if records <= SEARCH_ABOVE:
            if held is not None:
                self._catalog.drop(self._user_id)
            return self._inner.tidy()
        if held is None or not held.ours:
            self._catalog.begin(self._user_id, self._space, self._made_by)
        if self._follow(until=time.monotonic() + 60 * CATALOG_MINUTES):
            self._catalog.finish(self._user_id, self._space, self._made_by)
            self._shared.inner.release(self._user_id)
        return 0

    def held(self) -> Catalogued | None:
        """What is known of the user's catalog; None if there is none."""
        return self._catalog.held(self._user_id, self._space, self._made_by)

    @property
    def _made_by(self) -> str:
        return self._reader.signature

    def _followed(self) -> bool:
        """True if the user has a catalog; it is up to date then."""
        if not self._shared.may_have_catalog(self._user_id):
            return False
        has_catalog = self._follow(ready=True)
        self._shared.note_catalog(self._user_id, has_catalog)
        return has_catalog

    def _follow(self, ready: bool = False, until: float = inf) -> bool:
        """Take in what is new; False if there is no catalog of ours, or none that is ready.

        Also False when there is no time left: the next call goes on from there.
        """
        while True:
            held = self.held()
            if held is None or not held.ours or (ready and not held.ready):
                return False
            if held.followed >= held.seq:
                return True
            changes = self._store.changes(held.followed, self._space, LOAD_BATCH)
            entries = [self._entry(row) for row in changes.rows if row.current]
            gone = [*changes.gone, *(row.number for row in changes.rows if not row.current)]
            upto = changes.head.seq
            if changes.rows and not changes.complete:
                upto = changes.rows[-1].seq
            span, identity = (held.followed, upto), (self._space, self._made_by)
            self._catalog.put(self._user_id, *identity, span, entries, gone, changes.head)
            if time.monotonic() > until and not changes.complete:
                return False

    def _entry(self, row: IndexRow) -> CatalogEntry:
        return CatalogEntry(
            row.number,
            row.kind,
            row.role,
            row.speaker,
            row.session_id,
            row.valid_from_us,
            tuple(json.loads(row.tags)) if row.tags else (),
            row.kind not in REPEATING,
            Counter(self._reader.read(spoken(row))),
            row.vector,
        )

    def _find(
        self,
        reading: CatalogSnapshot,
        text: str,
        query: NDArray[np.float32] | None,
        limit: int,
        only: Filter,
        also: Sequence[int],
    ) -> Found | None:
        """What one catalog holds; None if it is gone."""
        statistics = reading.statistics()
        if statistics is None:
            return None
        words = by_words(reading, self._reader.read(text), limit, statistics)
        vector = _nearest(reading, query, limit)
        wanted = np.unique(
            np.concatenate([words.best.numbers, vector.numbers, np.array(also, np.int64)])
        )
        around = catalog.read_neighbourhood(reading, wanted.tolist(), words, statistics)
        gathered = self._gather(reading, around, (text, query), (words.best, vector), also)
        searched = statistics.entries if only == Filter() else reading.searched()
        known = replace(gathered, known=words.known)
        return Found(vector, words.best, searched, known)

    def _gather(
        self,
        reading: CatalogSnapshot,
        around: catalog.Neighbourhood,
        question: tuple[str, NDArray[np.float32] | None],
        found: tuple[Ranking, Ranking],
        also: Sequence[int],
    ) -> Gathered:
        """The candidates and their features, as `InMemoryIndex.gather` finds them."""
        context, (text, query) = around.context, question
        top = [context.rows_of(ranking.numbers[:BESIDE]) for ranking in found]
        beside = context.windows(np.concatenate(top), 1).ravel()
        neighbours = np.concatenate(
            [beside[beside >= 0], context.rows_of(np.array(also, np.int64))]
        )
        own = [context.rows_of(ranking.numbers) for ranking in found]
        rows = np.unique(np.concatenate([*own, neighbours[around.allowed[neighbours]]]))
        seen = np.unique(context.windows(rows, features.REACH))
        seen = seen[seen >= 0]
        near = np.zeros(len(context.numbers), np.float32)
        if query is not None:
            cosines = reading.cosines(query, context.numbers[seen].tolist())
            near[seen] = [cosines.get(number, 0.0) for number in context.numbers[seen].tolist()]
        terms_of = self._reader.read
        table = features.table(around.parts, rows, around.matched, text, near.__getitem__, terms_of)
        sides = context.windows(rows, 1)[:, [0, 2]]
        numbers = context.numbers
        return Gathered(numbers[rows], table, np.where(sides < 0, 0, numbers[sides]), 0.0)


def _nearest(reading: CatalogSnapshot, query: NDArray[np.float32] | None, limit: int) -> Ranking:
    return empty() if query is None else best(*reading.nearest(query, limit), limit)


def _row(number: int, speaker: str | None, valid_from_us: int, text: str) -> IndexRow:
    return IndexRow(number, 0, "", None, speaker, None, valid_from_us, text, None)
