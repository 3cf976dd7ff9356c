"""Talk that is not about how to answer makes no rules: not among friends, not in a request."""

from pathlib import Path

import pytest

from sharpwave import Memory, Message

AMONG_FRIENDS = [
    ("Priya", "Don't you dare give up now, you've come so far!"),
    ("Lou", "Always here if you need a shoulder, you know that."),
    ("Priya", "Just keep swimming, that's what my gran used to say."),
    ("Lou", "Never let them tell you that you can't dance."),
    ("Priya", "Use the good flour next time, it makes all the difference."),
    ("Lou", "Make sure you send me pictures from the wedding!"),
]
REQUESTS = [
    "Write a limerick about a heron. Keep it clean and add a title.",
    "I need a packing list for three days in Oslo. Sort it by bag, leave out toiletries.",
    "Translate the menu below into French and keep the prices as they are.",
    "Give me five names for a bakery. No puns. One line each.",
    "Explain how tides work, include a small table with the phases.",
]


def test_friends_who_advise_each_other_give_no_orders(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.remember([Message(text, speaker=who) for who, text in AMONG_FRIENDS])
        assert memory.behavior.rules() == []


def test_the_user_may_speak_under_the_own_name(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db", user="lou") as memory:
        memory.remember([Message("From now on answer me in Portuguese.", speaker="Lou")])
        assert [one.rule for one in memory.behavior.rules()] != []


@pytest.mark.parametrize("text", REQUESTS)
def test_what_is_wanted_for_this_once_is_no_rule(tmp_path: Path, text: str) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.remember(text)
        assert memory.behavior.rules() == []
