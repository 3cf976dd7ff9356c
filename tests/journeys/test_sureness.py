"""How sure a fact still is when nobody has said or used it for long."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.testing import FrozenClock, HashEmbedder


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 5, 4, 12, 0, tzinfo=UTC))


@pytest.fixture
def memory(clock: FrozenClock, tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock, embedder=HashEmbedder(64)) as opened:
        yield opened


def sure(memory: Memory) -> float:
    (fact,) = memory.facts(predicate="lives_in")
    assert fact.confidence == next(f for f in memory.profile() if f.id == fact.id).confidence
    (known,) = [f for f in memory.about("user").facts if f.id == fact.id]
    assert known.confidence == fact.confidence
    return fact.confidence


@pytest.mark.spec("TMP-06")
def test_a_fact_nobody_came_back_to_is_less_sure_each_day_and_never_twice(
    memory: Memory, clock: FrozenClock
) -> None:
    memory.remember("I live in Porto.", session="a")
    base = sure(memory)
    for days in (100, 265):
        clock.advance(days=days)
        memory.sleep(heavy=True)
    assert sure(memory) == pytest.approx(base * 0.999**365)
    (held,) = memory.history("user", "lives_in").versions
    assert held.confidence == base, "what was stored has not changed"


@pytest.mark.spec("TMP-06")
def test_said_or_used_again_it_is_as_sure_as_it_was(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I live in Porto.", session="a")
    base = sure(memory)
    clock.advance(days=365)
    memory.recall("Where do I live?", kinds=["fact"])
    assert sure(memory) == pytest.approx(base), "it was used"
    clock.advance(days=365)
    memory.remember("I live in Porto.", session="b")
    assert sure(memory) >= base, "it was said"
