"""mem0, Letta, the MCP memory server, and plain lines of JSON."""

import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import apsw
from tests.importers.samples import (
    left_out,
    problems,
    read,
    said,
    texts,
    write,
    write_lines,
)

from sharpwave import Role, Source

MEMORIES = [
    {
        "id": "a1",
        "memory": "Lives in Porto",
        "hash": "x",
        "metadata": {"category": "home"},
        "created_at": "2026-01-02T03:04:05.000000-08:00",
        "updated_at": None,
        "user_id": "ana",
        "run_id": "run-7",
    },
    {"id": "a2", "memory": "I love tea", "role": "user", "actor_id": "Ana", "user_id": "ana"},
    {"id": "a3", "memory": "Likes dogs", "user_id": "bo"},
    {"id": "a4", "user_id": "ana"},
]


def test_mem0_pages_and_lists(tmp_path: Path) -> None:
    page = write(tmp_path / "page.json", {"results": MEMORIES, "relations": []})
    found = read(page, own=True)
    first, second = said(found)
    assert first.text == "Lives in Porto" and first.session == "run-7"
    assert first.at == datetime(2026, 1, 2, 11, 4, 5, tzinfo=UTC)
    assert (first.role, first.source) == (Role.ASSISTANT, Source.IMPORT), "a model wrote it"
    assert first.metadata == {
        "format": "mem0",
        "original_id": "a1",
        "metadata": {"category": "home"},
    }
    assert (second.role, second.source, second.speaker) == (Role.USER, Source.USER_MESSAGE, "Ana")
    assert ["'bo'" in one.reason for one in problems(found)] == [True, False]
    listed = said(read(write(tmp_path / "list.json", MEMORIES[:2])))
    keys = [one.idempotency_key for one in listed]
    assert keys == [one.idempotency_key for one in said(found)]
    assert len({*keys, None}) == 3, "each has one of its own"


def test_mem0_history(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    columns = "id, memory_id, old_memory, new_memory, event, created_at, updated_at, is_deleted"
    with closing(apsw.Connection(str(path))) as db:
        db.execute(f"CREATE TABLE history ({columns}, actor_id, role)")
        rows = [
            ("h1", "m1", None, "Lives in Lisbon", "ADD", "2026-01-01T00:00:00Z", None, 0),
            ("h2", "m2", None, "Has a dog", "ADD", "2026-01-02T00:00:00Z", None, 0),
            ("h3", "m1", "Lives in Lisbon", "Lives in Porto", "UPDATE", "2026-01-03", None, 0),
            ("h4", "m2", "Has a dog", None, "DELETE", "2026-01-04", None, 1),
        ]
        for row in rows:
            db.execute("INSERT INTO history VALUES (?,?,?,?,?,?,?,?,NULL,NULL)", row)
    found = read(path)
    assert texts(found) == ["Lives in Porto"]
    assert left_out(found) == ["deleted there"]
    assert said(found)[0].at == datetime(2026, 1, 3, tzinfo=UTC)


def _letta_message(role: str, text: str | None, **more: object) -> dict[str, object]:
    content = [] if text is None else [{"type": "text", "text": text}]
    at = "2026-02-01T00:00:00+00:00"
    return {"id": "message-0", "role": role, "content": content, "created_at": at, **more}


def _call(name: str, **arguments: object) -> dict[str, object]:
    return {"id": "c", "function": {"name": name, "arguments": json.dumps(arguments)}}


def test_letta_agent_file(tmp_path: Path) -> None:
    messages = [
        _letta_message("system", "You are Sam."),
        _letta_message("user", json.dumps({"type": "login", "time": "now"})),
        _letta_message(
            "user", json.dumps({"type": "user_message", "message": "Hi, I'm Ana.", "time": "now"})
        ),
        _letta_message("assistant", "They said hi.", tool_calls=[_call("core_memory_append")]),
        _letta_message("tool", json.dumps({"status": "OK", "message": "None", "time": "now"})),
        _letta_message("assistant", "Greet.", tool_calls=[_call("send_message", message="Hi!")]),
        _letta_message("tool", json.dumps({"status": "OK", "message": "3 results", "time": "n"})),
        _letta_message("user", 'Plain words, and {"type": 1}'),
        _letta_message("user", '{"type": "json", "of": "my own"}'),
        _letta_message("tool", None, tool_returns=[{"func_response": "4 results"}]),
        _letta_message("user", None),
        {"role": "user", "content": 5},
    ]
    agent = {"id": "agent-0", "name": "sam", "agent_type": "memgpt_agent", "messages": messages}
    blocks = [
        {"id": "block-0", "label": "human", "value": "Name: Ana"},
        {"label": "x", "value": ""},
    ]
    file = {"agents": [agent], "blocks": blocks, "created_at": "2026-02-02T00:00:00Z"}
    path = write(tmp_path / "sam.af", file)
    found = read(path, own=True)
    assert texts(found) == [
        "Name: Ana",
        "Hi, I'm Ana.",
        "Hi!",
        "3 results",
        'Plain words, and {"type": 1}',
        '{"type": "json", "of": "my own"}',
        "4 results",
    ]
    block, user, answer, tool, *_ = said(found)
    assert block.metadata["title"] == "human" and block.source is Source.IMPORT
    assert (user.source, user.session) == (Source.USER_MESSAGE, "letta:sam")
    assert (answer.role, tool.role) == (Role.ASSISTANT, Role.TOOL)
    assert sorted(left_out(found)) == [
        "hidden",
        "no text",
        "no text",
        "system prompt",
        "tool call",
        "tool call",
    ]
    assert [one.place for one in problems(found)] == ["sam.af, agent 1, message 12"]


def test_letta_agents_that_answer_in_text(tmp_path: Path) -> None:
    messages = [_letta_message("assistant", "Sure.", tool_calls=[_call("web_search")])]
    agent = {"name": "loop", "agent_type": "letta_v1_agent", "messages": messages}
    found = read(write(tmp_path / "loop.af", {"agents": [agent], "blocks": []}))
    assert texts(found) == ["Sure."]


def test_letta_older_agent_file_and_passages(tmp_path: Path) -> None:
    old = {
        "agent_type": "memgpt_agent",
        "name": "sam",
        "core_memory": [{"label": "human", "value": "Ana", "updated_at": "2025-01-01T00:00:00"}],
        "messages": [_letta_message("user", "Hello")],
        "tools": [],
    }
    found = said(read(write(tmp_path / "old.af", old)))
    assert [one.text for one in found] == ["Ana", "Hello"]
    assert found[0].at == datetime(2025, 1, 1, tzinfo=UTC)
    passages = [{"id": "passage-1", "text": "Filed away", "archive_id": "x", "embedding": [0.1]}]
    assert texts(read(write(tmp_path / "passages.json", passages))) == ["Filed away"]


def test_mcp_memory(tmp_path: Path) -> None:
    entity = {
        "type": "entity",
        "name": "Ana",
        "entityType": "person",
        "observations": ["Speaks Spanish", "ana likes tea", {"content": "Has a dog"}, 5, ""],
    }
    relation = {"type": "relation", "from": "Ana", "to": "Contoso", "relationType": "works_at"}
    empty = {"type": "entity", "name": "Porto", "entityType": "city", "observations": []}
    lines = [entity, empty, relation, {"type": "relation", "from": "Ana"}, {"type": "x"}]
    path = write_lines(tmp_path / "memory.jsonl", lines)
    with path.open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    found = read(path, own=True)
    assert texts(found) == [
        "Ana (person): Speaks Spanish",
        "ana likes tea",
        "Ana (person): Has a dog",
        "Porto (city)",
        "Ana works at Contoso",
    ]
    assert {one.source for one in said(found)} == {Source.IMPORT}
    assert [one.place for one in problems(found)] == [
        "memory.jsonl, line 1, observation 4",
        "memory.jsonl, line 4",
        "memory.jsonl, line 5",
        "memory.jsonl, line 6",
    ]
    graph = {"entities": [entity, empty], "relations": [relation]}
    assert texts(read(write(tmp_path / "graph.json", graph))) == texts(found)


def test_plain_lines(tmp_path: Path) -> None:
    lines = [
        {"role": "user", "content": "Hi", "timestamp": 1714560000000, "session": "s", "id": "1"},
        {"sender": "ai", "text": "Hello", "created_at": "2026-01-01 10:00", "speaker": "Bot"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image"}, "b"]},
        {"speaker": "Ana", "content": "No role"},
        {"role": "user", "content": "ok"},
        {"role": "user", "content": "ok"},
        {"role": "user", "content": 7},
        {"role": "user"},
    ]
    found = read(write_lines(tmp_path / "chat.jsonl", lines), own=True)
    assert texts(found) == [
        "Hi",
        "Hello",
        "<part>\na\n</part>\n<part>\nb\n</part>",
        "No role",
        "ok",
        "ok",
    ]
    first, second, _, nobody, *equal = said(found)
    assert first.at == datetime(2024, 5, 1, 10, 40, tzinfo=UTC) and first.session == "s"
    assert first.source is Source.USER_MESSAGE
    assert (second.role, second.speaker) == (Role.ASSISTANT, "Bot")
    assert second.at == datetime(2026, 1, 1, 10, tzinfo=UTC), "without a zone it is UTC"
    assert nobody.source is Source.IMPORT, "without a role it is nobody's own word"
    assert len({one.idempotency_key for one in equal}) == 2
    assert len(problems(found)) == 2
    array = write(tmp_path / "chat.json", lines)
    assert [one.idempotency_key for one in said(read(array))] == [
        one.idempotency_key for one in said(found)
    ]


def test_nul_and_half_characters_are_cleaned(tmp_path: Path) -> None:
    line = '{"role": "user", "content": "a\\u0000b \\ud83d \\ud83d\\ude00", "session": "s\\u0000"}'
    path = tmp_path / "odd.jsonl"
    path.write_text(line)
    (one,) = said(read(path))
    assert one.text == "ab \ufffd 😀"
    assert one.session == "s"
