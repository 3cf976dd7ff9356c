"""Asks a user's catalog, in one transaction that only reads. Filters are part of each statement."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.settings.storage import IndexSettings, PostgresSettings
from sharpwave.storage import named_queries
from sharpwave.storage.postgres import packing
from sharpwave.storage.postgres.driver import Packed
from sharpwave.storage.postgres.session import PostgresSession, for_psycopg
from sharpwave.storage.sql import rows
from sharpwave.types.searching import Filter, Placed, Ranking, Statistics, Surroundings

SQL = for_psycopg(named_queries.load("sharpwave.storage.postgres.catalog"))


class CatalogReading:
    """See `index/large/catalog.py`."""

    def __init__(
        self,
        db: PostgresSession,
        user_id: str,
        only: Filter,
        terms: Sequence[str],
        settings: tuple[PostgresSettings, IndexSettings],
    ) -> None:
        self._db = db
        self._settings, self._index = settings
        found = db.row("user", {"user_id": user_id})
        self._user_no = int(found[0]) if found else 0
        self._filter = _bindings(only, terms)
        self._passing: int | None = None
        reach, scanned = str(self._settings.graph_reach), str(self._settings.graph_scan)
        self._ask("ask_catalog", ef_search=reach, scanned=scanned)

    def statistics(self) -> Statistics | None:
        """Of all records, whatever the filter; None if there is no catalog any more."""
        found = self._ask("catalog")
        return Statistics(*found[0][3:7]) if found else None

    def searched(self) -> int:
        """How many records pass the filter."""
        if self._passing is None:
            self._passing = int(self._ask("count_allowed")[0][0])
        return self._passing

    def nearest(self, vector: NDArray[np.float32], limit: int) -> Ranking:
        """The nearest of those that pass: by the graph, unless few pass."""
        name = "nearest"
        if any(value is not None for value in self._filter.values()):
            few = self.searched() <= self._settings.graph_scan
            name = "nearest_of_few" if few else "nearest_allowed"
        statement = SQL[name].replace("$dimension", str(len(vector)))
        bindings = {"user_no": self._user_no, "vector": packing.vector(vector), "limit": limit}
        return _ranking(self._db.ask(statement, self._filter | bindings).fetchall())

    def cosines(self, vector: NDArray[np.float32], numbers: Sequence[int]) -> dict[int, float]:
        """How near some records are; nothing of those without a vector."""
        return dict(self._ask("cosines", vector=packing.vector(vector), keys=self._keys(numbers)))

    def holding(self, terms: Sequence[str]) -> dict[str, int]:
        """How many records that count hold each term; nothing of terms that none has."""
        return dict(self._ask("term_counts", terms=list(terms)))

    def best(self, idf: Mapping[str, float], average: float, limit: int) -> Ranking:
        """The best by BM25 of those that pass, by what each term is worth."""
        filtered = any(value is not None for value in self._filter.values())
        found = self._ask(
            "best_by_words_allowed" if filtered else "best_by_words",
            terms=list(idf),
            idfs=list(idf.values()),
            saturation=self._index.bm25_k1,
            shortness=self._index.bm25_b,
            average=average,
            limit=limit,
        )
        return _ranking(found)

    def around(self, numbers: Sequence[int], reach: int) -> list[Placed]:
        """Records with the turns on either side of each in its session, by number."""
        found = self._ask("around", keys=self._keys(numbers), reach=reach)
        return [Placed(*row) for row in found]

    def surroundings(
        self, terms: Sequence[str], numbers: Sequence[int], sessions: Sequence[int], speakers: int
    ) -> Surroundings:
        """How often terms stand in records and sessions, and at most so many who speak."""
        own = {"user_no": self._user_no, "terms": list(terms), "keys": self._keys(numbers)}
        bindings = {**own, "sessions": packing.numbers(sessions), "limit": speakers}
        names = ("words_of", "words_in_sessions", "session_lengths", "speakers")
        told = self._db.ask_all([(SQL[name], bindings) for name in names])
        counts, session_counts, lengths, known = told
        return Surroundings(
            counts,
            [(term, session, int(count)) for term, session, count in session_counts],
            dict(lengths),
            [name for (name,) in known],
        )

    def _ask(self, name: str, **bindings: Any) -> list[Any]:
        asked = {"user_no": self._user_no, **self._filter, **bindings}
        return self._db.ask(SQL[name], asked).fetchall()

    def _keys(self, numbers: Sequence[int]) -> Packed:
        first = rows.key_of(self._user_no, 0)
        return packing.numbers(first + np.array(numbers, np.int64))


def _bindings(only: Filter, terms: Sequence[str]) -> dict[str, Any]:
    """The filter as the statements want it; None where nothing is asked for."""
    return {
        "kinds": sorted(only.kinds) or None,
        "roles": sorted(only.roles) or None,
        "session": only.session,
        "tags": sorted(only.tags) or None,
        "since_us": only.since_us,
        "until_us": only.until_us,
        "held": sorted(set(terms)) or None,
    }


def _ranking(found: Sequence[tuple[int, float]]) -> Ranking:
    numbers = np.array([number for number, _ in found], np.int64)
    return Ranking(numbers, np.array([score for _, score in found], np.float32))
