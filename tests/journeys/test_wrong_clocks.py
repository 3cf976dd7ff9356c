"""Times that cannot be: zero times of other programs, and clocks that ran ahead."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from sharpwave import InvalidInput, Memory, Message, Settings, checks
from sharpwave.testing import FrozenClock

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
ZERO = "0001-01-01T00:00:00Z"
SETTINGS = Settings.model_validate({"embedder": {"provider": "hash"}, "sleep": {"enabled": False}})


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock, settings=SETTINGS) as opened:
        yield opened


def profile(memory: Memory) -> list[str]:
    return [fact.text for fact in memory.facts.profile()]


@pytest.mark.parametrize(
    "at",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime(1601, 1, 1, tzinfo=UTC),
        datetime(1899, 12, 30, tzinfo=UTC),
        datetime(2099, 1, 1, tzinfo=UTC),
        NOW + timedelta(days=2),
        datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(hours=-12))),
    ],
)
def test_a_time_at_which_nothing_was_said_is_refused(memory: Memory, at: datetime) -> None:
    with pytest.raises(InvalidInput, match="at"):
        memory.remember("I live in Lisbon.", at=at)
    with pytest.raises(InvalidInput, match="at"):
        memory.agents.observe({"query": "ship it", "at": at})
    assert memory.admin.recent() == []


@pytest.mark.parametrize("due", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)])
def test_a_task_is_due_in_a_year_of_ours(memory: Memory, due: datetime) -> None:
    with pytest.raises(InvalidInput, match="due"):
        memory.remember(Message("buy milk", kind="task", due=due))


def test_a_clock_that_is_a_little_ahead_counts_as_now(memory: Memory) -> None:
    memory.remember("I live in Lisbon.", at=NOW + timedelta(hours=20))
    assert memory.admin.recent()[0].valid_from == NOW
    assert profile(memory) == ["The user lives in Lisbon"]


def test_zero_times_in_a_file_to_import_count_as_unknown(memory: Memory, tmp_path: Path) -> None:
    chats = tmp_path / "chats.jsonl"
    said = [
        {"role": "user", "content": "I live in Lisbon.", "created_at": ZERO},
        {"role": "user", "content": "My sister is Ana.", "created_at": "2099-01-01T00:00:00Z"},
    ]
    chats.write_text("".join(json.dumps(one) + "\n" for one in said))
    assert memory.admin.import_chats(chats, "jsonl", own=True).added == 2
    assert {turn.valid_from for turn in memory.admin.recent()} == {NOW}
    assert "Lisbon" in memory.context("Where do I live?").text
    assert "Ana" in memory.context("Who is my sister?").text


def test_zero_times_in_the_log_of_an_agent_count_as_unknown(memory: Memory, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    call = {"id": "1", "type": "function", "function": {"name": "deploy", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "ship it", "timestamp": ZERO},
        {"role": "assistant", "tool_calls": [call], "timestamp": "2099-01-01T00:00:00Z"},
        {"role": "tool", "tool_call_id": "1", "content": "ok", "timestamp": ZERO},
    ]
    log.write_text(json.dumps({"messages": messages, "created_at": "2099-01-01T00:00:00Z"}) + "\n")
    assert memory.agents.import_log(log, "openai-tools").added == 1
    assert memory.agents.advise("ship it").tools


def test_records_with_such_times_come_back_from_an_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older version took them in; a file of that time can still be moved."""
    monkeypatch.setattr(checks, "EARLIEST_YEAR", 1)
    ahead = FrozenClock(datetime(2031, 1, 1, tzinfo=UTC))
    with Memory.open(tmp_path / "old.db", clock=ahead, settings=SETTINGS) as old:
        old.remember("My sister is Ana.", at=datetime(1, 1, 1, tzinfo=UTC))
        old.remember("I live in Lisbon.")
        lines = list(old.export())
    monkeypatch.undo()
    with Memory.open(tmp_path / "new.db", clock=FrozenClock(NOW), settings=SETTINGS) as new:
        new.admin.import_(lines, own=True)
        assert {turn.valid_from for turn in new.admin.recent()} == {ahead.now()}
        assert set(profile(new)) == {"The user lives in Lisbon", "The user's sister is Ana"}
        new.remember("I live in Porto now.")
        assert set(profile(new)) == {"The user lives in Porto", "The user's sister is Ana"}


def test_a_stored_record_of_the_year_one_breaks_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "EARLIEST_YEAR", 1)  # as in an older version
    memory.remember("I live in Lisbon.", at=datetime(1, 1, 1, tzinfo=UTC))
    monkeypatch.undo()
    assert "Lisbon" in memory.context("Where do I live?").text
    memory.sleep(heavy=True)
    assert "Lisbon" in memory.context("Where do I live?").text


def test_facts_stay_visible_after_a_clock_ran_ahead(memory: Memory, clock: FrozenClock) -> None:
    clock.advance(days=2000)
    memory.remember("I live in Lisbon. I have to renew my passport.")
    clock.advance(days=-2000)
    assert profile(memory) == ["The user lives in Lisbon"]
    assert [fact.text for fact in memory.facts.list()] == ["The user lives in Lisbon"]
    clock.advance(days=1)
    memory.remember("I live in Porto now.")
    assert profile(memory) == ["The user lives in Porto"]
    assert "The user lives in Porto" in memory.context("Where do I live?").text
    clock.advance(days=1)
    memory.remember("I moved to Faro.")
    assert profile(memory) == ["The user lives in Faro"]


def test_what_is_said_again_after_a_clock_ran_ahead_holds(
    memory: Memory, clock: FrozenClock
) -> None:
    clock.advance(days=2000)
    memory.remember("I live in Lisbon. I am allergic to nuts.")
    clock.advance(days=-2000)
    memory.remember("I live in Lisbon. I am allergic to nuts.")
    assert profile(memory) == ["The user is allergic to nuts", "The user lives in Lisbon"]
    now = memory.facts.at(clock.now()).facts
    assert {fact.text for fact in now} == {
        "The user lives in Lisbon",
        "The user is allergic to nuts",
    }


def test_a_fact_ends_after_a_clock_ran_ahead(memory: Memory, clock: FrozenClock) -> None:
    clock.advance(days=2000)
    memory.remember("I take metformin.")
    clock.advance(days=-2000)
    memory.remember("I no longer take metformin.")
    assert profile(memory) == []


def test_old_messages_stay_old_after_a_clock_ran_ahead(memory: Memory, clock: FrozenClock) -> None:
    clock.advance(days=2000)
    memory.remember("I live in Lisbon.")
    clock.advance(days=-2000)
    memory.remember("I live in Porto.", at=datetime(2019, 5, 1, tzinfo=UTC))
    assert profile(memory) == ["The user lives in Lisbon"]


def test_tasks_go_on_after_a_clock_ran_ahead(memory: Memory, clock: FrozenClock) -> None:
    memory.remember(Message("renew the passport", kind="task"))
    clock.advance(days=2000)
    memory.remember("I renewed the passport.")
    assert memory.tasks.list("active") == []
    clock.advance(days=-2000)
    memory.remember(Message("renew the passport", kind="task"))
    assert [task.title for task in memory.tasks.list("active")] == ["renew the passport"]
