"""What a sentence says is over, or has another date now, and which known one it is about."""

from datetime import UTC, datetime

import pytest

from sharpwave.reading.changes import are_one, is_about, may_move, moved, new_end
from sharpwave.reading.extract import extract
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


def test_what_may_have_another_date() -> None:
    assert may_move("The meeting was postponed to Friday")
    assert may_move("The choir meets on Friday instead")
    assert may_move("The user plans to visit Ana (9 March 2026)")
    assert not may_move("The choir meets on Friday")


KNOWN = [
    "The dentist appointment is on Friday",
    "The meeting with the bank is on Monday",
    "The choir meets every Tuesday",
    "The rehearsal of the choir is on 12 March",
    "The flight left on 2 February",
]


@pytest.mark.parametrize(
    ("new", "places"),
    [
        ("The dentist appointment is now on Thursday", [0]),
        ("The meeting was moved to Wednesday", [1]),
        ("The choir now meets every Thursday", [2]),
        ("The rehearsal is on 14 March instead", [3]),
        ("The rehearsal was moved to the 14 March from the 12", [3]),
        ("The wedding was moved to 14 March", []),
        ("The meeting with the mayor was moved to Wednesday", []),
        ("The meeting was moved", []),
    ],
)
def test_what_has_another_date_is_the_nearest_in_words(new: str, places: list[int]) -> None:
    assert moved(new, KNOWN, AT) == places


def test_a_time_every_week_is_no_day_and_a_day_is_none() -> None:
    assert moved("The choir now meets on 12 March", ["The choir meets every Tuesday"], AT) == []
    assert moved("The choir now meets every Tuesday", ["The choir meets on 12 March"], AT) == []


def test_what_is_over_by_now_is_not_moved() -> None:
    assert moved("The flight was moved to 9 March", ["The flight is on 3 February 2026"], AT) == []
    known = ["The flight is on 4 March 2026"]
    assert moved("The flight was moved to 9 March", known, AT) == [0]
    midnight = datetime(2026, 3, 5, tzinfo=UTC)
    assert moved("The flight was moved to 9 March", known, midnight) == []


def test_of_two_that_fit_alike_neither_is_moved() -> None:
    known = ["The red bike race is on 12 March", "The blue bike race is on 12 March"]
    assert moved("The race was moved to 14 March", known, AT) == []
    both = ["The bike race is on 12 March", "The bike race is on 13 March"]
    assert moved("The race was moved to 14 March", both, AT) == [0, 1], "one thing, said twice"


def test_the_day_of_before_says_which_is_meant() -> None:
    known = ["The talk is on 12 March", "The talk is on 13 March", "The dinner is on 13 March"]
    assert moved("The talk is on 20 March now and not on 13 March", known, AT) == [1]
    assert moved("The talk is on 20 March now and not on 13 March", known[2:], AT) == []
    assert moved("The talk is on 12 March now", known, AT) == [0, 1], "the day that is said now"


def test_the_nearest_has_the_fewest_other_words() -> None:
    known = ["The choir practice with the band is on 12 March", "The choir practice is on 12 March"]
    assert moved("The choir practice was moved to 14 March", known, AT) == [1]
    known = ["The talk is on 12 March", "The talk with Ana is on 13 March"]
    assert moved("The talk was moved to 20 March", known, AT) == [0]


def test_a_plan_with_another_date_behind_it_is_the_same_plan() -> None:
    plan = "The user plans to visit {} ({} March 2026)"
    known = [plan.format("Ana", 7), plan.format("Ana", 9), plan.format("Tom", 7)]
    assert moved(plan.format("Ana", 9), known, AT) == [0]
    assert moved(plan.format("Rui", 9), known, AT) == []


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("The race is on 14 March", datetime(2026, 3, 15, tzinfo=UTC)),
        ("The race is on Friday", datetime(2026, 3, 7, tzinfo=UTC)),
        ("The race is now on", None),
        ("The race is of 2025", None),
        ("The user races since Monday", None),
        ("The race is fun", None),
    ],
)
def test_when_the_day_that_is_named_is_over(text: str, end: datetime | None) -> None:
    known = datetime(2026, 3, 12, tzinfo=UTC)
    assert new_end(text, AT) == end
    assert new_end(text, AT, known) == (end or known), "as it was, if it names none"


def test_of_two_days_the_one_that_was_known_is_not_the_new_one() -> None:
    known, new = datetime(2026, 3, 21, tzinfo=UTC), datetime(2026, 3, 23, tzinfo=UTC)
    assert new_end("The visit on 20 March is now on 22 March", AT, known) == new
    assert new_end("The visit is on 22 March now, not on 20 March", AT, known) == new
    assert new_end("The visit is on 20 March", AT, known) == known


def ended(text: str) -> list[tuple[str, str, str]]:
    """Subject, predicate and object of what a message says is over."""
    found = [one for one in extract(text, Spoken(USER, AT)).candidates if one.mode is Mode.ENDED]
    return [tuple(one.statement) for one in found if one.statement]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("I no longer drive the Kangoo.", [(USER, "noted", "drive the Kangoo")]),
        ("I do not sing in the choir any more.", [(USER, "noted", "sing in the choir")]),
        ("The train stopped.", []),
        ("I took the day off.", []),
        ("The choir stopped singing.", []),
        ("I might quit the choir.", []),
        ("I no longer drive the Kangoo because it broke.", [(USER, "noted", "drive the Kangoo")]),
        ("I no longer drive the Kangoo and ride a bike.", [(USER, "noted", "drive the Kangoo")]),
        ("Not driving the Kangoo any more.", [(USER, "noted", "driving the Kangoo")]),
        ("I would like any more tips you have.", []),
        ("The shop no longer sells bread.", []),
        ("A doctor stopped the ramipril.", [(USER, "noted", "take the ramipril")]),
        ("Stopped the ramipril.", [(USER, "noted", "take the ramipril")]),
        ("The old family doctor stopped the ramipril.", [(USER, "noted", "take the ramipril")]),
        ("I took off the coat.", []),
        ("She took me and Tom off aspirin.", [(USER, "noted", "take aspirin")]),
        ("I gave up law last year.", [(USER, "noted", "law")]),
        ("I stopped smoking.", [(USER, "smokes", "tobacco")]),
        ("I sold the bike and bought a car.", [(USER, "owns", "the bike")]),
        ("I wish I sold the boat.", []),
        ("He quit the gym.", []),
        ("I gave up.", []),
        ("I sold it.", []),
        ("Any more tea?", []),
        ("Tom sold the boat.", [("Tom", "noted", "the boat")]),
        ("Tom has sold the boat.", [("Tom", "noted", "the boat")]),
        ("Tom does not sing in the choir any more.", [("Tom", "noted", "sing in the choir")]),
        ("Tom is no longer singing in the choir.", [("Tom", "noted", "singing in the choir")]),
        ("My sister sold her flat.", [("user's sister", "noted", "her flat")]),
        ("I gave up law.", [(USER, "noted", "law")]),
        ("I dropped out of college last year.", [(USER, "studies_at", "college")]),
        ("I came off ramipril.", [(USER, "noted", "ramipril")]),
        ("I stopped the ramipril.", [(USER, "noted", "take the ramipril")]),
        ("I stopped painting fences.", [(USER, "noted", "painting fences")]),
        ("I never go to the gym anymore.", [(USER, "noted", "go to the gym")]),
        ("I quit the gym since it is far.", [(USER, "noted", "the gym")]),
        ("The nurse stopped the ramipril.", [(USER, "noted", "take the ramipril")]),
        ("My dentist stopped the ramipril.", [(USER, "noted", "take the ramipril")]),
        ("They discontinued my medication.", [(USER, "noted", "take their medication")]),
        ("She took me off aspirin.", [(USER, "noted", "take aspirin")]),
        ("My doctor has taken me off metformin.", [(USER, "noted", "take metformin")]),
        ("Bosch has let me go.", [(USER, "works_at", "Bosch")]),
        ("I was let go.", [(USER, "works_at", "the job")]),
        ("They would have fired me.", []),
        ("They fired me up.", []),
        ("Rex was put down.", [(USER, "pet", "Rex")]),
        ("Deutsche Bahn has let me go.", [(USER, "works_at", "Deutsche Bahn")]),
        ("Bank of America let me go.", [(USER, "works_at", "Bank of America")]),
        ("They sacked me.", [(USER, "works_at", "the job")]),
        ("The company let me go.", [(USER, "works_at", "the job")]),
        ("My boss fired me.", [(USER, "works_at", "the job")]),
        ("Pippo died.", [(USER, "pet", "Pippo")]),
        ("She passed away.", []),
        ("Pippo died laughing.", []),
    ],
)
def test_what_a_message_says_is_over(text: str, over: list[tuple[str, str, str]]) -> None:
    assert ended(text) == over
