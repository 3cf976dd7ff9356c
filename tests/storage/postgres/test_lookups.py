"""That PostgreSQL answers by its indexes and is asked for many things at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import psycopg
import pytest
from tests.storage.contract import NOW, example
from tests.storage.postgres import server

from sharpwave import Memory, Message, Settings
from sharpwave.index import large_index
from sharpwave.index.large_index import LargeIndex
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres import catalog
from sharpwave.storage.postgres.session import SQL, PostgresSession
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.testing import HashEmbedder, resources_of
from sharpwave.types.storing import Change, Space

SPACE = Space("ones", "1", 8)
MANY = 1500
# As they were: quick for users with little beside those with much, and slow the other way round.
JOINED = """SELECT m.text FROM users u
CROSS JOIN unnest(%(numbers)s::bigint[]) WITH ORDINALITY AS c (number, place)
JOIN memories m ON m.user_no = u.user_no AND m.key = (u.user_no << 32 | c.number)
WHERE u.user_id = %(user_id)s ORDER BY c.place"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    made = server.new_database(vector=True)
    yield made
    server.drop_database(made)


@pytest.mark.spec("STO-10")
def test_records_are_looked_up_one_by_one_though_one_user_has_them_all(address: str) -> None:
    store = PostgresStore(address, PostgresSettings(), StoreSettings())
    records = tuple(example(number) for number in range(MANY))
    store.for_user("alice").commit(
        Change("test", NOW, records, np.ones((MANY, 8), np.float32), SPACE)
    )
    wanted: dict[str, Any] = {"user_id": "alice", "numbers": [7, 3, MANY - 1], **SPACE._asdict()}
    with psycopg.connect(address) as db:
        db.execute("ANALYZE")
        found = db.execute(SQL["user"], wanted).fetchone()
        assert found is not None
        wanted["user_no"] = found[0]

        def reads_through(statement: str) -> bool:
            plan = str(db.execute(f"EXPLAIN {statement}", wanted).fetchall())
            return "Seq Scan on memories" in plan or "Seq Scan on vectors" in plan

        for name in ("by_numbers", "spoken_by_numbers", "vectors_by_numbers"):
            assert not reads_through(SQL[name]), name
        assert reads_through(JOINED), "the control: this one would be found"
    assert [record.number for record in store.for_user("alice").fetch([7, 3, MANY - 1])] == [
        7,
        3,
        MANY - 1,
    ]
    numbers, matrix = store.for_user("alice").vectors([7, 3, MANY + 9], SPACE)
    assert numbers.tolist() == [7, 3] and matrix.shape == (2, 8)
    store.close()


@pytest.mark.spec("STO-10")
def test_a_change_with_many_records_is_written_by_as_many_statements_as_one_with_two(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []

    def counting(whole: Callable[..., Any]) -> Callable[..., Any]:
        def counted(self: object, query: str, *given: Any, **how: Any) -> Any:
            sent.append(query)
            return whole(self, query, *given, **how)

        return counted

    for method in ("execute", "executemany"):
        monkeypatch.setattr(psycopg.Cursor, method, counting(getattr(psycopg.Cursor, method)))
    store = PostgresStore(address, PostgresSettings(), StoreSettings())
    counts = []
    for first, count in ((0, 2), (100, 40)):
        records = tuple(example(first + number, "bob") for number in range(count))
        sent.clear()
        store.for_user("bob").commit(
            Change("test", NOW, records, np.ones((count, 8), np.float32), SPACE)
        )
        counts.append(len(sent))
    store.close()
    assert counts[1] <= counts[0] < 20


def test_however_much_is_asked_at_once_each_part_of_it_has_its_time(address: str) -> None:
    waits = []

    @contextmanager
    def answered() -> Iterator[None]:
        waits.append(1)
        yield

    asked = [{"user_no": 1, "slot": f"nobody|{number}"} for number in range(MANY)]
    with psycopg.connect(address) as db:
        found = PostgresSession(db, answered).row_each("slot_head", asked)
    assert found == [(0,)] * MANY and len(waits) == 2


def test_postgres_keeps_records_with_their_json_and_vectors_in_a_graph_of_pgvector(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_index, "SEARCH_ABOVE", 10)
    monkeypatch.setattr(catalog, "GRAPH_ABOVE", 10)
    how = {"url": address, "search": "database"}
    settings = Settings.model_validate({"postgres": how})
    with Memory.open(settings=settings, user="eva", embedder=HashEmbedder(32)) as memory:
        memory.remember([f"On day {day} I walked to the sea." for day in range(20)])
        memory.remember(Message("The lamp is a gift.", metadata={"of": {"name": "Ana"}}))
        memory.sleep()
        with psycopg.connect(address) as db:
            db.execute("SELECT set_config('sharpwave.everyone', 'on', true)")
            inside = (
                'SELECT text FROM memories WHERE metadata::jsonb @> \'{"of": {"name": "Ana"}}\''
            )
            assert db.execute(inside).fetchall() == [("The lamp is a gift.",)]
            graphs = db.execute(
                "SELECT indexdef FROM pg_indexes WHERE tablename = 'catalog_vectors'"
            ).fetchall()
            assert any("USING hnsw" in text and "halfvec" in text for (text,) in graphs), graphs
        assert (
            memory.recall("Who gave me the lamp as a gift?").items[0].text == "The lamp is a gift."
        )
        index = resources_of(memory).index
        assert isinstance(index, LargeIndex) and index.size_bytes == 0, "none of it is in memory"
