"""A reranker, where one is set up, takes a second look; if it fails, the first stands."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sharpwave import Memory
from sharpwave.api.state import MemoryState
from sharpwave.errors import ProviderUnavailable
from sharpwave.testing import resources_of

SAID = [f"The {colour} boat sails to Porto on day {day}." for day, colour in enumerate("abcdef")]


class Fake:
    """A reranker that judges by a rule, and notes what it was shown."""

    def __init__(self, judge: Callable[[str], float]) -> None:
        self._judge = judge
        self.shown: list[str] = []

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        self.shown += texts
        return np.array([self._judge(text) for text in texts], np.float32)


def _with(memory: Memory, fake: Fake) -> Memory:
    resources = replace(resources_of(memory), reranker=fake)
    return Memory(MemoryState.of(resources, memory.user_id))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.remember(SAID)
    return tmp_path / "m.db"


def test_its_judgement_counts_and_is_shown(path: Path) -> None:
    with Memory.open(path) as memory:
        plain = memory.recall("Which boat sails to Porto?", kinds=["turn"])
        last = plain.items[-1].text
        fake = Fake(lambda text: 9.0 if last in text else 0.0)
        again = _with(memory, fake).recall("Which boat sails to Porto?", kinds=["turn"])
    assert sorted(item.text for item in again) == sorted(item.text for item in plain)
    assert len(fake.shown) == len(plain) and plain.items[0].text != last
    place = [item.text for item in again].index(last)
    assert place < len(plain) - 1, "it moved up; neither look alone decides"
    gains = [item.terms["second_look"] for item in again]
    assert gains[place] == max(gains) > 0 > min(gains)


def test_if_it_fails_the_first_look_stands(path: Path) -> None:
    def down(text: str) -> float:
        raise ProviderUnavailable("the model is gone")

    with Memory.open(path) as memory:
        plain = memory.recall("Which boat sails to Porto?", kinds=["turn"])
        again = _with(memory, Fake(down)).recall("Which boat sails to Porto?", kinds=["turn"])
    assert [item.text for item in again] == [item.text for item in plain]
