"""To whom and when an insight applies, and what an agent gets before it thinks and plans."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sharpwave import Action, Memory, TaskRun
from sharpwave.testing import FrozenClock
from sharpwave.types.experience import InsightType

ASK = "Ask before you delete a backup."
HERE = {"agent": "janitor", "context": "cleanup", "env": "prod"}


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock) as opened:
        yield opened


def advised(memory: Memory, context: Mapping[str, object]) -> list[str]:
    return [each.text for each in memory.agents.advise("delete the old backup", context).insights]


@pytest.mark.spec("INS-02")
def test_an_insight_is_for_its_agents_contexts_and_conditions(memory: Memory) -> None:
    applies = {"agents": ["janitor"], "contexts": ["cleanup"], "conditions": {"env": "prod"}}
    memory.agents.add_insight(ASK, "rule", applies)
    memory.agents.add_insight("Backups lie on the second disk.", "rule")
    (stored,) = [one for one in memory.agents.insights() if one.text == ASK]
    assert (stored.agents, stored.contexts) == (("janitor",), ("cleanup",))
    assert stored.conditions == {"env": "prod"}
    assert ASK in advised(memory, HERE)
    for elsewhere in ({"agent": "baker"}, {"context": "baking"}, {"env": "test"}):
        found = advised(memory, {**HERE, **elsewhere})
        assert found == ["Backups lie on the second disk."], "what names nothing is for all"


@pytest.mark.spec("INS-01")
@pytest.mark.parametrize("kind", list(InsightType))
def test_an_insight_has_an_id_one_of_five_types_and_words(memory: Memory, kind: str) -> None:
    stored = memory.agents.add_insight(ASK, kind)
    (found,) = memory.agents.insights(kind)
    assert (found.id, found.type.value, found.text) == (stored.id, kind, ASK)
    assert found.rule is None, "none was given"


@pytest.mark.spec("INS-04")
@pytest.mark.parametrize("by", ["user", "agent"])
def test_who_validated_an_insight_and_when(memory: Memory, clock: FrozenClock, by: str) -> None:
    stored = memory.agents.add_insight(ASK, "rule", confidence=0.6)
    assert (stored.validated, stored.validated_by, stored.validated_at) == (False, None, None)
    for _ in range(4):
        clock.advance(hours=1)
        memory.agents.rate(stored.id, success=True, by=by)
    (found,) = memory.agents.generate_insights()
    assert (found.validated, found.validated_by) == (True, by)
    assert found.validated_at == clock.now()


def work(memory: Memory, clock: FrozenClock) -> None:
    for number in range(8):
        steps = (Action("read_meter"), Action("fill_form"), Action("send_form"))
        run = TaskRun(
            f"report the meter of flat {number}", steps, context="utilities", success=True
        )
        memory.agents.observe(run)
        clock.advance(hours=1)
    memory.sleep()


@pytest.mark.spec("RD-19")
def test_before_thinking_an_agent_gets_similar_patterns_and_insights(
    memory: Memory, clock: FrozenClock
) -> None:
    work(memory, clock)
    advice = memory.agents.advise("report the meter of flat 31", stage="think")
    assert advice.patterns[0].name == "query_pattern:report_the_meter_of_flat_*"
    assert any("8 of 8" in each.text for each in advice.insights)
    assert all(each.why for each in (*advice.patterns, *advice.insights))
    assert memory.agents.advise("paint the fence", stage="think").patterns == ()


@pytest.mark.spec("RD-20")
def test_before_planning_an_agent_gets_tools_and_a_plan(memory: Memory, clock: FrozenClock) -> None:
    work(memory, clock)
    advice = memory.agents.advise(
        "report the meter of flat 31", {"context": "utilities"}, stage="plan"
    )
    assert {each.name for each in advice.tools} == {"read_meter", "fill_form", "send_form"}
    assert advice.plans[0].text == "read_meter → fill_form → send_form"
    assert advice.patterns and all(each.why for each in advice.tools)
    only = memory.agents.advise(
        "report the meter of flat 31", {"tools": ["read_meter"]}, stage="plan"
    )
    assert {each.name for each in only.tools} == {"read_meter"}
