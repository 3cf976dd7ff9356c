"""The short version of every fault check, and faults too small for a check of their own."""

from pathlib import Path

import apsw
import pytest
from tests.faults.harness import Options, checks

from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.tunables.storing import StoreSettings

SEED = 1


@pytest.mark.faults
@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", list(checks()))
def test_fault(name: str, tmp_path: Path) -> None:
    result = checks()[name](Options(SEED, long=False, folder=tmp_path))
    assert result.passed, result.to_line()


@pytest.mark.timeout(10)
def test_the_writer_outlives_an_error_that_nobody_foresaw(tmp_path: Path) -> None:
    def fail(db: apsw.Connection) -> None:
        db.execute("ROLLBACK")
        raise ZeroDivisionError

    store = SqliteStore(tmp_path / "memory.db", StoreSettings())
    with pytest.raises(ZeroDivisionError):
        store._writer.run(fail)
    assert store._writer.run(lambda db: db.in_transaction)
    store.close()
