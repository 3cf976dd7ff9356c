"""A catalog that is written while others write, forget, die or make another."""

import threading
from collections.abc import Iterator

import psycopg
import pytest
from tests.storage.postgres import server
from tests.storage.postgres.test_catalog import (
    few_are_many,
    index_of,
    lived,
    opened,
    own,
    rows_left,
)
from tests.storage.postgres.test_together import at_once
from typer.testing import CliRunner

from sharpwave import Memory, Settings
from sharpwave.interfaces.cli.app import app
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres import database
from sharpwave.storage.postgres.catalog import open_catalog
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of, workspace_of
from sharpwave.types.searching import CatalogEntry
from sharpwave.types.storing import Space

ANOTHER_WAY = "another way to cut words"


def doctor(address: str, *options: str, exits: int = 0) -> str:
    run = CliRunner().invoke(app, ["doctor", "--db", address, *options])
    assert run.exit_code == exits, run.output
    return " ".join(run.output.split())


@pytest.fixture(scope="module")
def kept() -> Iterator[str]:
    address = server.new_database(vector=True)
    yield address
    server.drop_database(address)


@pytest.fixture
def address(kept: str, monkeypatch: pytest.MonkeyPatch) -> str:
    few_are_many(monkeypatch)
    opened(kept).close()
    server.empty_database(kept)
    return kept


def valid_graphs(address: str) -> list[bool]:
    with psycopg.connect(address) as db:
        found = db.execute(
            "SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " WHERE c.relname ^@ 'catalog_near_'"
        ).fetchall()
    return [valid for (valid,) in found]


def test_several_who_make_the_table_of_vectors_at_once_all_get_in(address: str) -> None:
    store = PostgresStore(address, PostgresSettings(), StoreSettings())
    asked = (store.database, PostgresSettings())
    made: list[object] = []
    try:
        for _ in range(5):
            with store.database.alone() as db:
                db.execute("DROP TABLE catalog_vectors")
            at_once(*[lambda: made.append(open_catalog(*asked))] * 6)
    finally:
        store.close()
    assert len(made) == 30 and None not in made


def test_a_graph_whose_making_was_cut_off_is_made_anew(address: str) -> None:
    with opened(address) as memory:
        lived(memory)
        own(memory).tidy()
        admin = server._admin().replace("/postgres?", f"/{address.split('/')[-1].split('?')[0]}?")
        with psycopg.connect(admin, autocommit=True) as db:
            db.execute(
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid ="
                " (SELECT oid FROM pg_class WHERE relname ^@ 'catalog_near_')"
            )
        assert valid_graphs(address) == [False], "as a build that was killed leaves it"
        assert "not finished: 1" in doctor(address) and "postgres.search" in doctor(address)
        own(memory).tidy()
        assert valid_graphs(address) == [True]


def test_whoever_asks_while_something_is_forgotten_gets_an_answer(address: str) -> None:
    with opened(address) as memory:
        lived(memory)
        own(memory).tidy()
        receipt = memory.remember("The marigold key hangs behind the door.")
        with psycopg.connect(address) as db:  # as a `forget` that is about to commit
            db.execute("SELECT set_config('sharpwave.everyone', 'on', true)")
            db.execute("SELECT 1 FROM users WHERE user_id = 'ana' FOR UPDATE")
            db.execute("DELETE FROM memories WHERE id = %s", (receipt.ids[0],))
            asked: list[str] = []
            failed: list[BaseException] = []

            def ask() -> None:
                try:
                    asked.append(repr(memory.recall("Where is the marigold key?").items))
                except BaseException as error:  # noqa: BLE001 - looked at below
                    failed.append(error)

            asking = threading.Thread(target=ask)
            asking.start()
            with psycopg.connect(address, autocommit=True) as other:
                while not other.execute(
                    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                    " AND datname = current_database()"
                ).fetchone():
                    assert asking.is_alive(), (asked, failed)
            db.commit()
        asking.join()
        assert not failed, failed


def test_nothing_that_was_forgotten_meanwhile_is_catalogued(address: str) -> None:
    with opened(address) as memory:
        lived(memory)
        index = index_of(memory)
        catalog, space = index.catalog, index.inner.space
        catalog.begin("ana", space, ANOTHER_WAY)
        entry = CatalogEntry(1, "turn", "user", None, "day 0", 0, (), True, {"lamp": 1}, None)
        head = workspace_of(memory).store.head()
        memory.forget(memory.admin.recent(1)[0].id)
        assert not catalog.put("ana", space, ANOTHER_WAY, (0, 1), [entry], [], head)
        again = workspace_of(memory).store.head()
        assert catalog.put("ana", space, ANOTHER_WAY, (0, 1), [entry], [], again)
        memory.forget(everything=True)
        memory.remember("A lamp.")
        catalog.begin("ana", space, ANOTHER_WAY)
        assert not catalog.put("ana", space, ANOTHER_WAY, (0, 1), [entry], [], again)


def test_whoever_cuts_words_otherwise_adds_nothing_to_anothers_catalog(address: str) -> None:
    with opened(address) as memory:
        lived(memory)
        index = index_of(memory)
        catalog, space = index.catalog, index.inner.space
        catalog.begin("ana", space, ANOTHER_WAY)
        entry = CatalogEntry(1, "turn", "user", None, "day 0", 0, (), True, {"lamp": 1}, None)
        head = workspace_of(memory).store.head()
        assert not catalog.put("ana", space, "ours", (0, 1), [entry], [], head)
        other = Space("another", "1", 16)
        assert not catalog.put("ana", other, ANOTHER_WAY, (0, 1), [entry], [], head)
        assert catalog.put("ana", space, ANOTHER_WAY, (0, 1), [entry], [], head)
        catalog.finish("ana", space, "ours")
        known = catalog.held("ana", space, ANOTHER_WAY)
        assert known is not None and not known.ready, "it is not theirs to say so"


def test_a_reader_who_takes_long_does_not_make_forgetting_fail(address: str) -> None:
    with opened(address) as memory:
        lived(memory)
        own(memory).tidy()
        store = resources_of(memory).store
        assert isinstance(store, PostgresStore)
        with psycopg.connect(address) as reader:
            reader.execute("SELECT count(*) FROM catalog_vectors")
            with store.database.alone() as db:
                db.execute("SET lock_timeout = 200")  # the connection goes back into the pool
            assert memory.forget(everything=True).users == 1
        index_of(memory).catalog.drop("ana")
        store.tidy()
        assert rows_left(address) == 0


def test_a_catalog_becomes_ready_though_another_is_cleaning_up(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCK_TIMEOUT_S", 0.5)
    settings = Settings.model_validate({"postgres": {"url": address, "search": "database"}})
    embedder, clock = HashEmbedder(32), FrozenClock()
    with Memory.open(settings=settings, user="ana", clock=clock, embedder=embedder) as memory:
        lived(memory)
        with psycopg.connect(address) as other:  # as a VACUUM does
            other.execute("LOCK TABLE catalog_words, memories IN SHARE UPDATE EXCLUSIVE MODE")
            own(memory).tidy()
            resources_of(memory).store.tidy()
        held = own(memory).held()
        assert held is not None and held.ready
