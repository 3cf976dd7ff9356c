"""What is said later in any words ends or replaces what it speaks of. The words are testers'."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.testing import FrozenClock, ScriptedLLM
from sharpwave.types.answers import Verdict


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 11, 17, 9, tzinfo=UTC))


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", user="mia", clock=clock) as opened:
        yield opened


def current(memory: Memory) -> set[str]:
    return {fact.text for fact in memory.facts.list()} | {t.title for t in memory.tasks.list()}


OVER = [
    ("We are going to Oslo from 3 to 8 December.", "The Oslo trip is cancelled."),
    ("Olsen comes on Thursday to fix the boiler.", "Olsen cancelled."),
    ("The julebord is on 12 December at the Grand.", "julebord is off"),
    ("I am studying for the PMP exam.", "I passed the PMP!"),
]
CHANGED = [
    ("My rent is 2100 kr a month.", "The rent went up to 2400 kr."),
    ("My knee is bad at the moment.", "My knee is much better."),
    ("I keep the greenhouse at 12 degrees.", "Greenhouse is at 9 degrees now."),
    ("Piano lessons are on Tuesdays at five.", "Piano lessons moved to Thursdays."),
    ("The meeting with Bauer is on Monday at 10.", "The Bauer meeting is now at three."),
]


@pytest.mark.parametrize(("first", "later"), [*OVER, *CHANGED])
def test_what_was_said_first_no_longer_stands(
    memory: Memory, clock: FrozenClock, first: str, later: str
) -> None:
    memory.remember(first, session="a")
    before = current(memory)
    clock.advance(days=3)
    receipt = memory.remember(later, session="b")
    assert before and not before & current(memory)
    assert {one.verdict for one in receipt.learned} & {Verdict.CLOSED, Verdict.VERSIONED}
    memory.forget(session="b")
    assert before <= current(memory), "it stands again when the remark is forgotten"


@pytest.mark.parametrize(("first", "later"), CHANGED)
def test_the_new_value_takes_its_place(
    memory: Memory, clock: FrozenClock, first: str, later: str
) -> None:
    memory.remember(first)
    clock.advance(days=3)
    memory.remember(later)
    assert later in current(memory)


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("I'm training for the Lisbon half marathon.", "My brother trains for the Porto marathon."),
        ("My dog is called Rex.", "We got a second dog, Luna."),
        ("I have to finish the tax return.", "I should really finish the tax return."),
        ("We go to the choir every Wednesday.", "I skip choir this Wednesday."),
    ],
)
def test_what_only_lies_near_changes_nothing(
    memory: Memory, clock: FrozenClock, first: str, later: str
) -> None:
    memory.remember(first)
    before = current(memory)
    clock.advance(days=3)
    memory.remember(later)
    assert before and before <= current(memory)


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_only_the_user_changes_what_the_user_said(memory: Memory, role: str) -> None:
    for first, later in OVER:
        memory.remember(first)
        before = current(memory)
        memory.remember(later, role=role)
        assert before <= current(memory)


def test_a_task_is_done_in_other_words(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I need to send the form to the town hall.")
    clock.advance(days=3)
    memory.remember("The form is sent.")
    assert memory.tasks.list() == []
    assert [task.title for task in memory.tasks.list("done")] == ["Send the form to the town hall"]


def test_a_task_is_due_on_another_day(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I have to submit the tax return by 31 July.", session="a")
    clock.advance(days=3)
    memory.remember("Tax return deadline got extended to the end of August.", session="b")
    (task,) = memory.tasks.list()
    assert task.due is not None and task.due.date() == date(2027, 8, 31)
    memory.forget(session="a")
    assert memory.tasks.list() == [], "the words of the first turn go with it"


def test_a_language_model_that_reads_decides_itself(tmp_path: Path, clock: FrozenClock) -> None:
    llm = ScriptedLLM(lambda _: "{}")
    with Memory.open(tmp_path / "memory.db", clock=clock, llm=llm) as memory:
        for first, later in CHANGED[:3]:
            memory.remember(first)
            before = current(memory)
            clock.advance(days=3)
            memory.remember(later)
            assert before <= current(memory)
