"""Slots that a sentence fills, and those that it only seems to fill."""

from pathlib import Path

import pytest

from sharpwave import Memory


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("Petra (my cousin, Ulm) is visiting.", "The user's cousin is Petra"),
        ("Tom (my manager) is off.", "The user's boss is Tom"),
        ("My sister (Leeds) rang.", None),
        ("I have the boys this weekend.", None),
        ("I have the dog this week.", None),
        ("I have a daughter, Ada.", "The user's daughter is Ada"),
        ("I'm a coeliac.", "The user has coeliac disease"),
        ("I'm diabetic.", "The user has diabetes"),
        ("I'm anaemic.", "The user has anaemia"),
        ("I am hypertensive.", "The user has hypertension"),
        ("I'm deaf.", "The user has deafness"),
        ("I'm a Cancer.", None),
        ("I'm sarcastic.", None),
    ],
)
def test_the_slot_of_a_sentence(tmp_path: Path, said: str, fact: str | None) -> None:
    with Memory.open(tmp_path / "m.db", user="ira") as memory:
        memory.remember(said)
        found = [one.text for one in memory.facts.list() if one.predicate not in ("noted", "is_a")]
        assert found == ([fact] if fact else [])
