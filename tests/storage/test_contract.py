"""The one contract of stores, on every store we have."""

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from tests.storage import contract, contract_erasure, contract_facts, contract_work
from tests.storage.contract import Check, add, example
from tests.storage.reference.store import InMemoryStore

from sharpwave.ports import Store
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.storage.sqlite import key
from sharpwave.storage.sqlite.key import passphrase_key, raw_key
from sharpwave.storage.sqlite.store import SqliteStore

STORES: dict[str, Callable[[Path], Store]] = {
    "in_memory": lambda path: InMemoryStore(),
    "sqlite": lambda path: SqliteStore(path, StoreSettings()),
    "sqlite_encrypted": lambda path: SqliteStore(path, StoreSettings(), raw_key("ab" * 32)),
    "sqlite_passphrase": lambda path: SqliteStore(path, StoreSettings(), passphrase_key("open!")),
}
PARTS = (contract, contract_facts, contract_work, contract_erasure)
PROMISES = [promise for part in PARTS for promise in part.contract()]


@pytest.fixture(params=[*STORES, "postgres"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Store]:
    # a third of a second each; that the real number is SQLCipher's, P6 shows
    monkeypatch.setattr(key, "_KDF_ROUNDS", 1_000)
    if request.param == "postgres":
        opened: Store = PostgresStore(
            request.getfixturevalue("emptied"), PostgresSettings(), StoreSettings()
        )
    else:
        opened = STORES[request.param](tmp_path / "memory.db")
    yield opened
    opened.close()


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
def test_store_keeps_the_contract(promise: Check, store: Store) -> None:
    promise(store)


@pytest.mark.spec("TIER-01")
@pytest.mark.parametrize(("column", "value"), [("stage", "asleep"), ("trust", 4), ("kind", None)])
def test_the_schema_refuses_what_has_no_meaning(tmp_path: Path, column: str, value: object) -> None:
    path = tmp_path / "memory.db"
    store = SqliteStore(path, StoreSettings())
    add(store, example(1))
    store.close()
    with apsw.Connection(str(path)) as db, pytest.raises(apsw.ConstraintError):
        db.execute(f"UPDATE memories SET {column} = ?", (value,))


def test_damage_is_left_out_and_does_not_end_a_scan(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SqliteStore(path, StoreSettings())
    stored = add(store, *(example(number) for number in range(1, 8)))
    store.close()
    with apsw.Connection(str(path)) as db:
        db.execute("UPDATE memories SET text = 'something else' WHERE id IN ('id-1', 'id-2')")
        db.execute("UPDATE memories SET text = CAST(x'ff' AS TEXT) WHERE id = 'id-3'")
    store = SqliteStore(path, StoreSettings())
    assert store.for_user("alice").scan(0, 2) == [stored[3]]
    assert store.for_user("alice").scan(3, 9) == stored[3:]
    assert store.for_user("alice").find(["id-1", "id-3", "id-7"]) == [stored[6]]
    found = store.verify()
    assert (found.ok, len(found.damaged_ids)) == (False, 3)
    store.close()
