"""What was said is forgotten whole, also where something said later made it done or over."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.places import PLACES, empty

from sharpwave import Memory
from sharpwave.testing import FrozenClock
from sharpwave.types.storing import Space


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


@pytest.mark.parametrize(
    ("first", "later", "word"),
    [
        ("My name is Ruth Keller.", "I am Ruth.", "Keller"),
        ("My sister is called Ilse.", "My sister moved to Rome.", "Ilse"),
        ("My sister Ilse lives in Porto.", "My sister lives in Porto.", "Ilse"),
        ("Never mention my ex Dario in a summary.", "Don't mention my ex in a summary.", "Dario"),
    ],
)
def test_a_name_is_gone_though_a_later_turn_said_the_same_without_it(
    memory: Memory, first: str, later: str, word: str
) -> None:
    memory.remember(first, session="a")
    memory.remember(later, session="b")
    memory.forget(session="a")
    assert word.lower() not in "".join(memory.export()).lower()


def test_a_name_inside_another_word_is_no_name(memory: Memory) -> None:
    memory.remember("My brother is called Al.", session="a")
    memory.remember("My brother also moved to Rome.", session="b")
    memory.forget(session="a")
    assert not any("Al " in fact.text for fact in memory.facts.list())


class AllAlike:
    """Takes every text for the same in other words."""

    space = Space("alike", "1", 2)

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        return np.tile(np.array([[1.0, 0.0]], np.float32), (len(statements), 1))

    def embed_question(self, question: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed([question])[0]
        return vector


@pytest.mark.parametrize("name", ["Zorblatt", "Quimby"])
def test_a_name_is_gone_though_a_later_turn_was_taken_for_the_same(
    tmp_path: Path, name: str
) -> None:
    with Memory.open(tmp_path / "m.db", clock=FrozenClock(), embedder=AllAlike()) as memory:
        memory.remember("I like Zorblatt more than tea.", session="Zorblatt")
        memory.remember("I like Quimby more than tea.", session="Quimby")
        memory.forget(session=name)
        assert name.lower() not in "".join(memory.export()).lower()
