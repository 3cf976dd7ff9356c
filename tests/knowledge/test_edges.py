"""Edges of how facts settle: clocks that ran ahead, doubts, limits of time, several at once."""

from dataclasses import replace

import pytest
from tests.knowledge.known import Known, day

from sharpwave import Kind, Record
from sharpwave.knowledge import settle_facts
from sharpwave.knowledge.draft import Draft, Extracted
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.records import USER, State, Statement, Trust
from sharpwave.types.statements import BY_MODEL, Candidate, Mode, Span


def heard(known: Known, value: str, at: float, **changes: object) -> Extracted:
    said = Candidate(
        Kind.FACT, f"In {value}", Span(0, 3), 0.9, "test 1", Statement(USER, "lives_in", value)
    )
    return Extracted(replace(said, **changes), known.turn(day(at)))  # type: ignore[arg-type]


def settle(known: Known, one: Extracted, now: float) -> Outcome:
    (outcome,) = known.settle(one, now=day(now))
    return outcome


def of_tea(known: Known, predicate: str) -> Record:
    """The newest record that the user likes or dislikes tea."""
    return [r for r in known.records.values() if r.slot == f"user|{predicate}|tea"][-1]


def test_what_a_clock_that_ran_ahead_has_stamped_holds_since_it_is_said_again() -> None:
    known = Known()
    known.say("Porto", 9)
    outcome = settle(known, heard(known, "Porto", 5), now=5)
    assert (outcome.verdict, outcome.reason) == (Verdict.VERSIONED, "its time was wrong")
    assert known.record("Porto").valid_from == day(5)


def test_what_began_before_and_was_only_seen_by_that_clock_is_just_seen_again() -> None:
    for began in (4, 5):
        known = Known()
        known.say("Porto", began)
        known.say("Porto", 9)
        assert settle(known, heard(known, "Porto", 5), now=5).verdict is Verdict.REINFORCED
        assert len(known.records) == 1


@pytest.mark.parametrize(
    ("said", "recorded", "later"),
    [
        (5, 5, False),  # now
        (3, 5, True),  # told late
        (3, 3, False),  # recorded when it was said
        (7, 7, False),  # by the same clock
    ],
)
def test_a_time_beyond_now_lies_before_words_said_now_and_after_those_told_late(
    said: float, recorded: float, later: bool
) -> None:
    known = Known()
    one = heard(known, "Porto", said)
    one = one._replace(turn=replace(one.turn, recorded_at=day(recorded)))
    assert Draft.on([], day(5)).is_after(day(9), one) is later


def test_people_change_their_minds_only_if_all_of_it_was_long_ago() -> None:
    known = Known()
    known.say("tea", 0, predicate="dislikes")
    known.say("tea", 40, predicate="likes", mode=Mode.DENIED)
    assert known.say("tea", 41, predicate="likes").verdict is Verdict.QUEUED


def test_of_several_that_are_contradicted_the_best_source_is_asked_about() -> None:
    known = Known()
    known.say("tea", 0, predicate="likes", mode=Mode.DENIED)
    known.say("tea", 0, predicate="dislikes", trust=Trust.INFERRED)
    assert known.say("tea", 1, predicate="likes").verdict is Verdict.QUEUED
    denial = next(r for r in known.records.values() if r.negated)
    assert of_tea(known, "likes").standing.rival == denial.id


@pytest.mark.parametrize(
    ("extractor", "mode", "text"),
    [
        (f"{BY_MODEL} 1", Mode.HOLDS, "In Porto"),
        (f"{BY_MODEL} 1", Mode.ENDED, "The user lives in Porto"),
        ("rules 1", Mode.HOLDS, "The user lives in Porto"),
    ],
)
def test_the_words_of_a_model_are_kept_unless_they_say_it_is_over(
    extractor: str, mode: Mode, text: str
) -> None:
    known = Known()
    settle(known, heard(known, "Porto", 1, extractor=extractor, mode=mode), now=1)
    assert known.record("Porto").text == text


def test_what_is_known_to_hold() -> None:
    known = Known()
    known.say("Porto")
    known.say("tea", predicate="likes", mode=Mode.DENIED)
    draft = Draft.on(list(known.records.values()), day(1))
    tea = heard(known, "tea", 1, statement=Statement(USER, "likes", "tea"))
    assert settle_facts.is_known(draft, heard(known, "Porto", 1)) is True
    assert settle_facts.is_known(draft, heard(known, "Faro", 1)) is False
    assert settle_facts.is_known(draft, tea) is False


def test_of_two_that_say_the_same_the_newer_is_seen_again() -> None:
    known = Known()
    known.say("Porto")
    older = known.record("Porto")
    newer = replace(older, id="newer")
    draft = Draft.on([older, newer], day(1))
    settle_facts.settle(draft, heard(known, "Porto", 1))
    assert [revision.id for revision in draft.revisions] == ["newer"]


def test_what_holds_without_a_doubt_is_said_again_without_a_word_of_doubt() -> None:
    known = Known()
    known.say("Porto")
    assert known.say("Porto", 1).reason == ""


def test_what_strangers_say_again_holds_and_takes_the_place_of_what_they_said_before() -> None:
    known = Known()
    for place, at in (("Lisbon", 0), ("Faro", 0), ("Porto", 1), ("Porto", 2)):
        known.say(place, at, trust=Trust.UNTRUSTED)
    unsure = {"Lisbon": State.UNCERTAIN, "Faro": State.UNCERTAIN}
    assert known.states() == {**unsure, "Porto": State.ACTIVE}
    outcome = known.say("Lisbon", 3, trust=Trust.UNTRUSTED)
    assert outcome.reason == "it was in doubt, and is not now"
    assert known.states() == {
        "Lisbon": State.ACTIVE,
        "Faro": State.UNCERTAIN,
        "Porto": State.SUPERSEDED,
    }


def test_what_expires_is_prolonged_each_time() -> None:
    known = Known()
    for at in (0, 1, 2):
        known.say("tired", at, predicate="feels")
    assert known.record("tired").valid_to == day(2 + 3)


def test_a_time_that_is_over_or_before_it_begins_shortens_nothing() -> None:
    known = Known()
    known.say("Porto", mode=Mode.DENIED)
    known.say("Porto", 5, mode=Mode.DENIED, until=day(5))
    assert known.record("Porto").valid_to is None
    known.say("Faro", since=day(20))
    known.say("Faro", 5, until=day(10))
    assert known.record("Faro").valid_to is None


def test_what_a_better_source_confirms_settles_a_doubt() -> None:
    known = Known()
    known.say("tea", 0, predicate="likes", trust=Trust.INFERRED)
    known.say("tea", 1, predicate="dislikes", trust=Trust.INFERRED)
    assert of_tea(known, "dislikes").standing.state is State.UNCERTAIN
    known.say("tea", 2, predicate="likes")
    assert of_tea(known, "likes").standing.state is State.ACTIVE
    assert of_tea(known, "dislikes").standing.state is State.SUPERSEDED


def test_that_something_is_over_by_a_weaker_source_is_a_variant_without_an_end() -> None:
    known = Known()
    known.say("Porto")
    outcome = known.say("Porto", 9, mode=Mode.ENDED, until=day(5), trust=Trust.INFERRED)
    assert outcome.verdict is Verdict.VARIANT
    variant = known.record("Porto")
    assert (variant.negated, variant.valid_to) == (True, None)
