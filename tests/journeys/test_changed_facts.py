"""Facts in the words of two months: denied, ended by others, moved, checked, listed and dated."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory, Message
from sharpwave.testing import FrozenClock
from sharpwave.types.answers import Decision


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 10, 1, 9, tzinfo=UTC))


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", user="solene", clock=clock) as opened:
        yield opened


def known(memory: Memory, clock: FrozenClock, *said: str) -> list[str]:
    """The facts that hold after some messages, a few days apart."""
    for text in said:
        memory.remember(text)
        clock.advance(days=3)
    return [fact.text for fact in memory.facts.list()]


@pytest.mark.parametrize(
    "said",
    [
        "never call me Mr Keller",
        "Nobody calls me Mr Keller.",
        "never call me Mr Keller, call me Albert",
        "Under no circumstances call me Mr Keller.",
    ],
)
def test_a_name_that_is_denied_is_not_taken(memory: Memory, clock: FrozenClock, said: str) -> None:
    assert "The user goes by Mr Keller" not in known(memory, clock, said)


@pytest.mark.parametrize("again", ["I am Ruth and I like tea.", "My name is Ruth."])
def test_a_part_of_the_name_is_no_new_name(memory: Memory, clock: FrozenClock, again: str) -> None:
    facts = known(memory, clock, "My name is Ruth Keller.", again)
    assert "The user's name is Ruth Keller" in facts
    assert "The user's name is Sam Okafor" in known(memory, clock, "My name is Sam Okafor.")


@pytest.mark.parametrize(
    ("held", "end"),
    [
        ("I take Metformin.", "Doctor Hofer has taken me off Metformin."),
        ("I take lisinopril every morning.", "My GP stopped my lisinopril."),
        ("I work for Bosch.", "Bosch has let me go."),
        ("I work for Bosch.", "They sacked me."),
        ("I work for Bosch.", "My boss fired me yesterday."),
        ("I drive a white Kangoo.", "I no longer drive the Kangoo, sold it"),
        ("I drive a white Kangoo.", "no longer driving the kangoo, too expensive"),
        ("I work at Bosch.", "No longer at Bosch."),
        ("I drive an old blue Fiesta.", "I don't drive the Fiesta anymore."),
        ("I ride a red Vespa to work.", "I no longer ride the Vespa."),
        ("I drive a silver Golf.", "I've sold the Golf."),
        ("I go to the gym on Tuesdays.", "I won't go to the gym any more."),
        ("I have a budgie called Pippo.", "Pippo died."),
        ("My niece Lena studies nursing.", "Lena has given up nursing and now studies law."),
    ],
)
def test_an_end_closes_what_is_known_in_other_words(
    memory: Memory, clock: FrozenClock, held: str, end: str
) -> None:
    before = known(memory, clock, held)
    states = [text for text in before if "niece is" not in text and not text.endswith("a budgie")]
    assert states
    assert not set(states) & set(known(memory, clock, end))


@pytest.mark.parametrize(
    ("held", "other"),
    [
        ("I play the piano.", "I no longer play the guitar."),
        ("I have a red car.", "I stopped the car at the lights."),
        ("I have a small boat.", "I'm thinking of selling the boat."),
        ("I work at Lidl.", "My sister no longer works at Lidl."),
        ("I take Metformin.", "The doctor will not take me off Metformin."),
        ("My flight to Oslo is on 12 October.", "My flight to Rome is now on 14 October."),
        ("I had my MRI on 4 November 2025.", "My next MRI is now on 18 November."),
        ("The choir sings on Thursdays.", "The choir concert is now on 3 December."),
    ],
)
def test_the_end_of_something_else_closes_nothing(
    memory: Memory, clock: FrozenClock, held: str, other: str
) -> None:
    before = known(memory, clock, held)
    assert before
    assert set(before) <= set(known(memory, clock, other))


@pytest.mark.parametrize(
    ("first", "then", "old"),
    [
        (
            "My knee operation is on 3 December.",
            "The knee operation moved to 15 January.",
            "3 December",
        ),
        ("Our wedding is on 6 June.", "We moved the wedding to 20 June.", " 6 June"),
        ("The choir is on Thursdays.", "The choir is on Wednesdays now.", "Thursdays"),
        (
            "My surgery is on 2 November.",
            "The hospital called: surgery on 9 November instead of the 2nd.",
            "is on 2 November",
        ),
        (
            "The delivery of the sofa is on Wednesday.",
            "The sofa delivery is now on Friday.",
            "Wednesday",
        ),
    ],
)
def test_another_date_closes_the_one_before(
    memory: Memory, clock: FrozenClock, first: str, then: str, old: str
) -> None:
    facts = known(memory, clock, first, then)
    assert then in facts
    assert not [text for text in facts if old in text]


@pytest.mark.parametrize(
    "said",
    [
        "Since 2019 I work at Acme, not at Globex any more.",
        "I work at Acme now, no longer at Globex.",
    ],
)
def test_what_is_no_longer_so_is_not_learned_beside_what_is(
    memory: Memory, clock: FrozenClock, said: str
) -> None:
    known(memory, clock, "I work at Globex.", said)
    assert [fact.object for fact in memory.facts.list(predicate="works_at")] == ["Acme"]


def test_a_plan_moves_to_another_day(memory: Memory, clock: FrozenClock) -> None:
    first = "I'm opening a second shop in the Panier, planned for 14 November."
    facts = known(memory, clock, first)
    assert [text for text in facts if "14 November" in text]
    facts = known(memory, clock, "The opening is pushed back: 28 November instead of the 14th.")
    assert [text for text in facts if "28 November" in text]
    assert not [text for text in facts if "14 November" in text]


@pytest.mark.parametrize(
    "said",
    [
        "I am allergic to nuts, have I told you?",
        "Did I tell you that I am allergic to nuts?",
        "You know I am allergic to nuts, right?",
        "Have I ever mentioned I'm allergic to nuts?",
    ],
)
def test_a_statement_in_a_question_that_checks_is_learned(
    memory: Memory, clock: FrozenClock, said: str
) -> None:
    assert known(memory, clock, said) == ["The user is allergic to nuts"]


@pytest.mark.parametrize(
    "asked",
    ["Did I tell you where I live?", "Do you know my wife's name?", "I'm allergic to nuts, right?"],
)
def test_a_question_states_nothing(memory: Memory, clock: FrozenClock, asked: str) -> None:
    assert known(memory, clock, asked) == []


def test_each_item_of_a_list_is_read_alone(memory: Memory, clock: FrozenClock) -> None:
    items = [
        "I have asthma",
        "my daughter Inès is 15",
        "we live in Aix",
        "my husband Jan plays chess",
    ]
    alone = {text for one in items for text in known(memory.user(one[:9]), clock, one)}
    for place, mark in enumerate(("- ", "* ", "1. ", "2) ")):
        listed = "About me:\n" + "\n".join(f"{mark}{one}" for one in items)
        assert set(known(memory.user(f"list {place}"), clock, listed)) == alone


@pytest.mark.parametrize(
    ("said", "fact", "since"),
    [
        ("I drive a white Kangoo, 2016", "I drive a white Kangoo, 2016", 2026),
        ("I have a Trek bike from 2015.", "I have a Trek bike from 2015.", 2026),
        ("I have lived in Rome from 2015.", "The user lives in Rome", 2015),
        ("my husband Jan works at Philips", "Jan works at Philips", 2026),
    ],
)
def test_a_date_of_a_thing_does_not_date_the_fact(
    memory: Memory, said: str, fact: str, since: int
) -> None:
    memory.remember(said)
    (found,) = (one for one in memory.facts.list() if one.text == fact)
    assert found.valid_from.year == since


def test_what_is_said_of_a_person_is_kept_beside_the_name(
    memory: Memory, clock: FrozenClock
) -> None:
    said = "My mother Josette is in hospital since yesterday."
    assert set(known(memory, clock, said)) == {"The user's mother is Josette", said}


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("My apprentice Théo is allergic to hazelnuts.", "The user's apprentice is Théo"),
        ("My dentist is called Dr Ruiz.", "The user's dentist is Dr Ruiz"),
        ("My ex Karim lives in Aix.", "The user's ex is Karim"),
        ("Karim says he lives in Lyon now", "Karim lives in Lyon"),
        ("I moved: since Monday we live in Nîmes.", "The user lives in Nîmes"),
    ],
)
def test_people_are_what_they_are_called(
    memory: Memory, clock: FrozenClock, said: str, fact: str
) -> None:
    assert fact in known(memory, clock, said)


def test_an_instruction_of_the_assistant_is_no_deed(memory: Memory) -> None:
    memory.remember(Message("Read CV1 on the programming track.", role="assistant"))
    assert memory.facts.list() == []


def test_a_dose_stays_with_its_drug(memory: Memory, clock: FrozenClock) -> None:
    dose = "one tablet in the morning and one in the evening"
    said = f"Doctor Hofer says I must take Metformin, {dose}, and no more sugar in my tea."
    assert [text for text in known(memory, clock, said) if dose in text] == [said]


def test_recall_does_not_assert_what_was_taken_back(memory: Memory, clock: FrozenClock) -> None:
    known(memory, clock, "My sister Anna lives in Rome.", "I live in Porto.")
    (fact,) = (one for one in memory.facts.list() if "Porto" in one.text)
    assert memory.recall("Where do I live?").decision is Decision.ASSERT
    memory.facts.confirm(fact.id, right=False)
    found = memory.recall("Where do I live?")
    assert found.decision is Decision.VERIFY
    assert "I live in Porto." not in (found.items[0].text, found.rationale)
    memory.remember("I live in Braga.")
    found = memory.recall("Where do I live?")
    assert (found.decision, found.items[0].text) == (Decision.ASSERT, "I live in Braga.")


def test_the_end_comes_before_what_ended(memory: Memory, clock: FrozenClock) -> None:
    known(memory, clock, "I live in Porto.", "I no longer live in Porto.")
    found = memory.recall("Where do I live?")
    assert found.items[0].text == "I no longer live in Porto."


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("I take aspirin every morning.", "The train stopped."),
        ("I take aspirin every morning.", "We stopped at the corner."),
        ("I take aspirin every morning.", "I took the day off."),
        ("I take aspirin every morning.", "She takes her shoes off at the door."),
        ("I work for Bosch.", "They fired me up with that speech."),
        ("I work for Bosch.", "Bosch would not let me go on holiday."),
        ("I work for Bosch.", "They let me go first in the queue."),
        ("I work for Bosch.", "The baker no longer works at Bosch."),
        ("I have a dog called Pippo.", "Pippo died laughing at my joke."),
        ("I sing in a choir.", "The choir stopped singing at ten."),
        ("I play football.", "Leo gave up football."),
    ],
)
def test_everyday_words_end_nothing(
    memory: Memory, clock: FrozenClock, held: str, said: str
) -> None:
    before = known(memory, clock, held)
    assert before
    assert set(before) <= set(known(memory, clock, said))


def test_what_a_doctor_ends_is_over_beside_the_deed(memory: Memory, clock: FrozenClock) -> None:
    assert known(memory, clock, "I take Metformin.") == ["The user takes Metformin"]
    deed = "My GP took me off Metformin."
    assert known(memory, clock, deed) == [deed]


def test_one_of_two_is_not_guessed(memory: Memory, clock: FrozenClock) -> None:
    bikes = known(memory, clock, "I have a road bike.", "I have a mountain bike.")
    assert set(bikes) <= set(known(memory, clock, "I sold the bike.", "I sold a bike."))
    assert "I have a road bike." not in known(memory, clock, "I sold the road bike.")
    assert "I have a mountain bike." not in known(memory, clock, "I sold the bike.")


def test_a_new_date_of_one_of_two_is_not_guessed(memory: Memory, clock: FrozenClock) -> None:
    plans = [
        "The rehearsal with Bea is on 20 November.",
        "The rehearsal with Tom is on 21 November.",
    ]
    before = known(memory, clock, *plans)
    assert set(before) <= set(known(memory, clock, "The rehearsal is now on 23 November."))
