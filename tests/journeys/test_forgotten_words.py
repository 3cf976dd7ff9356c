"""What was said is forgotten whole, also where something said later made it done or over."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.places import PLACES, empty

from sharpwave import Memory
from sharpwave.testing import FrozenClock


@pytest.fixture(params=PLACES)
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    where = empty(request.param, tmp_path)
    with Memory.open(where, user="mia", clock=FrozenClock()) as opened:
        yield opened


SAID = [
    ("Remind me to pay the Ashgrove invoice on Friday.", "I paid the invoice.", "Ashgrove"),
    ("My subscription to the Ashgrove Gazette is 12 a month.", "cancelled the sub", "Ashgrove"),
    ("We drive a rusty Skoda.", "we sold the Skoda last week", "rusty"),
]


@pytest.mark.parametrize(("first", "later", "word"), SAID)
def test_words_are_gone_though_a_later_turn_ended_what_they_told(
    memory: Memory, first: str, later: str, word: str
) -> None:
    memory.remember(first, session="a")
    memory.remember(later, session="b")
    memory.forget(session="a")
    assert word.lower() not in "".join(memory.export()).lower()
    assert first not in memory.context(first).text


@pytest.mark.parametrize(("first", "later", "word"), SAID)
def test_what_was_told_stays_when_the_later_turn_is_forgotten(
    memory: Memory, first: str, later: str, word: str
) -> None:
    memory.remember(first, session="a")
    before = {item.record.text for item in memory.recall(first)}
    memory.remember(later, session="b")
    memory.forget(session="b")
    assert before <= {item.record.text for item in memory.recall(first)}


def test_a_task_that_was_asked_for_again_stays(memory: Memory) -> None:
    memory.remember("Remind me to water the ferns.", session="a")
    memory.remember("Remind me to water the ferns.", session="b")
    memory.forget(session="a")
    assert [task.title for task in memory.tasks.list()] == ["Water the ferns"]
