"""Interactions: the whole cycle, durable once complete, and nobody else's."""

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from tests.experience.looking import stored

from sharpwave import Action, AsyncMemory, InvalidInput, Kind, Memory, NotFound
from sharpwave.errors import KeyReused
from sharpwave.experience.matching import feedback_type
from sharpwave.testing import FrozenClock
from sharpwave.types.experience import FeedbackType
from sharpwave.types.records import State


@pytest.mark.spec("LOG-01", "LOG-02", "LOG-03", "LOG-04", "LOG-05", "LOG-06", "LOG-08")
def test_a_whole_cycle_is_kept_as_it_was(tmp_path: Path, clock: FrozenClock) -> None:
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        with memory.agents.start(
            "fix the auth bug", session="morning", context={"files": ["token.js"]}
        ) as live:
            live.interpretation("the token check is wrong", ["search", "edit_file"], 0.8, "coder")
            clock.advance(seconds=3)
            live.action("search", "auth")
            live.action("edit_file", "src/token.js", duration_ms=12.5, mode="replace")
            clock.advance(seconds=2)
            logged = live.complete("Perfect, thanks!", tokens=321)
        assert (logged.status, logged.success) == ("logged", True)
        assert logged.feedback_type is FeedbackType.APPROVAL
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:  # another process, later
        (item,) = [i for i in memory.recall("auth bug").items if i.record.kind is Kind.INTERACTION]
        said: dict[str, Any] = dict(item.record.metadata)
        assert item.record.id == logged.interaction_id
        assert item.record.session_id == "morning"
        assert said["query"] == "fix the auth bug"
        assert said["context"] == {"files": ["token.js"]}
        assert (said["interpretation"], said["confidence"], said["role"]) == (
            "the token check is wrong",
            0.8,
            "coder",
        )
        assert said["planned"] == ["search", "edit_file"]
        assert [action["name"] for action in said["actions"]] == ["search", "edit_file"]
        assert said["actions"][1]["details"] == {"mode": "replace"}
        assert said["duration_ms"] == 5000.0
        assert (said["tokens"], said["feedback"]) == (321, "Perfect, thanks!")
        assert memory.admin.verify().ok


def test_an_action_says_itself_how_it_went(memory: Memory) -> None:
    assert memory.agents.log(Action("deploy", success=False)).success is False
    wrong: list[dict[str, Any]] = [
        {"success": False},
        {"file_path": "a.py"},
        {"details": {"error": "timeout"}},
    ]
    for besides in wrong:
        with pytest.raises(InvalidInput, match="an Action says its target"):
            memory.agents.log(Action("deploy"), **besides)
    with pytest.raises(InvalidInput, match="a name or an Action"):
        memory.agents.log(cast(Any, {"name": "deploy"}))


def test_by_id_as_well_and_only_while_it_is_open(memory: Memory) -> None:
    opened = memory.agents.start("look around")
    memory.agents.log_interpretation(opened.id, "a tour", ["list_dir"])
    memory.agents.log_action(opened.id, "list_dir", details={"error": "no such folder"})
    other = memory.user("somebody else")
    with pytest.raises(NotFound, match="no open interaction"):
        other.agents.log_action(opened.id, "read_file")
    done = memory.agents.complete(opened.id, success=False)
    assert done.success is False
    with pytest.raises(NotFound, match="complete"):
        memory.agents.log_action(opened.id, "late")
    with pytest.raises(NotFound, match="complete"):
        opened.action("later still")
    assert memory.agents.tools()[0].failures == 1
    assert other.agents.tools() == []


def test_an_error_completes_it_as_failed_and_goes_on(memory: Memory) -> None:
    with pytest.raises(ZeroDivisionError), memory.agents.start("divide") as live:
        live.action("divide")
        raise ZeroDivisionError
    assert live.logged is not None and live.logged.success is False


def test_a_durable_start_survives_and_is_closed_by_the_end(
    tmp_path: Path, clock: FrozenClock
) -> None:
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        memory.agents.start("never finished", durable=True)
        live = memory.agents.start("finished soon", durable=True)
        live.complete(success=True)
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        found = {item.record.metadata["query"] for item in memory.recall("finished").items}
        assert found == {"never finished", "finished soon"}
        assert memory.admin.stats().by_kind == {"interaction": 3}
        states = Counter(record.standing.state for record in stored(memory))
        assert states == {State.SUPERSEDED: 1, State.ACTIVE: 2}
        receipt = memory.forget(str(live.logged and live.logged.interaction_id))
        assert receipt.memories == 2, "with the record of its start"


@pytest.mark.spec("LOG-07")
def test_an_action_is_stored_with_everything_that_was_logged_of_it(memory: Memory) -> None:
    logged = memory.agents.log(
        "edit_file",
        "src/app.py",
        {"lines": 3},
        context_before="two tests fail",
        context_after="all tests pass",
        success=False,
        session="friday",
    )
    record = memory.explain(logged.interaction_id).record
    (action,) = cast("list[dict[str, object]]", record.metadata["actions"])
    assert (action["name"], action["target"]) == ("edit_file", "src/app.py")
    assert action["details"] == {"lines": 3} and action["success"] is False
    assert record.metadata["context"] == {
        "context_before": "two tests fail",
        "context_after": "all tests pass",
    }
    assert record.session_id == "friday" and record.metadata["success"] is False
    with memory.agents.start("fix the login") as live:
        live.action("edit_file")
        rated = live.complete("No, that is wrong.", success=False)
    kept = memory.explain(rated.interaction_id).record.metadata
    assert kept["feedback"] == "No, that is wrong." and kept["feedback_type"] != "none"


@pytest.mark.spec("LOG-09", "WR-10")
def test_single_actions_tell_the_patterns_they_complete(memory: Memory, clock: FrozenClock) -> None:
    for _ in range(4):
        for action in ("read_file", "edit_file", "run_tests", "commit"):
            clock.advance(seconds=20)
            logged = memory.agents.log(action, "src/app.py", context_before="x")
        clock.advance(minutes=30)
    assert logged.status == "logged"
    (found,) = logged.detected_patterns
    assert found.steps == ("read_file", "edit_file", "run_tests", "commit")
    said = memory.recall("commit").items[0].record.metadata
    assert said["context"] == {"context_before": "x"}


def test_the_same_key_is_learned_from_once(memory: Memory) -> None:
    first = memory.agents.log("deploy", idempotency_key="k")
    again = memory.agents.log("deploy", idempotency_key="k")
    assert (first.status, again.status) == ("logged", "replayed")
    assert again.interaction_id == first.interaction_id
    assert memory.agents.tools()[0].executions == 1


def test_a_key_that_stands_for_something_else_is_refused(
    memory: Memory, clock: FrozenClock
) -> None:
    memory.remember("I live in Oslo.", idempotency_key="said")
    memory.agents.log("deploy", details={"to": "test"}, idempotency_key="done")
    with pytest.raises(KeyReused, match="said"):
        memory.agents.log("deploy", idempotency_key="said")
    with pytest.raises(KeyReused, match="use a new key"):
        memory.agents.log("deploy", details={"to": "live"}, idempotency_key="done")
    with pytest.raises(KeyReused):
        memory.agents.observe({"query": "where do I live?", "task_id": "said"})
    clock.advance(minutes=1)
    again = memory.agents.log("deploy", details={"to": "test"}, idempotency_key="done")
    assert again.status == "replayed", "the same, only later"
    assert memory.agents.tools()[0].executions == 1


def test_it_can_be_awaited(tmp_path: Path) -> None:
    async def work() -> None:
        async with await AsyncMemory.open(tmp_path / "a.db") as memory:
            async with await memory.agents.start("ship it", session="s") as live:
                await live.action("build")
            assert live.logged is not None and live.logged.status == "logged"
            with pytest.raises(RuntimeError):
                async with await memory.agents.start("ship it again") as broken:
                    await broken.action("build")
                    raise RuntimeError("no disk")
            assert broken.logged is not None and broken.logged.success is False
            assert (await memory.agents.tools())[0].executions == 2

    asyncio.run(work())


def test_secrets_are_neither_stored_nor_learned(memory: Memory, tmp_path: Path) -> None:
    key = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    memory.agents.log("call_api", details={"api_key": key, "error": f"bad key {key}"})
    with memory.agents.start(f"use the key {key}") as live:
        live.action("call_api", details={"token": key})
    memory.close()
    for file in tmp_path.iterdir():
        assert key.encode() not in file.read_bytes(), file.name


def test_many_at_once_lose_nothing(memory: Memory) -> None:
    def work(name: str) -> None:
        for number in range(12):
            with memory.agents.start(f"do {number}", session=name) as live:
                live.action("step")
                live.action(f"of_{name}")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, "abcdef"))
    tools = {tool.name: tool.executions for tool in memory.agents.tools()}
    assert tools == {"step": 72, **{f"of_{name}": 12 for name in "abcdef"}}
    assert memory.admin.stats().by_kind["interaction"] == 72


def test_two_that_have_the_file_open_lose_nothing(tmp_path: Path) -> None:
    """As two processes would: neither knows what the other has learned."""
    path = tmp_path / "m.db"
    with Memory.open(path) as one, Memory.open(path) as other:
        for _ in range(10):
            one.agents.log("left")
            other.agents.log("right")
        counted = {tool.name: tool.executions for tool in one.agents.tools()}
        assert counted == {"left": 10, "right": 10}
        assert other.agents.tools() == one.agents.tools()


def test_too_much_is_cut_and_never_refused(memory: Memory) -> None:
    with memory.agents.start("a lot " * 3000) as live:
        for number in range(400):
            live.action(Action("write", details={"text": "x" * 5000, "n": number}))
        logged = live.complete()
    assert logged.status == "logged"
    with pytest.raises(InvalidInput, match="at most 500"), memory.agents.start("more") as more:
        for _ in range(501):
            more.action("write")
    assert more.logged is not None and more.logged.success is False, "with what it had"


def test_without_consent_nothing_is_kept(memory: Memory) -> None:
    memory.admin.consent("memory", False)
    assert memory.agents.log("deploy").status == "not_stored"
    assert memory.agents.tools() == [] and memory.admin.stats().memories == 0


@pytest.mark.spec("FB-18")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Thanks, works great!", FeedbackType.APPROVAL),
        ("No problem, that is perfect", FeedbackType.APPROVAL),
        ("no, the other file", FeedbackType.CORRECTION),
        ("That's not what I meant", FeedbackType.CORRECTION),
        ("not good", FeedbackType.CORRECTION),
        ("stop", FeedbackType.REJECTION),
        ("undo this please", FeedbackType.REJECTION),
        ("Can you also add a test?", FeedbackType.FOLLOWUP),
        ("Danke, perfekt", FeedbackType.APPROVAL),
        ("", FeedbackType.NONE),
        (None, FeedbackType.NONE),
    ],
)
def test_how_the_user_took_it(text: str | None, kind: FeedbackType) -> None:
    assert feedback_type(text) is kind
