"""Two processes write to one file: neither keeps the other out."""

import fcntl
import shutil
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from tests.storage.contract import add, example
from tests.waiting import eventually

from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sql.session import SqlSession
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.storage.sqlite.write_lock import WriteLock


def _somebody_waits(path: Path) -> bool:
    with path.with_name(path.name + "-turn").open("rb+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_whoever_waits_comes_before_one_that_has_just_written(tmp_path: Path) -> None:
    path, order = tmp_path / "memory.db", list[str]()
    began, go_on = threading.Event(), threading.Event()

    def slowly(_: SqlSession) -> None:
        began.set()
        go_on.wait()
        order.append("first")

    with (
        closing(SqliteStore(path, StoreSettings())) as ours,
        closing(SqliteStore(path, StoreSettings())) as theirs,
        ThreadPoolExecutor(3) as callers,
    ):
        calls: list[Future[None]] = [callers.submit(ours._writer.run, slowly)]
        began.wait()
        calls.append(callers.submit(theirs._writer.run, lambda _: order.append("theirs")))
        waited = eventually(lambda: _somebody_waits(path))
        calls.append(callers.submit(ours._writer.run, lambda _: order.append("again")))
        go_on.set()
        for call in calls:
            call.result()
    assert waited
    assert order == ["first", "theirs", "again"]


def test_a_turn_that_never_comes_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    holder, waiter = WriteLock(path, 60), WriteLock(path, 0.01)
    with holder.held(), waiter.held():
        pass  # SQLite decides
    with waiter.held():
        assert _somebody_waits(path)
    holder.close()
    waiter.close()


def test_a_lock_that_another_removed_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    first, second = WriteLock(path, 60), WriteLock(path, 60)
    first.close()
    assert not list(tmp_path.iterdir())
    with second.held():
        assert _somebody_waits(path)
    second.close()
    assert not list(tmp_path.iterdir())


def test_the_last_of_several_leaves_no_lock_behind(tmp_path: Path) -> None:
    first, last = WriteLock(tmp_path / "memory.db", 60), WriteLock(tmp_path / "memory.db", 60)
    first.close()
    last.close()
    assert not list(tmp_path.iterdir())


def test_a_folder_that_was_removed_stays_away(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    turns = WriteLock(folder / "memory.db", 60)
    shutil.rmtree(folder)
    with turns.held():
        pass  # SQLite decides
    turns.close()
    assert not folder.exists()


def test_without_a_lock_everybody_writes_as_sqlite_lets_them(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    lock = path.with_name(path.name + "-turn")
    lock.mkdir()  # as if it were another's, who lets nobody at it
    with closing(SqliteStore(path, StoreSettings())) as store:
        add(store, example(1))
        lock.rmdir()
        add(store, example(2))
        assert lock.is_file()
        lock.unlink()
        lock.mkdir()
        add(store, example(3))
        with (tmp_path / "other").open("w") as other:  # its descriptor is the lowest that is free
            add(store, example(4))
            store.close()
            other.write("still open")
    with closing(SqliteStore(path, StoreSettings())) as store:
        assert len(store.for_user("alice").scan(0, 9)) == 4
    assert (tmp_path / "other").read_text() == "still open"
