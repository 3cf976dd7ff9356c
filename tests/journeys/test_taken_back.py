"""Rules that are withdrawn, tasks that are dropped or done, in the user's own words."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import InvalidInput, Memory
from sharpwave.testing import FrozenClock


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 10, 6, 9, tzinfo=UTC))


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", user="ira", clock=clock) as opened:
        yield opened


@pytest.mark.parametrize(
    ("rule", "withdrawal"),
    [
        ("No bullet points", "You can use bullet points again."),
        ("Never use exclamation marks, it's cheesy", "Exclamation marks are fine again."),
        ("Don't swear", "You're allowed to swear again."),
        ("Always answer in French", "You don't have to answer in French any more."),
        ("Keep your answers short", "No need to keep your answers short any more."),
        ("No jokes or puns", "You can make jokes again."),
        ("No emojis, I'm not twelve", "You can use emojis again, the grandkids like them."),
    ],
)
@pytest.mark.parametrize("how", ["added", "edited"])
def test_a_rule_that_is_withdrawn_goes(
    memory: Memory, clock: FrozenClock, rule: str, withdrawal: str, how: str
) -> None:
    memory.behavior.add(rule if how == "added" else "No nonsense")
    if how == "edited":
        memory.behavior.edit(memory.behavior.rules()[0].id, rule)
    clock.advance(days=1)
    (outcome,) = memory.remember(withdrawal).rules
    assert outcome.verdict == "closed"
    assert not memory.behavior.rules(), "what takes a rule back is none itself"


@pytest.mark.parametrize(
    "said", ["You can use tables.", "Seriously, no emojis.", "My sister can drive again."]
)
def test_what_is_no_withdrawal_leaves_the_rule(memory: Memory, said: str) -> None:
    memory.behavior.add("No emojis")
    memory.remember(said)
    assert "No emojis" in [one.rule for one in memory.behavior.rules()]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Argue with my decisions", "Never argue against my decisions."),
        ("Compare the totals with the ledger", "Never compare totals against the ledger."),
    ],
)
def test_against_is_not_again(memory: Memory, rule: str, said: str) -> None:
    memory.behavior.add(rule)
    memory.remember(said)
    assert said.strip(".") in [one.rule.strip(".") for one in memory.behavior.rules()]


ANOTHERS = pytest.mark.xfail(reason="who sent it to whom is not told apart, on some machines")
TASKS = {
    "hotel": "Remind me to book the hotel.",
    "dentist": "I need to call the dentist.",
    "curtains": "Remind me to hang the curtains on Saturday.",
    "parcel": "Remind me to post grandpa's parcel.",
    "milk": "I need to buy milk.",
    "invoice": "I must send Priya the invoice tomorrow.",
    "bike": "I need to fix the bike.",
    "cake": "Remind me to order a cake for Leo.",
    "report": "I have to write the report by Friday.",
}


@pytest.mark.parametrize(
    ("task", "said", "status"),
    [
        ("hotel", "No need to book the hotel.", "dropped"),
        ("hotel", "I don't need to book the hotel any more.", "dropped"),
        ("dentist", "Forget the dentist.", "dropped"),
        ("curtains", "Cancel the curtains reminder.", "dropped"),
        ("invoice", "I don't have to send Priya the invoice after all.", "dropped"),
        ("bike", "Never mind the bike.", "dropped"),
        ("cake", "We decided not to order a cake.", "dropped"),
        ("hotel", "Hotel booked.", "done"),
        ("parcel", "Posted grandpa the parcel.", "done"),
        ("milk", "Milk bought!", "done"),
        ("invoice", "Sent the invoice to Priya.", "done"),
        ("cake", "cake is ordered. leo says tuesday.", "done"),
        ("dentist", "Called the dentist.", "done"),
        ("report", "I finished the report.", "done"),
        ("report", "I put off the report.", "stalled"),
    ],
)
def test_a_task_moves_on_in_other_words(
    memory: Memory, clock: FrozenClock, task: str, said: str, status: str
) -> None:
    memory.remember(TASKS[task])
    (known,) = memory.tasks.list()
    clock.advance(hours=20)
    receipt = memory.remember(said)
    assert [one.title for one in memory.tasks.list(status)] == [known.title]
    assert [one.id for one in memory.tasks.list()] == ([known.id] if status == "stalled" else [])
    assert not receipt.rules and "reinforced" not in {one.verdict for one in receipt.learned}


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("hotel", "We liked the hotel."),
        ("hotel", "Have I booked the hotel?"),
        ("invoice", "I haven't sent Priya the invoice yet."),
        pytest.param("invoice", "Priya sent me an invoice.", marks=ANOTHERS),
        ("cake", "Leo ordered a pizza."),
        ("curtains", "Mum bought curtains for her own flat."),
        ("parcel", "I got a parcel today."),
        ("milk", "Don't forget the milk."),
        ("bike", "I broke the bike."),
    ],
)
def test_what_does_not_settle_a_task_leaves_it_open(memory: Memory, task: str, said: str) -> None:
    memory.remember(TASKS[task])
    (known,) = memory.tasks.list()
    memory.remember(said)
    assert known.id in {one.id for one in memory.tasks.list()}


def test_what_is_missing_is_still_to_be_bought(memory: Memory) -> None:
    memory.remember("I need to buy milk.")
    memory.remember("I don't have milk.")
    assert [task.title for task in memory.tasks.list()] == ["Buy milk"]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Do not use tables.", "The tables are fine, the chairs are broken."),
        ("Keep answers brief.", "Remove the brief from the folder."),
        ("Be brief.", "Stop me if this is not brief."),
    ],
)
def test_everyday_words_withdraw_nothing(memory: Memory, rule: str, said: str) -> None:
    memory.remember(rule)
    before = [one.rule for one in memory.behavior.rules()]
    memory.remember(said)
    assert before
    assert {one.rule for one in memory.behavior.rules()} >= set(before)


def test_a_task_can_be_dropped_and_taken_up_again(memory: Memory) -> None:
    memory.remember(TASKS["hotel"])
    (known,) = memory.tasks.list()
    assert memory.tasks.set_status(known.id, "dropped").status == "dropped"
    assert memory.tasks.list() == []
    memory.tasks.set_status(known.id, "active")
    assert [one.id for one in memory.tasks.list()] == [known.id]


@pytest.mark.parametrize(
    "said",
    [
        "I don't need to renew the insurance any more.",
        "I told her I'd rather stay.",
        "I said I'd like a tea.",
    ],
)
def test_what_is_not_to_be_done_makes_no_task(memory: Memory, said: str) -> None:
    memory.remember(said)
    assert memory.tasks.list() == []


def test_tasks_that_are_long_overdue_do_not_hide_those_to_come(
    memory: Memory, clock: FrozenClock
) -> None:
    for what in (
        "wash the car",
        "paint the shed",
        "ring the bank",
        "sort the attic",
        "sell the sofa",
    ):
        memory.remember(f"Remind me to {what} tomorrow.")
    clock.advance(days=25)
    memory.remember("Remind me to ice the buns tomorrow.")
    context = memory.context("what have I got to do?", budget=2000)
    (goals,) = (one for one in context.sections if one.title == "Active Goals")
    assert "Ice the buns" in goals.lines[0]


def test_a_fact_that_the_user_calls_wrong_is_gone_without_a_question(memory: Memory) -> None:
    memory.remember("My cousin Petra lives in Ulm.")
    for fact in memory.facts.list():
        assert memory.facts.confirm(fact.id, right=False).learned[0].verdict == "closed"
    assert memory.facts.conflicts() == [] and memory.facts.list() == []
    assert memory.facts.profile() == []


def test_a_record_in_place_of_its_id_is_refused_by_name(memory: Memory) -> None:
    memory.remember("I live in Ulm. Remind me to buy salt.")
    (fact, *_), (task,) = memory.facts.list(), memory.tasks.list()
    rule = memory.behavior.add("No puns")
    calls = (
        (fact, lambda: memory.facts.end(fact)),  # type: ignore[arg-type]
        (fact, lambda: memory.facts.confirm(fact)),  # type: ignore[arg-type]
        (task, lambda: memory.tasks.set_status(task, "done")),  # type: ignore[arg-type]
        (rule, lambda: memory.behavior.delete(rule)),  # type: ignore[arg-type]
    )
    for record, call in calls:
        with pytest.raises(InvalidInput, match=f"an id must be text, not {type(record).__name__}"):
            call()


def test_a_receipt_says_what_kind_was_learned(memory: Memory) -> None:
    receipt = memory.remember("I live in Ulm. Remind me to buy salt. Never use footnotes.")
    kinds = {one.kind for one in (*receipt.learned, *receipt.rules)}
    assert kinds == {"fact", "task", "behavior"}


def test_a_blank_is_not_asserted(memory: Memory) -> None:
    memory.remember("the shed padlock code is 9137")
    found = memory.recall("what's the shed padlock code?")
    assert "9137" not in found.items[0].text and found.decision == "verify"


def test_an_accepted_rule_stays_in_a_tight_context(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("Always give distances in miles.")
    (kept,) = memory.behavior.rules()
    memory.behavior.accept(kept.id)
    for said in ("Never use footnotes.", "Always spell out numbers.", "Do not quote proverbs."):
        clock.advance(days=1)
        memory.remember(said)
    rules = memory.context("how far is it to York?", budget=2000).text.partition("Learned")[2]
    assert "miles" in rules.splitlines()[2]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            "Remind the user of choir on Thursdays at six",
            "The choir has gone over to Wednesdays, owing to the Scouts having the hall.",
        ),
        ("Round sums to the nearest hundred", "it adds up!!! round to the ten from now on"),
    ],
)
def test_a_rule_that_is_changed_in_passing_gives_way(
    memory: Memory, clock: FrozenClock, rule: str, said: str
) -> None:
    """Cases of `evals/data/rule_remarks.jsonl`, whose author saw no code."""
    memory.behavior.add("Answer in English")
    memory.behavior.add(rule)
    clock.advance(days=1)
    memory.remember(said)
    in_force = [one.rule for one in memory.behavior.rules()]
    assert rule not in in_force
    assert "Answer in English" in in_force
