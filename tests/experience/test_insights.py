"""Insights: drawn, stored, checked, ranked and dropped; in versions, never twice."""

from pathlib import Path

import pytest
from tests.experience.looking import stored

from sharpwave import Action, InvalidInput, Kind, Memory, TaskRun
from sharpwave.errors import ProviderUnavailable
from sharpwave.llm.prompts.sleep import DrawnInsight, InsightsOutput
from sharpwave.testing import FrozenClock, ScriptedLLM, in_memory
from sharpwave.types.experience import InsightType
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import State


def succeed(memory: Memory, times: int, success: bool = True) -> None:
    for number in range(times):
        steps = (Action("plan_route"), Action("drive"))
        memory.agents.observe(TaskRun(f"deliver parcel {number}", steps, success=success))


@pytest.mark.spec("INS-06")
@pytest.mark.parametrize(("times", "rate"), [(4, None), (9, None), (10, 10 / 11)])
def test_a_best_practice_succeeded_more_than_nine_times_of_ten(
    memory: Memory, times: int, rate: float | None
) -> None:
    succeed(memory, 1, success=False)
    succeed(memory, times)
    drawn = {
        insight.confidence
        for insight in memory.agents.generate_insights()
        if insight.type is InsightType.BEST_PRACTICE
    }
    assert drawn == ({rate} if rate else set())


@pytest.mark.spec("INS-06", "SLP-20")
def test_a_best_practice_is_drawn_once_and_updated(memory: Memory) -> None:
    succeed(memory, 4)
    assert memory.agents.generate_insights() == [], "four times is too few"
    succeed(memory, 2)
    first = memory.agents.generate_insights()
    assert {insight.type for insight in first} == {InsightType.BEST_PRACTICE}
    assert "6 of 6" in first[0].text and first[0].evidence and first[0].validated
    assert 0 < first[0].evidence_strength < 1 and first[0].confidence == 1.0
    assert [insight.id for insight in memory.agents.generate_insights()] == [
        insight.id for insight in first
    ]
    succeed(memory, 10)
    later = memory.agents.generate_insights()
    assert {insight.id for insight in later} == {insight.id for insight in first}
    assert "16 of 16" in later[0].text
    versions = [r for r in stored(memory) if r.kind is Kind.INSIGHT]
    states = [record.standing.state for record in versions]
    assert states.count(State.ACTIVE) == len(later), "the older versions are superseded"


@pytest.mark.spec("SLP-23", "WR-12")
def test_sleep_finds_patterns_settles_tools_and_draws_and_checks_insights(
    tmp_path: Path, clock: FrozenClock
) -> None:
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        wrong = memory.agents.add_insight("Never weigh the parcel.", confidence=0.6)
        for number in range(12):
            error = "printer offline" if number % 4 == 0 else None
            label = {"tool": "print_label", "error": error}
            steps = [{"tool": "weigh"}, label, {"tool": "hand_over"}]
            run = {"query": f"send parcel {number}", "steps": steps, "success": True}
            memory.agents.observe(run)
            memory.agents.rate(wrong.id, success=False, by="user")
        clock.advance(days=1)
        report = memory.sleep()
        assert report.counts["learned"] > 0
        kinds = {pattern.type.value for pattern in memory.agents.patterns()}
        assert kinds >= {"query_pattern", "tool_sequence", "error_pattern"}
        tools = {tool.name: tool for tool in memory.agents.tools()}
        assert tools["weigh"].success_rate == 1.0 and tools["print_label"].success_rate == 0.75
        drawn = {one.text: one for one in memory.agents.insights() if one.generated}
        assert any("print_label" in text for text in drawn)
        assert all(one.validated and one.evidence for one in drawn.values())
        assert wrong.id not in {one.id for one in memory.agents.insights()}, "refuted"


@pytest.mark.spec("INS-07", "SLP-20")
def test_errors_become_warnings_by_their_share(memory: Memory) -> None:
    for number in range(40):
        late, dry = number % 7 == 4, number % 13 == 0
        step = Action("send", success=not late, error="timeout" if late else None)
        rare = Action("stamp", success=not dry, error="no ink" if dry else None)
        memory.agents.observe(TaskRun(f"post letter {number}", (step, rare), success=True))
    warnings = {
        i.text.split()[0]: i
        for i in memory.agents.generate_insights()
        if i.type is InsightType.WARNING
    }
    assert warnings["send"].confidence == 0.8, "15 % of its executions"
    assert warnings["stamp"].confidence == 0.5, "less than 10 %"


@pytest.mark.spec("INS-05", "INS-08")
def test_agents_store_their_own(memory: Memory, clock: FrozenClock) -> None:
    memory.agents.observe(TaskRun("x y z", (Action("a"),), task_id="t1"))
    stored = memory.agents.add_insight(
        "Ask before you delete anything.",
        "rule",
        {"agents": ["cleaner"], "contexts": ["cleanup"]},
        [{"task_id": "t1", "description": "it went wrong once"}],
        0.9,
    )
    again = memory.agents.add_insight("Ask before you delete anything.", "rule", confidence=0.95)
    assert again.id == stored.id and len(memory.agents.insights()) == 1
    memory.agents.add_insight("Ask before you delete anything.", "rule", {"agents": ["cleaner"]})
    asked = {"agent": "cleaner"}
    assert memory.agents.advise("delete old files", asked).insights[0].name == stored.id
    assert memory.agents.advise("delete old files", {"agent": "cook"}).insights == ()
    memory.agents.log("wait")  # takes the count of uses along
    (used,) = memory.agents.insights()
    assert used.usage_count == 1 and used.last_used == used.created_at == clock.now()
    with pytest.raises(InvalidInput, match="insight_type"):
        memory.agents.add_insight("x", "hunch")
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        memory.agents.add_insight("x", confidence=2.0)


@pytest.mark.spec("INS-09", "INS-10", "SLP-20")
def test_new_evidence_validates_and_refutes(memory: Memory, clock: FrozenClock) -> None:
    good = memory.agents.add_insight("Warm the oven first.", confidence=0.6)
    bad = memory.agents.add_insight("Salt makes water boil faster.", confidence=0.9)
    dead = memory.agents.add_insight("Perhaps it matters on Mondays.", confidence=0.2)
    assert [insight.id for insight in memory.agents.insights()] == [bad.id, good.id, dead.id], (
        "ranked"
    )
    for _ in range(4):
        memory.agents.rate(good.id, success=True, by="user")
        memory.agents.rate(bad.id, success=False, by="user")
    clock.advance(days=31)
    (left,) = memory.agents.generate_insights()
    assert left.id == good.id and left.validated and left.validated_by == "user"
    assert left.validated_at is not None
    assert left.confidence > 0.5


def test_an_unsure_insight_that_nobody_uses_is_dropped(clock: FrozenClock) -> None:
    with in_memory(clock=clock) as memory:
        memory.agents.add_insight("Perhaps it matters on Mondays.", confidence=0.2)
        clock.advance(days=29)
        assert len(memory.agents.generate_insights()) == 1
        clock.advance(days=2)
        assert memory.agents.generate_insights() == []


@pytest.mark.spec("LLM-03", "SLP-20")
def test_a_model_reads_lessons_side_by_side(clock: FrozenClock) -> None:
    """Stage 4 with a model: only with consent, with what it rests on, and never in the way."""
    drawn = InsightsOutput(
        insights=[
            DrawnInsight(text="Plan the route before you drive.", turns=[1, 2]),
            DrawnInsight(text="It rests on one lesson only.", turns=[1]),
            DrawnInsight(text="It rests on nothing that was shown.", turns=[7, 9]),
        ]
    )
    llm = ScriptedLLM([drawn, ProviderUnavailable("down")])
    memory = in_memory(clock=clock, llm=llm)
    succeed(memory, 6)
    memory.admin.consent("egress", False)
    assert not any("before you drive" in each.text for each in memory.agents.generate_insights()), (
        "nobody agreed"
    )
    memory.admin.consent("egress", True)
    told = {each.text: each for each in memory.agents.generate_insights()}
    found = told["Plan the route before you drive."]
    assert found.type is InsightType.RULE and found.confidence == 1.0 and found.evidence
    assert not any("rests on" in text for text in told)
    assert memory.admin.spending().calls == 1
    assert [one.role for one in llm.asked] == [LLMRole.ANALYZER]
    assert {each.text for each in memory.agents.generate_insights()} == set(told), (
        "a failing model takes nothing away"
    )


def test_what_an_agent_stores_is_redacted(memory: Memory) -> None:
    key = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    where = {"contexts": [f"deploy {key}"], "conditions": {"env": {key: key}}}
    told = memory.agents.add_insight(f"Log in with {key} first", applies_to=where)
    assert told.text == "Log in with [REDACTED_KEY] first"
    assert all(key not in str(record) for record in stored(memory))
    memory.skills.create("deploying", f"Always log in with {key}.")
    assert key not in memory.skills.get("deploying").skill.template
