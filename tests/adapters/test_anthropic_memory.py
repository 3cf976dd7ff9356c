"""The memory tool, beside the SDK's own on a disk, and in the SDK's runner."""

import asyncio
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic
from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from hypothesis import given, settings
from hypothesis import strategies as st

from sharpwave import Memory
from sharpwave.interfaces.adapters.anthropic_memory import (
    AsyncSharpwaveMemoryTool,
    SharpwaveMemoryTool,
)
from sharpwave.testing import in_memory

Command = dict[str, Any]

paths = st.sampled_from(["/memories/a", "/memories/d/b.md", "/memories/d/e/f/g"])
folders = st.sampled_from(["/memories", "/memories/d", "/memories/none"])
texts = st.sampled_from(["", "\n", "one", "one\ntwo\n", "one\none two", " x \n\ny", "é\r\nz\n"])
lines = st.integers(-1, 4)
commands: st.SearchStrategy[Command] = st.one_of(
    st.fixed_dictionaries(
        {"command": st.just("view"), "path": paths | folders},
        optional={"view_range": st.tuples(st.integers(1, 3), st.integers(-1, 4)).map(list)},
    ),
    st.fixed_dictionaries({"command": st.just("create"), "path": paths, "file_text": texts}),
    st.fixed_dictionaries(
        {
            "command": st.just("str_replace"),
            "path": paths | folders,
            "old_str": st.sampled_from(["one", "two", "x", "\n"]),
            "new_str": st.sampled_from(["", "three", "one\none"]),
        }
    ),
    st.fixed_dictionaries(
        {
            "command": st.just("insert"),
            "path": paths | folders,
            "insert_line": lines,
            "insert_text": st.sampled_from(["new", "new\n", "", "a\nb"]),
        }
    ),
    st.fixed_dictionaries({"command": st.just("delete"), "path": paths | folders}),
    st.fixed_dictionaries(
        {"command": st.just("rename"), "old_path": paths | folders, "new_path": paths}
    ),
)


edits: st.SearchStrategy[Command] = st.builds(
    lambda line, text: {
        "command": "insert",
        "path": "/memories/a",
        "insert_line": line,
        "insert_text": text,
    },
    st.integers(0, 1),
    st.sampled_from(["new", "a\nb\n"]),
) | st.builds(
    lambda old: {"command": "str_replace", "path": "/memories/a", "old_str": old, "new_str": "z"},
    st.sampled_from(["one", "two", "a\nb"]),
)


def answer(tool: BetaAbstractMemoryTool, command: Command) -> str:
    try:
        told = str(tool.call(command))
    except ToolError as error:
        return f"error: {error}"
    except OSError:  # the disk refuses what a path cannot mean, such as a folder inside itself
        return "refused"
    return re.sub(r"^\S+\t(/memories\S*/|/memories(/d|/none)?)$", r"\1", told, flags=re.M)


def outcome(told: str) -> str:
    return "refused" if told.startswith("error: ") else told


@settings(max_examples=40)
@given(
    st.lists(texts, min_size=2, max_size=2),
    st.lists(edits, min_size=1, max_size=3),
    st.lists(commands, max_size=8),
)
def test_it_answers_as_the_sdks_own_tool(
    begun: list[str], edited: list[Command], then: list[Command]
) -> None:
    named = zip(("/memories/a", "/memories/d/b.md"), begun, strict=True)
    first = [{"command": "create", "path": path, "file_text": text} for path, text in named]
    looked = [{"command": "view", "path": each["path"]} for each in first]
    with TemporaryDirectory() as folder:
        ours, own = SharpwaveMemoryTool(in_memory()), BetaLocalFilesystemMemoryTool(folder)
        for command in [*first, *edited, *looked, *then, *looked]:
            told, theirs = answer(ours, command), answer(own, command)
            if "refused" in (told, theirs):
                assert outcome(told) == outcome(theirs), command
            elif not empty_folders(Path(folder)):
                assert told == theirs, command
            else:
                return  # a disk has empty folders; memory has folders only while they hold files


def empty_folders(folder: Path) -> bool:
    return any(
        one.is_dir() and not any(file.is_file() for file in one.rglob("*"))
        for one in (folder / "memories").rglob("*")
    )


@pytest.mark.parametrize(
    "path",
    [
        "/memories/../secret",
        "/memories/a/../../etc/passwd",
        "/memories/%2e%2e/secret",
        "/memories/..%2fsecret",
        "/memories/a//b",
        "/memories/./a",
        "/memories\\..\\a",
        "/memories/a\0b",
        "/memories/a\nb",
        "/memoriesx/a",
        "/etc/passwd",
        "memories/a",
        "",
    ],
)
def test_paths_that_lead_out_are_refused(memory: Memory, path: str) -> None:
    tool = SharpwaveMemoryTool(memory)
    for command in (
        {"command": "view", "path": path},
        {"command": "create", "path": path, "file_text": "x"},
        {"command": "str_replace", "path": path, "old_str": "x", "new_str": "y"},
        {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
        {"command": "delete", "path": path},
        {"command": "rename", "old_path": path, "new_path": "/memories/b"},
        {"command": "rename", "old_path": "/memories/b", "new_path": path},
    ):
        with pytest.raises(ToolError):
            tool.call(command)
    assert memory.admin.memories().items == ()


def test_files_are_memories(memory: Memory) -> None:
    tool = SharpwaveMemoryTool(memory)
    path = "/memories/work/deploys.md"
    tool.call({"command": "create", "path": path, "file_text": "We deploy on Tuesdays.\n"})
    assert "deploy on Tuesdays" in memory.recall("When do we deploy?").items[0].text
    assert [one.text for one in memory.recall("When do we deploy?", kinds=["turn"])] == [
        "We deploy on Tuesdays.\n"
    ]
    change = {"command": "str_replace", "path": path, "old_str": "Tues", "new_str": "Fri"}
    tool.call(change)
    assert [one.text for one in memory.recall("When do we deploy?", kinds=["turn"])] == [
        "We deploy on Fridays.\n"
    ]
    other = SharpwaveMemoryTool(memory.user("ben"))
    with pytest.raises(ToolError, match="does not exist"):
        other.call({"command": "view", "path": path})
    tool.call({"command": "rename", "old_path": "/memories/work", "new_path": "/memories/old"})
    assert "Fridays" in str(tool.call({"command": "view", "path": "/memories/old/deploys.md"}))
    tool.call({"command": "delete", "path": "/memories/old"})
    assert memory.admin.memories().items == ()
    tool.call({"command": "create", "path": path, "file_text": "again"})
    assert tool.clear_all_memory() == "All memory cleared" and memory.admin.memories().items == ()


def test_a_file_is_no_folder(memory: Memory) -> None:
    tool = SharpwaveMemoryTool(memory)
    tool.call({"command": "create", "path": "/memories/a", "file_text": "x"})
    for command in (
        {"command": "create", "path": "/memories/a/b", "file_text": "x"},
        {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/a/b"},
        {"command": "delete", "path": "/memories"},
        {"command": "rename", "old_path": "/memories", "new_path": "/memories/b"},
    ):
        with pytest.raises(ToolError):
            tool.call(command)


def test_the_async_tool(memory: Memory) -> None:
    async def use() -> list[str]:
        tool = AsyncSharpwaveMemoryTool(memory, cache_control={"type": "ephemeral"})
        assert tool.to_dict()["cache_control"] == {"type": "ephemeral"}
        path = "/memories/a"
        told = [
            await tool.call({"command": "create", "path": path, "file_text": "one\n"}),
            await tool.call(
                {"command": "insert", "path": path, "insert_line": 1, "insert_text": "b"}
            ),
            await tool.call(
                {"command": "str_replace", "path": path, "old_str": "one", "new_str": "two"}
            ),
            await tool.call({"command": "rename", "old_path": path, "new_path": "/memories/b"}),
            await tool.call({"command": "view", "path": "/memories/b"}),
            await tool.call({"command": "delete", "path": "/memories/b"}),
            await tool.clear_all_memory(),
        ]
        with pytest.raises(ToolError):
            await tool.call({"command": "delete", "path": "/memories/b"})
        return [str(one) for one in told]

    assert asyncio.run(use())[4].endswith("     1\ttwo\n     2\tb\n     3\t")


def message(content: list[dict[str, Any]], stop: str) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    said = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "usage": usage}
    return {**said, "content": content, "stop_reason": stop, "stop_sequence": None}


def test_in_the_sdks_runner(memory: Memory) -> None:
    uses = [
        {"command": "create", "path": "/memories/ana.md", "file_text": "Ana likes tea."},
        {"command": "view", "path": "/memories/../x"},
    ]
    script = [
        message([{"type": "tool_use", "id": f"t{n}", "name": "memory", "input": use}], "tool_use")
        for n, use in enumerate(uses)
    ]
    script.append(message([{"type": "text", "text": "Noted."}], "end_turn"))
    sent: list[Any] = []

    def serve(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content))
        return httpx2.Response(200, json=script[len(sent) - 1])

    with httpx2.Client(transport=httpx2.MockTransport(serve)) as http:
        client = Anthropic(api_key="none", http_client=http)
        runner = client.beta.messages.tool_runner(
            model="m",
            max_tokens=100,
            messages=[{"role": "user", "content": "Ana likes tea."}],
            tools=[SharpwaveMemoryTool(memory)],
        )
        last = runner.until_done()
    assert last.content[0].type == "text" and sent[0]["tools"] == [
        {"type": "memory_20250818", "name": "memory"}
    ]
    results = [sent[n]["messages"][-1]["content"][0] for n in (1, 2)]
    assert "created successfully" in str(results[0]) and results[1]["is_error"]
    assert memory.recall("What does Ana like?").items[0].text.startswith("Ana likes tea")
