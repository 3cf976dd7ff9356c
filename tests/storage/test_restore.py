"""Putting a backup in place."""

import os
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from sharpwave import InvalidInput, Memory, Settings, StorageError
from sharpwave.errors import StoreBusy, StoreDamaged, Unauthorized, WrongKey
from sharpwave.settings.storage import EncryptionSettings, StoreSettings
from sharpwave.storage.sqlite import connection
from sharpwave.storage.sqlite.connection import connect
from sharpwave.storage.sqlite.key import Key, raw_key
from sharpwave.storage.sqlite.restore import restore
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.types.storing import Restored

NOW = datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC)
STORE = StoreSettings()
HEX_KEY = "ab" * 32


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_S", 0.2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def put_back(
    backup: Path, target: Path, key: Key | None = None, *, replace: bool = True
) -> Restored:
    return restore(backup, target, key, STORE, now=NOW, replace=replace)


def texts(path: Path, user: str = "ana", settings: Settings | None = None) -> list[str]:
    with Memory.open(path, user=user, settings=settings or Settings()) as memory:
        assert memory.admin.verify().ok
        lines = list(memory.export())
        return [memory.recall(f"note {number}").items[0].text for number in range(len(lines) - 1)]


def backed_up(path: Path, notes: int = 3, user: str = "ana") -> tuple[Path, list[str]]:
    """A store with some notes, and a backup of it."""
    backup = path.with_name("backup.db")
    with Memory.open(path, user=user) as memory:
        ids = [memory.remember(f"note {number}").ids[0] for number in range(notes)]
        memory.admin.backup(backup)
    return backup, ids


def test_to_a_new_place(path: Path, tmp_path: Path) -> None:
    backup, _ = backed_up(path)
    before = backup.read_bytes()
    target = tmp_path / "folder" / "new.db"
    assert put_back(backup, target, replace=False) == Restored(3, 0, None)
    assert texts(target) == ["note 0", "note 1", "note 2"]
    assert backup.read_bytes() == before
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(entry.name for entry in target.parent.iterdir()) == ["new.db"]


def test_replaces_only_when_asked(path: Path) -> None:
    backup, _ = backed_up(path)
    with pytest.raises(InvalidInput, match="already exists"):
        put_back(backup, path, replace=False)
    with pytest.raises(InvalidInput, match="no backup"):
        put_back(path.with_name("nothing.db"), path)


def test_what_was_there_is_kept(path: Path) -> None:
    backup, _ = backed_up(path)
    with Memory.open(path, user="ana") as memory:
        memory.remember("note 3")
    restored = put_back(backup, path)
    kept = path.with_name("m.db.replaced-20260301-123005")
    assert restored == Restored(3, 0, kept)
    assert len(texts(path)) == 3
    assert len(texts(kept)) == 4
    names = sorted(entry.name for entry in path.parent.iterdir())
    assert names == ["backup.db", "m.db", kept.name]


def test_forgotten_records_stay_forgotten(path: Path) -> None:
    backup, ids = backed_up(path)
    with Memory.open(path, user="ana") as memory:
        memory.forget(ids[1])
    assert put_back(backup, path).re_erased == 1
    with Memory.open(path, user="ana") as memory:
        assert memory.admin.verify().ok
        assert sorted(item.text for item in memory.recall("note")) == ["note 0", "note 2"]
    assert b"note 1" not in path.read_bytes()
    # and once more, from the restored file, which remembers that it was forgotten
    path.with_name("m.db.replaced-20260301-123005").unlink()
    assert put_back(backup, path).re_erased == 1


def test_a_forgotten_interaction_that_was_still_open_stays_forgotten(path: Path) -> None:
    backup = path.with_name("backup.db")
    with Memory.open(path, user="ana") as memory:
        memory.remember("note 0")
        opened = memory.agents.start("Find the zebrafish clinic").id
        memory.admin.backup(backup)
        assert memory.forget(opened).unfinished == 1
    for _ in range(2):  # the second time from the restored file
        assert put_back(backup, path).re_erased == 1
        assert b"zebrafish" in backup.read_bytes() and b"zebrafish" not in path.read_bytes()
        path.with_name("m.db.replaced-20260301-123005").unlink()
    with Memory.open(path, user="ana") as memory:
        assert memory.admin.verify().ok
        assert memory.recall("note").items


def test_erased_users_stay_erased(path: Path) -> None:
    backup, _ = backed_up(path, user="bob")
    with Memory.open(path, user="bob") as bob:
        bob.user("ana").remember("note 0")
        bob.forget(everything=True)
        bob.remember("note 7")
    assert put_back(backup, path) == Restored(0, 3, path.with_name("m.db.replaced-20260301-123005"))
    with Memory.open(path, user="bob") as bob:
        assert bob.admin.users() == []
        assert bob.remember("note 8").ids
    assert b"note 1" not in path.read_bytes()


def test_forgotten_before_the_backup_and_remembered_again(path: Path) -> None:
    """An erasure that the backup knows of does not reach what came after it."""
    backup = path.with_name("backup.db")
    with Memory.open(path, user="ana") as memory:
        memory.remember("note 0")
        exported = list(memory.export())
        memory.forget(everything=True)
        memory.admin.import_(exported, own=True)
        (record,) = memory.recall("note 0")
        memory.forget(record.record.id)
        memory.admin.import_(exported, own=True)
        memory.admin.backup(backup)
    assert put_back(backup, path).re_erased == 0
    assert texts(path) == ["note 0"]


def test_numbers_go_on(path: Path) -> None:
    backup, _ = backed_up(path)
    with Memory.open(path, user="ana") as memory:
        memory.remember([f"later {number}" for number in range(10)])
        memory.user("late").remember("hello")
    before = heads(path)
    put_back(backup, path)
    after = heads(path)
    assert after["ana"][1] > before["ana"][1]
    assert after["events"][0] >= before["events"][0]
    with Memory.open(path, user="later") as memory:
        memory.remember("hello")
    assert heads(path)["later"][0] > before["late"][0]


def heads(path: Path) -> dict[str, tuple[int, int]]:
    store = SqliteStore(path, STORE)
    try:
        found: dict[str, tuple[int, int]] = {
            user: store.for_user(user).head() for user in store.users()
        }
        with store.readers.borrow() as db:
            last = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'").get
        return {**found, "events": (last, 0)}
    finally:
        store.close()


def test_not_while_somebody_uses_it(path: Path) -> None:
    backup, _ = backed_up(path)
    with Memory.open(path, user="ana") as memory:
        with pytest.raises(StoreBusy, match="Stop every program"):
            put_back(backup, path)
        memory.remember("note 3")
    assert len(texts(path)) == 4
    assert not path.with_name("m.db.restoring").exists()


def test_whoever_opens_it_meanwhile_cannot_write_to_the_old_file(path: Path) -> None:
    """The race that would lose an acknowledged write: opened before the swap, written after."""
    backed_up(path)
    held = connect(path, None, STORE)
    held.pragma("journal_mode", "DELETE")
    late = apsw.Connection(str(path))
    assert late.execute("SELECT count(*) FROM memories").get == 3
    path.rename(path.with_name("old.db"))
    path.write_bytes(path.with_name("backup.db").read_bytes())
    with pytest.raises(apsw.ReadOnlyError):
        late.execute("UPDATE users SET seq = seq + 1")
    held.close()
    late.close()


def test_a_damaged_backup_is_refused(path: Path) -> None:
    backup, _ = backed_up(path)
    content = backup.read_bytes()
    at = content.index(b"note 1")
    backup.write_bytes(content[:at] + b"NOTE" + content[at + 4 :])
    with pytest.raises(StoreDamaged, match="1 damaged"):
        put_back(backup, path)
    backup.write_bytes(b"not a database" * 1000)
    with pytest.raises(StorageError):
        put_back(backup, path)
    assert len(texts(path)) == 3


def test_the_backup_of_another_store_is_refused(path: Path) -> None:
    backup, _ = backed_up(path)
    other = path.with_name("other.db")
    with Memory.open(other, user="ana") as memory:
        memory.remember("mine")
    with pytest.raises(StorageError, match="another store"):
        put_back(backup, other)
    with Memory.open(other, user="ana") as memory:
        assert memory.recall("mine").items


def test_a_log_without_its_file_is_not_read_into_the_backup(path: Path) -> None:
    backup, _ = backed_up(path)
    target = path.with_name("target.db")
    log = path.with_name("target.db-wal")
    with Memory.open(target) as memory:
        memory.remember("from the log")
        content = log.read_bytes()
    target.unlink()
    log.write_bytes(content)
    with pytest.raises(InvalidInput, match="already exists"):
        put_back(backup, target, replace=False)
    put_back(backup, target)
    assert len(texts(target)) == 3
    with Memory.open(target) as memory:
        assert memory.admin.users() == ["ana"]


def test_encrypted(path: Path) -> None:
    key = raw_key(HEX_KEY)
    settings = Settings(encryption=EncryptionSettings.model_validate({"key": HEX_KEY}))
    backup = path.with_name("backup.db")
    with Memory.open(path, user="ana", settings=settings) as memory:
        ids = memory.remember(["note 0", "note 1"]).ids
        memory.admin.backup(backup)
        memory.forget(ids[0])
    with pytest.raises(WrongKey):
        put_back(backup, path, raw_key("cd" * 32))
    with pytest.raises(WrongKey):
        put_back(backup, path, None)
    assert put_back(backup, path, key).re_erased == 1
    with Memory.open(path, user="ana", settings=settings) as memory:
        assert [item.text for item in memory.recall("note")] == ["note 1"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_backup_on_a_read_only_disk(path: Path, tmp_path: Path) -> None:
    backup, _ = backed_up(path)
    folder = tmp_path / "archive"
    folder.mkdir()
    backup.rename(folder / "b.db")
    folder.chmod(0o500)
    try:
        assert put_back(folder / "b.db", tmp_path / "new.db").memories == 3
    finally:
        folder.chmod(0o700)


def test_a_key_that_was_revoked_since_opens_nothing(path: Path) -> None:
    backup = path.with_name("backup.db")
    with Memory.open(path) as memory:
        old = memory.admin.keys.create("old", "ana").secret
        memory.admin.backup(backup)
        memory.admin.keys.revoke("old")
        new = memory.admin.keys.create("new", "ana").secret
    put_back(backup, path)
    with Memory.open(path) as memory:
        with pytest.raises(Unauthorized):
            memory.admin.keys.principal(old)
        assert memory.admin.keys.principal(new).key_name == "new"
