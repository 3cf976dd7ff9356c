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
HIKE = "We hiked along the cliffs of Sagres in the rain."
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


def test_a_long_sentence_of_which_nothing_was_learned_stands_back(tmp_path: Path) -> None:
    asked = (
        "Could you explain how those enormous offshore turbines survive the hurricane season "
        "without their blades falling apart completely?"
    )
    with Memory.open(tmp_path / "turbines.db") as memory:
        (learned,) = memory.remember(f"{asked} {HIKE}").learned
        assert learned.text == HIKE
        texts = [memory.context(ASKED, budget=b, k=1).text for b in range(50, 150, 4)]
        assert any(f'"… {HIKE}"' in text for text in texts)
        assert all(HIKE in text for text in texts if "turbines" in text)


def test_what_is_forgotten_is_not_shown_in_part(memory: Memory) -> None:
    turn = memory.recall("the goat in Arrabida", kinds=["turn"]).items[0].record
    memory.forget(turn.id)
    assert "goat" not in memory.context("the goat in Arrabida", budget=4000).text
    assert all("goat" not in text for text in shown(memory))


def test_a_turn_with_words_of_others_is_shown_whole_or_not_at_all(tmp_path: Path) -> None:
    letter = (
        "My landlord Mr. Petrakis wrote to all of us in the whole house on the first of June: "
        "'Hello, it was so good to see you. I moved to Porto.' I moved to Braga myself."
    )
    with Memory.open(tmp_path / "letters.db") as memory:
        assert any("Braga" in one.text for one in memory.remember(letter).learned)
        texts = [memory.context("Where did I move?", budget=b, k=1).text for b in range(60, 150, 4)]
        assert all("Braga" not in text or letter in text for text in texts)
        assert letter in texts[-1] and letter not in texts[0]
