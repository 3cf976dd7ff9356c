"""Ages of others in words and figures, and limits that only look like a contrast."""

from pathlib import Path

import pytest

from sharpwave import Memory


def learned(tmp_path: Path, *said: str) -> tuple[list[str], list[str]]:
    """The facts that hold and the rules after a few messages."""
    with Memory.open(tmp_path / "m.db") as memory:
        for text in said:
            memory.remember(text)
        facts = [fact.text for fact in memory.facts.list()]
        return facts, [rule.rule for rule in memory.behavior.rules()]


@pytest.mark.parametrize(
    ("before", "after", "age", "wrong"),
    [
        ("Pauline is six.", "Pauline is not six but already seven.", "seven", "six"),
        ("My nephew Oskar is 14.", "Oskar is not 14 but 15.", "15", "14"),
        ("My niece Ida is ten years old.", "Ida is not ten but eleven.", "eleven", "ten"),
        ("Theo is three now.", "Theo is four.", "four", "three"),
    ],
)
def test_an_age_that_is_put_right_replaces_the_old(
    tmp_path: Path, before: str, after: str, age: str, wrong: str
) -> None:
    facts, _ = learned(tmp_path, before, after)
    about = [text for text in facts if "years old" in text or wrong in text]
    assert len(about) == 1 and age in about[0] and wrong not in about[0], facts


@pytest.mark.parametrize(
    "said", ["The bus is three minutes late.", "Anna is one of us.", "Chapter five is four pages."]
)
def test_other_numbers_are_no_ages(tmp_path: Path, said: str) -> None:
    facts, _ = learned(tmp_path, said)
    assert not [text for text in facts if "years old" in text]


@pytest.mark.parametrize(
    "said",
    [
        "Always keep summaries to not more than eighty words.",
        "From now on answer with not fewer than two sources.",
        "Please always give me lists, ideally not longer than six items.",
    ],
)
def test_a_limit_is_no_contrast(tmp_path: Path, said: str) -> None:
    _, rules = learned(tmp_path, said)
    assert rules and not any("instead of" in rule for rule in rules), rules
    assert "not" in rules[0]


def test_a_contrast_stays_one(tmp_path: Path) -> None:
    _, rules = learned(tmp_path, "Always use metres, not feet.")
    assert rules == ["Always use metres instead of feet"]
