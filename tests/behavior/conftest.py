"""A memory on a real SQLite file, with a clock that stands still and luck that repeats."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sharpwave import Memory, Settings
from sharpwave.behavior.skills import select
from sharpwave.testing import FrozenClock

Opened = Callable[..., Memory]


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def opened(tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Opens the same file again and again; numbers of skills may be given."""
    monkeypatch.setattr(select, "SEED", 7)
    memories: list[Memory] = []

    def open_(**skills: object) -> Memory:
        settings = Settings.model_validate({"skills": skills})
        memories.append(Memory.open(tmp_path / "m.db", settings=settings, clock=clock))
        return memories[-1]

    yield open_
    for memory in memories:
        memory.close()


@pytest.fixture
def memory(opened: Opened) -> Memory:
    """Nothing is tried at random."""
    return opened(exploration=False)
