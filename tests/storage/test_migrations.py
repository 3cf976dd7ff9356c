"""Schema steps: a backup before each, all or nothing, and never backwards."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from tests.storage.contract import add, example
from tests.storage.contract_facts import change, fact

from sharpwave import StorageError
from sharpwave.errors import UnsafeStore
from sharpwave.ports import Store
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.storage.sql import rows
from sharpwave.storage.sql.migrations import Migration
from sharpwave.storage.sqlite.connection import SqliteSession
from sharpwave.storage.sqlite.migrate import bundled, migrate
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import Mentioned, Stated

LAST = bundled()[-1].version
COLOR = "ALTER TABLE users ADD COLUMN color TEXT"
NEXT = Migration(LAST + 1, f"{LAST + 1:04}_color", COLOR)
BROKEN = Migration(LAST + 1, f"{LAST + 1:04}_broken", f"{COLOR}; SELECT nonsense")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    store = SqliteStore(path, StoreSettings())
    add(store, example(1))
    store.close()
    return path


def _open(path: Path, *steps: Migration) -> SqliteStore:
    return SqliteStore(path, StoreSettings(), migrations=[*bundled(), *steps])


def test_a_step_keeps_what_is_there_and_backs_it_up_first(path: Path) -> None:
    store = _open(path, NEXT)
    assert [record.id for record in store.for_user("alice").scan(0, 9)] == ["id-1"]
    store.close()
    backup = path.with_name(f"memory.db.schema-{LAST}.backup")
    old = SqliteStore(backup, StoreSettings())
    assert [record.id for record in old.for_user("alice").scan(0, 9)] == ["id-1"]
    old.close()
    _open(path, NEXT).close()  # nothing left to do


def test_a_failing_step_changes_nothing(path: Path) -> None:
    with pytest.raises(StorageError):
        _open(path, BROKEN)
    with SqliteSession(str(path)) as db:
        assert db.pragma("user_version") == LAST
        assert "color" not in [row[1] for row in db.execute("PRAGMA table_info(users)")]
    _open(path, NEXT).close()


def test_a_newer_file_is_refused_untouched(path: Path) -> None:
    _open(path, NEXT).close()
    before = path.read_bytes()
    with pytest.raises(UnsafeStore, match="Upgrade Sharpwave"):
        SqliteStore(path, StoreSettings())
    assert path.read_bytes() == before


def test_the_first_schema_is_what_the_package_ships(path: Path) -> None:
    assert [step.version for step in bundled()] == list(range(1, len(bundled()) + 1))


def test_a_file_of_the_first_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(SqliteSession(str(path))) as db:
        migrate(db, path, bundled()[:1])
        row = rows.to_row(example(1), 1, 1)
        db.execute("INSERT INTO users (user_id, seq) VALUES ('alice', 1)")
        names = [column[1] for column in db.execute("PRAGMA table_info(memories)")]
        db.execute(
            f"INSERT INTO memories VALUES ({', '.join(f':{name}' for name in names)})",
            {name: row[name] for name in names},
        )
    store = SqliteStore(path, StoreSettings())
    (record,) = store.for_user("alice").scan(0, 9)
    assert record == replace(example(1), number=1, seq=1)
    assert store.verify().ok
    store.close()
    assert path.with_name("memory.db.schema-1.backup").exists()


def _told_of_ana(store: Store) -> None:
    """A turn and a fact that both mention her."""
    mentions = [Mentioned(one, "ana", "Ana", EntityKind.PERSON) for one in ("id-1", "id-2")]
    store.for_user("alice").commit(change(example(1), fact(2), mentions=tuple(mentions)))


ABOUT_ANA = Stated(about=("ana",))


def test_mentions_of_old_are_told_apart_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(SqliteStore(path, StoreSettings())) as store:
        _told_of_ana(store)
        known = store.for_user("alice").stated(ABOUT_ANA)
    with closing(SqliteSession(str(path))) as db:
        db.execute("DROP INDEX mentions_stated; ALTER TABLE mentions DROP COLUMN stated")
        db.execute(
            "DROP INDEX memories_kind; DROP INDEX vectors_space; DROP INDEX memories_in_doubt"
        )
        db.execute("ALTER TABLE users DROP COLUMN erasures; DROP TABLE erased_keys")
        db.pragma("user_version", 6)
    with closing(SqliteStore(path, StoreSettings())) as store:
        assert [record.id for record in known] == ["id-2"]
        assert store.for_user("alice").stated(ABOUT_ANA) == known


def test_mentions_of_old_are_told_apart_in_a_database(database: str) -> None:
    with closing(PostgresStore(database, PostgresSettings(), StoreSettings())) as store:
        _told_of_ana(store)
        known = store.for_user("alice").stated(ABOUT_ANA)
    with psycopg.connect(database) as db:
        db.execute("DROP INDEX mentions_stated")
        db.execute("ALTER TABLE mentions DROP COLUMN stated")
        db.execute("DELETE FROM migrations WHERE version = 3")
    with closing(PostgresStore(database, PostgresSettings(), StoreSettings())) as store:
        assert [record.id for record in known] == ["id-2"]
        assert store.for_user("alice").stated(ABOUT_ANA) == known
