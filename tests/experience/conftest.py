"""A memory on a real SQLite file, with a clock that stands still."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.testing import FrozenClock


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock) as opened:
        yield opened
