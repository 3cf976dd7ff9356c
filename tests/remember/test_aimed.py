"""Which known fact new words are about: by name, in other words, over, or with another date."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.knowledge.known import day
from tests.remember.test_reconcile import Desk

from sharpwave.knowledge.draft import Extracted
from sharpwave.knowledge.predicates import NOTED
from sharpwave.types.answers import Verdict
from sharpwave.types.records import USER, State, Trust
from sharpwave.types.statements import BY_MODEL, Mode, Span, Target, TargetRelation

KANGOO = "The user drives a white Kangoo"
OVER = "The user no longer drives the Kangoo"


def over(desk: Desk, what: str, at: float, **how: object) -> Extracted:
    """A clause that says something is over, and nothing else."""
    one = desk.heard(NOTED, what, at, mode=Mode.ENDED, **how)  # type: ignore[arg-type]
    return one._replace(candidate=replace(one.candidate, effect_only=True))


def verdicts(desk: Desk, one: Extracted) -> list[Verdict]:
    return [outcome.verdict for outcome in desk.settle(one).draft.outcomes]


def test_a_part_of_the_known_name_is_no_new_name() -> None:
    desk = Desk()
    desk.say("name", "Ruth Keller")
    assert desk.say("name", "Ruth", 1) is Verdict.REINFORCED
    assert desk.say("name", "Ruth", 2, mode=Mode.DENIED) is Verdict.ACCEPTED, "of Ruth alone"
    assert desk.facts() == ["user name Ruth Keller", "user name Ruth"]
    assert desk.say("sister", "Ana Lopes", 3) is Verdict.ACCEPTED
    assert desk.say("sister", "Ana", 4) is Verdict.ACCEPTED, "of several, one may be called so"


def test_only_a_name_of_the_same_person_that_holds_has_parts() -> None:
    desk = Desk()
    desk.say("name", "Ruth Keller", subject="Ruth")
    desk.say("name", "Ruth Lang", mode=Mode.DENIED)
    desk.say("name", "Ruth Meier", 1)
    desk.say("name", "Sam", 2)
    desk.say("name", "Ruth", 3)
    assert "user name Ruth" in desk.facts()


def test_a_sentence_worded_as_an_end_holds_as_it_is_worded() -> None:
    desk = Desk()
    assert desk.say(NOTED, OVER, mode=Mode.ENDED) is Verdict.ACCEPTED
    assert desk.facts() == [f"user noted {OVER}"]
    assert desk.say(NOTED, OVER, 1, mode=Mode.ENDED) is Verdict.REINFORCED, "nor ends it itself"
    by_another = desk.heard(NOTED, OVER, 2, mode=Mode.ENDED)
    said = replace(by_another.candidate, extractor="another 1")
    assert desk.verdict(by_another._replace(candidate=said)) is Verdict.CLOSED
    assert desk.say(NOTED, OVER, 3, mode=Mode.ENDED) is Verdict.REINFORCED, "it is over already"


def test_other_ends_and_denials_are_what_they_say() -> None:
    desk = Desk()
    desk.say(NOTED, "drive the Kangoo", mode=Mode.ENDED)
    desk.say(NOTED, OVER, 1, mode=Mode.DENIED)
    desk.say("likes", "what nobody sells", 2, mode=Mode.ENDED)
    assert desk.facts() == [f"user noted {OVER}"]
    assert desk.store.scan(0, 99)[3].negated
    assert desk.facts(State.SUPERSEDED) == [
        "user noted drive the Kangoo",
        "user likes what nobody sells",
    ]


def test_a_sentence_is_known_also_without_its_context() -> None:
    desk = Desk()
    desk.say(NOTED, "It rained all day")
    one = desk.heard(NOTED, "On Monday in Porto: It rained all day", 1)
    turn = replace(one.turn, text="Yes.  It rained  all day")
    said = replace(one.candidate, span=Span(5, 24))
    assert desk.verdict(Extracted(said, turn)) is Verdict.REINFORCED
    assert desk.verdict(Extracted(replace(said, span=Span(0, 4)), turn)) is Verdict.ACCEPTED


def test_other_numbers_are_another_fact() -> None:
    desk = Desk()
    desk.say("likes", "three or 3 cups of strong black tea in the morning with milk")
    same = "in the morning with milk 3 or three cups of strong black tea"
    assert desk.say("likes", same, 1) is Verdict.REINFORCED
    assert desk.say("likes", same.replace("3", "4"), 2) is Verdict.ACCEPTED


def test_what_a_model_words_is_not_compared_by_its_words() -> None:
    desk = Desk()
    desk.say(NOTED, "strong black tea in the morning is good")
    one = desk.heard(NOTED, "in the morning strong black tea is good", 1)
    worded = one._replace(candidate=replace(one.candidate, extractor=f"{BY_MODEL} 1"))
    assert desk.verdict(worded) is Verdict.ACCEPTED
    assert desk.say(NOTED, "in the morning is good strong black tea", 2) is Verdict.REINFORCED


def test_what_is_over_is_found_by_its_words() -> None:
    desk = Desk()
    desk.say(NOTED, KANGOO)
    desk.say(NOTED, "The user sings in a choir", 0)
    assert verdicts(desk, over(desk, "drive the blue Kangoo", 1)) == []
    assert verdicts(desk, over(desk, "drive the Kangoo", 2)) == [Verdict.CLOSED]
    assert desk.facts() == ["user noted The user sings in a choir"]
    assert verdicts(desk, over(desk, "drive the Kangoo", 3)) == [], "once"


def test_what_is_sold_is_not_driven_either() -> None:
    desk = Desk()
    desk.say(NOTED, KANGOO)
    assert verdicts(desk, desk.heard("owns", "the Kangoo", 1, mode=Mode.ENDED)) == [
        Verdict.ACCEPTED,
        Verdict.CLOSED,
    ]
    desk.say(NOTED, KANGOO, 2)
    assert verdicts(desk, desk.heard("owns", "Kangoo", 3, mode=Mode.ENDED)) == [
        Verdict.REINFORCED,
        Verdict.CLOSED,
    ]
    desk.say(NOTED, "The user rides a red bike", 4)
    assert verdicts(desk, desk.heard("owns", "red bike", 5, mode=Mode.ENDED)) == [
        Verdict.ACCEPTED
    ], "a bike may be any"


def test_what_is_over_is_that_of_the_one_who_is_spoken_of() -> None:
    desk = Desk()
    desk.say(NOTED, "Tom drives a white Kangoo")
    desk.say(NOTED, "Ana drives a white Kangoo", 0)
    desk.say("drives", "white Kangoo", 0, subject="Rui")
    assert verdicts(desk, over(desk, "drive the Kangoo", 1, subject="Tom")) == [Verdict.CLOSED]
    assert desk.facts() == ["user noted Ana drives a white Kangoo", "Rui drives white Kangoo"]
    assert verdicts(desk, over(desk, "drive the Kangoo", 2, subject="Rui")) == [Verdict.CLOSED]


def test_of_two_of_a_kind_neither_is_meant_and_of_one_it_is() -> None:
    desk = Desk()
    desk.say("owns", "red bike")
    desk.say("owns", "green bike", 0)
    assert verdicts(desk, over(desk, "the bike", 1)) == []
    assert verdicts(desk, over(desk, "the green bike", 2)) == [Verdict.CLOSED]
    assert verdicts(desk, over(desk, "the bike", 3)) == [Verdict.CLOSED]


def test_a_weaker_source_and_the_same_turn_end_nothing() -> None:
    desk = Desk()
    desk.say(NOTED, KANGOO)
    assert verdicts(desk, over(desk, "drive the Kangoo", 1, trust=Trust.INFERRED)) == []
    turn = desk.store.scan(0, 9)[0]
    again = over(desk, "drive the Kangoo", 1)
    assert desk.settle(again._replace(turn=turn), now=day(1)).draft.outcomes == []
    assert verdicts(desk, over(desk, "drive the Kangoo", 2, trust=Trust.VERIFIED)) == []
    desk.say(NOTED, "Tom sings", 3, trust=Trust.INFERRED)
    assert verdicts(desk, over(desk, "Tom sings", 4)) == [Verdict.CLOSED]


def test_likes_denials_and_what_is_worded_as_over_do_not_end() -> None:
    desk = Desk()
    desk.say("likes", "white Kangoo")
    desk.say("owns", "white Kangoo", 0, mode=Mode.DENIED)
    desk.say(NOTED, OVER, 0)
    assert verdicts(desk, over(desk, "the Kangoo", 1)) == []


REHEARSAL = "The choir rehearsal is on {} March 2026"


def test_another_date_takes_the_place_of_the_known_one() -> None:
    desk = Desk()
    desk.say(NOTED, REHEARSAL.format(12))
    desk.say(NOTED, "The dentist is on 12 March 2026", 0)
    now = "The choir rehearsal is now on 14 March 2026"
    assert verdicts(desk, desk.heard(NOTED, now, 1)) == [Verdict.VERSIONED]
    assert desk.facts(State.SUPERSEDED) == [f"user noted {REHEARSAL.format(12)}"]
    again = desk.heard(NOTED, "The dentist is now on 15 March 2026", 2, mode=Mode.DENIED)
    assert verdicts(desk, again) == [Verdict.ACCEPTED], "what is not so moves nothing"


def test_what_was_said_twice_is_moved_once_and_over_once() -> None:
    desk = Desk()
    for date in (11, 12, 13):
        desk.say(NOTED, REHEARSAL.format(date), date / 20)
    moved = desk.heard(NOTED, "The choir rehearsal was moved to 14 March 2026", 1)
    assert verdicts(desk, moved) == [Verdict.CLOSED, Verdict.CLOSED, Verdict.VERSIONED]
    assert desk.facts() == ["user noted The choir rehearsal was moved to 14 March 2026"]


def test_a_plan_is_known_until_its_new_day() -> None:
    desk = Desk()
    plan = desk.heard("plans", "visit to Ana", 0)
    until = datetime(2026, 3, 8, tzinfo=UTC)
    desk.settle(plan._replace(candidate=replace(plan.candidate, valid_to=until)))
    moved = desk.heard(NOTED, "The visit to Ana was moved to 20 March 2026", 1)
    assert Verdict.REINFORCED in verdicts(desk, moved)
    (record,) = [one for one in desk.store.scan(0, 99) if one.slot == "user|plans|visit to ana"]
    assert record.valid_to == datetime(2026, 3, 21, tzinfo=UTC)
    assert f"{USER} noted The visit to Ana was moved to 20 March 2026" in desk.facts()


def test_an_end_is_never_an_echo() -> None:
    desk = Desk()
    desk.say("lives_in", "Porto", trust=Trust.INFERRED)
    desk.store.touch([one.number for one in desk.store.scan(0, 9)], day(1))
    gone = desk.say("lives_in", "Porto", 1, mode=Mode.ENDED, trust=Trust.INFERRED)
    assert gone is Verdict.CLOSED


@pytest.mark.parametrize("mode", [Mode.ENDED, Mode.DENIED])
def test_only_what_holds_is_a_name(mode: Mode) -> None:
    desk = Desk()
    desk.say("name", "Ruth Keller")
    desk.say("name", "Ruth", 1, mode=mode)
    assert "user name Ruth Keller" in desk.facts()


@pytest.mark.parametrize(
    ("relation", "slots"),
    [
        (TargetRelation.UPDATE, ["user|lives_in|", "user|works_at|"]),
        (TargetRelation.CORRECTION, ["user|lives_in|", "user|works_at|"]),
        (TargetRelation.SAME, ["user|works_at|"]),
        (TargetRelation.END, ["user|works_at|"]),
    ],
)
def test_what_takes_the_place_of_a_fact_has_its_own_slot_read_too(
    relation: TargetRelation, slots: list[str]
) -> None:
    desk = Desk()
    desk.say("works_at", "Acme")
    acme = desk.store.scan(0, 9)[-1]
    one = desk.heard("lives_in", "Porto", 1)
    said = replace(one.candidate, target=Target(relation, acme.id, str(acme.slot)))
    assert sorted(desk.settle(one._replace(candidate=said)).seen) == slots
