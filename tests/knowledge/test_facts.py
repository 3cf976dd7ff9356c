"""How a statement settles among what is known, branch by branch."""

import pytest
from tests.knowledge.known import Known, day

from sharpwave import Kind
from sharpwave.knowledge.draft import competing_slots
from sharpwave.types.answers import Verdict
from sharpwave.types.records import State, Statement, Trust
from sharpwave.types.statements import Candidate, Mode, Span


@pytest.mark.spec("PRO-02", "PRO-03", "PRO-04", "PRO-05", "KG-07")
def test_a_new_fact_has_its_statement_its_time_and_its_source() -> None:
    known = Known()
    outcome = known.say("Porto", 3)
    assert (outcome.verdict, outcome.text) == (Verdict.ACCEPTED, "The user lives in Porto")
    fact = known.record("Porto")
    assert fact.statement == ("user", "lives_in", "Porto")
    assert (fact.slot, fact.tags) == ("user|lives_in|", ("location",))
    assert (fact.valid_from, fact.valid_to) == (day(3), None)
    assert (fact.standing.seen_count, fact.standing.last_seen_at) == (1, day(3))
    assert (fact.standing.confidence, fact.standing.importance) == (0.9, 0.7)
    assert fact.provenance.source == "user_message" and fact.provenance.parents == ("turn-1",)


@pytest.mark.spec("PRO-06")
def test_the_same_again_is_one_row_seen_twice() -> None:
    known = Known()
    known.say("Porto", 0)
    outcome = known.say("porto, Portugal", 5)
    assert (outcome.verdict, len(known.records)) == (Verdict.REINFORCED, 1)
    standing = known.record("Porto").standing
    assert (standing.seen_count, standing.last_seen_at) == (2, day(5))
    assert standing.confidence == pytest.approx(0.93)


def test_the_same_words_read_twice_are_one_sighting() -> None:
    known = Known()
    turn = known.turn(day(0), number=7)
    known.say("Porto", turn=turn)
    assert known.say("Porto", turn=turn).verdict is Verdict.REINFORCED
    assert known.record("Porto").standing.seen_count == 1
    assert known.record("Porto").standing.confidence == 0.9
    second = known.turn(day(1), number=8)
    for _ in range(3):
        known.say("Porto", turn=second)
    assert known.record("Porto").standing.seen_count == 2


@pytest.mark.spec("PRO-07", "PRO-09", "CON-05", "CON-03")
def test_a_new_value_closes_the_old_and_keeps_it() -> None:
    known = Known()
    known.say("Porto", 0)
    outcome = known.say("Lisbon", 40)
    assert outcome.verdict is Verdict.VERSIONED and "Porto" in outcome.reason
    old, new = known.record("Porto"), known.record("Lisbon")
    assert (old.valid_to, old.standing.state) == (day(40), State.SUPERSEDED)
    assert (new.valid_from, new.valid_to) == (day(40), None)
    assert old.standing.superseded_by == new.id


def test_several_values_stand_side_by_side_where_several_may_hold() -> None:
    known = Known()
    known.say("Rex", predicate="pet")
    assert known.say("Tom", predicate="pet").verdict is Verdict.ACCEPTED
    assert set(known.states().values()) == {State.ACTIVE}


def test_what_a_text_corrects_was_never_true() -> None:
    known = Known()
    known.say("Jon", 0, predicate="name")
    outcome = known.say("John", 1, predicate="name", instead_of="Jon")
    assert outcome.verdict is Verdict.VERSIONED
    assert known.states() == {"Jon": State.INVALIDATED, "John": State.ACTIVE}


def test_what_ended_is_closed_at_that_time() -> None:
    known = Known()
    known.say("Porto", 0)
    outcome = known.say("Porto", 30, mode=Mode.ENDED, until=day(20))
    assert outcome.verdict is Verdict.CLOSED
    fact = known.record("Porto")
    assert (fact.valid_to, fact.standing.state) == (day(20), State.SUPERSEDED)
    assert fact.standing.seen_count == 2, "the words that ended it are evidence too"


def test_what_will_end_holds_until_then() -> None:
    known = Known()
    known.say("Acme", 0, predicate="works_at")
    known.say("Acme", 5, predicate="works_at", mode=Mode.ENDED, until=day(30))
    fact = known.record("Acme")
    assert (fact.valid_to, fact.standing.state) == (day(30), State.ACTIVE)


def test_the_end_of_what_nobody_knew_is_history() -> None:
    known = Known()
    known.say("Lisbon", 10)
    outcome = known.say("Paris", 20, mode=Mode.ENDED)
    assert outcome.verdict is Verdict.ACCEPTED and "history" in outcome.reason
    past = known.record("Paris")
    assert (past.valid_to, past.standing.state) == (day(10), State.SUPERSEDED)
    assert known.record("Lisbon").standing.state is State.ACTIVE


@pytest.mark.parametrize("first", [None, "lived there"])
def test_an_end_that_is_told_twice_is_one_row(first: str | None) -> None:
    known = Known()
    if first:
        known.say("Paris", 0)
    known.say("Paris", 10, mode=Mode.ENDED)
    assert known.say("Paris", 20, mode=Mode.ENDED).verdict is Verdict.REINFORCED
    assert len(known.records) == 1
    assert known.record("Paris").valid_to == day(10)


def test_two_times_in_the_same_place_are_two_rows() -> None:
    known = Known()
    known.say("Paris", mode=Mode.ENDED, since=day(-900), until=day(-800))
    known.say("Paris", mode=Mode.ENDED, since=day(-500), until=day(-400))
    assert len(known.records) == 2
    known.say("Paris", mode=Mode.ENDED, since=day(-500), until=day(-400))
    assert len(known.records) == 2


def test_a_time_that_is_over_closes_what_is_open() -> None:
    known = Known()
    known.say("Porto", 0)
    assert known.say("Porto", 30, until=day(20)).verdict is Verdict.CLOSED
    assert known.record("Porto").valid_to == day(20)


def test_a_weaker_source_neither_ends_nor_denies() -> None:
    known = Known()
    known.say("Porto", 0)
    for mode, verdict in ((Mode.ENDED, Verdict.VARIANT), (Mode.DENIED, Verdict.REINFORCED)):
        outcome = known.say("Porto", 60, mode=mode, trust=Trust.INFERRED)
        assert outcome.verdict is verdict and "a better source says" in outcome.reason
    states = {r.text: r.standing.state for r in known.records.values() if r.kind is Kind.FACT}
    assert states == {
        "The user lives in Porto": State.ACTIVE,
        "The user no longer lives in Porto": State.UNCERTAIN,
    }


def test_what_was_said_again_later_is_not_ended_by_old_words() -> None:
    known = Known()
    known.say("Porto", 50)
    for mode in (Mode.ENDED, Mode.DENIED):
        outcome = known.say("Porto", 10, mode=mode)
        assert outcome.verdict is Verdict.REJECTED and "later" in outcome.reason


def test_a_denial_of_the_unknown_is_kept_as_one() -> None:
    known = Known()
    known.say("Porto", 0, mode=Mode.DENIED)
    assert known.say("Porto", 1, mode=Mode.DENIED).verdict is Verdict.REINFORCED
    (fact,) = known.records.values()
    assert fact.negated and fact.text == "The user does not live in Porto"


@pytest.mark.spec("PRO-08", "CON-01", "CON-04", "CON-06")
def test_a_denial_soon_after_asks() -> None:
    known = Known()
    known.say("Porto", 0)
    outcome = known.say("Porto", 2, mode=Mode.DENIED)
    assert outcome.verdict is Verdict.QUEUED
    assert "lives in Porto" in outcome.reason and "does not live in Porto" in outcome.reason
    said, denied = known.records.values()
    assert said.standing.state is denied.standing.state is State.UNCERTAIN
    assert (said.standing.rival, denied.standing.rival) == (denied.id, said.id)


@pytest.mark.spec("CON-01")
def test_opposites_soon_after_one_another_ask() -> None:
    known = Known()
    known.say("tea", 0, predicate="likes")
    assert known.say("tea", 2, predicate="dislikes").verdict is Verdict.QUEUED
    assert {r.standing.state for r in known.records.values()} == {State.UNCERTAIN}


@pytest.mark.parametrize("mode", [Mode.DENIED, Mode.HOLDS])
def test_after_long_it_is_a_change_of_mind(mode: Mode) -> None:
    known = Known()
    known.say("tea", 0, predicate="likes")
    predicate = "likes" if mode is Mode.DENIED else "dislikes"
    assert known.say("tea", 31, predicate=predicate, mode=mode).verdict is Verdict.VERSIONED
    old, new = known.records.values()
    assert (old.standing.state, old.valid_to) == (State.SUPERSEDED, day(31))
    assert new.standing.state is State.ACTIVE


@pytest.mark.spec("CON-03")
def test_the_user_is_not_asked_about_what_somebody_else_guessed() -> None:
    known = Known()
    known.say("Porto", 0, trust=Trust.INFERRED)
    assert known.say("Porto", 1, mode=Mode.DENIED).verdict is Verdict.VERSIONED
    guess, denial = known.records.values()
    assert (guess.standing.state, denial.standing.state) == (State.INVALIDATED, State.ACTIVE)
    known.say("tea", 0, predicate="likes", trust=Trust.INFERRED)
    assert known.say("tea", 1, predicate="dislikes").verdict is Verdict.VERSIONED


def test_what_was_in_doubt_and_is_said_again_holds() -> None:
    known = Known()
    known.say("tea", 0, predicate="likes")
    known.say("tea", 1, predicate="dislikes")
    outcome = known.say("tea", 2, predicate="dislikes")
    assert outcome.verdict is Verdict.REINFORCED and "doubt" in outcome.reason
    likes, dislikes = known.records.values()
    assert (likes.standing.state, dislikes.standing.state) == (State.SUPERSEDED, State.ACTIVE)
    assert likes.standing.rival is None is dislikes.standing.rival


def test_who_ends_one_side_of_a_contradiction_settles_it() -> None:
    known = Known()
    known.say("tea", 0, predicate="likes")
    known.say("tea", 1, predicate="dislikes")
    known.say("tea", 2, predicate="likes", mode=Mode.ENDED)
    likes, dislikes = known.records.values()
    assert (likes.standing.state, dislikes.standing.state) == (State.SUPERSEDED, State.ACTIVE)
    assert dislikes.standing.rival is None


def test_who_denies_one_side_of_a_contradiction_settles_it() -> None:
    known = Known()
    known.say("tea", 0, predicate="likes")
    known.say("tea", 1, predicate="dislikes")
    known.say("tea", 2, predicate="likes", mode=Mode.DENIED)
    assert [r.standing.state for r in known.records.values()] == [
        State.SUPERSEDED,
        State.ACTIVE,
        State.ACTIVE,
    ]
    assert all(r.standing.rival is None for r in known.records.values())


@pytest.mark.spec("REC-02")
def test_a_weaker_source_is_a_variant() -> None:
    known = Known()
    known.say("Porto", 0)
    outcome = known.say("Lisbon", 50, trust=Trust.INFERRED)
    assert outcome.verdict is Verdict.VARIANT and "Porto" in outcome.reason
    assert known.states() == {"Porto": State.ACTIVE, "Lisbon": State.UNCERTAIN}
    porto, lisbon = known.records.values()
    assert porto.slot == lisbon.slot, "they are linked by what they are about"
    assert (porto.valid_from, porto.valid_to) == (day(0), None)
    assert (lisbon.valid_from, lisbon.valid_to) == (day(50), None)
    assert known.say("Lisbon", 60, trust=Trust.INFERRED).verdict is Verdict.REINFORCED
    assert known.record("Lisbon").standing.state is State.UNCERTAIN


@pytest.mark.spec("REC-02", "REC-03", "REC-04")
def test_there_are_three_variants_and_the_weakest_goes_first() -> None:
    known = Known()
    known.say("Porto", 0)
    for city, sure in (("Rome", 0.8), ("Oslo", 0.75), ("Bonn", 0.85)):
        known.say(city, 1, trust=Trust.INFERRED, confidence=sure)
    weaker = known.say("Kiel", 2, trust=Trust.INFERRED, confidence=0.72)
    assert weaker.verdict is Verdict.REJECTED and "stronger variants" in weaker.reason
    stronger = known.say("Graz", 2, trust=Trust.INFERRED, confidence=0.9)
    assert stronger.verdict is Verdict.VARIANT
    states = known.states()
    assert states.pop("Oslo") is State.INVALIDATED and states.pop("Porto") is State.ACTIVE
    assert states == dict.fromkeys(("Rome", "Bonn", "Graz"), State.UNCERTAIN)


def test_a_better_source_confirms_a_guess() -> None:
    known = Known()
    known.say("Porto", 0, trust=Trust.INFERRED)
    outcome = known.say("Porto", 10)
    assert outcome.verdict is Verdict.VERSIONED and "better source" in outcome.reason
    guess, word = known.records.values()
    assert (guess.standing.state, guess.standing.superseded_by) == (State.SUPERSEDED, word.id)
    assert (word.valid_from, word.provenance.trust) == (day(0), Trust.USER)


def test_a_guess_confirmed_takes_the_place_of_what_was_known() -> None:
    known = Known()
    known.say("Porto", 0)
    known.say("Lisbon", 10, trust=Trust.INFERRED)
    known.say("Lisbon", 20)
    lisbon = known.record("Lisbon")
    assert lisbon.provenance.trust is Trust.USER and lisbon.standing.state is State.ACTIVE
    assert known.record("Porto").standing.superseded_by == lisbon.id


def test_old_words_do_not_confirm_a_guess_against_newer_ones() -> None:
    known = Known()
    known.say("Lisbon", 100)
    known.say("Porto", 110, trust=Trust.INFERRED)
    known.say("Porto", 50)
    assert known.record("Lisbon").standing.state is State.ACTIVE
    assert known.record("Lisbon").valid_to is None


@pytest.mark.spec("PRO-09", "CON-05")
def test_messages_out_of_order_give_the_same_history() -> None:
    orders = (("A", "B", "C"), ("C", "A", "B"), ("C", "B", "A"), ("B", "C", "A"), ("A", "C", "B"))
    when = {"A": 0, "B": 10, "C": 20}
    for order in orders:
        known = Known()
        for city in order:
            known.say(city, when[city])
        facts = {city: known.record(city) for city in order}
        found = {city: (fact.valid_from, fact.valid_to) for city, fact in facts.items()}
        assert found == {"A": (day(0), day(10)), "B": (day(10), day(20)), "C": (day(20), None)}
        assert known.states()["C"] is State.ACTIVE


def test_old_words_about_what_is_history_already_add_no_row() -> None:
    known = Known()
    for at, city in ((0, "Porto"), (10, "Lisbon")):
        known.say(city, at)
    assert known.say("Porto", 0).verdict is Verdict.REINFORCED
    assert known.say("Porto", 5).verdict is Verdict.REINFORCED
    assert len(known.records) == 2
    assert known.record("Porto").valid_to == day(10)


def test_old_words_about_what_was_wrong_are_not_history() -> None:
    known = Known()
    known.say("Jon", 5, predicate="name")
    known.say("John", 10, predicate="name", instead_of="Jon")
    outcome = known.say("Jon", 2, predicate="name")
    assert outcome.verdict is Verdict.REJECTED and "wrong" in outcome.reason


def test_what_begins_later_lets_the_old_hold_until_then() -> None:
    known = Known()
    known.say("Porto", 0)
    known.say("Bonn", 5, since=day(30))
    porto, bonn = known.record("Porto"), known.record("Bonn")
    assert (porto.standing.state, porto.valid_to) == (State.ACTIVE, day(30))
    assert (bonn.standing.state, bonn.valid_from) == (State.ACTIVE, day(30))
    known.say("Rome", 60)
    assert known.record("Porto").valid_to == day(30), "its time is not stretched"
    assert known.record("Bonn").valid_to == day(60)


def test_a_plan_that_never_came_true_leaves_no_time_behind() -> None:
    known = Known()
    known.say("Porto", 0)
    known.say("Bonn", 5, since=day(30))
    known.say("Rome", 10)
    assert known.record("Porto").valid_to == day(10)
    bonn = known.record("Bonn")
    assert (bonn.valid_from, bonn.valid_to) == (day(30), day(30))
    assert bonn.standing.state is State.SUPERSEDED


def test_back_where_one_came_from_is_a_third_row() -> None:
    known = Known()
    for at, city in ((0, "Porto"), (10, "Lisbon"), (20, "Porto")):
        known.say(city, at)
    assert [r.statement and r.statement.object for r in known.records.values()] == [
        "Porto",
        "Lisbon",
        "Porto",
    ]
    assert known.record("Porto").valid_from == day(20)


def test_what_passes_by_itself_passes_and_can_come_again() -> None:
    known = Known()
    known.say("Vienna", 0, predicate="staying_in")
    assert known.record("Vienna").valid_to == day(30)
    known.say("Vienna", 20, predicate="staying_in")
    assert known.record("Vienna").valid_to == day(50), "said again: taken for granted once more"
    assert known.say("Vienna", 100, predicate="staying_in").verdict is Verdict.ACCEPTED
    first, second = known.records.values()
    assert (first.valid_to, second.valid_to) == (day(50), day(130))


def test_a_stated_end_is_kept_though_it_is_said_again() -> None:
    known = Known()
    known.say("Vienna", 0, predicate="staying_in", until=day(4))
    known.say("Vienna", 1, predicate="staying_in")
    assert known.record("Vienna").valid_to == day(4)
    known.say("Vienna", 2, predicate="staying_in", until=day(9))
    assert known.record("Vienna").valid_to == day(9)


def test_a_predicate_nobody_knows_never_closes_anything() -> None:
    known = Known()
    known.say("a green house", predicate="painted_by_moonlight")
    known.say("a red house", 1, predicate="painted_by_moonlight")
    assert known.states() == {"a green house": State.ACTIVE, "a red house": State.ACTIVE}


def test_one_call_corrects_itself() -> None:
    known = Known()
    known.say("Porto", 0)
    known.say("Lisbon", 0)
    assert known.states() == {"Porto": State.SUPERSEDED, "Lisbon": State.ACTIVE}


def test_what_must_be_read_to_decide() -> None:
    likes = Candidate(
        Kind.FACT, "", Span(0, 0), 1.0, "test 1", Statement("The Ana", "likes", "tea")
    )
    assert competing_slots(likes) == ["ana|likes|tea", "ana|dislikes|tea"]


@pytest.mark.parametrize("mode", list(Mode))
def test_a_turn_that_is_read_again_later_changes_nothing(mode: Mode) -> None:
    """What it said was taken in when it was said, whatever has become of it since."""
    known = Known()
    if mode is not Mode.HOLDS:
        known.say("Porto", -5)
    turn = known.turn(day(0), number=7)
    known.say("Porto", mode=mode, turn=turn)
    known.say("Lisbon", 10)
    before = dict(known.records)
    outcome = known.say("Porto", mode=mode, turn=turn)
    assert outcome.verdict is Verdict.REINFORCED and "read before" in outcome.reason
    assert known.records == before


def test_the_same_turn_may_say_something_else_of_the_same_thing() -> None:
    known = Known()
    turn = known.turn(day(0), number=7)
    known.say("Porto", turn=turn)
    outcome = known.say("Porto", turn=turn, mode=Mode.ENDED)
    assert outcome.verdict is Verdict.CLOSED, "it began and ended in one turn"
    assert known.say("Porto", turn=turn, mode=Mode.ENDED).verdict is Verdict.REINFORCED
    other = known.turn(day(1), number=8)
    known.say("Faro", turn=other)
    assert known.say("Faro", turn=other, mode=Mode.DENIED).verdict is Verdict.QUEUED


def test_a_turn_without_a_number_was_never_read_before() -> None:
    known = Known()
    turn = known.turn(day(0))
    for city in ("Porto", "Lisbon", "Porto"):
        known.say(city, turn=turn)
    assert known.states() == {"Porto": State.ACTIVE, "Lisbon": State.SUPERSEDED}


def test_what_is_said_at_the_same_moment_is_no_older() -> None:
    known = Known()
    known.say("Porto", 5)
    assert known.say("Porto", 5, mode=Mode.DENIED).verdict is Verdict.QUEUED
    known.say("Acme", 5, predicate="works_at")
    assert known.say("Acme", 5, predicate="works_at", mode=Mode.ENDED).verdict is Verdict.CLOSED
    assert known.say("Beta", 5, predicate="works_at").verdict is Verdict.ACCEPTED
    assert known.say("Gamma", 5, predicate="works_at").verdict is Verdict.VERSIONED


def test_what_ends_with_the_words_is_history() -> None:
    known = Known()
    assert "history" in known.say("Porto", 5, until=day(5)).reason
    assert known.say("Faro", 5, until=day(6)).reason == ""


def test_nothing_begins_after_its_end() -> None:
    known = Known()
    known.say("Porto", 10, mode=Mode.DENIED, until=day(5))
    (fact,) = known.records.values()
    assert (fact.valid_from, fact.valid_to) == (day(5), day(5))


def test_the_best_of_several_opponents_is_named() -> None:
    known = Known()
    known.say("Lisbon", 0, trust=Trust.VERIFIED)
    known.say("Porto", 1, mode=Mode.DENIED)
    weak = known.say("Porto", 2, trust=Trust.INFERRED)
    assert weak.verdict is Verdict.VARIANT and "does not live in Porto" in weak.reason


def test_a_correction_competes_for_the_slot_of_what_was_wrong() -> None:
    said = Candidate(
        Kind.FACT, "…", Span(0, 1), 0.9, "test 1", Statement("user", "pet", "Rex"), instead_of="Tom"
    )
    assert competing_slots(said) == ["user|pet|rex", "user|pet|tom"]


def test_a_plan_to_come_is_taken_for_granted_from_its_day_on() -> None:
    known = Known()
    known.say("see the sea", 0, predicate="plans", since=day(30))
    known.say("paint the house", 40, predicate="plans", since=day(20))
    assert known.record("see the sea").valid_to == day(30 + 90)
    assert known.record("paint the house").valid_to == day(40 + 90)


def test_words_of_the_same_instant_bring_what_was_in_doubt_to_an_end() -> None:
    known = Known()
    known.say("coffee", 0, predicate="likes")
    known.say("coffee", 1, predicate="dislikes")
    assert set(known.states().values()) == {State.UNCERTAIN}
    assert "in doubt" in known.say("coffee", 1, predicate="likes").reason


def test_a_change_of_mind_needs_all_that_is_known_to_be_old_or_weaker() -> None:
    known = Known()
    known.say("coffee", 0, predicate="dislikes")
    known.say("coffee", 100, mode=Mode.DENIED, predicate="likes")
    assert known.say("coffee", 101, predicate="likes").verdict is Verdict.QUEUED


def test_the_first_that_was_replaced_is_told() -> None:
    known = Known()
    known.say("coffee", 0, predicate="dislikes")
    known.say("coffee", 1, mode=Mode.DENIED, predicate="likes")
    told = known.say("coffee", 200, predicate="likes")
    assert (told.verdict, told.reason) == (
        Verdict.VERSIONED,
        "instead of: The user does not like coffee",
    )
    assert set(known.states().values()) == {State.ACTIVE}
    standing = [record.standing.state for record in known.records.values()]
    assert standing == [State.SUPERSEDED, State.SUPERSEDED, State.ACTIVE]
