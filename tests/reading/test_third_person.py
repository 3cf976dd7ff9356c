"""What agents say of the user, in the third person: the share found must not fall."""

import pytest
from tests.reading.test_cases import AT
from tests.reading.third_person import score

from sharpwave.reading.extract import extract
from sharpwave.temporal.expressions import find
from sharpwave.types.records import USER
from sharpwave.types.statements import Spoken, TimeSpan

RECALL = 0.95
"""0.97 of 36 when it was set."""
PRECISION = 0.95
"""1.00 when it was set."""


def test_developed() -> None:
    total = score("developed")
    assert not (total.missed or total.extra or total.false)


def test_kept_apart() -> None:
    total = score("apart")
    assert total.recall >= RECALL, total.missed
    assert total.precision >= PRECISION, total.extra
    assert not total.false


NAMES = ("Summer", "Autumn", "Winter", "Domingo", "Abril", "Naomi")
"""Given names, all but one of which are also times."""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("{} is allergic to nuts.", "{} is allergic to nuts"),
        ("{} works at Northwind as a welder.", "{} works at Northwind"),
        ("{} has three cats.", "{} has three cats"),
        ("{} says she lives in Utrecht now.", "{} lives in Utrecht"),
        ("{}'s recital went well. She lives in Ghent.", "{} lives in Ghent"),
        ("{} is my niece.", "The user's niece is {}"),
        ("{} is also called Nix.", "{} goes by Nix"),
    ],
)
def test_what_is_said_of_a_person_named_like_a_time_is_theirs(
    name: str, text: str, fact: str
) -> None:
    said = told(text.format(name))
    assert fact.format(name) in said
    assert all(name in one for one in said), "nothing is the speaker's"


@pytest.mark.parametrize(
    "text",
    [
        "Today is my birthday.",
        "Monday is my day off.",
        "Tomorrow is our anniversary.",
        "Winter is my favourite season.",
        "Christmas is my wife's birthday.",
    ],
)
def test_a_day_is_no_person(text: str) -> None:
    assert told(text) == []


def test_who_is_something_to_a_wife_is_not_the_wife() -> None:
    assert told("Ana is my wife's friend.") == ["The user's wife's friend is Ana"]


def told(text: str) -> list[str]:
    times = [TimeSpan(one.span, one.start, one.end) for one in find(text, AT)]
    found = extract(text, Spoken(USER, AT), times).candidates
    return [one.text for one in found if one.statement]
