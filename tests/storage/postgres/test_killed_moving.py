"""Whoever is killed while a memory moves leaves all of it, or nothing that passes for it."""

import subprocess
import sys
from pathlib import Path

import pytest

from sharpwave import Memory, Settings
from sharpwave.testing import HashEmbedder
from sharpwave.upkeep import restore

MOVE = """
import os, sys
from pathlib import Path
from sharpwave import Settings, upkeep, wiring

def progress(done, of):
    if done == 4:
        os._exit(9)  # users, records and vectors are written

source, target = sys.argv[1:]
if source.startswith("postgresql:"):
    settings = Settings.model_validate({"postgres": {"url": source}})
    store = wiring.open_store(settings)
    store.backup(Path(target), progress)
else:
    settings = Settings.model_validate({"postgres": {"url": target}})
    upkeep.restore(source, settings, progress=progress)
"""


def killed(source: str, target: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", MOVE, source, target]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 9, done.stderr


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    with Memory.open(tmp_path / "m.db", embedder=HashEmbedder(32)) as memory:
        for number in range(20):
            memory.remember(f"Ana bought {number} lamps in Porto.")
        memory.admin.backup(tmp_path / "copy.db")
    return tmp_path / "copy.db"


def on_server(address: str) -> Memory:
    settings = Settings.model_validate({"postgres": {"url": address}})
    return Memory.open(settings=settings, embedder=HashEmbedder(32))


def test_a_restore_and_a_backup_that_are_killed_leave_nothing_half_done(
    database: str, backup: Path, tmp_path: Path
) -> None:
    killed(str(backup), database)
    settings = Settings.model_validate({"postgres": {"url": database}})
    with on_server(database) as memory:
        assert memory.admin.stats().memories == 0 and memory.recall("lamps").items == ()
    restored = restore(backup, settings).memories
    assert restored >= 20
    target = tmp_path / "back.db"
    killed(database, str(target))
    assert not target.exists(), "only what is whole gets the name"
    with on_server(database) as memory:
        memory.admin.backup(target)
    assert sorted(tmp_path.glob("back.db*")) == [target]
    with Memory.open(target, embedder=HashEmbedder(32)) as memory:
        assert memory.admin.verify().ok and memory.admin.verify().memories == restored
