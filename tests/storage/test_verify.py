"""`verify` finds what another program took out of the file."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sqlite.restore import restore
from sharpwave.storage.sqlite.salvage import salvage

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DELETIONS = {
    "a memory with all that points to it": [
        "DELETE FROM vectors WHERE key = (SELECT max(key) FROM memories)",
        "DELETE FROM mentions WHERE key = (SELECT max(key) FROM memories)",
        "DELETE FROM evidence WHERE key = (SELECT max(key) FROM memories)",
        "DELETE FROM memories WHERE key = (SELECT max(key) FROM memories)",
    ],
    "the end of the audit": ["DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)"],
}


@pytest.mark.parametrize("deletions", DELETIONS.values(), ids=DELETIONS)
def test_what_was_deleted_behind_its_back_is_reported(tmp_path: Path, deletions: list[str]) -> None:
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        memory.remember(["My sister Ana lives in Porto.", "The garden is wet."])
        memory.forget(memory.remember("I met Ben today.").ids[0])
        memory.remember("I play the cello.")
        assert memory.admin.verify().ok
    with closing(sqlite3.connect(path, isolation_level=None)) as shell:
        for deletion in deletions:
            assert shell.execute(deletion).rowcount >= 0
    with Memory.open(path) as memory:
        found = memory.admin.verify()
    assert not found.ok
    assert any("audit" in complaint for complaint in found.structure)


def test_restored_and_recovered_files_pass(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        first = memory.remember(["My sister Ana lives in Porto.", "The garden is wet."])
        memory.admin.backup(tmp_path / "backup.db")
        memory.forget(first.ids[0])
    restore(tmp_path / "backup.db", path, None, StoreSettings(), replace=True, now=NOW)
    with Memory.open(path) as memory:
        memory.remember("I play the cello.")
        memory.forget(everything=True)
        memory.remember("The ferry leaves at nine.")
        assert memory.admin.verify().ok
    salvage(path, tmp_path / "recovered.db", None, StoreSettings(), now=NOW)
    with Memory.open(tmp_path / "recovered.db") as memory:
        memory.remember("The ferry is late.")
        assert memory.admin.verify().ok
