"""The copy of the file that is kept when a server stops."""

from pathlib import Path
from typing import Any

import pytest
from tests.sleep.living import Killed

from sharpwave import Memory, Settings, upkeep
from sharpwave.storage.sqlite import whole_file
from sharpwave.temporal.clock import SystemClock
from sharpwave.testing import HashEmbedder

TODAY = f"m-{SystemClock().now():%Y-%m-%d}.db"


def settings(path: Path, **backup: Any) -> Settings:
    wanted = {"keep": 7, **backup}
    return Settings.model_validate({"path": path, "server": {"backup": wanted}})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Memory.open(tmp_path / "m.db", embedder=HashEmbedder(16)) as memory:
        memory.remember("Ana lives in Porto.", session="s")
    return tmp_path / "m.db"


def test_only_if_the_settings_say_so(path: Path) -> None:
    assert upkeep.back_up_at_shutdown(settings(path, keep=0)) is None
    assert not (path.parent / "backups").exists()


@pytest.mark.spec("XPT-03")
def test_one_copy_a_day_is_kept_and_the_oldest_go(path: Path) -> None:
    folder = path.parent / "elsewhere"
    folder.mkdir()
    names = ["m-2020-01-01.db", "m-2020-01-02.db", "m-2020-01-03.db", "other-2020-01-01.db"]
    for name in names:
        (folder / name).write_bytes(b"older")
    (folder / TODAY).write_bytes(b"from this morning")
    kept = upkeep.back_up_at_shutdown(settings(path, folder=folder, keep=2))
    assert kept is not None and kept.path == folder / TODAY and kept.problem is None
    left = sorted(file.name for file in folder.iterdir())
    assert left == ["m-2020-01-03.db", TODAY, "other-2020-01-01.db"]
    with Memory.open(folder / TODAY, embedder=HashEmbedder(16)) as memory:
        assert memory.recall("Where does Ana live?").items


def test_a_copy_that_takes_too_long_is_given_up_and_what_was_there_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = path.parent / "backups"
    folder.mkdir()
    (folder / TODAY).write_bytes(b"from this morning")
    with Memory.open(path, embedder=HashEmbedder(16)) as memory:
        memory.remember([f"This is sentence {n}." for n in range(50)], session="s")
    monkeypatch.setattr("sharpwave.storage.sqlite.whole_file._PROGRESS_STEPS", 1)
    monkeypatch.setattr(upkeep, "BACKUP_LIMIT_S", 1e-9)
    kept = upkeep.back_up_at_shutdown(settings(path))
    assert kept is not None and kept.path is None and "longer than" in str(kept.problem)
    assert (folder / TODAY).read_bytes() == b"from this morning"


def test_whatever_is_wrong_is_told_and_raises_nothing(path: Path) -> None:
    (path.parent / "file").write_bytes(b"")
    kept = upkeep.back_up_at_shutdown(settings(path, folder=path.parent / "file"))
    assert kept is not None and kept.path is None and "cannot keep a copy" in str(kept.problem)


def test_an_interrupted_copy_leaves_nothing_behind(path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise Killed

    chosen = settings(path)
    with pytest.raises(Killed), pytest.MonkeyPatch.context() as patched:
        patched.setattr("sharpwave.storage.sqlite.whole_file._PROGRESS_STEPS", 1)
        upkeep.keep_copy(chosen, stop)
    assert list((path.parent / "backups").iterdir()) == []


def test_a_copy_whose_process_dies_when_it_is_complete_is_the_copy_of_the_day(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = path.parent / "backups"
    folder.mkdir()
    (folder / TODAY).write_bytes(b"from this morning")
    publish = whole_file.publish

    def publish_and_die(finished: Path, to: Path) -> None:
        publish(finished, to)
        raise Killed

    monkeypatch.setattr(whole_file, "publish", publish_and_die)
    with pytest.raises(Killed):
        upkeep.keep_copy(settings(path))
    assert [file.name for file in folder.iterdir()] == [TODAY], "no erasure would find another"
    assert b"Porto" in (folder / TODAY).read_bytes()
