"""Reading in one state, on stores where others write meanwhile."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.storage.contract import NOW, add, example

from sharpwave.ports import Store
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.storage.sqlite.key import raw_key
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.types.storing import Selection


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened: Store
    if request.param == "postgres":
        address = request.getfixturevalue("emptied")
        opened = PostgresStore(address, PostgresSettings(), StoreSettings())
    else:
        opened = SqliteStore(tmp_path / "memory.db", StoreSettings())
    with closing(opened):
        yield opened


def _elsewhere(work: Callable[..., object], *arguments: object) -> None:
    thread = threading.Thread(target=work, args=arguments)
    thread.start()
    thread.join()


def test_what_is_committed_meanwhile_is_not_seen(store: Store) -> None:
    add(store, example(1))
    with store.for_user("alice").one_state():
        before = store.for_user("alice").head()
        _elsewhere(add, store, example(2))
        assert store.for_user("alice").head() == before
        assert [record.id for record in store.for_user("alice").scan(0, 9)] == ["id-1"]
        assert [record.number for record in store.for_user("alice").fetch([1, 2])] == [1]
        seen: list[int] = []
        _elsewhere(lambda: seen.append(len(store.for_user("alice").scan(0, 9))))
        assert seen == [2], "a state is that of one thread"
    assert len(store.for_user("alice").scan(0, 9)) == 2


def test_a_state_ends_with_an_error_too(store: Store) -> None:
    add(store, example(1))
    with pytest.raises(ZeroDivisionError), store.for_user("alice").one_state():
        raise ZeroDivisionError
    add(store, example(2))
    assert len(store.for_user("alice").scan(0, 9)) == 2


def test_what_is_forgotten_meanwhile_is_gone_after(store: Store) -> None:
    add(store, example(1), example(2))
    with store.for_user("alice").one_state():
        assert len(store.for_user("alice").find(["id-1", "id-2"])) == 2
        _elsewhere(store.for_user("alice").forget, Selection(ids=("id-1",)), NOW)
    assert [record.id for record in store.for_user("alice").find(["id-1", "id-2"])] == ["id-2"]


def test_a_file_with_a_new_key_is_read_in_one_state(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "memory.db", StoreSettings())) as store:
        add(store, example(1))
        store.rekey(raw_key("ab" * 32))
        with store.for_user("alice").one_state():
            assert [record.id for record in store.for_user("alice").scan(0, 9)] == ["id-1"]
