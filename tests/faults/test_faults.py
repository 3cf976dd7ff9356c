"""The short version of every check of durability, and faults too small for a check of their own."""

import threading
from pathlib import Path

import apsw
import pytest
from tests.faults.harness import Options, checks

from sharpwave.errors import Overtaken
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sqlite.database import _Job
from sharpwave.storage.sqlite.store import SqliteStore

SEED = 1


@pytest.mark.faults
@pytest.mark.timeout(600)  # long on a busy machine
@pytest.mark.parametrize("name", [name for name in checks() if name.startswith("d")])
def test_fault(name: str, tmp_path: Path) -> None:
    result = checks()[name](Options(SEED, long=False, folder=tmp_path))
    assert result.passed, result.to_line()


@pytest.mark.timeout(60)
def test_the_writer_outlives_an_error_that_nobody_foresaw(tmp_path: Path) -> None:
    def fail(db: apsw.Connection) -> None:
        db.execute("ROLLBACK")
        raise ZeroDivisionError

    store = SqliteStore(tmp_path / "memory.db", StoreSettings())
    with pytest.raises(ZeroDivisionError):
        store._writer.run(fail)
    assert store._writer.run(lambda db: db.in_transaction)
    store.close()


@pytest.mark.timeout(60)
def test_who_was_overtaken_hears_of_it_when_there_is_something_to_read(tmp_path: Path) -> None:
    def overtaken(db: apsw.Connection) -> None:
        raise Overtaken("somebody was faster")

    store = SqliteStore(tmp_path / "memory.db", StoreSettings())
    begun, go_on = threading.Event(), threading.Event()

    def hold(db: apsw.Connection) -> None:
        begun.set()
        go_on.wait(5)

    refused = _Job(overtaken)
    after = _Job(lambda db: refused.done.done())
    store._writer._jobs.put(_Job(hold))
    assert begun.wait(5)
    for job in (refused, after):  # both wait for the next transaction, and share it
        store._writer._jobs.put(job)
    go_on.set()
    assert after.done.result(5) is False, "it would read again what it had read before"
    with pytest.raises(Overtaken):
        refused.done.result(5)
    store.close()
