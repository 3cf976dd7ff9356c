"""A night puts the index and the file in order, and changes nothing of what they hold."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.sleep.living import fingerprint

from sharpwave import Memory, tallies
from sharpwave.errors import StoreFull
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of, workspace_of
from sharpwave.types.storing import ANSWERS_TOPIC, REQUESTS, Tidied

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setattr("sharpwave.storage.sqlite.scrub.AT_ONCE_MIB", 0)
    clock, embedder = FrozenClock(NOON), HashEmbedder(64)
    with Memory.open(path, clock=clock, embedder=embedder) as opened:
        yield opened


def tidied(memory: Memory) -> list[tuple[str, str]]:
    report = memory.sleep(heavy=False)
    return [(entry.id, entry.why) for entry in report.entries if entry.what == "tidied"]


def test_rows_of_what_is_not_found_any_more_leave_the_index(memory: Memory) -> None:
    cities = ("Porto", "Lisbon", "Rome")
    for city in cities:
        memory.remember(f"I live in {city} now, I moved.", session="s")
        memory.recall("Where do I live?")
    before = [item.record.id for item in memory.recall("Where do I live?").items]
    assert ("index", "2 rows of what is not found any more") in tidied(memory)
    assert [item.record.id for item in memory.recall("Where do I live?").items] == before
    assert tidied(memory) == [], "there is nothing left to put in order"


def test_copies_of_what_was_forgotten_are_gone_after_the_night(memory: Memory, path: Path) -> None:
    memory.remember("Ana was born in Sintra.", session="s")
    (gone,) = memory.remember("The code of the alarm is swordfish.", session="t").ids
    assert not memory.forget(gone).traces_cleared and memory.admin.verify().traces_left
    held = fingerprint(memory)
    log = path.with_name("m.db-wal")
    assert log.stat().st_size > 0
    assert ("store", "no copy is left of what was forgotten") in tidied(memory)
    assert not memory.admin.verify().traces_left and b"swordfish" not in path.read_bytes()
    assert log.stat().st_size < 64_000, "only the report was written since"
    assert fingerprint(memory) == held


def test_a_file_that_is_too_large_to_rewrite_is_left_to_scrub(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sharpwave.storage.sqlite.scrub.AT_ONCE_MIB", 0)
    monkeypatch.setattr("sharpwave.storage.sqlite.whole_file.SCRUB_IN_SLEEP_MIB", 0)
    with Memory.open(path, embedder=HashEmbedder(64)) as memory:
        (gone,) = memory.remember("The code of the alarm is swordfish.", session="t").ids
        memory.forget(gone)
        assert tidied(memory) == [] and memory.admin.verify().traces_left
        assert memory.admin.scrub() and not memory.admin.verify().traces_left


def test_a_round_over_many_puts_the_file_in_order_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [memory.user(name) for name in ("ana", "rui", "eva")]
    for one in people:
        (gone,) = one.remember("The code of the alarm is swordfish.", session="t").ids
        one.remember("Ana was born in Sintra.", session="s")
        one.forget(gone)
    store, rounds = resources_of(memory).store, list[Tidied]()
    tidy = store.tidy

    def counted() -> Tidied:
        rounds.append(tidy())
        return rounds[-1]

    monkeypatch.setattr(store, "tidy", counted)
    assert len(memory.admin.sleep_all()) == len(people)
    assert [done.scrubbed for done in rounds] == [True]
    assert not memory.admin.verify().traces_left


def test_a_full_disk_does_not_fail_the_night(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> Tidied:
        raise StoreFull("no space left")

    memory.remember("Ana was born in Sintra.", session="s")
    monkeypatch.setattr(resources_of(memory).store, "tidy", full)
    report = memory.sleep()
    assert report.finished_at and any("the next run tries again" in note for note in report.notes)


def test_a_dry_run_puts_nothing_in_order(memory: Memory) -> None:
    (gone,) = memory.remember("The code of the alarm is swordfish.", session="t").ids
    memory.forget(gone)
    memory.sleep(dry_run=True)
    assert memory.admin.verify().traces_left


def test_requests_of_whoever_never_came_back_go_with_their_answers(path: Path) -> None:
    kept_s = tallies.REQUESTS_KEPT_S
    clock = FrozenClock(NOON)
    with Memory.open(path, clock=clock, embedder=HashEmbedder(64)) as memory:
        memory.remember("Ana was born in Sintra.", session="s")
        memory.admin.requests.begin("ab12", "body")
        memory.admin.requests.finish("ab12", "body", "a sealed answer")
        clock.advance(seconds=kept_s / 2)
        memory.admin.requests.begin("cd34", "body")
        assert tidied(memory) == []
        clock.advance(seconds=kept_s / 2)
        assert tidied(memory) == [("doors", "1 requests that were answered long ago")]
        store = workspace_of(memory).store
        held = [
            name
            for topic in (ANSWERS_TOPIC, *store.topics(REQUESTS))
            for name in store.tallies(topic)
        ]
        assert held == ["cd34"], "what may still be sent again is kept"
