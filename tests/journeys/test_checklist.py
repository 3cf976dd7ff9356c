"""The nine parts of a memory on the documents' checklist, in one life of one user."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sharpwave import Decision, Kind, Memory, Message, Settings
from sharpwave.testing import FrozenClock
from sharpwave.types.answers import Verdict
from sharpwave.types.records import State

SAID = (
    "I live in Porto.",
    "Please remind me to renew my passport by Friday.",
    "From now on, answer in two sentences at most.",
    "We went to the lighthouse on Sunday, and the wind nearly took my hat into the sea.",
    "The keeper showed us the old lamp and the log book with every storm since the war.",
    "Then we had sardines at the harbour, and Rui told us how he had learned to sail.",
)
TIERS = {Kind.FACT, Kind.TASK, Kind.NOTE, Kind.TURN, Kind.BEHAVIOR}
SEED = 'active = "seed"\n[presets.seed]\n'
"""Weights without learned features: the documents' formulas."""


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock) as opened:
        opened.remember(SAID, session="first")
        opened.remember(Message("Look up the tide before you plan a walk.", kind="note"))
        yield opened


@pytest.mark.spec("EVL-38")
def test_every_part_of_the_checklist_is_there(
    memory: Memory, clock: FrozenClock, tmp_path: Path
) -> None:
    # 1. every tier is stored, each record with its vector
    stats = memory.admin.stats()
    assert TIERS <= set(stats.by_kind) and stats.vectors == stats.memories
    # 2. retrieval: candidates, scores with their terms, the best first
    found = memory.recall("Where did the wind take my hat?", k=3)
    assert "lighthouse" in found.items[0].text and len(found) <= 3
    assert all(item.terms for item in found)
    # 3. write gate and versions
    doubted = memory.remember("I think my dentist is Rui.").with_verdict(Verdict.REJECTED)
    assert [outcome.reason.partition(":")[0] for outcome in doubted] == ["too unsure"]
    memory.remember("I moved to Braga.")
    states = [(one.object, one.state) for one in memory.facts.history("user", "lives_in").versions]
    assert states == [("Porto", State.SUPERSEDED), ("Braga", State.ACTIVE)]
    # 4. summary of a session that has ended, and 5. what reflection learned from it
    clock.advance(days=2)
    assert memory.sleep().counts["summarised"] == 1
    (summary,) = [one.summary for one in memory.admin.sessions() if one.id == "first"]
    assert summary is not None and any(said in summary for said in SAID)
    assert any("two sentences" in one.rule for one in memory.behavior.rules())
    # 6. a contradiction, and the question that settles it
    memory.remember("I work at Acme.")
    (queued,) = memory.remember("I don't work at Acme.").learned
    (conflict,) = memory.facts.conflicts()
    assert queued.verdict is Verdict.QUEUED and conflict.question == queued.reason
    # 7. the prompt within its budget
    assert memory.context("Where do I live?", budget=150).tokens <= 150
    # 8. metrics: latency, tokens, calibration
    measured = memory.admin.performance()
    assert {one.name for one in measured.operations} >= {"remember", "recall", "context"}
    assert all(one.p95_ms > 0 for one in measured.operations) and measured.most_tokens > 0
    memory.facts.confirm(memory.facts.list(predicate="lives_in")[0].id)
    assert memory.admin.calibration().brier is not None
    # 9. other weights from a file
    (tmp_path / "weights.toml").write_text(SEED)
    memory.close()
    other = Settings(weights_file=tmp_path / "weights.toml")
    with Memory.open(tmp_path / "m.db", settings=other, clock=clock) as changed:
        again = changed.recall("Where did the wind take my hat?", k=3)
        assert "lighthouse" in again.items[0].text
        assert again.items[0].terms.keys() != found.items[0].terms.keys()
        assert again.decision in Decision
