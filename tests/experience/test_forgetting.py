"""Nothing that was learned outlives what it was learned from, and nothing else is lost."""

import random
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from sharpwave import Action, Memory, TaskRun, load_settings, upkeep
from sharpwave.tallies import stored
from sharpwave.testing import FrozenClock, in_memory, workspace_of
from sharpwave.types.storing import EXPERIENCE


def everything(memory: Memory) -> dict[str, object]:
    """All that was learned, as rows."""
    rows = stored(workspace_of(memory).store, EXPERIENCE)
    return {f"{topic}/{name}": dict(tally.value) for (topic, name), tally in rows.items()}


def work(memory: Memory, clock: FrozenClock, rng: random.Random, times: int) -> list[str]:
    ids = []
    for number in range(times):
        clock.advance(minutes=rng.choice([1, 20]))
        session = rng.choice(["a", "b"])
        with memory.agents.start(
            f"{rng.choice(['fix', 'ship'])} {number}", session=session
        ) as live:
            for _ in range(rng.randint(1, 4)):
                clock.advance(seconds=5)
                live.action(
                    rng.choice(["read", "edit", "test", "push"]),
                    rng.choice([None, "a.py", "b.py"]),
                    mode=rng.choice(["x", "y"]),
                    success=rng.random() < 0.8,
                )
            logged = live.complete(success=rng.choice([True, False, None]))
        ids.append(logged.interaction_id)
    return ids


def test_no_trace_is_left_in_the_file(tmp_path: Path, clock: FrozenClock) -> None:
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        work(memory, clock, random.Random(1), 8)
        for _ in range(6):
            clock.advance(hours=1)
            with memory.agents.start("the marzipan affair", session="secret") as live:
                for action in ("open_marzipan", "hide_marzipan", "close_marzipan"):
                    live.action(action, "marzipan.txt", flavour="marzipan", error="marzipan gone")
                live.complete("no, marzipan is wrong")
        memory.agents.generate_insights()
        assert any("marzipan" in p.description for p in memory.agents.patterns())
        receipt = memory.forget(session="secret")
        assert receipt.traces_cleared and receipt.memories > 6, "with all that was published"
        assert not any("marzipan" in p.description for p in memory.agents.patterns())
        assert all("marzipan" not in tool.name for tool in memory.agents.tools())
        assert memory.agents.tools(), "the rest is still known"
        assert "marzipan" not in str(everything(memory))
        assert memory.admin.verify().ok
    for file in tmp_path.iterdir():
        assert b"marzipan" not in file.read_bytes(), file.name


@settings(max_examples=12)
@given(seed=st.integers(0, 10_000), gone=st.sets(st.integers(0, 11), max_size=8))
def test_forgetting_is_as_if_it_had_never_been(seed: int, gone: set[int]) -> None:
    """What is left after forgetting is what learning from the rest alone would give."""
    clock = FrozenClock()
    memory = in_memory(clock=clock)
    ids = work(memory, clock, random.Random(seed), 12)
    before = everything(memory)
    if gone:
        memory.forget(*(ids[number] for number in gone))
        assert everything(memory) != before
    after = everything(memory)
    memory.agents.rebuild()
    assert everything(memory) == after
    text = str(after)
    assert not any(ids[number] in text for number in gone)


def test_learning_anew_gives_the_same(memory: Memory, clock: FrozenClock) -> None:
    """Nothing in what was learned depends on when or in what batches it was written."""
    rng = random.Random(4)
    work(memory, clock, rng, 20)
    memory.agents.observe(
        [TaskRun(f"task {n}", (Action("go"), Action("stop")), success=True) for n in range(5)]
    )
    before = everything(memory)
    assert memory.agents.rebuild() == 25
    assert everything(memory) == before


def test_lost_rows_are_learned_anew(memory: Memory, clock: FrozenClock, tmp_path: Path) -> None:
    """As after a damaged file was saved, or a backup from before something was forgotten."""
    work(memory, clock, random.Random(2), 10)
    before, tools = everything(memory), memory.agents.tools()
    export = list(memory.export())
    with Memory.open(tmp_path / "other.db", clock=clock) as other:
        other.admin.import_(export, own=True)
        assert everything(other) == {}, "only records travel"
        assert other.agents.tools() == tools
        assert everything(other) == before


def test_what_is_imported_counts_beside_what_is_there(
    memory: Memory, clock: FrozenClock, tmp_path: Path
) -> None:
    work(memory, clock, random.Random(2), 10)
    memory.feedback(memory.skills.select("How do I sort a list?").message_id, -1)
    export, uses = list(memory.export()), {t.name: t.executions for t in memory.agents.tools()}
    with Memory.open(tmp_path / "other.db", clock=clock) as other:
        other.agents.observe({"query": "try it", "steps": ["own_tool"]})
        other.feedback(other.skills.select("hi there").message_id, 1)
        other.admin.import_(export, own=True)
        counted = {tool.name: tool.executions for tool in other.agents.tools()}
        assert counted == {**uses, "own_tool": 1}
        assert other.skills.metrics().ratings == 2


def test_users_are_apart(memory: Memory, clock: FrozenClock) -> None:
    work(memory, clock, random.Random(3), 6)
    other = memory.user("other")
    assert (
        other.agents.patterns() == []
        and other.agents.tools() == []
        and other.agents.insights() == []
    )
    assert other.agents.advise("fix 1").tools == ()
    work(other, clock, random.Random(5), 3)
    mine = everything(memory)
    assert memory.agents.tools() and mine and everything(other)
    other.forget(everything=True)
    assert everything(memory) == mine and everything(other) == {}


@pytest.mark.spec("PAT-07", "PAT-09", "PAT-11", "PAT-20")
def test_fuzzy_matches_do_not_age(memory: Memory, clock: FrozenClock) -> None:
    """Resolution 11: threshold and match type by raw similarity, age only in the ranking."""
    for _ in range(4):
        for action in ("read_file", "edit_file", "run_tests", "commit"):
            clock.advance(seconds=5)
            memory.agents.log(action, "a.py")
        clock.advance(hours=1)
    clock.advance(days=28)
    (exact,) = memory.agents.detect_patterns(["read_file", "edit_file", "run_tests", "commit"])
    assert (exact.similarity, exact.match_type) == (1.0, "exact")
    assert exact.rank == pytest.approx(0.5**4, rel=0.02)
    (fuzzy,) = memory.agents.detect_patterns(["read_file", "edit_file", "commit"])
    assert (fuzzy.similarity, fuzzy.match_type) == (0.75, "fuzzy")
    assert memory.agents.detect_patterns(["delete_file", "push"]) == []
    assert exact.pattern.contexts == ("py",)


def test_a_restored_backup_has_not_learned_what_was_forgotten_since(
    tmp_path: Path, clock: FrozenClock
) -> None:
    chosen = load_settings(path=tmp_path / "m.db")
    with Memory.open(settings=chosen, clock=clock) as memory:
        gone = memory.agents.log("hide_marzipan")
        memory.agents.log("sweep")
        memory.admin.backup(tmp_path / "copy.db")
        memory.forget(gone.interaction_id)
    upkeep.restore(tmp_path / "copy.db", chosen, replace=True)
    with Memory.open(settings=chosen, clock=clock) as memory:
        assert [tool.name for tool in memory.agents.tools()] == ["sweep"]
        assert "marzipan" not in str(everything(memory))
