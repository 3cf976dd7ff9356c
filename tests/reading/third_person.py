"""How much of what agents say of the user is found, and how much of what is found was said."""

import tomllib
from pathlib import Path

from tests.reading.held_out import AT, GATE, Score, line, scored

from sharpwave.reading.extract import extract
from sharpwave.types.statements import Spoken

CASES = Path(__file__).with_name("third_person.toml")
AGENT = Spoken("assistant", AT, user_names=frozenset())


def lines(text: str) -> list[str]:
    """All that passes the gate, as the cases write it."""
    found = extract(text, AGENT).candidates
    return [line(one) for one in found if one.confidence >= GATE]


def score(half: str) -> Score:
    """Read every sentence of a half: `developed` or `apart`."""
    return scored(tomllib.loads(CASES.read_text("utf-8"))[half], lines)
