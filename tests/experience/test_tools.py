"""Track records of tools: counts and quantiles, errors with what worked, parameters that matter."""

import random
from dataclasses import replace

import pytest

from sharpwave import Action, Memory, TaskRun
from sharpwave.testing import FrozenClock
from sharpwave.types.experience import InsightType


@pytest.mark.spec("TOOL-01", "TOOL-02", "TOOL-07")
def test_running_statistics_by_context(memory: Memory, clock: FrozenClock) -> None:
    rng = random.Random(1)
    times = [rng.lognormvariate(5, 1) for _ in range(200)]
    for number, ms in enumerate(times):
        bad = number % 4 == 0
        step = Action("fetch", success=not bad, duration_ms=ms, retries=int(bad))
        context = "mirror" if bad else "origin"
        memory.agents.observe(TaskRun("get it", (step,), context=context, success=not bad))
    clock.advance(hours=1)
    (tool,) = memory.agents.tools()
    assert (tool.executions, tool.successes, tool.failures) == (200, 150, 50)
    assert tool.last_updated < clock.now(), "with its last use, an hour ago"
    assert tool.avg_duration_ms == pytest.approx(sum(times) / 200)
    assert tool.p50_ms == pytest.approx(sorted(times)[100], rel=0.06)
    assert tool.p95_ms == pytest.approx(sorted(times)[189], rel=0.06)
    assert tool.avg_retries == 0.25
    assert [(c.context, c.uses, c.success_rate) for c in tool.contexts] == [
        ("origin", 150, 1.0),
        ("mirror", 50, 0.0),
    ]
    assert (tool.tasks, tool.task_success_rate) == (200, 0.75)
    slow = [ms for number, ms in enumerate(times) if number % 4 == 0]
    assert tool.contexts[1].avg_duration_ms == pytest.approx(sum(slow) / 50, rel=1e-4)


@pytest.mark.spec("TOOL-03", "PAT-04", "AGT-09")
def test_errors_with_what_followed_and_worked(memory: Memory) -> None:
    for number in range(4):
        steps = (
            Action("push", error=f"remote rejected abc{number}12def45678", success=False),
            Action("pull"),
            Action("push"),
        )
        memory.agents.observe(TaskRun(f"publish change {number}", steps, success=True))
    memory.agents.observe(TaskRun("publish", (Action("push"),), success=True))
    push = next(tool for tool in memory.agents.tools() if tool.name == "push")
    (error,) = push.errors
    assert (error.error, error.count) == ("remote rejected *", 4)
    assert error.percentage == pytest.approx(100 * 4 / 9)
    assert error.solutions == ("first pull",)
    assert any("first pull" in each.message for each in push.recommendations)
    (pattern,) = memory.agents.patterns("error_pattern")
    assert (pattern.support, pattern.successes, pattern.solutions) == (4, 4, ("first pull",))


def test_the_parameter_that_made_it_work_is_told(memory: Memory) -> None:
    for _ in range(2):
        steps = (
            Action("query", details={"limit": 500, "table": "users"}, error="too many rows"),
            Action("query", details={"limit": 50, "table": "users"}),
        )
        failed = replace(steps[0], success=False)
        memory.agents.observe(TaskRun("count users", (failed, steps[1]), success=True))
    (pattern,) = memory.agents.patterns("error_pattern")
    assert pattern.solutions == ("call it with limit = 50",)


@pytest.mark.spec("TOOL-04", "TOOL-05")
def test_parameters_that_separate_success_from_failure(memory: Memory) -> None:
    rng = random.Random(7)
    for number in range(60):
        cabin = rng.choice(["economy", "basic"])
        seat = rng.choice(["aisle", "window"])
        good = rng.random() < (0.95 if cabin == "economy" else 0.2)
        details = {"cabin": cabin, "seat": seat, "user": f"user_{number}"}
        memory.agents.observe(
            TaskRun("change it", (Action("change", details=details),), success=good)
        )
    (tool,) = memory.agents.tools()
    (found,) = tool.parameters
    assert found.parameter == "cabin" and found.chance < 0.01 and found.importance > 0.5
    assert (found.optimal_value, found.worst_value) == ("economy", "basic")
    (hint,) = [each for each in tool.recommendations if "cabin" in each.message]
    assert hint.evidence and hint.confidence > 0.99
    assert found.value_pattern == "basic or economy" and hint.type is InsightType.WARNING


def test_chance_separates_nothing(memory: Memory) -> None:
    """Parameters that have nothing to do with the outcome are told in few of many tools."""
    rng = random.Random(11)
    for _ in range(40):
        steps = tuple(
            Action(f"tool_{tool}", details={f"p{n}": rng.choice("abc") for n in range(4)})
            for tool in range(20)
        )
        memory.agents.observe(TaskRun("try", steps, success=rng.random() < 0.5))
    told = [tool for tool in memory.agents.tools() if tool.parameters]
    assert len(told) <= 3, "at most one in twenty tools, and a little luck"


@pytest.mark.spec("TOOL-08")
def test_the_best_tool_of_a_context_comes_first(memory: Memory) -> None:
    for number in range(12):
        slow = Action("scan_all", success=number % 2 == 0)
        fast = Action("scan_index", success=True)
        memory.agents.observe(TaskRun("find", (slow,), context="lookup", success=True))
        memory.agents.observe(TaskRun("find", (fast,), context="lookup", success=True))
    memory.agents.observe(TaskRun("find", (Action("scan_new"),), context="lookup", success=True))
    paper = TaskRun("file", (Action("scan_paper"),), context="office", success=True)
    memory.agents.observe([paper] * 20)
    ranked = [tool.name for tool in memory.agents.tools("lookup", "scan")]
    assert ranked[3:] == ["scan_paper"], "never used for a lookup, however well it does elsewhere"
    assert ranked[0] == "scan_index", "one success is not worth twelve"
    assert memory.agents.tools("lookup", "delete") == []
    first = memory.agents.advise("find", {"context": "lookup"}).tools[0]
    assert first.name == "scan_index" and "12 of 12 for lookup" in f"{first.text} {first.why}"


@pytest.mark.spec("BEH-17")
def test_models_have_records_too(memory: Memory) -> None:
    for number in range(10):
        step = (Action("go", retries=number % 2),)
        memory.agents.observe(TaskRun("x y", step, success=number < 9, model="large"))
        memory.agents.observe(TaskRun("x y", step, success=number < 5, model="small"))
    best, other = memory.agents.models()
    assert (best.model, best.success_rate, other.success_rate) == ("large", 0.9, 0.5)
    assert best.avg_retries == 0.5


@pytest.mark.spec("BEH-17", "SLP-20", "TOOL-05")
def test_work_teaches_plans_what_helps_after_an_error_and_what_is_slow(memory: Memory) -> None:
    refused = Action("upload", success=False, error="quota exceeded")
    steps = (refused, Action("delete_old"), Action("upload", duration_ms=20_000.0))
    for number in range(6):
        plan = ("pack", "upload")
        memory.agents.observe(TaskRun(f"back up disk {number}", steps, plan=plan, success=True))
    (template,) = memory.agents.patterns("plan_pattern")
    assert template.steps == ("pack", "upload") and template.success_rate == 1.0
    upload = next(tool for tool in memory.agents.tools() if tool.name == "upload")
    told = {hint.type: hint.message for hint in upload.recommendations}
    assert "first delete_old" in told[InsightType.WARNING], "what to try again with"
    assert "slow: 20.0 s" in told[InsightType.OPTIMIZATION]
    assert all(0 < hint.confidence <= 1 and hint.evidence for hint in upload.recommendations)


def test_a_tool_that_fails_is_warned_of(memory: Memory) -> None:
    for number in range(10):
        memory.agents.observe(
            TaskRun("try it", (Action("flaky", success=number < 3),), success=False)
        )
    (tool,) = memory.agents.tools()
    assert tool.recommendations[0].type is InsightType.WARNING
    assert "3 of 10" in tool.recommendations[0].message


@pytest.mark.parametrize("error", ["", None])
def test_an_empty_error_is_none(memory: Memory, error: str | None) -> None:
    memory.agents.observe({"query": "get it", "steps": [{"tool": "fetch", "error": error}]})
    memory.agents.log("fetch", details={"error": error})
    (tool,) = memory.agents.tools()
    assert (tool.executions, tool.failures, tool.errors) == (2, 0, ())
