"""What recall makes of what it finds: who spoke, what stands beside, what is said twice."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sharpwave import Decision, InvalidInput, Memory, Message, Settings
from sharpwave.recall import choose
from sharpwave.testing import FrozenClock
from sharpwave.types.answers import WhyNot

MAY = datetime(2024, 5, 6, 18, 0, tzinfo=UTC)
TALK = [
    ("Anna", "Hey Ben, how are you?"),
    ("Ben", "Good! I adopted a puppy last week."),
    ("Anna", "Aww! What breed is it?"),
    ("Ben", "A corgi, full of energy."),
    ("Anna", "I would rather have a cat, honestly."),
    ("Ben", "Cats are fine too. How is work at the hospital?"),
    ("Anna", "Exhausting, but I love being a nurse."),
    ("Ben", "Take care, talk soon!"),
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=FrozenClock(MAY + timedelta(days=40))) as opened:
        for place, (speaker, text) in enumerate(TALK):
            at = MAY + timedelta(minutes=place)
            opened.remember(Message(text, speaker=speaker, session="monday", at=at))
        yield opened


def test_an_answer_is_found_that_leans_on_the_question_before_it(memory: Memory) -> None:
    found = memory.recall("What breed is Ben's puppy?", kinds=["turn"], k=3)
    assert "A corgi, full of energy." in [item.text for item in found]


@pytest.mark.spec("RD-22")
def test_every_term_of_a_score_is_kept(memory: Memory) -> None:
    for item in memory.recall("Where does Anna work?", kinds=["turn"]):
        assert item.score == pytest.approx(sum(item.terms.values()))
        assert {"bm25_session", "tokens", "cosine"} <= item.terms.keys()


def test_roles_are_a_filter(memory: Memory) -> None:
    memory.remember("You could try a corgi club.", role="assistant")
    found = memory.recall("corgi", kinds=["turn"], roles=["assistant"])
    assert [item.text for item in found] == ["You could try a corgi club."]
    with pytest.raises(InvalidInput, match="unknown role 'robot'"):
        memory.recall("corgi", roles=["robot"])


def test_nothing_is_said_twice(memory: Memory) -> None:
    memory.remember(Message("A  corgi, full of ENERGY.", speaker="Ben", session="tuesday"))
    found = memory.recall("corgi full of energy")
    plain = [" ".join(item.text.lower().split()) for item in found if item.record.kind == "turn"]
    assert plain.count("a corgi, full of energy.") <= 1
    turns = {item.record.id for item in found if item.record.kind == "turn"}
    for item in found:
        assert turns.isdisjoint(item.record.provenance.parents), "a fact and the turn it came from"


@pytest.mark.spec("CNF-03")
def test_an_off_topic_question_gets_a_reason_to_be_silent(memory: Memory) -> None:
    memory.remember([f"Bus {number} was late again, so I walked." for number in range(30)])
    found = memory.recall("Which judge ruled in the patent case?")
    assert (found.decision, found.confidence, found.items) == (Decision.ABSTAIN, 0.0, ())
    assert found.rationale


def test_an_empty_memory_abstains(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "empty.db") as memory:
        found = memory.recall("anything")
    assert (found.decision, found.confidence, found.items) == (Decision.ABSTAIN, 0.0, ())
    assert found.rationale


@pytest.mark.spec("SCO-10")
@pytest.mark.parametrize(("times", "votes"), [(1, 1 / 3), (2, 2 / 3), (3, 1.0), (5, 1.0)])
def test_with_the_seed_preset_each_time_it_was_said_is_a_vote(
    tmp_path: Path, times: int, votes: float
) -> None:
    file = tmp_path / "weights.toml"
    file.write_text('active = "seed"\n[presets.seed]\n')
    with Memory.open(tmp_path / "m.db", settings=Settings(weights_file=file)) as memory:
        for number in range(times):
            memory.remember("My dog is a corgi.", session=f"day {number}")
        memory.remember("My cat is a tabby.")
        terms = memory.recall("Which dog do I have?", kinds=["fact"]).items[0].terms
    assert terms["votes"] == pytest.approx(votes)
    weighed = 0.4 * terms["base"] + 0.2 * terms["similarity"] + 0.15 * terms["source"]
    assert terms["confidence"] == pytest.approx(weighed + 0.25 * votes)


@pytest.mark.spec("SCO-01", "SCO-05", "SCO-06")
def test_the_seed_preset_ranks_by_relevance_times_confidence(tmp_path: Path) -> None:
    file = tmp_path / "weights.toml"
    file.write_text('active = "seed"\n[presets.seed]\n')
    clock = FrozenClock(MAY)
    with Memory.open(
        tmp_path / "m.db", settings=Settings(weights_file=file), clock=clock
    ) as memory:
        memory.remember(["My dog is a corgi.", "The tax office is closed on Monday."])
        clock.advance(days=7)
        fact = memory.recall("Which dog do I have?", kinds=["fact"]).items[0]
        assert fact.terms["recency"] == pytest.approx(0.7919, abs=1e-3), "seven days, tau thirty"
        found = memory.recall("Which dog do I have?", kinds=["turn"], goal="get pet insurance")
    first = found.items[0]
    terms = first.terms
    assert first.text == "My dog is a corgi."
    assert first.score == pytest.approx(terms["relevance"] * terms["confidence"])
    weighed = 0.45 * terms["query"] + 0.15 * terms["goal"] + 0.1 * terms["recency"]
    weighed += 0.1 * terms["frequency"] + 0.1 * terms["importance"] + 0.1 * terms["emotion"]
    assert terms["relevance"] == pytest.approx(weighed)
    assert terms["recency"] == pytest.approx(0.3679, abs=1e-3), "seven days, tau seven"
    assert found.confidence == pytest.approx(terms["confidence"])


@pytest.mark.spec("RD-22")
def test_what_was_nearly_recalled_is_told_with_its_reason(memory: Memory) -> None:
    memory.remember(Message("A  corgi, full of ENERGY.", speaker="Ben", session="tuesday"))
    found = memory.recall("Which breed, a corgi full of energy?", kinds=["turn"], k=2)
    shown = {item.record.id for item in found}
    assert shown.isdisjoint(one.id for one in found.left_out)
    reasons = {one.why for one in found.left_out}
    assert {WhyNot.RESTATEMENT, WhyNot.BEYOND_K} <= reasons
    for one in found.left_out:
        assert one.text and one.score == pytest.approx(sum(one.terms.values()))
        assert (one.instead is None) == (one.why is WhyNot.BEYOND_K)
    scores = [one.score for one in found.left_out if one.score is not None]
    assert scores == sorted(scores, reverse=True) and len(scores) <= 5


def test_what_a_fact_took_the_place_of_is_told(memory: Memory) -> None:
    memory.remember("I live in Lisbon.")
    memory.remember("I live in Porto now.")
    found = memory.recall("Where do I live?", kinds=["fact"])
    (item,) = (item for item in found if "Porto" in item.text)
    (old,) = (one for one in found.left_out if one.why is WhyNot.SUPERSEDED)
    assert "Lisbon" in old.text and old.instead == item.record.id and old.score is None
    assert old.id not in {item.record.id for item in found}


def test_of_what_is_too_alike_one_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "BALANCE", 0.2)
    with Memory.open(tmp_path / "m.db") as memory:
        memory.remember(["My corgi loves the beach.", "My corgi loves the sandy beach.",
                         "My corgi hates the vet."])  # fmt: skip
        found = memory.recall("What does my corgi love?", kinds=["turn"], k=2)
    (one,) = found.left_out
    assert one.why is WhyNot.TOO_ALIKE and "beach" in one.text
    assert one.instead == found.items[0].record.id


def test_below_the_floor_the_nearest_are_told_of(memory: Memory) -> None:
    memory.remember([f"Bus {number} was late again, so I walked." for number in range(30)])
    found = memory.recall("Which judge ruled in the patent case?")
    assert found.items == () and 0 < len(found.left_out) <= 5
    assert {one.why for one in found.left_out} == {WhyNot.BELOW_FLOOR}


def test_a_question_about_something_else_is_never_asserted(memory: Memory) -> None:
    for question in ("What is the boiling point of iron?", "asdf qwer zxcv"):
        found = memory.recall(question)
        assert found.decision is Decision.ABSTAIN and found.confidence == 0.0, question


def test_a_fact_stands_for_its_turn_only_if_it_says_all_of_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "facts.db") as memory:
        memory.remember("My dog Pixel is a beagle. I live in Lisbon.")
        found = memory.recall("What breed is Pixel?", k=3)
        assert any("beagle" in item.text for item in found), "no fact has the breed"
        assert "beagle" in memory.context("What breed is Pixel?").text
