"""The catalogs of large users: searched in one transaction each, and kept up with the history.

What is erased from `memories` leaves the catalog in the same transaction, by its foreign keys. A
catalog is written as everything of a user is: with the row of that user locked.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import UnsafeStore
from sharpwave.formulas.text import BM25_B, BM25_K1
from sharpwave.settings.storage import PostgresSettings
from sharpwave.storage import named_queries
from sharpwave.storage.postgres import driver, erasing, migrate
from sharpwave.storage.postgres.database import PostgresDatabase
from sharpwave.storage.postgres.driver import Packed
from sharpwave.storage.postgres.session import PostgresSession, for_psycopg
from sharpwave.storage.sql import rows
from sharpwave.types import searching
from sharpwave.types.storing import Head, Space

GRAPH_ABOVE = 50_000
"""Number of vectors from which they get a graph (HNSW); below, a scan."""
GRAPH_REACH = 600
"""Minimum number of vectors of a graph that are compared."""
GRAPH_SCAN = 20_000
"""Most vectors that are read to find enough that pass a filter."""
CATALOG_SQL = for_psycopg(named_queries.load("postgres/catalog.sql"))


class CatalogReading:
    """See `index.catalog.CatalogSnapshot`."""

    def __init__(
        self, db: PostgresSession, user_id: str, only: searching.Filter, terms: Sequence[str]
    ) -> None:
        self._db = db
        found = db.row("user", {"user_id": user_id})
        self._user_no = int(found[0]) if found else 0
        # the filter as the statements want it; None where nothing is asked for
        self._filter: dict[str, Any] = {
            "kinds": sorted(only.kinds) or None,
            "roles": sorted(only.roles) or None,
            "session": only.session,
            "tags": sorted(only.tags) or None,
            "since_us": only.since_us,
            "until_us": only.until_us,
            "held": sorted(set(terms)) or None,
        }
        self._passing: int | None = None
        reach, scanned = str(GRAPH_REACH), str(GRAPH_SCAN)
        self._ask("ask_catalog", ef_search=reach, scanned=scanned)

    def statistics(self) -> searching.Statistics | None:
        found = self._ask("catalog")
        return searching.Statistics(*found[0][3:7]) if found else None

    def searched(self) -> int:
        if self._passing is None:
            self._passing = int(self._ask("count_allowed")[0][0])
        return self._passing

    def nearest(self, vector: NDArray[np.float32], limit: int) -> searching.Ranking:
        """The nearest of those that pass: by the graph, unless few pass."""
        name = "nearest"
        if any(value is not None for value in self._filter.values()):
            few = self.searched() <= GRAPH_SCAN
            name = "nearest_of_few" if few else "nearest_allowed"
        statement = CATALOG_SQL[name].replace("$dimension", str(len(vector)))
        bindings = {"user_no": self._user_no, "vector": driver.pack_vector(vector), "limit": limit}
        return _ranking(self._db.ask(statement, self._filter | bindings).fetchall())

    def cosines(self, vector: NDArray[np.float32], numbers: Sequence[int]) -> dict[int, float]:
        return dict(
            self._ask("cosines", vector=driver.pack_vector(vector), keys=self._keys(numbers))
        )

    def holding(self, terms: Sequence[str]) -> dict[str, int]:
        return dict(self._ask("term_counts", terms=list(terms)))

    def best(self, idf: Mapping[str, float], average: float, limit: int) -> searching.Ranking:
        filtered = any(value is not None for value in self._filter.values())
        found = self._ask(
            "best_by_words_allowed" if filtered else "best_by_words",
            terms=list(idf),
            idfs=list(idf.values()),
            saturation=BM25_K1,
            shortness=BM25_B,
            average=average,
            limit=limit,
        )
        return _ranking(found)

    def around(self, numbers: Sequence[int], reach: int) -> list[searching.Placed]:
        found = self._ask("around", keys=self._keys(numbers), reach=reach)
        return [searching.Placed(*row) for row in found]

    def surroundings(
        self, terms: Sequence[str], numbers: Sequence[int], sessions: Sequence[int], speakers: int
    ) -> searching.CatalogSurroundings:
        own = {"user_no": self._user_no, "terms": list(terms), "keys": self._keys(numbers)}
        bindings = {**own, "sessions": driver.pack_numbers(sessions), "limit": speakers}
        names = ("words_of", "words_in_sessions", "session_lengths", "speakers")
        results = self._db.ask_all([(CATALOG_SQL[name], bindings) for name in names])
        counts, session_counts, lengths, known = results
        return searching.CatalogSurroundings(
            counts,
            [(term, session, int(count)) for term, session, count in session_counts],
            dict(lengths),
            [name for (name,) in known],
        )

    def _ask(self, name: str, **bindings: Any) -> list[Any]:
        given = {"user_no": self._user_no, **self._filter, **bindings}
        return self._db.ask(CATALOG_SQL[name], given).fetchall()

    def _keys(self, numbers: Sequence[int]) -> Packed:
        return driver.pack_numbers(rows.key_of(self._user_no, 0) + np.array(numbers, np.int64))


def _ranking(found: Sequence[tuple[int, float]]) -> searching.Ranking:
    numbers = np.array([number for number, _ in found], np.int64)
    return searching.Ranking(numbers, np.array([score for _, score in found], np.float32))


OLDEST = (0, 8, 2)
"""Oldest pgvector: earlier versions let other users' vectors be read (CVE-2026-3172)."""
_LOG = logging.getLogger(__name__)
_GRAPH_DIMENSIONS = 4000  # of half precision, at most
_TABLES = "catalog_entries, catalog_words, catalog_terms, catalog_sessions, catalog_vectors"
_UNFINISHED = "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(%s) AND NOT indisvalid"
_CUT_OFF = """SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relname ^@ 'catalog_near_' AND NOT i.indisvalid
  AND NOT EXISTS (SELECT 1 FROM pg_stat_progress_create_index p WHERE p.index_relid = c.oid)"""
_INSTALL = "A superuser adds it by: CREATE EXTENSION vector"


class PostgresCatalog:
    """See `index.catalog.Catalog`."""

    def __init__(self, database: PostgresDatabase, vector_type: int) -> None:
        self._database = database
        self._vector_type = vector_type
        """The number of the type of vectors in this database."""

    def held(self, user_id: str, space: Space, made_by: str) -> searching.Catalogued | None:
        with self._database.borrow() as db:
            user = db.row("user", {"user_id": user_id})
            if user is None:
                return None
            found = db.ask(CATALOG_SQL["catalog_head"], {"user_no": user[0]}).fetchone()
        if found is None:
            return None
        followed, made, ready, *made_for = found
        return searching.Catalogued(
            user[1], followed, made == made_by and Space(*made_for) == space, ready
        )

    def begin(self, user_id: str, space: Space, made_by: str) -> None:
        self.drop(user_id)

        def work(db: Any) -> None:
            user = db.row("lock_user", {"user_id": user_id})
            if user is None:
                return
            known = db.row("space", space._asdict()) or db.row("add_space", space._asdict())
            begun = {"user_no": user[0], "space_no": known[0], "made_by": made_by}
            db.ask(CATALOG_SQL["add_catalog"], begun)

        self._database.run(work, patient=True)

    def put(
        self,
        user_id: str,
        space: Space,
        made_by: str,
        span: tuple[int, int],
        entries: Sequence[searching.CatalogEntry],
        gone: Sequence[int],
        head: Head,
    ) -> bool:
        def work(db: Any) -> bool:
            user = db.row("lock_user", {"user_id": user_id})
            if user is None or user[0] != head.epoch:
                return False
            if db.row("gone_since", {"user_no": user[0], "since": head.seq}):
                return False
            user_key, (since, upto) = {"user_no": user[0]}, span
            catalog_key = {**user_key, **space._asdict(), "made_by": made_by}
            if not db.ask(
                CATALOG_SQL["advance_catalog"], {**catalog_key, "since": since, "upto": upto}
            ).rowcount:
                return False
            numbers = [*gone, *(entry.number for entry in entries)]
            keys = [rows.key_of(user[0], number) for number in numbers]
            if since:
                db.ask(CATALOG_SQL["remove_entries"], {**user_key, "keys": keys})
            _add(db, int(user[0]), entries, self._vector_type)
            return True

        return self._database.run(work, patient=True)

    def finish(self, user_id: str, space: Space, made_by: str) -> None:
        with self._database.snapshot() as db:
            user = db.row("user", {"user_id": user_id})
            found = (
                db.ask(CATALOG_SQL["catalog"], {"user_no": user[0]}).fetchone() if user else None
            )
        if user is None or found is None:
            return
        entries, dimension = found[3], found[9]
        with self._database.alone() as db:
            if entries >= GRAPH_ABOVE and dimension <= _GRAPH_DIMENSIONS:
                _make_graph(db, int(user[0]), int(dimension))
            erasing.clean(db, _TABLES)  # words are then read from the index alone

        def work(db: Any) -> None:
            if db.row("lock_user", {"user_id": user_id}):
                catalog_key = {"user_no": user[0], **space._asdict(), "made_by": made_by}
                db.ask(CATALOG_SQL["ready_catalog"], catalog_key)

        self._database.run(work, patient=True)

    def drop(self, user_id: str) -> None:
        def work(db: Any) -> int | None:
            user = db.row("lock_user", {"user_id": user_id})
            if user is None:
                return None
            erase_catalog(db, int(user[0]))
            return int(user[0])

        user_no = self._database.run(work, patient=True)
        if user_no is not None:
            with self._database.alone() as db:
                erasing.drop_graph(db, f"catalog_near_{user_no}")

    @contextmanager
    def ask(
        self, user_id: str, only: searching.Filter, terms: Sequence[str]
    ) -> Iterator[CatalogReading]:
        with self._database.snapshot() as db:
            yield CatalogReading(db, user_id, only, terms)


def open_catalog(database: PostgresDatabase, settings: PostgresSettings) -> PostgresCatalog | None:
    """The catalog, if the database can have one; UnsafeStore if it cannot and must."""
    if settings.search == "memory":
        return None
    with database.alone() as db:
        problem = _problem(db)
        if problem and settings.search == "database":
            raise UnsafeStore(f"{problem}; postgres.search asks for it. {_INSTALL}")
        if problem:
            _LOG.info("large users are searched in the memory of each process: %s", problem)
            return None
        if not db.execute("SELECT to_regclass('public.catalog_vectors') IS NOT NULL").fetchone()[0]:
            with migrate.alone(db):  # what another process has made meanwhile is kept
                db.execute((files(__package__) / "catalog_vectors.sql").read_text("utf-8"))
        vector_type = db.execute("SELECT 'halfvec'::regtype::oid").fetchone()[0]
    return PostgresCatalog(database, int(vector_type))


def erase_catalog(db: PostgresSession, user_no: int) -> None:
    """Delete one user's catalog, table by table."""
    user_key = {"user_no": user_no}
    if db.ask(CATALOG_SQL["catalog_head"], user_key).fetchone() is None:
        return
    db.ask(CATALOG_SQL["whole_catalog"], {"value": "on"})
    for table in ("vectors", "entries", "words"):
        db.ask(CATALOG_SQL[f"drop_catalog_{table}"], user_key)
    db.ask(CATALOG_SQL["drop_catalog"], user_key)
    db.ask(CATALOG_SQL["whole_catalog"], {"value": "off"})


def unfinished_graphs(db: Any) -> int:
    """How many graphs were begun and not finished, and are not being made at the moment."""
    return int(db.execute(_CUT_OFF).fetchone()[0])


def _problem(db: Any) -> str:
    """Why the database cannot search; empty if it can."""
    found = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    if found is None:
        return "the database has no pgvector"
    version = tuple(int(part) for part in found[0].split("."))
    if version < OLDEST:
        return f"pgvector {'.'.join(map(str, OLDEST))} or newer is needed, not {found[0]}"
    return ""


def _make_graph(db: Any, user_no: int, dimension: int) -> None:
    """Make a user's graph without blocking writers.

    One whose creation was interrupted exists by name, but unused: it is made anew. No samples
    of its vectors are kept with the server's statistics, where forgetting would not reach them.
    """
    name = f"catalog_near_{user_no}"
    if db.execute(_UNFINISHED, (name,)).fetchone():
        erasing.drop_graph(db, name)
    db.execute(
        f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON catalog_vectors "
        f"USING hnsw ((vector::halfvec({dimension})) halfvec_cosine_ops) WHERE user_no = {user_no}"
    )
    db.execute(f"ALTER INDEX {name} ALTER COLUMN 1 SET STATISTICS 0")


def _add(
    db: PostgresSession, user_no: int, entries: Sequence[searching.CatalogEntry], vector_type: int
) -> None:
    if not entries:
        return
    listed = rows.to_json([_listed(user_no, entry) for entry in entries])
    db.ask(CATALOG_SQL["add_catalog_sessions"], {"user_no": user_no, "entries": listed})
    db.ask(CATALOG_SQL["add_entries"], {"user_no": user_no, "entries": listed})
    keys, vectors = [], []
    for entry in entries:
        vector = np.frombuffer(entry.vector or b"", "<f2")
        if vector.any() and np.isfinite(vector).all():
            keys.append(rows.key_of(user_no, entry.number))
            vectors.append(vector)
    if keys:
        columns = {
            "keys": driver.pack_numbers(keys),
            "vectors": driver.pack_vectors(vectors, vector_type),
        }
        db.ask(CATALOG_SQL["add_catalog_vectors"], {"user_no": user_no, **columns})


_COLUMNS = ("session_id", "kind", "role", "speaker", "tags", "counted")


def _listed(user_no: int, entry: searching.CatalogEntry) -> dict[str, Any]:
    return {
        "key": rows.key_of(user_no, entry.number),
        **{name: getattr(entry, name) for name in _COLUMNS},
        "valid_from": entry.valid_from_us,
        "length": sum(entry.terms.values()),
        "terms": list(entry.terms),
        "counts": list(entry.terms.values()),
    }
