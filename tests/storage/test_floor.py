"""An SQLite with known bugs is refused."""

from pathlib import Path

import apsw
import pytest

from sharpwave import Memory
from sharpwave.errors import UnsafeStore


@pytest.mark.parametrize("version", ["3.45.1", "3.51.2", "3.53.1"])
def test_an_sqlite_below_the_floor_is_refused(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: version)
    with pytest.raises(UnsafeStore, match=r"3\.53\.2 or newer"):
        Memory.open(tmp_path / "m.db")


@pytest.mark.parametrize("version", ["3.53.2", "3.54.0"])
def test_one_at_or_above_it_is_taken(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: version)
    with Memory.open(tmp_path / "m.db") as memory:
        assert memory.remember("The garden is wet.").ids
