"""The user puts one particular fact right: what was known goes, and the words of the user hold."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sharpwave import Memory, Message
from sharpwave.errors import NotFound
from sharpwave.testing import FrozenClock
from sharpwave.types.known import Fact
from sharpwave.types.records import State

MAY = datetime(2026, 5, 6, 18, 0, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=FrozenClock(MAY + timedelta(days=3))) as opened:
        yield opened


def known(memory: Memory, said: str, part: str) -> Fact:
    """The first fact that a sentence tells whose text has a part; else the whole sentence."""
    memory.remember(Message(said, at=MAY))
    if not any(part in one.text for one in memory.facts.list()):
        whole = {"text": said, "quote": said}
        memory.remember(Message(said, at=MAY), facts=[whole])
    return next(one for one in memory.facts.list() if part in one.text)


CASES = [
    ("I like liquorice.", "liquorice", "I like marzipan."),
    ("I live in Steyr.", "Steyr", "I live in Wels with my aunt and her two parrots."),
    (
        "I have worked at Rosenbauer since 2011.",
        "Rosenbauer",
        "I've worked at Rosenbauer since 2007.",
    ),
    ("My sister Ilse plays the harp.", "sister is Ilse", "My sister Ilse passed away in 2019."),
    (
        "We always spend the first week of August at the hut above Gosau.",
        "Gosau",
        "We always spend the last week of August at the hut above Gosau.",
    ),
    (
        "The key of the cellar hangs behind the blue door.",
        "cellar",
        "It hangs in the hall, and only at night.",
    ),
    ("My son Emil is allergic to peanuts.", "peanuts", "Emil tolerates peanuts, it was hazelnuts."),
    (
        "I take 50 mg of losartan every morning.",
        "losartan",
        "I take 25 mg of losartan, mornings and evenings.",
    ),
]


@pytest.mark.parametrize(("said", "part", "right"), CASES)
def test_a_correction_replaces_the_very_fact_it_is_about(
    memory: Memory, said: str, part: str, right: str
) -> None:
    wrong = known(memory, said, part)
    memory.facts.correct(wrong.id, right)
    assert memory.explain(wrong.id).record.standing.state is State.INVALIDATED
    facts = memory.facts.list()
    assert wrong.text not in {one.text for one in facts if one.predicate == "noted"}
    whole = [one for one in facts if one.text in right or right.split()[-1].strip(".") in one.text]
    assert whole, [one.text for one in facts]
    assert not memory.facts.conflicts()


def test_since_when_is_corrected_too(memory: Memory) -> None:
    wrong = known(memory, "I have worked at Rosenbauer since 2011.", "Rosenbauer")
    memory.facts.correct(wrong.id, "I have worked at Rosenbauer since 2007.")
    (job,) = memory.facts.list(predicate="works_at")
    assert job.valid_from is not None and job.valid_from.year == 2007


def test_words_that_a_slot_leaves_out_are_kept(memory: Memory) -> None:
    wrong = known(memory, "I live in Steyr.", "Steyr")
    memory.facts.correct(wrong.id, "I live in Wels with my aunt and her two parrots.")
    (home,) = memory.facts.list(predicate="lives_in")
    assert (home.object, "parrots" in home.text) == ("Wels", True)


def test_a_plain_correction_is_worded_as_facts_are(memory: Memory) -> None:
    wrong = known(memory, "I live in Steyr.", "Steyr")
    receipt = memory.facts.correct(wrong.id, "I live in Wels.")
    assert [one.text for one in receipt.learned] == ["The user lives in Wels"]
    assert "Wels" in memory.recall("Where do I live?").items[0].record.text


@pytest.mark.parametrize(
    ("said", "wrong", "right", "slot"),
    [
        ("I live in Steyr.", "The user lives in Steyr", "The user lives in Wels.", "lives_in"),
        ("My dog is called Pixel.", "The user has a pet, Pixel", "The user has a pet, Luna", "pet"),
    ],
)
def test_the_known_sentence_with_another_value_fills_the_same_slot(
    memory: Memory, said: str, wrong: str, right: str, slot: str
) -> None:
    memory.facts.correct(known(memory, said, wrong).id, right)
    (fact,) = memory.facts.list(predicate=slot)
    assert (fact.object, fact.text) == (right.strip(".").split()[-1], right.strip("."))


@pytest.mark.parametrize(
    ("said", "slot", "right", "fact"),
    [
        ("I live in Steyr.", "lives_in", "Wels", ("Wels", "The user lives in Wels")),
        ("I live in Steyr.", "lives_in", "in Wels.", ("Wels", "The user lives in Wels")),
        ("My sister is called Ilse.", "sister", "Else", ("Else", "The user's sister is Else")),
        ("My dog Rex is 4 years old.", "age", "5", ("5", "Rex is 5 years old")),
        ("My favorite drink is tea.", "favorite_drink", "iced tea",
         ("iced tea", "The user's favorite drink is iced tea")),
        ("I live in Steyr.", "lives_in", "Reno City", ("Reno City", "The user lives in Reno City")),
        ("I live in Steyr.", "lives_in", "Sorry, it's Wels.", ("Wels", "The user lives in Wels")),
        ("My landlord is Mr. Petridis.", "landlord", "No, his name is Mr. Petrakis",
         ("Mr. Petrakis", "The user's landlord is Mr. Petrakis")),
    ],
)  # fmt: skip
def test_a_bare_value_fills_the_slot_of_the_fact(
    memory: Memory, said: str, slot: str, right: str, fact: tuple[str, str]
) -> None:
    memory.remember(Message(said, at=MAY))
    (wrong,) = memory.facts.list(predicate=slot)
    receipt = memory.facts.correct(wrong.id, right)
    (held,) = memory.facts.list(predicate=slot)
    assert (held.subject, held.object, held.text) == (wrong.subject, *fact)
    assert [one.text for one in receipt.learned] == [fact[1]]
    assert memory.explain(wrong.id).record.standing.state is State.INVALIDATED
    assert not memory.facts.list(predicate="noted")


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("I live in Steyr.", "Not any more"),
        ("I live in Steyr.", "moved away"),
        ("I live in Steyr.", "wrong"),
        ("I live in Steyr.", "No, that is wrong"),
        ("I live in Steyr.", "No, it was my aunt"),
        ("I live in Steyr.", "Wels?"),
        ("My dog Rex is 4 years old.", "very lazy"),
    ],
)
def test_words_that_are_no_value_do_not_fill_a_slot(memory: Memory, said: str, right: str) -> None:
    memory.remember(Message(said, at=MAY))
    wrong = next(one for one in memory.facts.list() if one.predicate in ("lives_in", "age"))
    memory.facts.correct(wrong.id, right)
    assert not memory.facts.list(predicate=wrong.predicate)
    assert right in {one.text for one in memory.facts.list()}


def test_recall_answers_with_the_bare_value(memory: Memory) -> None:
    wrong = known(memory, "I live in Steyr.", "lives in Steyr")
    memory.facts.correct(wrong.id, "Wels")
    assert memory.recall("Where do I live?").items[0].text == "The user lives in Wels"


def test_one_side_of_a_question_is_corrected_and_the_question_is_settled(memory: Memory) -> None:
    memory.remember(Message("I don't eat meat.", at=MAY))
    memory.remember(Message("I eat meat.", at=MAY + timedelta(hours=1)))
    for question in memory.facts.conflicts():
        memory.facts.correct(question.older.id, "I eat fish, but no meat.")
    assert not memory.facts.conflicts()


def test_what_is_no_fact_is_not_corrected(memory: Memory) -> None:
    turn = memory.remember("I live in Steyr.").ids[0]
    for id_ in (turn, "nope"):
        with pytest.raises(NotFound):
            memory.facts.correct(id_, "I live in Wels.")


@pytest.mark.parametrize(("said", "part", "right"), CASES[:5])
def test_a_fact_that_is_wrong_is_taken_back_without_a_question(
    memory: Memory, said: str, part: str, right: str
) -> None:
    wrong = known(memory, said, part)
    memory.facts.confirm(wrong.id, right=False)
    assert not memory.facts.conflicts()
    assert memory.explain(wrong.id).record.standing.state is State.INVALIDATED
