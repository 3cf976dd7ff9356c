"""Which known fact new words are about: by name, in other words, or since it is over."""

from dataclasses import replace

import pytest
from tests.knowledge.known import day
from tests.remember.test_reconcile import Desk

from sharpwave.knowledge.draft import Extracted
from sharpwave.knowledge.predicates import NOTED
from sharpwave.types.answers import Verdict
from sharpwave.types.records import State, Trust
from sharpwave.types.statements import BY_MODEL, Mode, Span, Target, TargetRelation

KANGOO = "The user drives a white Kangoo"
TABLETS = "The user takes white Metformin tablets in the morning"
OVER = "The user no longer drives the Kangoo"


def over(desk: Desk, what: str, at: float, **how: object) -> Extracted:
    """A message that says that a medicine is taken no more."""
    return desk.heard("takes", what, at, mode=Mode.ENDED, **how)  # type: ignore[arg-type]


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
    desk.say(NOTED, TABLETS)
    desk.say(NOTED, "The user sings in a choir", 0)
    assert verdicts(desk, over(desk, "the blue Metformin", 1)) == [Verdict.ACCEPTED]
    assert verdicts(desk, over(desk, "the Metformin", 2)) == [Verdict.ACCEPTED, Verdict.CLOSED]
    assert desk.facts() == ["user noted The user sings in a choir"]
    assert verdicts(desk, over(desk, "the Metformin", 3)) == [Verdict.REINFORCED], "once"


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
    desk.say(NOTED, "Tom takes white Metformin tablets")
    desk.say(NOTED, "Ana takes white Metformin tablets", 0)
    desk.say("uses", "white Metformin to take", 0, subject="Rui")
    gone = over(desk, "the Metformin", 1, subject="Tom")
    assert verdicts(desk, gone) == [Verdict.ACCEPTED, Verdict.CLOSED]
    left = ["user noted Ana takes white Metformin tablets", "Rui uses white Metformin to take"]
    assert desk.facts() == left
    gone = over(desk, "the Metformin", 2, subject="Rui")
    assert verdicts(desk, gone) == [Verdict.ACCEPTED, Verdict.CLOSED]
    assert desk.facts() == left[:1]


def test_of_two_of_a_kind_neither_is_meant_and_of_one_it_is() -> None:
    desk = Desk()
    desk.say("takes", "red Metformin")
    desk.say("takes", "green Metformin", 0)
    assert verdicts(desk, over(desk, "the Metformin", 1)) == [Verdict.ACCEPTED]
    assert desk.facts() == ["user takes red Metformin", "user takes green Metformin"]
    assert verdicts(desk, over(desk, "the green Metformin", 2)) == [Verdict.CLOSED]
    assert verdicts(desk, over(desk, "the Metformin", 3)) == [Verdict.CLOSED]
    assert desk.facts() == []


def test_a_weaker_source_and_the_same_turn_end_nothing() -> None:
    desk = Desk()
    desk.say(NOTED, TABLETS)
    weaker = over(desk, "the Metformin", 1, trust=Trust.INFERRED)
    assert verdicts(desk, weaker) == [Verdict.ACCEPTED]
    turn = desk.store.scan(0, 9)[0]
    beside = replace(over(desk, "the Metformin", 1).candidate, span=Span(4, 9))
    outcomes = desk.settle(Extracted(beside, turn), now=day(1)).draft.outcomes
    assert [one.verdict for one in outcomes] == [Verdict.REINFORCED]
    checked = over(desk, "the Metformin", 2, trust=Trust.VERIFIED)
    assert verdicts(desk, checked) == [Verdict.REINFORCED]
    assert desk.facts() == [f"user noted {TABLETS}"]
    desk.say(NOTED, "Tom takes Aspirin", 3, trust=Trust.INFERRED)
    gone = over(desk, "Aspirin", 4, subject="Tom")
    assert verdicts(desk, gone) == [Verdict.ACCEPTED, Verdict.CLOSED]


def test_likes_denials_and_what_is_worded_as_over_do_not_end() -> None:
    desk = Desk()
    desk.say("likes", "to take white Metformin")
    desk.say("uses", "white Metformin to take", 0, mode=Mode.DENIED)
    desk.say(NOTED, "The user no longer takes the Metformin", 0)
    assert verdicts(desk, over(desk, "the Metformin", 1)) == [Verdict.ACCEPTED]


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
