"""What is kept at the end of a session: a summary, open loops, and notes, without a model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.testing import FrozenClock
from sharpwave.types.records import Kind

TALK = [
    ("user", "We are moving to Lisbon in March, with our two cats, and I have to find a flat."),
    ("assistant", "Which part of the city do you like, and what can you spend a month?"),
    ("user", "Graça or Alfama. 1,200 euros at most. Remind me to ask the vet about papers."),
    ("assistant", "I will. Flats in Graça are around 1,100 euros for two rooms at the moment."),
    ("user", "Good to know. Could you also find out what the cats need for the flight?"),
]
PITFALL = [
    ("user", "How long do lentils take?"),
    ("assistant", "Red lentils take about 40 minutes with the lid on."),
    ("user", "That's wrong, they were mush after 15."),
    ("assistant", "Sorry: 10 to 12 minutes, without a lid."),
]
STRATEGY = [
    ("user", "How do I get the stripped screw out of the hinge?"),
    ("assistant", "Put a wide rubber band between the screw and the driver, then turn slowly."),
    ("user", "Thanks, that worked!"),
]


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock) as opened:
        yield opened


def said(memory: Memory, talk: list[tuple[str, str]], session: str) -> None:
    memory.remember([{"role": role, "content": text} for role, text in talk], session=session)


@pytest.mark.spec("REF-03", "REF-04")
def test_a_session_that_ended_leaves_a_summary_and_its_open_loops(memory: Memory) -> None:
    said(memory, TALK, "move")
    review = memory.behavior.end_session("move")
    assert "Lisbon" in review.summary
    assert any("vet" in task.title for task in review.open_tasks)
    (question,) = review.unanswered
    assert "flight" in question
    (episode,) = memory.admin.memories(kinds=[Kind.EPISODE]).items
    assert episode.text == review.summary and episode.session_id == "move"


def test_ending_it_again_or_sleeping_leaves_one_summary(memory: Memory, clock: FrozenClock) -> None:
    said(memory, TALK, "move")
    first = memory.behavior.end_session("move")
    assert memory.behavior.end_session("move").summary == first.summary
    clock.advance(days=2)
    memory.sleep(heavy=True)
    active = [one for one in memory.admin.memories(kinds=[Kind.EPISODE]).items]
    assert len([one for one in active if one.standing.state.value == "active"]) == 1


@pytest.mark.spec("REF-01", "REF-04")
def test_what_did_not_suit_and_what_helped_become_notes(memory: Memory) -> None:
    said(memory, PITFALL, "cooking")
    (pitfall,) = memory.behavior.end_session("cooking").notes
    assert "lentils" in pitfall.text and "mush" in pitfall.text
    said(memory, STRATEGY, "hinge")
    (strategy,) = memory.behavior.end_session("hinge").notes
    assert "stripped screw" in strategy.text and "rubber band" in strategy.text
    assert {note.text for note in memory.behavior.notes()} == {pitfall.text, strategy.text}
    memory.behavior.end_session("hinge")
    assert len(memory.behavior.notes()) == 2


def test_small_talk_leaves_nothing(memory: Memory) -> None:
    said(memory, [("user", "morning!"), ("assistant", "Good morning.")], "hello")
    review = memory.behavior.end_session("hello")
    assert (review.summary, review.open_tasks, review.unanswered, review.notes) == ("", (), (), ())
    assert memory.behavior.end_session("never was").summary == ""


def test_what_is_forgotten_takes_summary_and_notes_along(memory: Memory) -> None:
    said(memory, PITFALL, "cooking")
    memory.behavior.end_session("cooking")
    memory.forget(session="cooking")
    assert memory.behavior.notes() == []


def test_without_consent_nothing_is_kept(memory: Memory) -> None:
    said(memory, PITFALL, "cooking")
    memory.admin.consent("learning", False)
    assert memory.behavior.end_session("cooking").notes == ()
    memory.admin.consent("memory", False)
    assert memory.behavior.end_session("cooking").summary == ""
