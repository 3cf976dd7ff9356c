"""Insights follow the evidence: weakened, withdrawn and drawn again as the counts change."""

import pytest
from tests.experience.looking import stored

from sharpwave import Action, Kind, Memory, TaskRun
from sharpwave.llm.prompts.sleep import DrawnInsight, InsightsOutput
from sharpwave.testing import FrozenClock, ScriptedLLM, in_memory
from sharpwave.types.experience import InsightType
from sharpwave.types.records import State


def attempt(memory: Memory, tool: str, times: int, error: str | None = None) -> None:
    for number in range(times):
        step = Action(tool, success=error is None, error=error)
        memory.agents.observe(TaskRun(f"stamp passport {number}", (step,), success=error is None))


def warnings(memory: Memory) -> list[str]:
    return [each.text for each in memory.agents.insights() if each.type is InsightType.WARNING]


@pytest.mark.spec("INS-04", "INS-07", "INS-09")
def test_a_repaired_error_is_weakened_and_then_withdrawn(memory: Memory) -> None:
    attempt(memory, "scan_visa", 8, error="lamp is dark")
    memory.agents.generate_insights()
    (sure,) = [i for i in memory.agents.insights() if "lamp" in i.text]
    assert sure.confidence == 0.8 and sure.validated
    attempt(memory, "scan_visa", 1)
    (weaker,) = [i for i in memory.agents.insights() if "lamp" in i.text]
    assert weaker.id == sure.id and weaker.confidence < sure.confidence
    assert "8 times (89 % of its 9 executions)" in weaker.text
    assert "Executions without it since: 1." in weaker.text
    attempt(memory, "scan_visa", 40)
    assert warnings(memory) == []
    shown = memory.agents.advise("stamp passport 900", {"tools": ["scan_visa"]})
    assert not any("lamp" in each.text for each in (*shown.insights, *shown.warnings))
    found = memory.recall("scan_visa lamp is dark", kinds=["insight"]).items
    assert not any("8 times" in item.record.text for item in found), "without sleep in between"


@pytest.mark.spec("INS-09")
def test_what_was_withdrawn_has_a_history_and_comes_back(memory: Memory) -> None:
    attempt(memory, "scan_visa", 6, error="lamp is dark")
    memory.agents.generate_insights()
    attempt(memory, "scan_visa", 30)
    versions = [r for r in stored(memory) if r.kind is Kind.INSIGHT and "lamp" in r.text]
    assert versions and all(r.standing.state is not State.ACTIVE for r in versions)
    assert versions[-1].standing.state is State.INVALIDATED
    attempt(memory, "scan_visa", 5, error="lamp is dark")
    memory.agents.generate_insights()
    (back,) = [text for text in warnings(memory) if "lamp" in text]
    assert "11 times (27 % of its 41 executions)" in back


def test_a_practice_that_breaks_is_not_recommended_the_next_time(memory: Memory) -> None:
    for number in range(30):
        steps = (Action("fill_kettle"), Action("boil"))
        memory.agents.observe(TaskRun(f"make tea {number}", steps, success=True))
    memory.agents.generate_insights()
    assert any("30 of 30" in each.text for each in memory.agents.advise("make tea 70").insights)
    for number in range(3):
        steps = (Action("fill_kettle"), Action("boil"))
        memory.agents.observe(TaskRun(f"make tea 5{number}", steps, success=False))
    shown = memory.agents.advise("make tea 71")
    assert not any("fill_kettle" in each.text for each in shown.insights)


def test_rates_in_stored_records_are_replaced_when_they_are_no_longer_likely(
    memory: Memory,
) -> None:
    attempt(memory, "open_gate", 20)
    memory.agents.generate_insights()
    attempt(memory, "open_gate", 15, error="stuck")
    texts = [r.text for r in stored(memory) if r.standing.state is State.ACTIVE]
    records = [text for text in texts if text.startswith("open_gate: ")]
    assert records and not any("20 of 20" in text for text in records)


def test_a_stream_without_change_makes_few_versions(memory: Memory) -> None:
    for number in range(200):
        bad = number % 5 == 3
        step = Action("weigh", success=not bad, error="scale drifts" if bad else None)
        memory.agents.observe(TaskRun(f"weigh parcel {number}", (step,), success=not bad))
        if number == 20:
            memory.agents.generate_insights()
    versions = [r for r in stored(memory) if r.kind is Kind.INSIGHT]
    assert len(versions) <= 12


@pytest.mark.spec("LLM-03")
def test_what_a_model_drew_ends_with_what_it_follows_from(clock: FrozenClock) -> None:
    drawn = InsightsOutput(insights=[DrawnInsight(text="The lamp fails at night.", turns=[1, 2])])
    memory = in_memory(clock=clock, llm=ScriptedLLM([drawn]))
    memory.admin.consent("egress", True)
    attempt(memory, "scan_visa", 6, error="lamp is dark")
    attempt(memory, "scan_seal", 6, error="seal is wet")
    assert "The lamp fails at night." in [i.text for i in memory.agents.generate_insights()]
    attempt(memory, "scan_visa", 20)
    attempt(memory, "scan_seal", 20)
    assert "The lamp fails at night." not in [i.text for i in memory.agents.insights()]
    (drawn_record,) = [r for r in stored(memory) if r.text == "The lamp fails at night."]
    assert drawn_record.standing.state is State.INVALIDATED


def test_unknown_outcomes_are_neither_failures_nor_successes(memory: Memory) -> None:
    for _ in range(6):
        memory.agents.log("glance", success=None)
    (tool,) = memory.agents.tools("general")
    assert (tool.successes, tool.failures, tool.contexts[0].success_rate) == (0, 0, 0.0)
    (advised,) = memory.agents.advise("glance at it", "general").tools
    assert advised.why == "named in the query; 6 executions of unknown outcome"


def test_the_value_that_is_said_to_work_better_does(memory: Memory) -> None:
    """Most used is not best: `gzip` never worked either."""
    rates = {"none": (0, 40), "gzip": (0, 39), "zstd": (30, 30), "lz4": (30, 30), "xz": (28, 30)}
    for codec, (good, total) in rates.items():
        for number in range(total):
            step = Action("pack", details={"codec": codec}, success=number < good)
            memory.agents.observe(TaskRun("pack it", (step,)))
    (hint,) = [r for r in memory.agents.tools()[0].recommendations if "codec" in r.message]
    assert hint.message.startswith("pack: avoid codec = none (0 of 40 succeeded, 88 of 129")
    assert "gzip works better" not in hint.message


def test_files_of_a_group_are_not_said_to_be_all_together(
    memory: Memory, clock: FrozenClock
) -> None:
    pairs = [("a.py", "b.py"), ("b.py", "c.py"), *((f"x{n}.py", f"y{n}.py") for n in range(6))]
    for number in range(64):
        for file in pairs[number % 8]:
            memory.agents.log("edit_file", file)
        clock.advance(hours=1)
    said = [p.description for p in memory.agents.patterns("file_access")]
    (group,) = [each for each in said if "b.py" in each]
    assert group == (
        "Worked on together, each with another of them at least 8 times: a.py, b.py, c.py."
    )
    assert "Worked on together 8 times: x0.py, y0.py." in said
