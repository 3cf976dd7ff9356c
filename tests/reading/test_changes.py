"""What a message says is over, or has another date now, and which known one that is about."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.reading.changes import are_one, dates, is_about, is_set
from sharpwave.reading.extract import extract
from sharpwave.testing import FrozenClock
from sharpwave.types.records import USER
from sharpwave.types.statements import Mode, Spoken

AT = datetime(2026, 3, 3, 9, tzinfo=UTC)
"""A Tuesday."""


@pytest.mark.parametrize(
    ("what", "known", "is_worded", "about"),
    [
        ("drive the Kangoo", "The user drives a white Kangoo", False, True),
        ("drive the blue Kangoo", "The user drives a white Kangoo", False, False),
        ("", "The user drives a white Kangoo", False, False),
        ("the", "The user drives a white Kangoo", False, False),
        ("drive the Kangoo", "", False, False),
        ("drive the Kangoo", "drive the Kangoo", True, True),
        ("need the whole tent", "The user has a tent", False, True),
        ("really drive the Kangoo", "The user drives a Kangoo", False, True),
        ("pottery", "pottery clay wheel", True, True),
        ("pottery", "pottery clay wheel oven", True, False),
        ("pottery", "pottery clay wheel oven", False, True),
    ],
)
def test_a_known_sentence_has_all_the_words_of_what_is_over(
    what: str, known: str, is_worded: bool, about: bool
) -> None:
    assert is_about(what, known, is_worded) is about


def test_sentences_are_about_one_thing_if_each_has_the_words_of_the_shorter_ones() -> None:
    assert are_one(["the red bike", "the bike"]) and are_one(["the bike", "the bike"])
    assert not are_one(["the red bike", "the blue bike"])
    assert not are_one(["the bike", "the red bike", "the blue bike with lights"])
    assert are_one([])


def held(tmp_path: Path, *said: str) -> list[str]:
    """The facts that hold after a few messages, an hour apart."""
    clock = FrozenClock(AT)
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        for text in said:
            memory.remember(text)
            clock.advance(hours=1)
        return sorted(one.text for one in memory.facts.list())


DENTIST = "The dentist appointment is on Friday."
BANK = "The meeting with the bank is on Monday."
CHOIR = "The choir meets every Tuesday."
REHEARSAL = "The rehearsal of the choir is on 12 March."
FLIGHT = "The flight is on {} 2026."


@pytest.mark.parametrize(
    ("known", "new"),
    [
        (DENTIST, "The dentist appointment is now on Thursday."),
        (BANK, "The meeting was moved to Wednesday."),
        (CHOIR, "The choir now meets every Thursday."),
        (REHEARSAL, "The rehearsal is on 14 March instead."),
        (REHEARSAL, "The rehearsal was moved to the 14 March from the 12."),
        (FLIGHT.format("4 March"), "The flight was moved to 9 March."),
        ("I'm visiting Ana on 7 March.", "I'm visiting Ana on 9 March instead."),
        ("We plan a visit to Ana on 7 March.", "The visit to Ana was moved to 20 March 2026."),
    ],
)
def test_another_date_takes_the_place_of_the_known_one(
    tmp_path: Path, known: str, new: str
) -> None:
    assert held(tmp_path, known, new) == [new]


@pytest.mark.parametrize(
    ("known", "new"),
    [
        (DENTIST, "The wedding was moved to 14 March."),
        (BANK, "The meeting with the mayor was moved to Wednesday."),
        (FLIGHT.format("3 February"), "The flight was moved to 9 March."),
    ],
)
def test_another_thing_and_what_is_over_by_now_are_not_moved(
    tmp_path: Path, known: str, new: str
) -> None:
    assert held(tmp_path, known, new) == sorted([known, new])


def test_of_two_that_fit_alike_neither_is_moved(tmp_path: Path) -> None:
    moved = "The race was moved to 14 March."
    known = ["The red bike race is on 12 March.", "The blue bike race is on 12 March."]
    assert held(tmp_path, *known, moved) == sorted([*known, moved])


def test_what_was_said_twice_is_moved_once(tmp_path: Path) -> None:
    moved = "The race was moved to 14 March."
    known = ["The bike race is on 12 March.", "The bike race is on 13 March."]
    assert held(tmp_path, *known, moved) == [moved]


def test_the_nearest_in_words_is_moved(tmp_path: Path) -> None:
    known = ["The talk is on 12 March.", "The talk with Ana is on 13 March."]
    moved = "The talk was moved to 20 March."
    assert held(tmp_path, *known, moved) == [moved, known[1]]
    (tmp_path / "more").mkdir()
    known = ["The talk is on 12 March.", "The talk is on 13 March.", "The dinner is on 13 March."]
    moved = "The talk is on 20 March now and not on 13 March."
    assert held(tmp_path / "more", *known, moved) == [known[2], moved]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("The race is on 14 March", [datetime(2026, 3, 15, tzinfo=UTC)]),
        ("The race is on Friday", [datetime(2026, 3, 7, tzinfo=UTC)]),
        (
            "The visit is on 22 March now, not on 20 March",
            [datetime(2026, 3, 23, tzinfo=UTC), datetime(2026, 3, 21, tzinfo=UTC)],
        ),
        ("The race is now on", []),
        ("The race is of 2025", []),
        ("The user races since Monday", []),
        ("The race is fun", []),
    ],
)
def test_when_the_days_that_are_named_are_over(text: str, ends: list[datetime]) -> None:
    assert [one.end for one in dates(text, AT)] == ends


def test_what_comes_again_is_no_day() -> None:
    (every,) = dates("The choir meets every Tuesday", AT)
    (once,) = dates("The choir meets on 12 March", AT)
    assert is_set(every) and not is_set(once)


def ended(text: str) -> list[tuple[str, str, str]]:
    """Subject, predicate and object of what a message says is over."""
    found = [one for one in extract(text, Spoken(USER, AT)).candidates if one.mode is Mode.ENDED]
    return [tuple(one.statement) for one in found if one.statement]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("The train stopped.", []),
        ("I took the day off.", []),
        ("The choir stopped singing.", []),
        ("I might quit the choir.", []),
        ("I would like any more tips you have.", []),
        ("The shop no longer sells bread.", []),
        ("I took off the coat.", []),
        ("I stopped smoking.", [(USER, "smokes", "tobacco")]),
        ("I wish I sold the boat.", []),
        ("He quit the gym.", []),
        ("I gave up.", []),
        ("I sold it.", []),
        ("Any more tea?", []),
        ("I dropped out of college last year.", [(USER, "studies_at", "college")]),
        ("They would have fired me.", []),
        ("They fired me up.", []),
        ("She passed away.", []),
        ("Pippo died laughing.", []),
    ],
)
def test_what_a_message_says_is_over(text: str, over: list[tuple[str, str, str]]) -> None:
    assert ended(text) == over


KANGOO = "I drive a white Kangoo."
CHOIR_OF_TOM = "Tom sings in the choir."
GYM = "I go to the gym on Mondays."
JOB = "I work at {}."


@pytest.mark.parametrize(
    ("known", "text"),
    [
        (KANGOO, "I no longer drive the Kangoo."),
        (KANGOO, "I no longer drive the Kangoo because it broke."),
        (KANGOO, "I no longer drive the Kangoo and ride a bike."),
        (KANGOO, "Not driving the Kangoo any more."),
        ("I sing in the choir.", "I do not sing in the choir any more."),
        ("I own a kayak.", "I sold the kayak."),
        ("Tom has a boat.", "Tom sold the boat."),
        ("Tom has a boat.", "Tom has sold the boat."),
        (CHOIR_OF_TOM, "Tom does not sing in the choir any more."),
        (CHOIR_OF_TOM, "Tom is no longer singing in the choir."),
        ("My sister owns a flat.", "My sister sold her flat."),
        ("I study law.", "I gave up law last year."),
        ("I take ramipril.", "I came off ramipril."),
        ("I take ramipril.", "I stopped the ramipril."),
        ("I take ramipril.", "Stopped the ramipril."),
        ("I take ramipril.", "A doctor stopped the ramipril."),
        ("I take ramipril.", "The old family doctor stopped the ramipril."),
        ("I take ramipril.", "The nurse stopped the ramipril."),
        ("I take ramipril.", "My dentist stopped the ramipril."),
        ("I take aspirin.", "She took me off aspirin."),
        ("I take metformin.", "My doctor has taken me off metformin."),
        ("I take heart medication.", "They discontinued my medication."),
        ("I paint fences at weekends.", "I stopped painting fences."),
        (GYM, "I never go to the gym anymore."),
        (GYM, "I quit the gym since it is far."),
        (JOB.format("Bosch"), "Bosch has let me go."),
        (JOB.format("Deutsche Bahn"), "Deutsche Bahn has let me go."),
        (JOB.format("Bank of America"), "Bank of America let me go."),
    ],
)
def test_what_is_over_holds_no_more_and_its_end_is_known(
    tmp_path: Path, known: str, text: str
) -> None:
    assert held(tmp_path, known, text) == [text]


@pytest.mark.parametrize(
    ("known", "text", "left"),
    [
        (JOB.format("Bosch"), "I was let go.", []),
        (JOB.format("Bosch"), "They sacked me.", []),
        (JOB.format("Bosch"), "The company let me go.", []),
        (JOB.format("Bosch"), "My boss fired me.", ["My boss fired me."]),
        ("I study law.", "I gave up law.", []),
        ("I have a dog named Rex.", "Rex was put down.", ["Rex is a dog", "Rex was put down."]),
        ("I have a dog named Pippo.", "Pippo died.", ["Pippo passed away"]),
    ],
)
def test_a_job_a_subject_and_a_pet_that_are_gone_are_known_no_more(
    tmp_path: Path, known: str, text: str, left: list[str]
) -> None:
    assert held(tmp_path, known, text) == left


@pytest.mark.parametrize(
    ("known", "text"),
    [
        (KANGOO, "The train stopped."),
        (KANGOO, "I took the day off."),
        ("I sing in the choir.", "I might quit the choir."),
        ("I own a boat.", "I wish I sold the boat."),
        ("I own a boat.", "He quit the gym."),
        ("I own a boat.", "The shop no longer sells bread."),
    ],
)
def test_what_only_sounds_like_an_end_is_none(tmp_path: Path, known: str, text: str) -> None:
    assert held(tmp_path, known, text) == sorted([known, text])
