"""A night leaves the gist of turns: a tight context holds more of them, and nothing is lost."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.storage.contract import example

from sharpwave import Memory, Settings, checks
from sharpwave.sleep.extractive import gists
from sharpwave.testing import FrozenClock
from sharpwave.types.records import Kind, content_hash
from sharpwave.types.sleep import GISTS

SAID = tuple(
    f"Hi there! So good to hear from you again! {told} That was really so very nice! "
    "And how are you today? What have you been up to all this time?"
    for told in (
        "We hiked to the waterfall near Monchique with Rui.",
        "We hiked along the cliffs of Sagres in the rain.",
        "The hike to the lagoon of Melides took five hours.",
        "On our hike in Arrabida a goat ate my sandwich.",
        "For the hike around Marvao we rented two donkeys.",
        "We got lost on a hike between Lousa and Piodao.",
        "After the hike in Geres my boots fell apart.",
        "The hike up Estrela ended in thick fog and snow.",
    )
)
ASKED = "Where did we hike?"
BUDGET = 400


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC))


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock) as opened:
        opened.remember([{"role": "user", "content": text} for text in SAID], session="hikes")
        clock.advance(days=3)
        yield opened


def shown(memory: Memory, budget: int = BUDGET) -> list[str]:
    """The turns that a context shows, as it shows them."""
    section = memory.context(ASKED, budget=budget).section("Episodic Highlights")
    assert section is not None
    quotes = [re.search(r'"(?:[^"\\]|\\.)*"', line) for line in section.lines]
    return [json.loads(found.group()) for found in quotes if found]


def contents(memory: Memory) -> list[bytes]:
    found = [item for kind in Kind for item in memory.recall(ASKED, k=100, kinds=[kind]).items]
    return sorted(content_hash(item.record) for item in found)


@pytest.mark.spec("PRM-02")
def test_after_a_night_a_tight_context_holds_more_turns(memory: Memory) -> None:
    before, ranked = shown(memory), [one.text for one in memory.recall(ASKED, kinds=["turn"])]
    assert all(text in SAID for text in before), "whole turns"
    memory.sleep()
    after = shown(memory)
    assert len(after) > len(before)
    gists = [text for text in after if text not in SAID]
    assert gists and all("…" in text for text in gists)
    for text in gists:
        parts = [part.strip() for part in text.split("…") if part.strip()]
        assert any(all(part in turn for part in parts) for turn in SAID), "word for word"
        assert re.search("hike", text), "what tells something stays, the greeting goes"
    assert memory.context(ASKED, budget=BUDGET).tokens <= BUDGET
    found = memory.recall(ASKED, kinds=["turn"])
    assert [one.text for one in found] == ranked, "recall gives the whole turns in the same order"
    assert set(shown(memory, budget=4000)) <= set(SAID), "with room enough nothing is left out"


def test_undoing_the_night_brings_the_whole_back(memory: Memory) -> None:
    before, held = shown(memory), contents(memory)
    report = memory.sleep()
    assert shown(memory) != before and contents(memory) != held
    memory.admin.undo_sleep(report.run)
    assert shown(memory) == before and contents(memory) == held


def test_a_gist_holds_no_words_and_goes_with_the_turn(memory: Memory) -> None:
    memory.sleep()
    (summary,) = memory.recall(ASKED, kinds=["episode"])
    kept = summary.record.metadata[GISTS]
    assert isinstance(kept, dict) and len(kept) == len(SAID)
    assert all(isinstance(number, int) for numbers in kept.values() for number in numbers)
    turn = memory.recall("the goat in Arrabida", kinds=["turn"]).items[0].record
    memory.forget(turn.id)
    assert "goat" not in memory.context("the goat in Arrabida", budget=4000).text
    assert all("goat" not in text for text in shown(memory))


def test_talk_outside_of_any_session_has_gists_too(tmp_path: Path, clock: FrozenClock) -> None:
    clock.advance(hours=11, minutes=57)  # the talk goes on after midnight, UTC
    settings = Settings.model_validate({"remember": {"timezone": "America/New_York"}})
    with Memory.open(tmp_path / "m.db", clock=clock, settings=settings) as memory:
        for text in SAID:
            memory.remember(text)
            clock.advance(minutes=1)
        clock.advance(days=3)
        assert set(shown(memory)) <= set(SAID)
        assert memory.sleep().counts["summarised"] == 1
        assert [text for text in shown(memory) if text not in SAID]


def test_a_gist_is_of_its_own_turn_wherever_that_was_moved(memory: Memory, tmp_path: Path) -> None:
    memory.sleep()
    with Memory.open(tmp_path / "other.db") as other:
        other.remember(["I have a cat. She is grey.", "I have a dog."], session="pets")
        other.admin.import_(list(memory.export()), own=True)
        gists = [text for text in shown(other) if "hike" in text and text not in SAID]
        assert gists and all(re.search(r"[.!?] …$", text) for text in gists), "whole sentences"


def test_what_a_night_made_of_a_long_session_can_be_moved() -> None:
    long = "x" * 10_000 + " ".join(f"Walk {day} was fine." for day in range(50))
    turns = [example(number, text=f"Yes. {long}") for number in range(100)]
    kept = gists(turns)
    assert list(kept) == [turn.id for turn in reversed(turns)][: len(kept)], "of the newest"
    assert 0 < len(json.dumps({GISTS: kept})) < checks.MAX_METADATA_BYTES
