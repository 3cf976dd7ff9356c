"""Rules that a later message changes in words of its own; other people wrote all the sentences."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sharpwave import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", user="ira") as opened:
        yield opened


def rules(memory: Memory) -> list[str]:
    return [one.rule for one in memory.behavior.rules()]


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (
            "Write each suggested command to AUDIT.md with a timestamp",
            "The audit's over. They found a sticky note and a cactus. Stop logging every command "
            "you suggest in AUDIT.md.",
        ),
        (
            "no kids. if guests ask tell them no kids, kindly",
            "sooo the no kids thing... my niece cried on the phone. kids over 6 are ok. tell "
            "people that if they ask",
        ),
        (
            "write vendors in english, my czech is a disgrace",
            "ok so vendors reply better in czech obviously (who knew lol) so czech for vendors, "
            "not english",
        ),
        (
            'Call the user "future Mrs. Novak"',
            "i just reread the whole chat and wow i was a mess in march. u really don't have to "
            'call me "future Mrs. Novak" anymore haha i\'m keeping my name',
        ),
        (
            "Three of my semicolons have become full stops. Hands off the semicolons",
            "Their editor, one Frau S\u00fc\u00df, wishes the semicolons thinned. I slept on it, "
            "that is to say I did not sleep. Very well: henceforth you may strike them out where "
            "you please, and I shall look the other way.",
        ),
    ],
)
def test_the_rule_that_is_meant_gives_way(memory: Memory, kept: str, said: str) -> None:
    for rule in ("No Perl in this house", kept, "Note in the diary each day what I have eaten"):
        memory.behavior.add(rule)
    memory.remember(said)
    assert kept not in rules(memory)
    assert {"No Perl in this house", "Note in the diary each day what I have eaten"} <= set(
        rules(memory)
    )


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (
            "No Perl in this house",
            "Use Perl for this one. I know what I said. The file is 40 GB and I have no shame "
            "left.",
        ),
        ("Use metric units", "In the US they no longer use metric on that show, weird."),
        ("Use bullet points", "Always use bullet points."),
        (
            "While the concert is on the wireless I had rather not be reminded of anything",
            "If I may, the eight o'clock tablet: you were silent about it last night, and I do "
            "rely upon you.",
        ),
    ],
)
def test_one_exception_or_the_same_topic_leaves_it_in_force(
    memory: Memory, kept: str, said: str
) -> None:
    memory.behavior.add(kept)
    memory.remember(said)
    assert kept in rules(memory)


def test_one_sentence_changes_one_rule(memory: Memory) -> None:
    memory.behavior.add("Leave salt out of every recipe")
    memory.behavior.add("There is only myself now, so recipes for one")
    memory.remember(
        "The doctor says the salt is really neither here nor there at my age, so you need not "
        "mind about it in the recipes any longer."
    )
    assert rules(memory) == ["There is only myself now, so recipes for one"]


def test_a_rule_that_was_changed_comes_back_with_undo(memory: Memory) -> None:
    memory.behavior.add("write vendors in english, my czech is a disgrace")
    receipt = memory.remember("so czech for vendors, not english")
    (changed,) = receipt.rules
    memory.behavior.undo(str(changed.id))
    assert "write vendors in english, my czech is a disgrace" in rules(memory)


def test_another_value_takes_the_place_of_the_first(memory: Memory) -> None:
    memory.remember("Use Fahrenheit for temperatures.")
    memory.remember("Always use a formal tone.")
    memory.remember("Switch to Celsius for temperatures, I've moved to Germany.")
    assert sorted(rules(memory)) == [
        "Always use a formal tone",
        "Switch to Celsius for temperatures",
    ]


def test_a_few_words_may_lead_to_a_withdrawal(memory: Memory) -> None:
    memory.remember("Always ask me before you book anything.")
    memory.remember("It's OK, you don't have to ask me before booking things.")
    assert rules(memory) == []


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (
            "Ask me five quiz questions per lesson.",
            "Three quiz questions per lesson, five is too many.",
        ),
        ("Keep newsletter drafts under 300 words.", "keep the newsletter drafts to 200 words now"),
        ("Only suggest meatless recipes.", "You can suggest recipes with meat again."),
        ("Use miles, not kilometres.", "Kilometres are fine from now on."),
    ],
)
def test_a_sure_change_counts_however_alike_the_words_are(
    memory: Memory, kept: str, said: str
) -> None:
    memory.behavior.add(kept)
    memory.remember(said)
    assert kept not in rules(memory)
