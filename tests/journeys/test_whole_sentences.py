"""Tasks and rules of free talk can be read alone.

The sentences are a tester's and a reviewer's, but for the shed, the lost card and the laptop again.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.testing import FrozenClock

TUESDAY = datetime(2026, 3, 10, 9, tzinfo=UTC)
DECEMBER = datetime(2025, 12, 1, 9, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(TUESDAY)


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", user="mia", clock=clock) as opened:
        yield opened


def tasks(memory: Memory) -> list[tuple[str, str]]:
    """Titles and days, by day."""
    found = [
        (each.title, f"{each.due:%Y-%m-%d}" if each.due else "") for each in memory.tasks.list()
    ]
    return sorted(found, key=lambda each: each[1])


def rules(memory: Memory) -> list[str]:
    return [rule.rule for rule in memory.behavior.rules()]


@pytest.mark.parametrize(
    ("said", "words", "due"),
    [
        (
            "The landlord wants the signed lease back. It has to be in the post before this month "
            "is out.",
            ("lease", "post"),
            "2026-03-31",
        ),
        (
            "Jenny lent me her tent. It has to go back to her before this month is out.",
            ("Jenny", "tent"),
            "2026-03-31",
        ),
        (
            "Dr. Lindqvist wants a urine sample. I have to drop it off at her practice before "
            "Thursday.",
            ("Lindqvist", "sample", "drop it off"),
            "2026-03-12",
        ),
        (
            "Marta's laptop is at my place. I need to bring it back to her by Friday.",
            ("Marta", "laptop", "bring"),
            "2026-03-13",
        ),
        (
            "The kitchen tap was fixed yesterday. The one in the bathroom has to be done by "
            "Friday.",
            ("tap", "bathroom"),
            "2026-03-13",
        ),
        (
            "I've got to see the bank about the mortgage. That's Wednesday the 25th.",
            ("bank", "mortgage"),
            "2026-03-25",
        ),
        (
            "We have guests coming on the 28th. The spare room has to be painted by then, and I "
            "want new curtains in there too.",
            ("spare room",),
            "2026-03-28",
        ),
        ("The lease has to be posted before April is out.", ("lease",), "2026-04-30"),
        ("The thesis has to be printed before this week is out.", ("thesis",), "2026-03-15"),
        ("The shed has to be painted before the month is out.", ("shed",), "2026-03-31"),
    ],
)
def test_a_task_says_what_it_is_about(
    memory: Memory, said: str, words: tuple[str, ...], due: str
) -> None:
    memory.remember(said, session="s", at=TUESDAY)
    [(title, day)] = tasks(memory)
    assert all(word in title for word in words)
    assert day == due


@pytest.mark.parametrize(
    "said",
    [
        "The hamper for Aunt Joan has to be posted before Christmas, so by the 18th.",
        "The parcel for Ann has to be posted before Christmas, the 18th.",
    ],
)
def test_a_closer_day_counts(memory: Memory, clock: FrozenClock, said: str) -> None:
    clock.advance(seconds=(DECEMBER - TUESDAY).total_seconds())
    memory.remember(said, session="s", at=DECEMBER)
    assert [day for _, day in tasks(memory)] == ["2025-12-18"]


@pytest.mark.parametrize(
    ("said", "days"),
    [
        (
            "The lawnmower needs a new blade by Friday. The car has to go to the garage on the "
            "20th because it leaks oil.",
            ["2026-03-13", "2026-03-20"],
        ),
        (
            "The electrician still has to be paid by Friday. The school wants that consent form "
            "back by the 18th.",
            ["2026-03-13", "2026-03-18"],
        ),
        (
            "The gutter has to be cleaned by Friday, it's overflowing. The oven needs a new seal "
            "by Monday, it leaks heat. The dog has to see the vet by Wednesday, she limps.",
            ["2026-03-11", "2026-03-13", "2026-03-16"],
        ),
    ],
)
def test_tasks_of_their_own_stay_apart(memory: Memory, said: str, days: list[str]) -> None:
    memory.remember(said, session="s", at=TUESDAY)
    assert [day for _, day in tasks(memory)] == days


@pytest.mark.xfail(strict=True, reason="of two deadlines in one sentence the later is more likely")
def test_a_later_day_of_something_else_is_not_taken(memory: Memory) -> None:
    memory.remember(
        "The parcel for Ann has to be posted before Friday, by the 20th the money for it has to be "
        "there.",
        session="s",
        at=TUESDAY,
    )
    assert tasks(memory)[0][1] == "2026-03-13"


@pytest.mark.parametrize(
    ("said", "own"),
    [
        (
            "Is the museum open on Monday? The tickets have to be bought by Thursday, there are "
            "only a few left.",
            "The tickets",
        ),
        (
            "Thanks for the recipe, it was delicious!\n\nThe roof has to be mended by Friday, it's "
            "leaking badly over the stairs.",
            "The roof",
        ),
        (
            "My passport came on Monday. The visa form has to be sent off by Friday, it takes them "
            "weeks.",
            "The visa form",
        ),
    ],
)
def test_what_has_nothing_to_do_with_it_stays_out(memory: Memory, said: str, own: str) -> None:
    memory.remember(said, session="s", at=TUESDAY)
    assert [title.startswith(own) for title, _ in tasks(memory)] == [True]


def test_a_secret_beside_a_task_is_not_taken_along(memory: Memory) -> None:
    memory.remember(
        "My card number is 4111 1111 1111 1111. I lost it, so I have to call the bank by Friday.",
        session="s",
        at=TUESDAY,
    )
    [(title, day)] = tasks(memory)
    assert "card number" not in title
    assert day == "2026-03-13"


def test_what_would_be_too_long_keeps_its_own_sentence(memory: Memory) -> None:
    memory.remember(
        "My daughter Mia, who has just turned six and started at the primary school round the "
        "corner from us in Haarlem, has taken to reading over my shoulder whenever I sit at the "
        "kitchen table in the evening. Please keep everything you write clean because of that.",
        session="s",
        at=TUESDAY,
    )
    assert rules(memory) == ["Please keep everything you write clean because of that."]


def test_a_rule_names_whom_it_means_and_can_be_taken_back(memory: Memory) -> None:
    memory.remember(
        "I had a bad time with my ex Robert. Don't bring him up unless I do.",
        session="s",
        at=TUESDAY,
    )
    [rule] = rules(memory)
    assert "Robert" in rule
    memory.remember("You can bring up Robert again, we made peace.", session="t", at=TUESDAY)
    assert rule not in rules(memory)


def test_a_permission_for_the_moment_is_no_rule(memory: Memory) -> None:
    memory.remember("You can try again now, the server is back up.", session="s", at=TUESDAY)
    memory.remember("You may go on again, sorry for the interruption.", session="s", at=TUESDAY)
    assert rules(memory) == []


def test_what_is_allowed_again_is_kept_if_it_takes_nothing_back(memory: Memory) -> None:
    said = "You may speak of football again, the season's heartbreak is over."
    memory.remember(said, session="s", at=TUESDAY)
    assert rules(memory) == [said]


@pytest.mark.parametrize(
    ("said", "titles"),
    [
        (
            "I need to call the plumber about the kitchen sink. I have to pay him for the "
            "bathroom.",
            {"Call the plumber about the kitchen sink", "Pay him for the bathroom"},
        ),
        ("Remind me to call him on Friday.", {"Call him"}),
        (
            "I promised her I would water the plants on Friday.",
            {"Water the plants (promised her)"},
        ),
        (
            "My boss was rude today. Remind me to water plants before they die.",
            {"Water plants before they die"},
        ),
    ],
)
def test_a_clear_title_stays(memory: Memory, said: str, titles: set[str]) -> None:
    memory.remember(said, session="s", at=TUESDAY)
    assert {title for title, _ in tasks(memory)} == titles


@pytest.mark.parametrize(
    "again",
    [
        "I have to ring her about the second operation on Monday.",
        "I have to ring Ana about the second operation on Friday.",
    ],
)
def test_what_stood_beside_a_task_goes_with_its_turn(memory: Memory, again: str) -> None:
    first = memory.remember(
        "My sister Ana has breast cancer. I have to ring her about the second operation on Friday.",
        session="s",
        at=TUESDAY,
    )
    memory.remember(again, session="t", at=TUESDAY)
    memory.forget(first.ids[0])
    [(title, _)] = tasks(memory)
    assert "operation" in title
    assert "cancer" not in title
    assert not any("cancer" in item.text for item in memory.recall("breast cancer"))


def test_a_task_that_is_said_again_without_a_day_keeps_it(memory: Memory) -> None:
    memory.remember(
        "Marta's laptop is at my place. I need to bring it back to her by Friday.",
        session="s",
        at=TUESDAY,
    )
    before = tasks(memory)
    memory.remember("I still need to bring Marta's laptop back to her.", session="t", at=TUESDAY)
    assert tasks(memory) == before


@pytest.mark.parametrize(
    "rest", ["Thanks!", "Any ideas. Ok. Thanks. Bye now!", "ha ha. " * 120, "\n- milk\n- bread"]
)
def test_a_fact_does_not_grow_by_what_follows(memory: Memory, rest: str) -> None:
    fact = "My daughter Mia started school in Bern last week."
    memory.remember(f"{fact} {rest}", session="s", at=TUESDAY)
    assert fact in {one.text for one in memory.facts.list()}


def test_a_list_is_not_done_with_its_first_part(memory: Memory) -> None:
    memory.remember(
        "Remind me to call the dentist, the plumber, the landlord, and the school about the trip "
        "to Rome.",
        session="s",
        at=TUESDAY,
    )
    memory.remember("I called the dentist.", session="t", at=TUESDAY)
    assert len(tasks(memory)) == 1


@pytest.mark.parametrize(
    ("known", "said", "holds"),
    [
        ("Use tabs. Never mix them.", "Use spaces instead of tabs.", False),
        (
            "Keep answers short. No more than 100 words.",
            "Give me long, detailed answers from now on.",
            False,
        ),
        ("Use bullet points. Stop after five of them.", "Bullet points are fine.", True),
        ("Use emojis, e.g. no more than two.", "You can use emojis again.", True),
    ],
)
def test_a_rule_of_two_sentences_is_weighed_by_its_first(
    memory: Memory, known: str, said: str, holds: bool
) -> None:
    memory.behavior.add(known)
    memory.remember(said, session="s", at=TUESDAY)
    assert (known in rules(memory)) is holds


def test_an_earlier_day_of_something_else_is_no_deadline(memory: Memory) -> None:
    memory.remember(
        "Remind me to submit the thesis by Friday, tomorrow I have no time.",
        session="s",
        at=TUESDAY,
    )
    assert [day for _, day in tasks(memory)] == ["2026-03-13"]


def test_a_fact_is_not_shown_beside_the_turn_that_says_it(memory: Memory) -> None:
    memory.remember("I was born on May 3 1990.", session="s", at=TUESDAY)
    assert len(memory.recall("When was I born?", k=2)) == 1
