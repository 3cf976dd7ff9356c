"""A relation that a sentence takes for granted has no time of its own; that of the dead is over."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory, Message
from sharpwave.testing import FrozenClock

NOW = datetime(2026, 11, 3, 9, 0, tzinfo=UTC)


def learned(tmp_path: Path, *said: str) -> tuple[dict[str, datetime], Memory]:
    memory = Memory.open(tmp_path / "m.db", clock=FrozenClock(NOW))
    for text in said:
        memory.remember(Message(text, at=NOW))
    return {fact.text: fact.valid_from for fact in memory.facts.list()}, memory


DEAD = [
    ("The piano belonged to my late wife Irmgard.", "wife"),
    ("My grandmother Ottilie passed away when I was six.", "grandmother"),
    ("My cat Mimi died on Tuesday.", "pet"),
    ("Gregor, my brother, died in 2009.", "brother"),
    ("My uncle Anton has died.", "uncle"),
    ("My best friend Lukas sadly passed away last spring.", "best_friend"),
    ("My former boss Ruth taught me to sail in 1999.", "boss"),
    ("Our late neighbour Herbert left us his ladder.", "neighbor"),
]


@pytest.mark.parametrize(("said", "relation"), DEAD)
def test_a_relation_to_somebody_dead_is_history(tmp_path: Path, said: str, relation: str) -> None:
    facts, memory = learned(tmp_path, said)
    with memory:
        assert not memory.facts.list(predicate=relation), facts
        assert not [fact for fact in memory.facts.profile() if fact.predicate == relation]


def test_the_death_of_somebody_known_ends_the_relation(tmp_path: Path) -> None:
    _, memory = learned(
        tmp_path, "My sister Ilse plays the harp.", "My sister Ilse died in May 2025."
    )
    with memory:
        assert not memory.facts.list(predicate="sister")
        (sister,) = memory.facts.history("user", "sister").versions
        assert sister.object == "Ilse" and sister.valid_to is not None


@pytest.mark.parametrize(
    "said",
    [
        "My brother Georg lost his job when the factory died.",
        "My husband Paul told me that a colleague passed away.",
        "My sister Rosa arrived late.",
    ],
)
def test_the_living_stay(tmp_path: Path, said: str) -> None:
    facts, memory = learned(tmp_path, said)
    memory.close()
    assert any(text.startswith("The user's") for text in facts), facts


DATED = [
    ("My daughter Klara and her husband Jonas are moving to Bonn in March.", "husband is Jonas"),
    ("My cousin Bertram has played the tuba since 1987.", "cousin is Bertram"),
    ("My colleague Nadja will retire in June 2028.", "colleague is Nadja"),
    ("My neighbour Sepp broke his leg in September.", "neighbor is Sepp"),
    ("Next year my son Vinzenz will start school.", "son is Vinzenz"),
    ("My dentist Dr. Aigner was on holiday until yesterday.", "is Dr. Aigner"),
]


@pytest.mark.parametrize(("said", "relation"), DATED)
def test_a_date_elsewhere_in_the_sentence_is_not_of_the_relation(
    tmp_path: Path, said: str, relation: str
) -> None:
    facts, memory = learned(tmp_path, said)
    memory.close()
    assert [begins for text, begins in facts.items() if relation in text] == [NOW], facts


@pytest.mark.parametrize(
    "said", ["Agathe has been my friend since 1970.", "I met Agathe, my friend since 1970."]
)
def test_a_date_of_the_relation_stays(tmp_path: Path, said: str) -> None:
    facts, memory = learned(tmp_path, said)
    memory.close()
    assert facts["The user's friend is Agathe"].year == 1970
