"""Schema steps: a backup before each, all or nothing, and never backwards."""

from pathlib import Path

import apsw
import pytest

from sharpwave.errors import StorageError, UnsafeStore
from sharpwave.settings import StoreSettings
from sharpwave.storage.check import add, example
from sharpwave.storage.sqlite.migrate import Migration, bundled
from sharpwave.storage.sqlite.store import SqliteStore

NEXT = Migration(2, "0002_color", "ALTER TABLE users ADD COLUMN color TEXT")
BROKEN = Migration(2, "0002_broken", "ALTER TABLE users ADD COLUMN color TEXT; SELECT nonsense")


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
    assert [record.id for record in store.scan("alice", 0, 9)] == ["id-1"]
    store.close()
    backup = path.with_name("memory.db.schema-1.backup")
    old = SqliteStore(backup, StoreSettings())
    assert [record.id for record in old.scan("alice", 0, 9)] == ["id-1"]
    old.close()
    _open(path, NEXT).close()  # nothing left to do


def test_a_failing_step_changes_nothing(path: Path) -> None:
    with pytest.raises(StorageError):
        _open(path, BROKEN)
    with apsw.Connection(str(path)) as db:
        assert db.pragma("user_version") == 1
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
