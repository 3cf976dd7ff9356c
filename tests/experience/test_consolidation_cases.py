"""The consolidation cases of the documents, as far as they are about experience.

They are written for an implementation that copies interactions into a `working` table by count,
and those into `episodic` and `semantic` ones. Here nothing is copied: an interaction is stored
once, its stage says how far it is, and sleep moves that. What the cases want of experience is
shown below: every interaction is a source of its own, sessions are kept apart, what was seen too
seldom is no pattern, files that come back are grouped, and what recurs becomes lasting knowledge.
"""

from typing import Any

import pytest
from tests.experience.looking import stored
from tests.experience.test_tasks import cases

from sharpwave import Kind, Memory
from sharpwave.experience import publish
from sharpwave.testing import FrozenClock
from sharpwave.types.records import Stage, State

FILE = "bicameral_consolidation_cases.json"


@pytest.fixture(params=["active-working", "below-threshold", "sources-tracked", "one-per-session"])
def case(request: pytest.FixtureRequest) -> Any:
    return next(each for each in cases(FILE)["cases"] if each["id"] == request.param)


def test_interactions_are_sources_by_session(memory: Memory, case: Any) -> None:
    for one in case["interactions"]:
        memory.agents.log(one["action"], one["file"], session=one["session"])
    records = [r for r in stored(memory) if r.kind is Kind.INTERACTION]
    assert len(records) == len(case["interactions"])
    assert len({r.session_id for r in records}) == len({i["session"] for i in case["interactions"]})
    assert memory.agents.patterns("workflow") == [], "one action over and over is no workflow"


def test_files_that_come_back_are_told(memory: Memory) -> None:
    """`group-by-file`: the original groups work sessions by the file they touch."""
    (case,) = [each for each in cases(FILE)["cases"] if each["id"] == "group-by-file"]
    for one in case["interactions"]:
        memory.agents.log(one["action"], one["file"], session=one["session"])
    sessions = {
        session
        for session in {one["session"] for one in case["interactions"]}
        if any("auth.py" in item.text for item in memory.recall("auth.py", session=session))
    }
    assert len(sessions) == 2 == case["expect"]["auth_group_size_min"]


def test_what_sessions_share_is_found_over_all_of_them(memory: Memory, clock: FrozenClock) -> None:
    """`working-episodic`: work sessions on one file become an episode about it.

    There a second run copies them once more. Here nothing waits for a run: the file leads to the
    work of every session, before the night and after it, and no night copies or drops any of it.
    """
    (case,) = [each for each in cases(FILE)["cases"] if each["id"] == "working-episodic"]
    for one in case["interactions"]:
        clock.advance(seconds=20)
        memory.agents.log(one["action"], one["file"], session=one["session"])
    shared = "shared_module.py"
    sessions = {one["session"] for one in case["interactions"] if one["file"] == shared}
    for _ in range(2):
        for session in sessions:
            found = memory.recall(shared, session=session).items
            assert found and shared in found[0].text
        clock.advance(days=1)
        memory.sleep()
    kept = [r for r in stored(memory) if r.kind is Kind.INTERACTION]
    assert len(kept) == len(case["interactions"])


def test_what_went_into_something_else_says_into_what(memory: Memory) -> None:
    """`archive-removes-from-active`: an archived row has a reason, and what it was made into.

    Here it is the start of an interaction that makes place for the complete one.
    """
    (case,) = cases(FILE)["archival"]
    opened = [memory.agents.start(f"task {n}", durable=True) for n in range(case["n"])]
    done = [each.complete(success=True).interaction_id for each in opened[: case["archive"]]]
    starts = [r for r in stored(memory) if r.metadata.get("form") == "started"]
    gone = [r for r in starts if r.standing.state is State.SUPERSEDED]
    assert len(starts) == case["n"] and len(gone) == case["expect"]["archived"]
    assert [record.standing.superseded_by for record in gone] == done
    current = memory.recall("task", k=2 * case["n"]).items
    assert not {record.id for record in gone} & {item.record.id for item in current}


def test_what_recurs_becomes_lasting(
    memory: Memory, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`pattern-semantic`: at the threshold of the case, a workflow done four times is semantic."""
    given = cases(FILE)
    (case,) = [each for each in given["cases"] if each["id"] == "pattern-semantic"]
    least = given["test_thresholds"]["min_frequency_for_semantic"]
    monkeypatch.setattr(publish, "BEST_PRACTICE_USES", least)
    for pattern in case["patterns"]:
        clock.advance(hours=1)
        for action in pattern["sequence"]:
            memory.agents.log(action)
    memory.agents.generate_insights()
    (found,) = [r for r in stored(memory) if r.kind is Kind.PATTERN]
    assert found.standing.stage is Stage.SEMANTIC
    assert found.standing.seen_count == 4 and len(found.provenance.parents) == 16
