"""Who is whose what, and what sort of thing a name stands for."""

from datetime import UTC, datetime

import pytest

from sharpwave.knowledge.predicates import predicate
from sharpwave.reading.extract import extract
from sharpwave.types.records import USER
from sharpwave.types.statements import EntityKind, Mode, Spoken

AT = datetime(2026, 3, 3, 9, tzinfo=UTC)


def related(text: str) -> set[str]:
    """The relations that a text gives."""
    found = (one.statement for one in extract(text, Spoken(USER, AT)).candidates if one.statement)
    return {f"{s} {p} {o}" for s, p, o in found if predicate(p).type == "family"}


def kinds(text: str) -> dict[str, str]:
    return {one.name: one.kind.value for one in extract(text, Spoken(USER, AT)).mentions}


RELATED = [
    ("My kids, Emma and Jack, are 7 and 9.", {"user child Emma", "user child Jack"}),
    ("Tom (my manager) wants the slides by Friday.", {"user boss Tom"}),
    ("I had lunch with Priya, my old colleague from Delft.", {"user colleague Priya"}),
    ("Lena starts school in autumn. My daughter, I mean.", {"user daughter Lena"}),
    (
        "My cousin Elif's husband Okan fixed the boiler.",
        {"user cousin Elif", "Elif husband Okan"},
    ),
    (
        "My cousin Elif is visiting. Her husband Okan drives a truck.",
        {"user cousin Elif", "Elif husband Okan"},
    ),
    ("Draft one paragraph to Dolores, my paralegal.", {"user paralegal Dolores"}),
    ("Conal, that's my son, put you on the tablet.", {"user son Conal"}),
    ("My sister was to come Saturday, you know. Verona.", {"user sister Verona"}),
    ("Please write to Karim. He is my landlord's brother.", {"user's landlord brother Karim"}),
    ("Dad's new partner, Ruth, is lovely.", {"user's father partner Ruth"}),
    ("My therapist Dr. Weiss suggested it.", {"user therapist Dr. Weiss"}),
    ("Our twins Leo and Mia turn six on Sunday.", {"user child Leo", "user child Mia"}),
    ("My two sons Ali (4) and Omar (2) have colds.", {"user son Ali", "user son Omar"}),
    ("my boss sarah moved the meeting", {"user boss sarah"}),
    ("Uncle Bob lives in Leeds.", {"user uncle Uncle Bob"}),
    ("My neighbour on the hill is Dilys Prosser.", {"user neighbor Dilys Prosser"}),
]


@pytest.mark.parametrize(("text", "wanted"), RELATED)
def test_a_word_beside_a_name_relates_it(text: str, wanted: set[str]) -> None:
    assert related(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Kilometres, my friend, always kilometres.",
        "Her mom is nice and so is Ruth.",
        "Anna, my sister and I went to Rome.",
        "Write a story where my sister Anna flies to the moon.",
        "My brother moved to Tuesdays.",
        "Christmas was quiet. My mother cooked.",
        "We have precisely one customer left on it.",
    ],
)
def test_no_name_is_related_without_ground(text: str) -> None:
    assert related(text) == set()


def test_what_was_is_over() -> None:
    (one,) = extract("My boss was Carl.", Spoken(USER, AT)).candidates
    assert one.mode is Mode.ENDED


KINDS = [
    ("Dolores retires on the 30th.", {"Dolores": "person"}),
    ("Send a note to Birgitte. She is on leave.", {"Birgitte": "person"}),
    ("We fly to Nairobi, Doha and Lisbon.", dict.fromkeys(("Nairobi", "Doha", "Lisbon"), "place")),
    ("Mehreen, fifteen, wants a bike.", {"Mehreen": "person"}),
    ("Physical therapy is on Mondays and Fridays.", {}),
    ("My brain is SOUP today.", {}),
    ("He called it 'Receives', not 'Takes'.", {}),
    ("Surgery is fixed. Closing was to be in June.", {}),
    ("Heute habe ich den ganzen Tag im Garten mit der Schaufel gearbeitet, mein Rücken.", {}),
]


@pytest.mark.parametrize(("text", "wanted"), KINDS)
def test_names_and_their_kinds(text: str, wanted: dict[str, str]) -> None:
    assert kinds(text) == wanted


def test_a_person_without_a_name_is_mentioned() -> None:
    assert kinds("My nephew is with us. He hates red.") == {"user's nephew": EntityKind.PERSON}
    assert kinds("mum called again") == {"user's mother": EntityKind.PERSON}
