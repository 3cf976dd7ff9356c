"""Rules, reminders, promises and lists as people write them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.testing import FrozenClock

FRIDAY = datetime(2026, 10, 2, 18, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(FRIDAY)


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", user="ira", clock=clock) as opened:
        yield opened


def rules(memory: Memory) -> list[str]:
    return [one.rule.rstrip(".") for one in memory.behavior.rules()]


def tasks(memory: Memory) -> dict[str, str | None]:
    return {one.title: f"{one.due:%d.%m.}" if one.due else None for one in memory.tasks.list()}


@pytest.mark.parametrize(
    ("rule", "withdrawal"),
    [
        ("Please always answer in two lines.", "Forget the two line rule."),
        (
            "Always start with the shopping list when I ask for a recipe.",
            "Stop starting with the shopping list.",
        ),
        (
            "Always end your answers with a short summary.",
            "You can skip the rule about the summary, I never read it anyway.",
        ),
        ("From now on call me Captain.", "You need not call me Captain any longer."),
        ("Never use exclamation marks.", "You can go back to exclamation marks."),
        ("Always answer in German.", "You can go back to English."),
        ("Never use emojis.", "Emojis are okay again by the way."),
    ],
)
def test_a_rule_taken_back_in_words_ends_alone(
    memory: Memory, clock: FrozenClock, rule: str, withdrawal: str
) -> None:
    memory.remember("Always give distances in kilometres.")
    memory.remember(rule)
    assert len(rules(memory)) == 2
    clock.advance(days=1)
    assert [one.verdict for one in memory.remember(withdrawal).rules] == ["closed"]
    assert rules(memory) == ["Always give distances in kilometres"]


def test_a_new_rule_beside_a_withdrawal_is_learned(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("Please always answer in two lines.")
    clock.advance(days=1)
    memory.remember("Forget the two line rule, always answer in French.")
    assert rules(memory) == ["Always answer in French"]


@pytest.mark.parametrize(
    "said",
    [
        "You should forget what I told you about the boat.",
        "Please forget everything I said about my sister's divorce.",
        "From today on please forget that I ever smoked.",
        "never tell. my mother must not know about the loan",
        "I am allergic to nothing but I react badly to aspirin. It's important.",
        "Remind me every Monday to put the bins out.",
    ],
)
def test_what_is_no_rule(memory: Memory, said: str) -> None:
    memory.remember(said)
    assert not rules(memory)


def test_what_is_ruled_out_does_not_confirm_its_opposite(memory: Memory) -> None:
    memory.behavior.add("Always start with the shopping list when the user asks for a recipe")
    memory.behavior.add("Do not start with the shopping list")
    assert [one.frequency for one in memory.behavior.rules()] == [1, 1]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (
            "Rules: 1) answer in 4 lines. 2) no 'happy to help' 3) SI units always",
            {"Answer in 4 lines", "Do not say 'happy to help'", "SI units always"},
        ),
        (
            "My rules for you:\n1. Always answer in Dutch.\n2. Don't use the word synergy.",
            {"Always answer in Dutch", "Do not use the word synergy"},
        ),
        ("answers max 2 lines. SI units always.", {"answers max 2 lines", "SI units always"}),
        (
            "no small talk. prices always in euros. never recommend nuts.",
            {"no small talk", "prices always in euros", "Never recommend nuts"},
        ),
        (
            "I told you yesterday: from now on answer me in English. And always grams. No emojis.",
            {"Answer the user in English", "And always grams", "Do not use emojis"},
        ),
    ],
)
def test_several_rules_in_one_message_are_several(
    memory: Memory, said: str, wanted: set[str]
) -> None:
    memory.remember(said)
    assert set(rules(memory)) == wanted


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (
            "Todo:\n1. call the plumber by Tuesday\n2. buy stamps\n3. get the suit on 9 October",
            {
                "call the plumber by Tuesday": "06.10.",
                "buy stamps": None,
                "get the suit on 9 October": "09.10.",
            },
        ),
        (
            "For tomorrow:\n- iron the shirts\n- charge the camera",
            {"iron the shirts": "03.10.", "charge the camera": "03.10."},
        ),
        (
            "todo: pay rent by monday; mow the lawn; visit grandma sunday",
            {"Pay rent": "05.10.", "mow the lawn": None, "visit grandma sunday": "04.10."},
        ),
        (
            "Remind me every Monday to put the bins out.",
            {"Put the bins out every Monday": "05.10."},
        ),
        ("Would you remind me to collect the parcel on Monday?", {"Collect the parcel": "05.10."}),
        (
            "Please remind me that the chimney sweep comes on 8 October.",
            {"The chimney sweep comes on 8 October": "08.10."},
        ),
        (
            "The roofer is coming on the 12th of October, please remind me.",
            {"The roofer is coming on the 12th of October": "12.10."},
        ),
        (
            "I promised Margot I would send her my recipe.",
            {"Send her their recipe (promised Margot)": None},
        ),
        (
            "I promised Leo to take him to the match on the 24th.",
            {"Take him to the match (promised Leo)": "24.10."},
        ),
        ("remind me to send the invoice by fri", {"Send the invoice": "09.10."}),
        ("Remind me to call Tom today.", {"Call Tom": "02.10."}),
    ],
)
def test_each_thing_to_do_has_its_own_title_and_day(
    memory: Memory, said: str, wanted: dict[str, str | None]
) -> None:
    memory.remember(said)
    assert tasks(memory) == wanted


@pytest.mark.parametrize(
    "said",
    [
        "What was the wifi password again, remind me?",
        "what did we decide on monday, please remind me",
        "When did the plumber come last week, remind me?",
        "You were going to say something about Friday, remind me?",
    ],
)
def test_who_asks_to_be_reminded_of_what_was_said_has_nothing_to_do(
    memory: Memory, said: str
) -> None:
    memory.remember(said)
    assert tasks(memory) == {}


@pytest.mark.parametrize(
    ("task", "news", "left"),
    [
        (
            "Remind me to buy track cleaner and turnouts by Friday.",
            "turnouts bought, cleaner not yet",
            1,
        ),
        ("Remind me to wash the car and vacuum it.", "washed the car, vacuuming not yet", 1),
        ("Remind me to order filters and oil.", "Oil ordered but not the filters.", 1),
        ("I have to call the bank and the insurance.", "called the bank, nobody at the other", 1),
        ("Remind me to water the plants and feed the fish.", "plants watered and fish fed", 0),
        ("Remind me to buy milk and eggs.", "bought the milk and the eggs", 0),
        ("Remind me to call Ana and Tom.", "called Ana. called Tom.", 0),
        ("Remind me to ring the doctor.", "I rang the doctor.", 0),
        (
            "Remind me every Monday to put the bins out.",
            "Don't remind me about the bins anymore.",
            0,
        ),
        ("Remind me each Sunday to call my dad.", "Stop reminding me to call my dad.", 0),
    ],
)
def test_a_task_is_over_when_all_of_it_is(
    memory: Memory, clock: FrozenClock, task: str, news: str, left: int
) -> None:
    memory.remember(task)
    clock.advance(days=1)
    memory.remember(news)
    assert (len(tasks(memory)), rules(memory)) == (left, [])


@pytest.mark.parametrize(
    ("said", "claim", "quote", "counts"),
    [
        ("on warfarin since june", "The user takes warfarin", "on warfarin", True),
        ("im veggie now", "The user is vegetarian", "im veggie now", True),
        ("no 'happy to help'. ever.", "Never offer help", "no 'happy to help'. ever.", True),
        ("I live in Porto", "The user lives in Moscow", "I live in Porto", False),
        ("I am 41 now", "The user is 42", "I am 41", False),
        ("I like fish", "The user does not like fish", "I like fish", False),
    ],
)
def test_a_quote_counts_in_whatever_words_the_claim_is_put(
    memory: Memory, said: str, claim: str, quote: str, counts: bool
) -> None:
    receipt = memory.remember(said, facts=[{"text": claim, "quote": quote}])
    assert (not receipt.notes) is counts


def test_items_of_a_list_without_a_heading_do_not_share_a_day(memory: Memory) -> None:
    memory.remember("- call the bank Monday\n- buy yeast\n- pay Bart by the 20th")
    days = {title.split()[0].lower(): due for title, due in tasks(memory).items()}
    assert days == {"call": "05.10.", "buy": None, "pay": "20.10."}


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Don't forget to call the vet tomorrow.", "Call the vet"),
        ("Don't forget to buy salt for the steps.", "Buy salt for the steps"),
        ("Remember to order diesel.", "Order diesel"),
        ("I have to pay 2026 kr to NAV.", "Pay 2026 kr to NAV"),
    ],
)
def test_what_is_not_to_be_forgotten_is_a_task_and_no_rule(
    memory: Memory, said: str, title: str
) -> None:
    receipt = memory.remember(said)
    assert [task.title for task in memory.tasks.list()] == [title]
    assert receipt.rules == ()


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("Remember that I am allergic to nuts.", "The user is allergic to nuts"),
        ("Don't forget I hate cilantro.", "Don't forget I hate cilantro."),
        ("Please note that my sister Ana lives in Porto.", "Ana lives in Porto"),
    ],
)
def test_what_is_to_be_kept_in_mind_is_a_fact(memory: Memory, said: str, fact: str) -> None:
    memory.remember(said)
    assert fact in [one.text for one in memory.facts.list()]


def test_remember_to_use_metric_units_is_a_rule_and_no_task(memory: Memory) -> None:
    assert [rule.text for rule in memory.remember("Please remember to use metric units.").rules]
    assert memory.tasks.list() == []


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("Ania Nowak is our product manager.", "boss"),
        ("I live with two hundred and six fuchsias.", "two hundred"),
    ],
)
def test_no_relation_is_made_of_a_title_or_a_number(memory: Memory, said: str, wrong: str) -> None:
    memory.remember(said)
    assert not [one.text for one in memory.facts.list() if one.text != said and wrong in one.text]


def test_a_line_manager_is_the_boss(memory: Memory) -> None:
    memory.remember("Ania Nowak is my line manager.")
    assert "The user's boss is Ania Nowak" in [one.text for one in memory.facts.list()]
