"""How well it works, as far as it is recorded: speed, decisions, beliefs, skills over time."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from sharpwave import InvalidInput, Memory
from sharpwave.testing import FrozenClock, HashEmbedder


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock, embedder=HashEmbedder(64)) as opened:
        yield opened


@pytest.mark.spec("MET-08")
def test_calls_are_timed_and_errors_counted_for_each_user_alone(memory: Memory) -> None:
    assert memory.admin.performance().since is None
    memory.remember("I live in Porto.")
    memory.recall("Where do I live?")
    with pytest.raises(InvalidInput):
        memory.recall("")
    memory.context("Where do I live?")
    found = {one.name: one for one in memory.admin.performance().operations}
    assert found.keys() == {"remember", "recall", "context"}
    assert (found["recall"].calls, found["recall"].errors) == (2, 1), (
        "a context is a call of its own"
    )
    assert 0 < found["recall"].p50_ms <= found["recall"].p95_ms <= found["recall"].p99_ms
    assert sum(memory.admin.performance().decisions.values()) == 2
    assert memory.admin.performance().most_tokens > 0
    assert found["recall"].mean_ms > 0 and found["recall"].errors / found["recall"].calls == 0.5
    assert memory.user("other").admin.performance().operations == ()
    memory.forget(everything=True)
    assert memory.admin.performance().since is None


@pytest.mark.spec("MET-08")
def test_how_often_patterns_were_right_and_what_a_memory_takes(memory: Memory) -> None:
    for number in range(6):
        steps = [{"tool": "search"}, {"tool": "book", "error": "full" if number == 5 else None}]
        memory.agents.observe({"query": f"book table {number}", "steps": steps, "success": True})
    told = memory.agents.metrics()
    assert told.tool_selection_accuracy == 1.0, "each step after the first was foretold"
    assert told.error_rate == pytest.approx(1 / 12)
    before = memory.admin.stats().file_bytes
    memory.remember(["The same words."] * 3)
    for _ in range(3):
        memory.recall("The same words?")
    whole = memory.admin.stats(all_users=True)
    assert whole.file_bytes >= before > 0
    assert whole.embedder_reuse is not None and whole.embedder_reuse > 0


def test_what_the_user_judges_shows_how_well_confidence_fits(memory: Memory) -> None:
    assert memory.admin.calibration().expected_error is None
    memory.remember("I live in Porto. My sister is Ana.")
    home, sister = sorted(memory.facts.list(), key=lambda fact: fact.predicate)
    memory.facts.confirm(home.id)
    memory.facts.confirm(sister.id, right=False)
    memory.remember("I work at Acme.")
    memory.remember("I don't work at Acme.")
    conflict = next(one for one in memory.facts.conflicts() if one.newer.object == "Acme")
    memory.facts.resolve(conflict.id, "newer")
    found = memory.admin.calibration()
    sides = (conflict.older.confidence, False), (conflict.newer.confidence, True)
    told = [(home.confidence, True), (sister.confidence, False), *sides]
    assert found.judged == sum(one.facts for one in found.bins) == 4
    assert sum(one.right for one in found.bins) == 2
    assert found.brier == pytest.approx(sum((sure - right) ** 2 for sure, right in told) / 4)
    assert memory.user("other").admin.calibration().judged == 0
    memory.forget(everything=True)
    assert memory.admin.calibration().judged == 0


@pytest.mark.spec("MET-07")
def test_choices_and_ratings_by_the_hour_by_skill_and_over_time(
    memory: Memory, clock: FrozenClock
) -> None:
    hours = set()
    for n in range(20):
        choice = memory.skills.select("How do I sort a list?")
        memory.feedback(choice.message_id, 1 if n >= 10 else -1)
        hours.add(clock.now().hour)
        clock.advance(minutes=31)
    found = memory.skills.history()
    assert (found.choices, found.ratings) == (20, 20)
    assert found.adaptation == (0.0, 1.0)
    assert {one.hour for one in found.hours} == hours
    assert sum(one.ratings for one in found.hours) == 20
    assert sum(one.positive for one in found.hours) == 10
    assert sum(one.uses for one in found.uses) == 20
    assert all(0 < one.median_ms <= one.slowest_ms for one in found.uses)
    assert found.exploited_confidence is not None
    assert memory.skills.history(limit=5).choices == 5
    odds = {one.skill: one for one in memory.skills.odds(choice.context)}
    rated = odds[max(found.uses, key=lambda one: one.uses).skill]
    assert rated.alpha + rated.beta > 2, "ratings on top of the prior"
    assert rated.low < rated.mean < rated.high
    memory.admin.consent("learning", False)
    assert memory.skills.history().choices == 0


def test_whoever_wants_no_experiments_gets_none(memory: Memory) -> None:
    def tries() -> int:
        asked = [f"Question {n}: how do I sort?" for n in range(60)]
        return sum(memory.skills.select(each).is_exploration for each in asked)

    assert memory.skills.metrics().explores and tries() > 0
    assert not memory.skills.explore(False).explores
    assert tries() == 0
    memory.skills.reset(skill="concise_response")
    assert not memory.skills.metrics().explores, "that is about one skill"
    assert memory.skills.explore(True).explores and tries() > 0


@pytest.mark.spec("KG-01")
def test_a_graph_to_draw_now_and_then(memory: Memory, clock: FrozenClock) -> None:
    start = clock.now()
    memory.remember("My sister Ana lives in Porto. Ana works at Acme.")
    clock.advance(days=30)
    memory.remember("Ana lives in Lisbon now.")
    now, then = memory.graph.view(), memory.graph.view(at=start + timedelta(days=1))

    def homes(relations: object) -> set[str]:
        return {each.other for each in relations if each.predicate == "lives_in"}  # type: ignore[attr-defined]

    assert homes(now.relations) == {"Lisbon"}
    assert homes(then.relations) == {"Porto"}
    names = {entity.name for entity in now.entities}
    assert {"user", "Ana", "Acme"} <= names and now.whole
    assert {end for one in now.relations for end in (one.one, one.other)} <= names
    near = memory.graph.view(limit=2, around="Acme")
    assert [entity.name for entity in near.entities] == ["Acme", "Ana"] and not near.whole
    assert memory.user("other").graph.view().entities == ()


def test_the_newest_of_the_audit_come_first_if_asked_for(memory: Memory) -> None:
    for n in range(5):
        memory.remember(f"Note {n} about the weather.")
    every = memory.admin.audit()
    last = memory.admin.audit(limit=2, before=every[-1].seq + 1)
    assert last == every[::-1][:2]
    assert memory.admin.audit(limit=9, before=last[-1].seq) == every[-3::-1]
