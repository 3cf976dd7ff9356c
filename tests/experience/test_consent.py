"""Without consent to learning nothing is learned, and nothing that was learned is used."""

import pytest

from sharpwave import Action, Kind, Memory, TaskRun
from sharpwave.errors import NoConsent
from sharpwave.testing import FrozenClock, workspace_of

LEARNED = {Kind.PATTERN, Kind.TOOL_RECORD, Kind.INSIGHT}
STEPS = ("look_up", "pay", "confirm")


def work(memory: Memory, clock: FrozenClock, times: int, steps: tuple[str, ...] = STEPS) -> None:
    for _ in range(times):
        clock.advance(hours=1)
        done = tuple(Action(name) for name in steps)
        memory.agents.observe(TaskRun("pay the invoice of Ana", done, success=True))
        for name in steps:
            memory.agents.log(name, "invoice.txt")


def used(memory: Memory) -> list[object]:
    """All that was learned, wherever it shows."""
    advice = memory.agents.advise("pay the invoice of Ana", {"done": ["look_up"]}, "act")
    listed = (advice.patterns, advice.tools, advice.insights, advice.warnings, advice.next_steps)
    recalled = [
        item.record
        for item in memory.recall("pay the invoice, look_up, confirm", k=50).items
        if item.record.kind in LEARNED
    ]
    return [
        *(one for some in listed for one in some),
        *advice.plans,
        *memory.agents.patterns(),
        *memory.agents.tools(),
        *memory.agents.insights(),
        *memory.agents.models(),
        *memory.agents.detect_patterns(STEPS),
        *recalled,
    ]


def test_nothing_learned_is_used_while_consent_is_withdrawn(
    memory: Memory, clock: FrozenClock
) -> None:
    work(memory, clock, 6)
    memory.agents.generate_insights()
    before = used(memory)
    memory.admin.consent("learning", False)
    assert used(memory) == []
    advice = memory.agents.advise("pay the invoice of Ana")
    assert advice.success_chance is None and "does not agree" in advice.notes[0]
    assert memory.agents.metrics().tasks == 0
    assert memory.agents.generate_insights() == [] and memory.agents.rebuild() == 0
    with pytest.raises(NoConsent, match="does not agree"):
        memory.agents.add_insight("Look before you pay.")
    memory.admin.consent("learning", True)
    assert len(used(memory)) == len(before) > 0, "nothing of it was lost"


def test_what_is_logged_meanwhile_never_teaches(memory: Memory, clock: FrozenClock) -> None:
    work(memory, clock, 2)
    memory.admin.consent("learning", False)
    work(memory, clock, 6, ("guess", "pay", "pray"))
    memory.sleep()
    assert memory.recall("guess pay pray").items, "it is remembered all the same"
    memory.admin.consent("learning", True)
    for _ in range(2):
        assert {tool.name for tool in memory.agents.tools()} == set(STEPS)
        plans = memory.agents.advise("pay the invoice of Ana").plans
        assert [plan.text for plan in plans] == ["look_up → pay → confirm"]
        assert memory.agents.rebuild() == 2 + 2 * len(STEPS), "also when it is learned anew"


def test_forgetting_meanwhile_leaves_nothing_learned(memory: Memory, clock: FrozenClock) -> None:
    work(memory, clock, 6)
    memory.agents.generate_insights()
    logged = memory.agents.log("pay", "secret.txt")
    memory.admin.consent("learning", False)
    memory.forget(logged.interaction_id)
    assert memory.admin.stats().by_kind.keys() & {kind.value for kind in LEARNED} == set()
    memory.admin.consent("learning", True)
    assert {tool.name: tool.executions for tool in memory.agents.tools()} == dict.fromkeys(
        STEPS, 12
    )


def test_who_never_agreed_is_not_looked_through_again(memory: Memory) -> None:
    memory.admin.consent("learning", False)
    memory.agents.log("pay")
    memory.admin.consent("learning", True)
    assert not memory.agents.tools() and not memory.agents.patterns()
    seen = workspace_of(memory).store.head()
    assert memory.agents.tools() == [] and workspace_of(memory).store.head() == seen
