"""Logs of agents in two formats: found out, learned from once, damage told."""

import json
from pathlib import Path
from typing import Any

import pytest

from sharpwave import InvalidInput, Memory, Settings
from sharpwave.errors import WrongFormat
from sharpwave.testing import FrozenClock, in_memory
from sharpwave.types.answers import ImportProblem


def lines(path: Path, *values: object) -> Path:
    path.write_text("\n".join(json.dumps(value) for value in values) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def memory() -> Memory:
    return in_memory(clock=FrozenClock())


TRANSCRIPT: dict[str, Any] = {
    "task_id": 7,
    "reward": 1.0,
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Cancel my flight, I am user_77"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "function": {"name": "get_user", "arguments": '{"id": "user_77"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "Error: not found"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c2", "function": {"name": "cancel", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c2", "content": '{"ok": true}'},
    ],
}


def test_openai_style_transcripts(memory: Memory, tmp_path: Path) -> None:
    file = lines(tmp_path / "log.jsonl", TRANSCRIPT, {"messages": "none"}, [1])
    done = memory.agents.import_log(file)
    assert (done.format, done.added, done.actions, done.skipped) == ("openai-tools", 1, 2, 1)
    assert memory.agents.import_log(file).already_there == 1, "nothing is learned twice"
    tools = {tool.name: tool for tool in memory.agents.tools()}
    assert tools["get_user"].failures == 1 and tools["cancel"].successes == 1
    assert tools["cancel"].task_success_rate == 1.0
    assert memory.agents.advise("cancel my flight").plans[0].text == "get_user → cancel"


def test_the_format_of_a_folder_is_that_of_its_logs(memory: Memory, tmp_path: Path) -> None:
    lines(tmp_path / "a.json", {"note": 1})
    lines(tmp_path / "b.jsonl", TRANSCRIPT)
    done = memory.agents.import_log(tmp_path)
    assert (done.format, done.added) == ("openai-tools", 1)


def test_a_run_that_is_there_twice_counts_once(memory: Memory, tmp_path: Path) -> None:
    file = lines(tmp_path / "log.jsonl", TRANSCRIPT, TRANSCRIPT, {**TRANSCRIPT, "task_id": 8})
    done = memory.agents.import_log(file)
    assert (done.added, done.already_there, done.skipped) == (2, 1, 0)
    assert {tool.name: tool.executions for tool in memory.agents.tools()}["cancel"] == 2
    again = memory.agents.import_log(file)
    assert (again.added, again.already_there) == (0, 3)


def test_a_run_that_is_refused_is_told_and_the_rest_learned(tmp_path: Path) -> None:
    settings = Settings.model_validate({"privacy": {"stored": {"secret": "refuse"}}})
    secret = {"role": "user", "content": "my key is AKIAIOSFODNN7EXAMPLE"}
    refused = {"task_id": 8, "messages": [secret, *TRANSCRIPT["messages"][2:]]}
    file = lines(tmp_path / "log.jsonl", TRANSCRIPT, refused, {**TRANSCRIPT, "task_id": 9})
    memory = in_memory(clock=FrozenClock(), settings=settings)
    done = memory.agents.import_log(file)
    assert (done.added, done.actions, done.skipped) == (2, 4, 1)
    reason = "the privacy policy refuses texts that hold: api key"
    assert done.problems == (ImportProblem("log.jsonl, line 2", reason),)


def test_messages_in_a_row_are_one_transcript(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    file.write_text(json.dumps(TRANSCRIPT["messages"]), encoding="utf-8")
    done = memory.agents.import_log(file)
    assert (done.added, done.actions) == (1, 2)


def test_claude_code_sessions(memory: Memory, tmp_path: Path) -> None:
    def event(kind: str, content: object, second: int, **more: object) -> dict[str, object]:
        return {
            "type": kind,
            "sessionId": "s1",
            "uuid": f"u{second}",
            "timestamp": f"2026-01-01T00:00:{second:02}Z",
            "message": {"role": kind, "content": content, "model": "opus"},
            **more,
        }

    call = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "a.py"}}
    failed = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": "no such file",
        "is_error": True,
    }
    folder = tmp_path / "project"
    folder.mkdir()
    lines(
        folder / "session.jsonl",
        {"type": "summary", "summary": "x"},
        event("user", "Fix the login", 1),
        event("assistant", [{"type": "text", "text": "ok"}, call], 2),
        event("user", [failed], 4),
        event("user", "<command-name>/clear</command-name>", 5),
        event("user", "Now add a test", 6),
        event("assistant", [{**call, "id": "t2", "name": "Write"}], 7),
    )
    done = memory.agents.import_log(folder)
    assert (done.format, done.added, done.actions) == ("claude-code", 2, 2)
    edit = next(tool for tool in memory.agents.tools() if tool.name == "Edit")
    assert edit.failures == 1 and edit.avg_duration_ms == 2000.0


def test_what_is_no_log_is_refused(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(WrongFormat, match="Expected one of"):
        memory.agents.import_log(lines(tmp_path / "x.jsonl", {"a": 1}))
    with pytest.raises(InvalidInput, match="no log format"):
        memory.agents.import_log(lines(tmp_path / "x.jsonl", TRANSCRIPT), "csv")
    with pytest.raises(WrongFormat, match="not of the format claude-code"):
        memory.agents.import_log(lines(tmp_path / "x.jsonl", TRANSCRIPT), "claude-code")
    with pytest.raises(InvalidInput, match="no such file"):
        memory.agents.import_log(tmp_path / "missing.jsonl")
