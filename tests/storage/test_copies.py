"""Copies of a file that we made ourselves are erased, or counted, with what is forgotten."""

import os
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory, Settings, upkeep
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.postgres import moving
from sharpwave.storage.sqlite import copies
from sharpwave.storage.sqlite.restore import restore
from sharpwave.testing import resources_of

SECRET = b"the safe opens with 4711"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with Memory.open(path) as opened:
        opened.remember(SECRET.decode())
        opened.remember("The harbour is closed.")
        yield opened


def copied(path: Path, name: str) -> Path:
    """What a crash or a migration left behind."""
    copy = path.with_name(name)
    assert not copy.exists()
    with Memory.open(path) as memory:
        memory.admin.backup(copy)
    return copy


LEFTOVERS = [
    "m.db.schema-3.backup",
    "m.db.schema-9.backup",
    "m.db.schema-9.unfinished",
    "m.db.restoring",
    "m.db.restoring.unfinished",
]


def test_what_we_left_beside_the_file_goes_with_what_is_forgotten(
    memory: Memory, path: Path
) -> None:
    left = [copied(path, name) for name in LEFTOVERS]
    own = [copied(path, name) for name in ("m.db.backup", "other.db.schema-9.backup", "copy.db")]
    assert memory.admin.verify().copies_left == 0, "nothing was forgotten yet"
    gone = memory.forget(memory.admin.recent(2)[0].id)
    assert (gone.copies, gone.copies_left, gone.traces_cleared) == (len(left), 0, True)
    assert not any(copy.exists() for copy in left)
    assert all(copy.exists() for copy in own), "what others made, or asked for, is theirs"
    again = memory.forget(everything=True)
    assert (again.copies, again.copies_left) == (0, 0)


def test_copies_of_earlier_versions_are_counted_and_swept(memory: Memory, path: Path) -> None:
    old = copied(path, "m.db.schema-9.backup")
    hidden = old.rename(old.with_name("hidden"))
    memory.forget(memory.admin.recent(2)[0].id)
    shutil.copyfile(hidden, old)
    os.utime(old, (0, time.time() - 60))  # as if it had been there before
    found = memory.admin.verify()
    assert (found.ok, found.traces_left, found.copies_left) == (True, True, 1)
    memory.sleep(heavy=True)
    assert not old.exists()
    assert memory.admin.verify().copies_left == 0
    fresh = copied(path, "m.db.schema-10.backup")
    memory.sleep(heavy=True)
    assert fresh.exists(), "it holds nothing that was forgotten"


def test_a_copy_that_is_being_written_is_left_alone_and_counted(memory: Memory, path: Path) -> None:
    writing = copied(path, "m.db.schema-9.unfinished")
    first, second = (record.id for record in memory.admin.recent(2))
    with copies.being_written(writing):
        gone = memory.forget(first)
        assert (gone.copies, gone.copies_left, gone.traces_cleared) == (0, 1, False)
        assert writing.exists()
    gone = memory.forget(second)
    assert (gone.copies, gone.copies_left, gone.traces_cleared) == (1, 0, True)


def test_what_a_restore_replaced_is_counted_until_it_is_scrubbed(
    memory: Memory, path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    memory.admin.backup(copy)
    memory.close()
    done = restore(copy, path, None, StoreSettings(), now=datetime.now(UTC), replace=True)
    kept = done.replaced_backup
    assert kept is not None and SECRET in kept.read_bytes()
    with Memory.open(path) as again:
        gone = again.forget(everything=True)
        assert (gone.copies, gone.copies_left, gone.traces_cleared) == (0, 1, False)
        assert kept.exists() and again.admin.verify().copies_left == 1
        assert again.admin.scrub()
        assert not kept.exists() and not again.admin.verify().traces_left
    copy.unlink()
    assert not any(SECRET in file.read_bytes() for file in tmp_path.iterdir())


def test_a_finished_backup_leaves_no_note(memory: Memory, tmp_path: Path) -> None:
    memory.admin.backup(tmp_path / "copy.db")
    with resources_of(memory).store.readers.borrow() as db:  # type: ignore[attr-defined]
        assert db.rows("noted_copies", {}) == []


@pytest.mark.parametrize("how", ["backup", "move"])
def test_what_a_killed_copy_of_a_server_left_goes_with_what_is_forgotten(
    how: str, emptied: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(*given: object) -> None:
        raise RuntimeError("as if the process had been killed")

    with Memory.open(emptied) as memory:
        memory.remember(SECRET.decode())
        with monkeypatch.context() as patch:
            patch.setattr(moving, "publish", kill)
            patch.setattr(copies, "remove", lambda path: None)
            with pytest.raises(RuntimeError):
                if how == "backup":
                    memory.admin.backup(tmp_path / "copy.db")
                else:
                    upkeep.move(upkeep.at_place(Settings(), emptied), str(tmp_path / "copy.db"))
        left = tmp_path / "copy.db.unfinished"
        assert SECRET in left.read_bytes() and memory.admin.verify().copies_left == 1
        memory.admin.backup(tmp_path / "whole.db")
        gone = memory.forget(everything=True)
        assert (gone.copies, gone.copies_left, left.exists()) == (1, 0, False)
        assert memory.admin.verify().copies_left == 0
        assert (tmp_path / "whole.db").exists(), "a finished backup is the user's"
