"""Sentences we wrote, family by family: exactly what is found, and where nothing must be."""

import tomllib
from datetime import UTC, datetime
from importlib.resources import files

import pytest
from tests.reading.held_out import lines

from evals.extraction import case_line
from sharpwave import Kind
from sharpwave.reading.extract import extract
from sharpwave.types.records import USER
from sharpwave.types.statements import Candidate, Spoken

CASES = tomllib.loads((files("evals") / "data" / "extraction_cases.toml").read_text("utf-8"))
AT = datetime(2024, 3, 5, tzinfo=UTC)
GATE = 0.7


def say(text: str, speaker: str = USER, previous: str | None = None) -> list[Candidate]:
    """What passes the gate by its confidence."""
    found = extract(text, Spoken(speaker, AT, previous=previous)).candidates
    return [one for one in found if one.confidence >= GATE]


def facts(text: str, speaker: str = USER, previous: str | None = None) -> list[str]:
    found = say(text, speaker, previous)
    return sorted(case_line(one) for one in found if one.kind is Kind.FACT)


SAID = [(family, text, wanted) for family, rows in CASES["said"].items() for text, *wanted in rows]


@pytest.mark.spec("PRO-02", "KG-07")
@pytest.mark.parametrize(("family", "text", "wanted"), SAID)
def test_said(family: str, text: str, wanted: list[str]) -> None:
    assert facts(text) == sorted(wanted)


DONE = [(text, wanted) for rows in CASES["done"].values() for text, *wanted in rows]


@pytest.mark.parametrize(("text", "wanted"), DONE)
def test_tasks_and_notes(text: str, wanted: list[str]) -> None:
    assert sorted(lines(text)) == wanted


@pytest.mark.parametrize("text", [text for several in CASES["silent"].values() for text in several])
def test_silent(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize("text", CASES["silent"]["hedged"])
def test_hedging_lowers_confidence_and_keeps_the_statement(text: str) -> None:
    found = [one for one in extract(text, Spoken(USER, AT)).candidates if one.statement]
    assert found
    assert all(one.confidence < GATE for one in found)


@pytest.mark.parametrize(
    ("previous", "text", "wanted"),
    [
        ("Where do you live?", "Porto.", ["user | lives_in | Porto"]),
        ("Nice! And where do you live?", "In Porto", ["user | lives_in | Porto"]),
        ("Do you live in Porto?", "Yes, since March.", ["user | lives_in | Porto"]),
        ("Do you live in Porto?", "No.", ["user | lives_in | Porto | denied"]),
        ("Are you vegetarian?", "Yes!", ["user | diet | vegetarian"]),
        ("What's your favorite color?", "Green", ["user | favorite_color | Green"]),
        ("What do you do?", "a nurse", ["user | works_as | a nurse"]),
        (
            "So you live in Lisbon.",
            "No, actually it's Porto.",
            ["user | lives_in | Porto | not Lisbon"],
        ),
        ("You live in Lisbon, right?", "I meant Porto.", ["user | lives_in | Porto | not Lisbon"]),
        ("What's your favorite part of it?", "Thanks, Eva!", []),
        ("What's your favorite color?", "Good question!", []),
        ("Nice weather.", "Porto.", []),
        ("So you are 34.", "Sorry, 35.", ["user | age | 35 | not 34"]),
        ("Your boss is Tom.", "Actually it's Tim.", ["user | boss | Tim | not Tom"]),
        ("You live in Lisbon.", "Sorry, one more thing.", []),
        ("You live in Lisbon.", "Actually it's fine.", []),
        ("Where do you live?", "Why do you ask?", []),
    ],
)
def test_with_the_turn_before(previous: str, text: str, wanted: list[str]) -> None:
    assert facts(text, previous=previous) == wanted


def test_both_speakers_of_a_chat() -> None:
    assert facts("I live in Porto.", "Rui") == ["Rui | lives_in | Porto"]
    assert facts("My sister lives in Porto.", "Rui") == ["Rui's sister | lives_in | Porto"]


def test_not_but() -> None:
    assert facts("I'm not a doctor but a nurse.") == ["user | works_as | a nurse | not a doctor"]


def test_told_in_the_third_person() -> None:
    (one,) = say("Remind me to build a shed for my kids.", "Rui")
    assert one.text == "Build a shed for their kids"
    asked = "Remind me to bake a cake for your party."
    (other,) = extract(asked, Spoken("Rui", AT, "Ana")).candidates
    assert other.text == "Bake a cake for Ana's party"


def test_the_span_is_the_clause() -> None:
    text = "It rained. By the way, I live in Porto, and I like it here."
    (one,) = say(text)
    assert text[slice(*one.span)] == "I live in Porto"
    assert one.extractor == "rules.location 1"
