"""What is said later in any words ends or replaces what it speaks of. The words are testers'."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.embedding import comparer
from sharpwave.testing import FrozenClock, ScriptedLLM
from sharpwave.types.answers import Verdict
from sharpwave.types.statements import Effect


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 11, 17, 9, tzinfo=UTC))


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", user="mia", clock=clock) as opened:
        yield opened


def current(memory: Memory) -> set[str]:
    return {fact.text for fact in memory.facts.list()} | {t.title for t in memory.tasks.list()}


OVER = [
    ("We are going to Oslo from 3 to 8 December.", "The Oslo trip is cancelled."),
    ("The julebord is on 12 December at the Grand.", "julebord is off"),
    ("I am studying for the PMP exam.", "I passed the PMP!"),
]
CHANGED = [
    ("My rent is 2100 kr a month.", "The rent went up to 2400 kr."),
    ("I keep the greenhouse at 12 degrees.", "Greenhouse is at 9 degrees now."),
    ("Piano lessons are on Tuesdays at five.", "Piano lessons moved to Thursdays."),
    ("The meeting with Bauer is on Monday at 10.", "The Bauer meeting is now at three."),
]


@pytest.mark.parametrize(("first", "later"), [*OVER, *CHANGED])
def test_what_was_said_first_no_longer_stands(
    memory: Memory, clock: FrozenClock, first: str, later: str
) -> None:
    memory.remember(first, session="a")
    before = current(memory)
    clock.advance(days=3)
    receipt = memory.remember(later, session="b")
    assert before and not before & current(memory)
    assert {one.verdict for one in receipt.learned} & {Verdict.CLOSED, Verdict.VERSIONED}
    memory.forget(session="b")
    assert before <= current(memory), "it stands again when the remark is forgotten"


def test_a_fact_goes_with_the_sentence_that_it_was_read_from(
    memory: Memory, clock: FrozenClock
) -> None:
    memory.remember("I'm vegetarian again so no meat suggestions please.")
    assert len([one for one in current(memory) if "vegetarian" in one]) == 2
    clock.advance(days=9)
    memory.remember(
        "Actually scratch the vegetarian thing, my doctor told me to stop. I eat normally again."
    )
    assert [one for one in current(memory) if "vegetarian" in one and "scratch" not in one] == []


@pytest.mark.parametrize(("first", "later"), CHANGED)
def test_the_new_value_takes_its_place(
    memory: Memory, clock: FrozenClock, first: str, later: str
) -> None:
    memory.remember(first)
    clock.advance(days=3)
    memory.remember(later)
    assert later in current(memory)


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("I'm training for the Lisbon half marathon.", "My brother trains for the Porto marathon."),
        ("My dog is called Rex.", "We got a second dog, Luna."),
        ("I have to finish the tax return.", "I should really finish the tax return."),
        ("We go to the choir every Wednesday.", "I skip choir this Wednesday."),
        ("Theo plays football.", "Theo has joined the swimming club too now, Thursdays."),
        ("My manager is Helene.", "Helene's off this week so I'm reporting to Ivo."),
        ("I need to renew the car insurance.", "The home insurance is renewed."),
        ("I have to book the hotel in Ghent.", "The hotel in Antwerp is booked."),
        ("I need to clean the upstairs bathroom.", "The downstairs bathroom is clean."),
        pytest.param(
            "I need to paint the fence.",
            "I bought the paint for the fence.",
            marks=pytest.mark.xfail(
                strict=True, reason="what a task needs was bought: a step, not the deed"
            ),
        ),
        ("I take atenolol.", "My cardiologist will not take me off the atenolol."),
    ],
)
def test_what_only_lies_near_changes_nothing(
    memory: Memory, clock: FrozenClock, first: str, later: str
) -> None:
    memory.remember(first)
    before = current(memory)
    clock.advance(days=3)
    memory.remember(later)
    assert before and before <= current(memory)


@pytest.mark.parametrize(
    ("over", "stands", "said"),
    [
        ("I sing in the school choir.", "Ailsa is in the choir.", "Left the choir."),
        ("My manager is Sinead.", "Sinead lives in Ballincollig.", "Barry is my manager now."),
    ],
)
def test_what_is_surely_over_ends_beside_a_note_that_shares_its_words(
    memory: Memory, clock: FrozenClock, over: str, stands: str, said: str
) -> None:
    memory.remember(stands)
    others = current(memory)
    memory.remember(over)
    assert current(memory) > others
    clock.advance(days=3)
    memory.remember(said)
    assert others <= current(memory) and over not in current(memory)


def test_what_was_read_from_a_sentence_ends_with_it(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("we have a beagle called Biscuit who eats everything")
    clock.advance(days=3)
    memory.remember("Had to say goodbye to Biscuit on Sunday. The house is so quiet.")
    left = current(memory)
    assert not any("pet" in one or "eats everything" in one for one in left)


IN_PASSING = [
    (
        "Hubby is back from the rig on the 12th.",
        "is 38.4 a fever in a 2 yr old or just warm?? he's drinking ok and watching bluey. gp line "
        "busy for 40 mins. hubby on the rig till the 19th now cos of weather so its just me and "
        "the thermometer",
    ),
    (
        "My showroom is open Tues to Sat 10 to 18.",
        "Bonjour, could you make this sound professional: \"we can't deliver the chairs because "
        'the truck guy broke his leg". Also the showroom is by appointment only now, so take out '
        "the line about opening hours at the bottom. Merci, you are an angel, I will send you a "
        "chair",
    ),
    (
        "Mrs Yamamoto is our contact at the supplier.",
        "Please note for the file that Mrs Yamamoto is no longer our contact at the supplier, a Mr "
        "Brandt answers now, rather brusquely. Draft a polite first email.",
    ),
    (
        "Mother's room is on the street side, very loud.",
        "Mein Sohn says I should write to you in English for practice, so. Yesterday we visited "
        "my mother in the home. She has now a room to the garden side, much more quiet, and she "
        "can see the birds. The food she still finds terrible. What is the English word for "
        "Vogelhaus?",
    ),
]


@pytest.mark.parametrize(("first", "later"), IN_PASSING)
def test_a_change_may_stand_anywhere_in_a_message(
    memory: Memory, clock: FrozenClock, first: str, later: str
) -> None:
    memory.remember("I have a cat called Mimi.")
    others = current(memory)
    memory.remember(first)
    before = current(memory) - others
    clock.advance(days=3)
    memory.remember(later)
    assert before and not before & current(memory)
    assert others <= current(memory)


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_only_the_user_changes_what_the_user_said(memory: Memory, role: str) -> None:
    for first, later in OVER:
        memory.remember(first)
        before = current(memory)
        memory.remember(later, role=role)
        assert before <= current(memory)


def test_a_task_is_done_in_other_words(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I need to send the form to the town hall.")
    clock.advance(days=3)
    memory.remember("The form is sent.")
    assert memory.tasks.list() == []
    assert [task.title for task in memory.tasks.list("done")] == ["Send the form to the town hall"]


def test_a_task_is_due_on_another_day(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I have to submit the tax return by 31 July.", session="a")
    clock.advance(days=3)
    memory.remember("Tax return deadline got extended to the end of August.", session="b")
    (task,) = memory.tasks.list()
    assert task.due is not None and task.due.date() == date(2027, 8, 31)
    memory.forget(session="a")
    assert memory.tasks.list() == [], "the words of the first turn go with it"


def test_a_task_that_moves_no_longer_names_the_old_day(memory: Memory, clock: FrozenClock) -> None:
    title = "Visa appointment on the 27th at the consulate"
    memory.remember(title, tasks=[{"title": title, "quote": title}])
    clock.advance(days=3)
    memory.remember(
        "My visa appointment got bumped, they're giving me the 23rd in the morning. Which "
        "documents did you say in duplicate?"
    )
    (task,) = memory.tasks.list()
    assert task.title == "Visa appointment at the consulate"
    assert task.due is not None and task.due.date() == date(2026, 11, 23)


def test_what_was_dropped_at_the_library_is_done(memory: Memory) -> None:
    memory.remember("I need to return the books to the library.")
    memory.remember("Dropped the books back at the library.")
    assert len(memory.tasks.list("done")) == 1 and not memory.tasks.list()


@pytest.mark.parametrize(
    "said",
    [
        "I need to get the boiler serviced, last year it conked out on Boxing Day and we sat in "
        "our coats.",
        "I need to repair the garden fence, or we'll be collecting the dog from the bypass again "
        "like last spring.",
    ],
)
def test_what_happened_long_ago_is_no_deadline(memory: Memory, said: str) -> None:
    memory.remember(said)
    assert [task.due for task in memory.tasks.list()] == [None]


def test_of_two_like_tasks_the_one_that_is_named_is_done(memory: Memory) -> None:
    memory.remember("I need to fix the kitchen tap.")
    memory.remember("I need to fix the bathroom tap.")
    memory.remember("The kitchen tap is fixed.")
    assert [task.title for task in memory.tasks.list()] == ["Fix the bathroom tap"]


RENT = "My rent is 2100 kr a month."


def test_a_task_that_is_put_off_twice_in_one_call_stays_open(memory: Memory) -> None:
    memory.remember("I have to submit the tax return by 31 July.")
    memory.remember(
        [
            {"role": "user", "content": f"Tax return deadline got extended to the end of {month}."}
            for month in ("August", "September")
        ]
    )
    assert memory.tasks.list()


@pytest.mark.parametrize(
    ("task", "done"),
    [
        ("I need to cancel the gym membership.", "The gym membership is cancelled."),
        ("I need to cancel the hotel in Rome.", "Hotel in Rome cancelled, all fine."),
    ],
)
def test_what_was_to_be_cancelled_is_done(memory: Memory, task: str, done: str) -> None:
    memory.remember(task)
    memory.remember(done)
    assert len(memory.tasks.list("done")) == 1 and not memory.tasks.list()


def test_a_claim_beside_a_remark_does_not_keep_the_old(memory: Memory, clock: FrozenClock) -> None:
    memory.remember(RENT)
    before = current(memory)
    clock.advance(days=3)
    claim = {"text": "The user's rent is 2400 kr a month"}
    memory.remember("The rent went up to 2400 kr.", facts=[claim])
    assert not before & current(memory)


def test_what_was_said_long_ago_changes_nothing_of_now(memory: Memory) -> None:
    memory.remember(RENT)
    before = current(memory)
    then = datetime(2024, 1, 1, tzinfo=UTC)
    receipt = memory.remember("The rent went up to 1900 kr.", at=then)
    assert before <= current(memory)
    assert Verdict.REJECTED not in {one.verdict for one in receipt.learned}


def test_words_are_stored_though_they_cannot_be_compared(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the model cannot be read")

    memory.remember(RENT)
    memory.remember("I take atenolol.")
    monkeypatch.setattr(comparer, "pair_input", broken)
    memory.remember("The rent went up to 2400 kr.")
    memory.remember("I no longer take atenolol.")
    assert "2400" in "".join(memory.export())
    assert "The user takes atenolol" not in current(memory), "rules read that"


def test_the_day_of_a_task_goes_with_its_turn(
    memory: Memory, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def updates(*_: object) -> Effect:
        return Effect(0.0, 0.0, 1.0, 0.0)

    monkeypatch.setattr(comparer, "compare", updates)
    memory.remember("Remind me to buy a birthday present for Noor by 12 March.", session="a")
    clock.advance(days=3)
    memory.remember("I have to get a voucher for Noor instead of a present.", session="b")
    (task,) = memory.tasks.list()
    assert "voucher" in task.title and task.due is not None
    memory.forget(session="a")
    assert all(task.due is None for task in memory.tasks.list())


@pytest.mark.parametrize(
    "said",
    [
        "The user's rent is now 2900 kr a month.",
        "I have seen " + "antidisestablishmentarianism" * 12 + " today.",
    ],
)
def test_what_is_no_remark_leaves_no_trace(memory: Memory, said: str) -> None:
    memory.remember(RENT)
    before = current(memory)
    assert not memory.remember(said).learned
    assert current(memory) == before


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        (["I'm allergic to nuts.", "I'm no longer allergic to shellfish."], "nuts"),
        (["I speak French.", "I speak German.", "I don't speak German anymore."], "French"),
        (["I'm allergic to cats and dust.", "I'm not allergic to cats anymore."], "dust"),
        (["I subscribe to Netflix and Spotify.", "I cancelled Netflix."], "Spotify"),
        (
            ["I take metformin twice a day.", "Mum stopped taking metformin."],
            "The user takes metformin",
        ),
        (["I run every morning.", "My running partner hurt his knee and stopped."], "every"),
    ],
)
def test_the_end_of_one_leaves_the_others(
    memory: Memory, clock: FrozenClock, said: list[str], stands: str
) -> None:
    for each in said:
        memory.remember(each)
        clock.advance(days=2)
    assert any(stands in text for text in current(memory))


def test_a_language_model_that_reads_decides_itself(tmp_path: Path, clock: FrozenClock) -> None:
    llm = ScriptedLLM(lambda _: "{}")
    with Memory.open(tmp_path / "memory.db", clock=clock, llm=llm) as memory:
        for first, later in CHANGED[:2]:
            memory.remember(first)
            before = current(memory)
            clock.advance(days=3)
            memory.remember(later)
            assert before <= current(memory)
