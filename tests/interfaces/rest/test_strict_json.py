"""Numbers that JSON cannot hold, and deep nesting, wherever JSON comes in."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.rest.serving import EVERYTHING, Served

from sharpwave import InvalidInput, Memory, Settings

NUMBERS = ["NaN", "Infinity", "-Infinity", "1e400", "-1e999", "[NaN]", '{"a": 1e400}', "9" * 5000]
DEEP = ["[" * n + "]" * n for n in (150, 2000, 100_000)] + ['{"a":' * 2000 + "1" + "}" * 2000]
PLACES = {
    "/v1/preferences": '{"category": "c", "key": "k", "value": %s}',
    "/v1/remember": '{"messages": {"text": "I like tea.", "metadata": {"a": %s}}}',
    "/v1/interactions": '{"query": "ship it", "context": {"a": %s}}',
    "/v1/observe": '{"task": {"query": "q", "steps": [{"name": "a", "details": {"b": %s}}]}}',
    "/v1/actions": '{"action": "edit", "details": {"a": %s}}',
    "/v1/select-skill": '{"message": "hi", "context": %s}',
    "/v1/advise": '{"query": "ship it", "context": {"a": %s}}',
    "/memory/retrieve": '{"query": %s}',
    "/api/v1/memory/feedback": '{"message_id": "m", "skill_id": "s", "reward": %s}',
    "/v1/insights": '{"insight": "i", "insight_type": "strategy", "evidence": [{"a": %s}]}',
    "/v1/admin/keys": '{"name": "n", "user": "u", "scopes": %s}',
}
SETTINGS = Settings.model_validate({"embedder": {"provider": "hash"}})


@pytest.mark.parametrize("place", PLACES)
def test_no_body_breaks_the_server(served: Served, place: str) -> None:
    with served.http(served.key("root", *EVERYTHING)) as http:
        for value in (*NUMBERS, *DEEP):
            body = (PLACES[place] % value).encode()
            headers = {"Content-Type": "application/json"}
            answer = http.request("POST", place, content=body, headers=headers)
            if answer.status_code == 405:
                answer = http.request("PUT", place, content=body, headers=headers)
            assert answer.status_code in (400, 404, 413, 422), (value[:40], answer.text)
            assert answer.status_code != 404 or place == "/api/v1/memory/feedback"


@pytest.mark.parametrize("nested", DEEP)
@pytest.mark.parametrize("path", ["/v1/import", "/v1/import/chats", "/v1/import/log"])
def test_no_upload_breaks_the_server(served: Served, path: str, nested: str) -> None:
    header = next(iter(served.memory.user("mia").export()))
    with served.http(served.key("root", *EVERYTHING)) as http:
        for body in (nested, f"{header}\n{nested}", f'[{{"role": "user", "content": {nested}}}]'):
            answer = http.post(path, content=body.encode())
            assert answer.status_code < 500, answer.text


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), [float("-inf")], {"a": float("nan")}]
)
def test_the_library_refuses_what_json_cannot_hold(tmp_path: Path, value: Any) -> None:
    deep: Any = []
    for _ in range(500):
        deep = [deep]
    with Memory.open(tmp_path / "m.db", settings=SETTINGS) as memory:
        for wrong in (value, deep):
            with pytest.raises(InvalidInput):
                memory.behavior.set_preference("c", "k", wrong)
            with pytest.raises(InvalidInput):
                memory.remember({"content": "I like tea.", "metadata": {"a": wrong}})
        assert memory.behavior.preferences() == []


@pytest.mark.parametrize("nested", DEEP)
def test_deep_nesting_in_a_file_is_told(tmp_path: Path, nested: str) -> None:
    with Memory.open(tmp_path / "m.db", settings=SETTINGS) as memory:
        header = next(iter(memory.export()))
        for lines in ([nested], [header, nested]):
            with pytest.raises(InvalidInput):
                memory.admin.import_(lines)
        inside = {"role": "user", "content": "hi", "metadata": "@"}
        call = {"id": "1", "function": {"name": "f", "arguments": nested}}
        called = {"role": "assistant", "tool_calls": [call]}
        log = {"messages": [{"role": "user", "content": "hi"}, called]}
        for name, text in {
            "a.json": nested,
            "b.jsonl": json.dumps(inside).replace('"@"', nested),
            "d.jsonl": json.dumps(log),
        }.items():
            (tmp_path / name).write_text(text)
            for take in (memory.admin.import_chats, memory.agents.import_log):
                try:
                    take(tmp_path / name)
                except InvalidInput:
                    continue


def test_a_sensitive_number_in_a_preference_becomes_its_label(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", settings=SETTINGS) as memory:
        stored = memory.behavior.set_preference("c", "k", {"card": 4111111111111111, "n": [3, "x"]})
    assert "4111" not in str(stored.value) and "'n': [3, 'x']" in str(stored.value)
