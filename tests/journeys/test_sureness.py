"""How sure a fact still is when nobody has said or used it for long."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 5, 4, 12, 0, tzinfo=UTC))


@pytest.fixture
def memory(clock: FrozenClock, tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock, embedder=HashEmbedder(64)) as opened:
        yield opened


def sure(memory: Memory) -> float:
    (fact,) = memory.facts.list(predicate="lives_in")
    assert fact.confidence == next(f for f in memory.facts.profile() if f.id == fact.id).confidence
    (known,) = [f for f in memory.graph.about("user").facts if f.id == fact.id]
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
    (held,) = memory.facts.history("user", "lives_in").versions
    (stored,) = resources_of(memory).store.for_user(memory.user_id).find([held.id])
    assert stored.standing.confidence == base, "what was stored has not changed"


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


@pytest.mark.spec("TMP-06")
def test_however_a_fact_is_asked_for_it_is_as_sure(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I live in Porto.", session="a")
    (said,) = memory.facts.list(predicate="lives_in")
    first = clock.now()
    clock.advance(days=100)
    memory.remember("I live in Lisbon now, I moved.", session="b")
    clock.advance(days=10)
    now = clock.now()
    old, new = memory.facts.history("user", "lives_in").versions
    (shift,) = memory.facts.shifts()
    about = memory.graph.about("user")
    assert old.confidence == pytest.approx(said.confidence * 0.999**110)
    assert {old.confidence} == {
        memory.facts.at(first + timedelta(days=1)).facts[0].confidence,
        memory.facts.between(first, first + timedelta(days=1))[0].confidence,
        shift.old.confidence,
        about.formerly[0].confidence,
    }
    assert {new.confidence} == {
        shift.new.confidence,
        memory.facts.at(now).facts[0].confidence,
        memory.facts.list(predicate="lives_in")[0].confidence,
        memory.facts.profile()[0].confidence,
        memory.facts.predict("user", "lives_in", now).fact.confidence,
        about.facts[0].confidence,
        *(one.fact.confidence for one in memory.graph.related("user")),
    }
