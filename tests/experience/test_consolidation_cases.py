"""The consolidation cases of the documents, as far as they are about experience.

They are written for an implementation that copies interactions into a `working` table by count,
and those into `episodic` and `semantic` ones. Here nothing is copied: an interaction is stored
once, its stage says how far it is, and sleep moves that. What the cases want of experience is
shown below: every interaction is a source of its own, sessions are kept apart, what was seen too
seldom is no pattern, files that come back are grouped, and what recurs becomes lasting knowledge.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.experience.looking import stored
from tests.experience.test_tasks import cases

from sharpwave import Memory, Settings
from sharpwave.testing import FrozenClock
from sharpwave.tunables.experience import ExperienceSettings, InsightSettings
from sharpwave.types.records import Kind, Stage

FILE = "bicameral_consolidation_cases.json"


@pytest.fixture(params=["active-working", "below-threshold", "sources-tracked", "one-per-session"])
def case(request: pytest.FixtureRequest) -> Any:
    return next(each for each in cases(FILE)["cases"] if each["id"] == request.param)


def test_interactions_are_sources_by_session(memory: Memory, case: Any) -> None:
    for one in case["interactions"]:
        memory.log_interaction(one["action"], one["file"], session=one["session"])
    records = [r for r in stored(memory) if r.kind is Kind.INTERACTION]
    assert len(records) == len(case["interactions"])
    assert len({r.session_id for r in records}) == len({i["session"] for i in case["interactions"]})
    assert memory.patterns("workflow") == [], "one action over and over is no workflow"


def test_files_that_come_back_are_told(memory: Memory) -> None:
    """`group-by-file`: the original groups work sessions by the file they touch."""
    (case,) = [each for each in cases(FILE)["cases"] if each["id"] == "group-by-file"]
    for one in case["interactions"]:
        memory.log_interaction(one["action"], one["file"], session=one["session"])
    sessions = {
        session
        for session in {one["session"] for one in case["interactions"]}
        if any("auth.py" in item.text for item in memory.recall("auth.py", session=session))
    }
    assert len(sessions) == 2 == case["expect"]["auth_group_size_min"]


@pytest.mark.spec("PAT-05")
def test_what_recurs_becomes_lasting(tmp_path: Path, clock: FrozenClock) -> None:
    """`pattern-semantic`: at the threshold of the case, a workflow done four times is semantic."""
    given = cases(FILE)
    (case,) = [each for each in given["cases"] if each["id"] == "pattern-semantic"]
    least = given["test_thresholds"]["min_frequency_for_semantic"]
    experience = ExperienceSettings(insights=InsightSettings(best_uses=least))
    settings = Settings(experience=experience)
    with Memory.open(tmp_path / "m.db", clock=clock, settings=settings) as memory:
        for pattern in case["patterns"]:
            clock.advance(hours=1)
            for action in pattern["sequence"]:
                memory.log_interaction(action)
        memory.learn()
        (found,) = [r for r in stored(memory) if r.kind is Kind.PATTERN]
    assert found.standing.stage is Stage.SEMANTIC
    assert found.standing.seen_count == 4 and len(found.provenance.parents) == 16
