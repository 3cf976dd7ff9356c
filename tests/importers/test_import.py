"""Imports through the public surface and the command line, on a real file."""

import asyncio
import json
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.importers.samples import (
    chatgpt,
    chatgpt_node,
    claude,
    claude_message,
    small_chatgpt,
    write,
    write_lines,
    write_zip,
)

from sharpwave import AsyncMemory, Memory, Record, Settings, Source
from sharpwave.checks import MAX_TEXT_BYTES
from sharpwave.errors import NoConsent
from sharpwave.importers import flow
from sharpwave.remember import flow as writing
from sharpwave.testing import workspace_of
from sharpwave.types.answers import ImportedChats, ImportProblem, Receipt
from sharpwave.types.records import Trust


class Interrupted(Exception):
    """Somebody pulled the plug."""


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BATCH_RECORDS", 10)


def _records(memory: Memory) -> list[Record]:
    return workspace_of(memory).store.scan(0, 100_000)


def test_import_then_recall(tmp_path: Path) -> None:
    conversation = chatgpt(
        "c-1",
        chatgpt_node("a", "root", "user", "My sister Ana lives in Porto.", at=1714560001.5),
        chatgpt_node("b", "a", "assistant", "Porto is lovely in May."),
    )
    export = write_zip(tmp_path / "export.zip", {"conversations.json": [conversation]})
    with Memory.open(tmp_path / "m.db") as memory:
        done = memory.admin.import_chats(export, own=True)
        assert done == ImportedChats("chatgpt", 2, 0, 1, 0)
        found = memory.recall("Where does Ana live?", kinds=["turn"]).items[0].record
        assert found.text == "My sister Ana lives in Porto."
        assert found.valid_from.isoformat() == "2024-05-01T10:40:01.500000+00:00"
        assert (found.session_id, found.provenance.trust) == ("c-1", Trust.USER)
        assert memory.recall("Porto", session="c-1").items
        again = memory.admin.import_chats(str(export), "chatgpt", own=True)
        assert (again.added, again.already_there) == (0, 2)
        assert memory.forget(session="c-1").memories == 4, "with the two facts"


def test_without_own_nothing_is_trusted(tmp_path: Path) -> None:
    export = write(tmp_path / "conversations.json", [small_chatgpt("c", 4)])
    with Memory.open(tmp_path / "m.db") as memory:
        memory.admin.import_chats(export)
        records = _records(memory)
        assert {record.provenance.source for record in records} == {Source.IMPORT}
        assert {record.provenance.trust for record in records} == {Trust.UNTRUSTED}
        again = memory.admin.import_chats(export, own=True)
        assert (again.added, again.already_there) == (0, 4), "it keeps the trust it has"
        assert _records(memory) == records


@pytest.mark.parametrize("stop_after", [1, 2, 3])
def test_an_interrupted_import_is_run_again(tmp_path: Path, stop_after: int) -> None:
    export = write(tmp_path / "conversations.json", [small_chatgpt(f"c-{n}", 9) for n in range(5)])
    calls: list[int] = []

    def stop(count: int) -> None:
        calls.append(count)
        if len(calls) == stop_after:
            raise Interrupted

    with Memory.open(tmp_path / "m.db") as memory, pytest.raises(Interrupted):
        memory.admin.import_chats(export, progress=stop)
    with Memory.open(tmp_path / "m.db") as memory:
        assert memory.admin.stats().memories == 10 * stop_after == calls[-1]
        done = memory.admin.import_chats(export, progress=calls.append)
        assert (done.added, done.already_there) == (45 - 10 * stop_after, 10 * stop_after)
        assert calls[-1] == 45
    with Memory.open(tmp_path / "whole.db") as memory:
        memory.admin.import_chats(export)
        expected = [record.text for record in _records(memory)]
    with Memory.open(tmp_path / "m.db") as memory:
        assert [record.text for record in _records(memory)] == expected


def test_a_newer_export_adds_what_is_new(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.admin.import_chats(write(tmp_path / "a.json", [small_chatgpt("c", 25)]))
        newer = small_chatgpt("c", 31)
        newer["title"] = "A new title"
        done = memory.admin.import_chats(write(tmp_path / "b.json", [newer]))
        assert (done.added, done.already_there, done.skipped) == (6, 25, 0)
        assert memory.admin.stats().memories == 31


def test_what_cannot_be_stored_is_told_and_the_rest_stored(tmp_path: Path) -> None:
    lines: list[Any] = [{"role": "user", "content": f"line {n}"} for n in range(30)]
    lines[7]["content"] = "x" * (MAX_TEXT_BYTES + 1)
    lines[19]["metadata"] = {"big": "y" * 70_000}
    lines[23] = {"role": "user", "content": 5}
    export = write_lines(tmp_path / "chat.jsonl", lines)
    with Memory.open(tmp_path / "m.db") as memory:
        done = memory.admin.import_chats(export)
        assert (done.added, done.skipped, done.conversations) == (27, 3, 0)
        assert [problem.place for problem in sorted(done.problems, key=_line)] == [
            "chat.jsonl, line 8",
            "chat.jsonl, line 20",
            "chat.jsonl, line 24",
        ]
        reasons = " ".join(problem.reason for problem in done.problems)
        assert f"at most {MAX_TEXT_BYTES} fit" in reasons and "metadata takes" in reasons


def _line(problem: ImportProblem) -> int:
    return int(problem.place.rpartition(" ")[2])


def test_what_the_policy_refuses_is_not_counted_as_added(tmp_path: Path) -> None:
    lines = [{"role": "user", "content": f"line {n}", "session": "s"} for n in range(3)]
    lines[1]["content"] = "my key is AKIAIOSFODNN7EXAMPLE"
    export = write_lines(tmp_path / "chat.jsonl", lines)
    settings = Settings.model_validate({"privacy": {"stored": {"secret": "refuse"}}})
    with Memory.open(tmp_path / "m.db", settings=settings) as memory:
        done = memory.admin.import_chats(export)
        assert (done.added, done.skipped, memory.admin.stats().memories) == (2, 1, 2)
        assert [problem.reason for problem in done.problems] == [
            "the privacy policy refuses texts that hold: api key"
        ]
        again = memory.admin.import_chats(export)
        assert (again.added, again.already_there, again.skipped) == (0, 2, 1)


def test_nothing_is_imported_without_consent(tmp_path: Path) -> None:
    export = write_lines(tmp_path / "chat.jsonl", [{"role": "user", "content": "hello"}])
    with Memory.open(tmp_path / "m.db") as memory:
        memory.admin.consent("memory", False)
        with pytest.raises(NoConsent):
            memory.admin.import_chats(export)


def test_many_problems_are_counted_and_the_first_told(tmp_path: Path) -> None:
    export = write_lines(tmp_path / "x.jsonl", [{"role": "user", "content": "a"}, *[{}] * 300])
    with Memory.open(tmp_path / "m.db") as memory:
        done = memory.admin.import_chats(export)
    assert (done.skipped, len(done.problems)) == (300, flow.MAX_PROBLEMS)


def test_ten_thousand_messages_in_bounded_memory(tmp_path: Path) -> None:
    """The reader's own memory stays that of a few conversations, not that of the file."""
    export = tmp_path / "conversations.json"
    filler = "word " * 5_000
    with export.open("w", encoding="utf-8") as file:
        file.write("[")
        for number in range(500):
            conversation = {**small_chatgpt(f"c-{number}", 20), "unknown_field": filler}
            file.write(("," if number else "") + json.dumps(conversation))
        file.write("]")
    assert export.stat().st_size > 15_000_000
    done: list[int] = []

    def remember(said: Any) -> Any:
        done.append(len(said))
        return Receipt(tuple(str(number) for number in range(len(said))), datetime.now(UTC))

    tracemalloc.start()
    result = flow.take_in(export, None, False, remember, 500, None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (result.added, result.conversations, sum(done)) == (10_000, 500, 10_000)
    assert peak < 8_000_000, f"{peak:,} bytes"


def test_several_thousand_messages_are_stored(tmp_path: Path) -> None:
    lines = [{"role": "user", "content": f"fact number {n}", "session": "s"} for n in range(2_500)]
    export = write_lines(tmp_path / "chat.jsonl", lines)
    settings = Settings.model_validate({"embedder": {"provider": "hash"}})
    with Memory.open(tmp_path / "m.db", settings=settings) as memory:
        assert memory.admin.import_chats(export).added == 2_500
        assert memory.admin.stats().memories == 2_500


def test_the_async_twin(tmp_path: Path) -> None:
    export = write(tmp_path / "c.json", [claude(claude_message(1, "human", "I keep bees."))])

    async def journey() -> None:
        async with await AsyncMemory.open(tmp_path / "m.db") as memory:
            assert (await memory.admin.import_chats(export)).added == 1
            assert (await memory.recall("bees")).items[0].text == "I keep bees."

    asyncio.run(journey())
