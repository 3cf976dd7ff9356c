"""A tight context shows of a turn the sentences that something was learned from."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.formulas.budget import token_estimate
from sharpwave.testing import FrozenClock

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
BUDGET = 220


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
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


@pytest.mark.spec("PRM-02")
def test_a_tight_context_shows_the_telling_sentences(memory: Memory) -> None:
    cut = [text for text in shown(memory) if text not in SAID]
    whole = sum(token_estimate(text) for text in SAID) // len(SAID)
    assert len(cut) > BUDGET // whole, "more than whole turns would fit"
    for text in cut:
        parts = [part.strip() for part in text.split("…") if part.strip()]
        assert any(all(part in turn for part in parts) for turn in SAID), "word for word"
        assert "hike" in text, "what tells something stays, the greeting goes"
    assert memory.context(ASKED, budget=BUDGET).tokens <= BUDGET
    assert {one.text for one in memory.recall(ASKED, kinds=["turn"])} <= set(SAID), "recall: whole"
    assert set(shown(memory, budget=4000)) <= set(SAID), "with room enough nothing is left out"


def test_what_is_forgotten_is_not_shown_in_part(memory: Memory) -> None:
    turn = memory.recall("the goat in Arrabida", kinds=["turn"]).items[0].record
    memory.forget(turn.id)
    assert "goat" not in memory.context("the goat in Arrabida", budget=4000).text
    assert all("goat" not in text for text in shown(memory))


def test_words_of_others_stay_in_their_frame(memory: Memory) -> None:
    letter = "My landlord wrote: 'I live in Porto now. Pay me there.' I moved to Braga myself. Odd!"
    memory.remember(letter)
    text = memory.context("Where did I move?", budget=BUDGET).text
    assert "Pay me there" not in text or "My landlord wrote" in text
