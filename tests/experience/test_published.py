"""What people read: patterns and tool records as records, in versions, with evidence."""

import pytest
from tests.experience.looking import stored

from sharpwave import Kind, Memory
from sharpwave.experience.matching import key_phrases, keywords
from sharpwave.formulas.text import keyword_similarity
from sharpwave.testing import FrozenClock
from sharpwave.types.experience import PatternType
from sharpwave.types.records import State


def do(memory: Memory, clock: FrozenClock, times: int) -> None:
    for _ in range(times):
        for action in ("read_file", "edit_file", "run_tests", "commit"):
            clock.advance(seconds=15)
            memory.agents.log(action, "src/app.py", success=None)
        clock.advance(hours=1)


@pytest.mark.spec("TOOL-09", "PAT-19")
def test_published_now_and_then_in_versions(memory: Memory, clock: FrozenClock) -> None:
    do(memory, clock, 12)
    assert {r.kind for r in stored(memory)} == {Kind.INTERACTION}, "nothing with each lesson"
    do(memory, clock, 1)  # 52 lessons: the first publication is at 50
    found = [r for r in stored(memory) if r.kind in (Kind.PATTERN, Kind.TOOL_RECORD)]
    assert {r.kind for r in found} == {Kind.PATTERN, Kind.TOOL_RECORD}
    (pattern,) = [r for r in found if r.kind is Kind.PATTERN]
    assert pattern.metadata["type"] == PatternType.WORKFLOW
    assert pattern.metadata["confidence"] == 0.5, "nobody said how it ended"
    assert pattern.metadata["avg_duration_ms"] == 45_000.0
    assert (pattern.metadata["support"], pattern.metadata["contexts"]) == (12, ["py"])
    assert (pattern.metadata["successes"], pattern.metadata["failures"]) == (0, 0)
    assert str(pattern.metadata["first_seen"]) < str(pattern.metadata["last_seen"])
    assert pattern.provenance.parents and pattern.slot and pattern.slot.startswith("pattern|")
    do(memory, clock, 20)  # past 100 lessons
    versions = [r for r in stored(memory) if r.slot == pattern.slot]
    assert [r.standing.state for r in versions] == [State.SUPERSEDED, State.ACTIVE]
    assert versions[0].standing.superseded_by == versions[1].id
    few = [r for r in stored(memory) if r.kind is not Kind.INTERACTION]
    assert len(few) == 10, "a second version of each when it was seen twice as often"
    assert memory.recall("run tests and commit", kinds=["pattern"]).items[0].record == versions[1]


def test_what_is_no_pattern_any_more_is_closed(memory: Memory, clock: FrozenClock) -> None:
    do(memory, clock, 4)
    memory.agents.generate_insights()
    (before,) = [r for r in stored(memory) if r.kind is Kind.PATTERN]
    for number in range(60):  # now everything follows everything
        for place in range(4):
            steps = ("commit", "run_tests", "read_file", "edit_file")
            clock.advance(seconds=15)
            memory.agents.log(steps[(place * (1 + number % 3) + number) % 4])
        clock.advance(hours=1)
    memory.agents.generate_insights()
    (after,) = [r for r in stored(memory) if r.id == before.id]
    assert after.standing.state in (State.INVALIDATED, State.SUPERSEDED)


@pytest.mark.spec("INTP-04")
def test_likeness_of_queries_by_their_keywords() -> None:
    one, other = "Please fix the bug in auth", "fix another auth bug now"
    assert keywords(one) == ["fix", "bug", "auth"]
    assert keyword_similarity(set(keywords(one)), set(keywords(other))) == 0.75
    assert key_phrases(one)[:2] == ["fix bug", "bug auth"]
