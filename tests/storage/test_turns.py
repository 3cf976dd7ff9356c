"""Two processes write to one file: neither keeps the other out."""

import fcntl
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from tests.waiting import eventually

from sharpwave.storage.sql.session import Session
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.storage.sqlite.turns import Turns
from sharpwave.tunables.storing import StoreSettings


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

    def slowly(_: Session) -> None:
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
    holder, waiter = Turns(path, 60), Turns(path, 0.01)
    with holder.mine(), waiter.mine():
        pass  # SQLite decides
    with waiter.mine():
        assert _somebody_waits(path)
    holder.close()
    waiter.close()


def test_a_lock_that_another_removed_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    first, second = Turns(path, 60), Turns(path, 60)
    first.close()
    assert not list(tmp_path.iterdir())
    with second.mine():
        assert _somebody_waits(path)
    second.close()
    assert not list(tmp_path.iterdir())
