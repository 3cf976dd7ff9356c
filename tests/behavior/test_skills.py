"""Skills: which there are, which is chosen, and why."""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.behavior.conftest import Opened
from tests.cpu import seconds

from sharpwave import Conflict, InvalidInput, Kind, Memory, Settings
from sharpwave.api.state import MemoryState
from sharpwave.behavior.feedback import ratings
from sharpwave.behavior.skills import catalog, scoring, select
from sharpwave.errors import SkillNotFound
from sharpwave.formulas.skills import style_alignment
from sharpwave.testing import (
    FrozenClock,
    HashEmbedder,
    ScriptedLLM,
    in_memory,
    resources_of,
    workspace_of,
)
from sharpwave.types.intent import ReadContext
from sharpwave.types.skills import DIMENSIONS, ENDS, SkillType
from sharpwave.types.storing import Change, NewTally, Space

QUESTION = ReadContext("question", "neutral", "morning", None, ())
SUPPORT = ReadContext("emotional_support", "negative", "evening", None, ())
NAMED = (
    "concise_response detailed_explanation casual_chat technical_precision empathy_direct "
    "empathy_subtle proactive_suggestions reactive_only code_review_constructive "
    "summarize_key_points summarize_technical_document casual_chat_evening code_review_feedback"
).split()


@pytest.mark.spec("SKL-01", "SKL-02", "SKL-03", "SKL-04", "SKL-05", "PV-02")
def test_base_skills() -> None:
    base = catalog.base()
    assert set(NAMED) <= set(base) and 12 <= len(base) <= 15
    for skill in base.values():
        assert skill.type is SkillType.BASE and skill.trigger.intent
        assert len(skill.dimensions) == len(DIMENSIONS) == 16
        assert all(0 <= value <= 1 for value in skill.dimensions)
        assert skill.dimensions[14:] == (0.5, 0.5)
        assert len(skill.template) > 80
    assert base["concise_response"].dimensions[0] == 0.2
    assert base["detailed_explanation"].dimensions[0] == 0.9
    assert catalog.named("empathy_expression_subtle", base).id == "empathy_subtle"
    assert len(ENDS) == 14


@pytest.mark.spec("SKL-15", "SKL-16", "SKL-17", "TS-02")
def test_a_choice_says_why(memory: Memory) -> None:
    choice = memory.skills.select("What is a monad?", context=QUESTION)
    assert choice.skill.trigger.intent and "question" in choice.skill.trigger.intent
    assert 1 < len(choice.candidates) <= 5
    best = choice.candidates[0]
    assert best.skill == choice.skill.id
    terms = 0.4 * best.trigger + 0.3 * best.sampled + 0.3 * best.aligned
    assert best.score == pytest.approx(terms)
    assert all(one.score <= best.score and one.trigger >= 0.5 for one in choice.candidates)
    assert choice.context == "question_neutral_morning" and 0 <= choice.bucket < 100
    assert choice.skill.id in choice.reason and f"{best.score:.2f}" in choice.reason
    assert choice.ask is None and not choice.is_exploration


@pytest.mark.spec("SKL-15")
def test_what_does_not_fit_is_not_chosen(memory: Memory) -> None:
    chosen = {memory.skills.select("I feel low", context=SUPPORT).skill.id for _ in range(30)}
    assert chosen <= {"empathy_direct", "empathy_subtle", "casual_chat"}


@pytest.mark.spec("EVL-26")
@pytest.mark.parametrize(
    ("message", "fitting"),
    [
        ("Could you review my pull request for the parser?", {"code_review"}),
        ("I feel so lonely since my dog died.", {"empathy", "casual"}),
        ("Summarize this article for me: the sea rises faster than before.", {"summarize"}),
    ],
)
def test_a_new_users_first_message_gets_a_skill_that_suits_it(
    tmp_path: Path, message: str, fitting: set[str]
) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        chosen = [memory.user(f"user {n}").skills.select(message).skill.id for n in range(40)]
    suits = [skill for skill in chosen if any(skill.startswith(one) for one in fitting)]
    assert len(suits) >= 22, Counter(chosen)


@pytest.mark.spec("SKL-19", "SKL-14")
def test_the_message_is_read_and_topics_count(memory: Memory) -> None:
    choice = memory.skills.select("Please review my pull request: the function has a bug in it")
    scores = {one.skill: one.trigger for one in choice.candidates}
    assert choice.context.startswith("code_review_")
    assert any(name.startswith("code_review") for name in scores)


@pytest.mark.spec("EXP-05", "EXP-06")
def test_a_try_takes_a_skill_that_is_less_sure_and_asks_about_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        tries = []
        for number in range(150):
            choice = memory.skills.select(f"What is monad {number}?")
            if choice.is_exploration:
                tries.append(choice)
            elif number < 5:
                memory.feedback(choice.message_id, 1)
        assert tries, "about one in thirteen"
        for choice in tries:
            tried, best, *_ = choice.candidates
            assert tried.skill == choice.skill.id != best.skill
            assert tried.confidence <= best.confidence
            assert choice.ask and choice.skill.name.lower() in choice.ask
            memory.feedback(choice.message_id, 1)
        flagged = [one for one in memory.skills.trajectories(400) if one.is_exploration]
        assert {one.message_id for one in flagged} == {one.message_id for one in tries}
        told = memory.skills.metrics()
        assert told.explored == told.explored_positive == len(tries)


@pytest.mark.spec("EXP-01")
def test_a_try_asks_for_feedback(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened().skills.select("What is a monad?", context=QUESTION).epsilon == 0.1
    monkeypatch.setattr(scoring, "EXPLORATION_START", 1.0)
    monkeypatch.setattr(scoring, "EXPLORATION_FLOOR", 1.0)
    memory = opened()
    choice = memory.skills.select("What is a monad?", context=QUESTION)
    assert choice.is_exploration and choice.ask and choice.epsilon == 1.0
    best = choice.candidates[1]
    assert choice.skill.id != best.skill
    memory.feedback(choice.message_id, 1)
    known = memory.skills.get(choice.skill.id)
    assert (known.explored, known.explored_positive) == (1, 1)
    metrics = memory.skills.metrics()
    assert (metrics.explored, metrics.explored_positive) == (1, 1)
    assert memory.skills.trajectories()[0].is_exploration


@pytest.mark.spec("EXP-03", "EXP-04", "EXP-07")
def test_the_rate_of_tries_decays_with_ratings_only(memory: Memory) -> None:
    rates = []
    for _ in range(3):
        rates.append(memory.skills.select("Hm?", context=QUESTION).epsilon)
    assert rates == [0.1] * 3
    choice = memory.skills.select("Hm?", context=QUESTION)
    memory.feedback(choice.message_id, 1)
    assert memory.skills.select("Hm?", context=QUESTION).epsilon == pytest.approx(0.095)
    assert memory.user("other").skills.select("Hm?", context=QUESTION).epsilon == 0.1


@pytest.mark.spec("SKL-17", "SKL-23")
def test_a_disliked_skill_is_left_for_others(memory: Memory) -> None:
    first = memory.skills.select("Hm?", context=QUESTION).skill.id
    for n in range(8):
        memory.feedback(f"m{n}", -1, skill=first)
    assert memory.skills.get(first).confidence < 0.3
    later = Counter(memory.skills.select("Hm?", context=QUESTION).skill.id for _ in range(20))
    assert first not in later


def test_a_seed_repeats_every_choice_and_no_seed_does_not(opened: Opened) -> None:
    one, other = opened().user("a"), opened().user("b")
    again = [one.skills.select("Hm?", context=QUESTION) for _ in range(12)]
    assert len({choice.skill.id for choice in again}) > 1
    chosen = [other.skills.select("Hm?", context=QUESTION).skill.id for _ in range(12)]
    assert chosen != [choice.skill.id for choice in again]


@pytest.mark.spec("SKL-09", "SKL-10", "SKL-11", "SKL-21", "SKL-25")
def test_own_skills_can_be_made_changed_and_deleted(memory: Memory) -> None:
    made = memory.skills.create(
        "haiku", "Answer as a haiku.", trigger={"intent": "question"}, dimensions={"creativity": 1}
    )
    assert made.type is SkillType.USER_CREATED and not made.learned_dimensions
    assert memory.skills.get("haiku").skill.dimensions[13] == 1.0
    memory.skills.edit("haiku", template="Answer as a haiku with a season word.")
    assert "season" in memory.skills.get("haiku").skill.template
    with pytest.raises(InvalidInput, match="base skill"):
        memory.skills.edit("concise_response", template="Be long.")
    with pytest.raises(InvalidInput, match="base skill"):
        memory.skills.delete("concise_response")
    with pytest.raises(Conflict):
        memory.skills.create("haiku", "Again.")
    assert "haiku" not in {one.skill.id for one in memory.user("other").skills.list()}
    memory.skills.delete("haiku")
    with pytest.raises(SkillNotFound):
        memory.skills.get("haiku")


@pytest.mark.parametrize(
    "wrong",
    [
        {"trigger": {"mood": "x"}},
        {"trigger": {"intent": 3}},
        {"dimensions": {"volume": 0.5}},
        {"dimensions": {"verbosity": 1.5}},
        {"dimensions": {"verbosity": True}},
        {"template": " "},
        {"template": "x" * 4001},
        {"skill": "a/b"},
        {"skill": ".."},
    ],
)
def test_what_cannot_be_a_skill(memory: Memory, wrong: dict[str, object]) -> None:
    given: dict[str, object] = {"skill": "odd", "template": "Be kind.", **wrong}
    with pytest.raises(InvalidInput):
        memory.skills.create(**given)  # type: ignore[arg-type]


@pytest.mark.spec("SKL-21")
def test_the_style_of_an_own_skill_is_learned(memory: Memory) -> None:
    memory.skills.create("mine", "Do it my way.", trigger={"intent": "poem"})
    memory.skills.set_style({"verbosity": 0.9})
    poem = ReadContext("poem", "neutral", "morning", None, ())
    for _ in range(5):
        choice = memory.skills.select("A poem", context=poem)
        assert choice.skill.id == "mine"
        memory.feedback(choice.message_id, 1)
    learned = memory.skills.get("mine").skill
    assert learned.learned_dimensions
    assert catalog.of_user(workspace_of(memory))["mine"].dimensions[0] == 0.5


@pytest.mark.spec("SKL-20")
def test_the_least_trusted_are_set_aside_when_there_are_more_than_a_hundred(
    memory: Memory,
) -> None:
    for n in range(100 - len(memory.skills.list())):
        memory.skills.create(f"own_{n}", f"Way {n}.")
    base = next(iter(catalog.base()))
    for skill in ("own_1", base):
        memory.feedback(f"to {skill}", -1, skill=skill)
    assert len(memory.skills.list()) == 100
    memory.skills.create("last", "Way out.")
    active = {one.skill.id for one in memory.skills.list()}
    assert "own_1" not in active and "last" in active and len(active) == 101 - 10
    assert base in active, "the same rating costs a base skill less"
    assert set(catalog.base()) <= active
    assert memory.skills.get("own_1").archived
    memory.skills.archive("own_1", undo=True)
    assert "own_1" in {one.skill.id for one in memory.skills.list()}


@pytest.mark.spec("SKL-20")
def test_of_skills_trusted_alike_the_longest_unused_are_set_aside(
    memory: Memory, clock: FrozenClock
) -> None:
    own = [f"own_{n}" for n in range(100 - len(memory.skills.list()))]
    for skill in own:
        memory.skills.create(skill, "A way.", trigger={"intent": skill})
    for skill in reversed(own):
        asked = ReadContext(skill, "neutral", "morning", None, ())
        assert memory.skills.select("…", context=asked).skill.id == skill
        clock.advance(hours=1)
    assert {memory.skills.get(skill).confidence for skill in own} == {0.5}
    memory.skills.create("last", "Way out.")
    active = {one.skill.id for one in memory.skills.list()}
    assert [skill for skill in own if skill not in active] == own[-10:]


def test_a_skill_that_is_set_aside_is_not_chosen(memory: Memory) -> None:
    for one in memory.skills.list():
        if one.skill.id != "reactive_only":
            memory.skills.archive(one.skill.id)
    assert memory.skills.select("Hm?", context=QUESTION).skill.id == "reactive_only"


@pytest.mark.spec("SKL-17")
def test_without_a_fitting_skill_the_nearest_is_taken(memory: Memory) -> None:
    choice = memory.skills.select("…", context=ReadContext("juggling", "odd", "noon", None, ()))
    assert "No skill applies" in choice.reason


@pytest.mark.spec("TS-09", "MET-02", "FB-06")
def test_logs_hold_numbers_and_never_words(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="sharpwave"):
        choice = memory.skills.select("my secret plan", context=QUESTION)
        memory.feedback(choice.message_id, 1, reason="secretly", free_text="secret praise")
    kinds = {record.__dict__["metric_type"]: record.__dict__ for record in caplog.records}
    selected = kinds["behavioral_memory_selection"]
    assert selected["skill_id"] == choice.skill.id
    assert selected["context_bucket"] == choice.bucket
    assert selected["sampled_score"] == choice.candidates[0].sampled
    assert selected["selection_time_ms"] >= selected["context_extraction_time_ms"]
    rated = kinds["behavioral_memory_feedback"]
    assert (rated["user_id"], rated["skill_id"]) == (memory.user_id, choice.skill.id)
    assert (rated["reward"], rated["reason"]) == (1, True), "that there is one, not which"
    assert (rated["old_confidence"], rated["new_confidence"]) == pytest.approx((0.5, 0.59))
    assert rated["confidence_delta"] == pytest.approx(0.09) and rated["has_free_text"]
    assert rated["total_usage"] == 1
    assert (rated["positive_rate"], rated["negative_rate"]) == (1.0, 0.0)
    assert "secret" not in "".join(f"{record.__dict__}" for record in caplog.records)


def test_logged_rates_are_shares_of_the_ratings(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    choice = memory.skills.select("…", context=QUESTION)
    with caplog.at_level(logging.INFO, logger="sharpwave"):
        for number, reward in enumerate((1, 1, 1, -1)):
            memory.feedback(f"m{number}", reward, skill=choice.skill.id)
    rates = [
        (one.__dict__["positive_rate"], one.__dict__["negative_rate"]) for one in caplog.records
    ]
    assert rates == [(1.0, 0.0)] * 3 + [(0.75, 0.25)]


@pytest.mark.spec("MET-04")
def test_every_choice_is_logged_with_its_numbers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        for number in range(40):
            caplog.clear()
            with caplog.at_level(logging.INFO, logger="sharpwave"):
                choice = memory.skills.select(f"How do I sort list number {number}?")
            (logged,) = [one.__dict__ for one in caplog.records if "metric_type" in one.__dict__]
            first = choice.candidates[0]
            expected = {
                "metric_type": "behavioral_memory_selection",
                "user_id": memory.user_id,
                "skill_id": choice.skill.id,
                "confidence_score": first.confidence,
                "preference_alignment": first.alignment,
                "selection_time_ms": choice.milliseconds,
                "total_candidates": len(choice.candidates),
                "exploration_mode": choice.is_exploration,
            }
            assert expected.items() <= logged.items()
            assert 0 < logged["context_extraction_time_ms"] < logged["selection_time_ms"]


@pytest.mark.spec("SKL-22")
def test_a_skill_is_selected_put_into_the_prompt_answered_with_and_counted(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda asked: "In Porto." if asked.prompt.name == "reply" else "{}")
    with Memory.open(tmp_path / "m.db", llm=llm) as memory:
        memory.remember("My sister Ana lives in Porto.", session="s")
        choice = memory.skills.select("Where does Ana live?", session="s")
        prompt = memory.context("Where does Ana live?", skill=choice).text
        assert choice.skill.template in prompt and "Porto" in prompt
        reply = memory.skills.reply("Where does Ana live?", prompt)
        assert reply.text == "In Porto."
        (asked,) = [one.prompt for one in llm.asked if one.prompt.name == "reply"]
        assert choice.skill.template in asked.system
        memory.feedback(choice.message_id, 1)
        (used,) = memory.skills.trajectories()
        assert (used.skill, used.message_id) == (choice.skill.id, choice.message_id)
        known = memory.skills.get(choice.skill.id)
        assert (known.usage_count, known.positive) == (1, 1) and known.last_used_at is not None


@pytest.mark.spec("MET-03", "MET-05", "CFG-06")
def test_how_people_fare_is_told_every_hour(
    memory: Memory, clock: FrozenClock, caplog: pytest.LogCaptureFixture
) -> None:
    def told() -> dict[str, dict[str, object]]:
        kinds = {one.__dict__.get("metric_type"): one.__dict__ for one in caplog.records}
        caplog.clear()
        return {str(kind).removeprefix("behavioral_memory_"): kinds[kind] for kind in kinds}

    def turn(reward: int) -> None:
        memory.feedback(memory.skills.select("my secret plan", context=QUESTION).message_id, reward)

    with caplog.at_level(logging.INFO, logger="sharpwave"):
        for reward in (1, 1, 1, -1):
            turn(reward)
        assert told().keys() == {"selection", "feedback"}, "not before the hour is over"
        clock.advance(minutes=60)
        turn(1)
        first = told()
        turn(1)
        assert "aggregate" not in told(), "and not twice"
    liked, speed = first["aggregate"], first["performance"]
    assert (liked["skill_accuracy"], liked["user_satisfaction"]) == (0.75, 0.5)
    assert liked["adaptation_speed"] is None, "there are no ten ratings yet"
    assert 0 < memory.skills.metrics().confidence_variance < 0.1
    p50, p95, p99 = (speed[f"selection_p{n}_ms"] for n in (50, 95, 99))
    assert 0 < p50 <= p95 <= p99 and speed["active_people"] == 1  # type: ignore[operator]
    assert speed["storage_bytes"] and speed["skills"] == len(memory.skills.list())
    assert "secret" not in str(first)


@pytest.mark.spec("CFG-06")
def test_what_is_logged_can_be_chosen(
    memory: Memory, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for quiet in (select, ratings):
        with caplog.at_level(logging.INFO, logger="sharpwave"), monkeypatch.context() as patch:
            patch.setattr(logging.getLogger(quiet.__name__), "disabled", True)
            memory.feedback(memory.skills.select("Hm?", context=QUESTION).message_id, 1)
    rated, selected = (one.__dict__ for one in caplog.records if "metric_type" in one.__dict__)
    assert rated["metric_type"] == "behavioral_memory_feedback"
    assert rated["confidence_delta"] == rated["new_confidence"] - rated["old_confidence"]
    assert selected["metric_type"] == "behavioral_memory_selection"


@pytest.mark.spec("MET-06")
def test_the_nightly_count_is_logged(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    for reward in (1, 1, -1):
        choice = memory.skills.select("my secret plan", context=QUESTION)
        memory.feedback(choice.message_id, reward)
    workspace, topic = workspace_of(memory), f"behavior/odds/{choice.bucket}"
    rows = workspace.store.tallies(topic)
    lost = tuple(NewTally(topic, name, None, row.version) for name, row in rows.items())
    workspace.store.commit(Change("test", workspace.clock.now(), (), tallies=lost))
    with caplog.at_level(logging.INFO, logger="sharpwave"):
        report = memory.skills.learn(even_if_few=True)
    (told,) = [one.__dict__ for one in caplog.records if "metric_type" in one.__dict__]
    assert told["metric_type"] == "behavioral_memory_thompson_sampling"
    assert told["trajectories_analyzed"] == report.trajectories == 3
    assert told["skills_updated"] == len(rows) and told["update_duration_seconds"] >= 0
    moved = told["avg_alpha_change"] + told["avg_beta_change"]
    assert moved * len(rows) == pytest.approx(3), "three ratings were counted again"
    assert "secret" not in caplog.text


@pytest.mark.spec("MDL-06")
def test_style_is_learned_without_any_embedding(opened: Opened) -> None:
    memory = opened(exploration=False)
    choice = memory.skills.select("Hm?", context=QUESTION)
    resources = resources_of(memory)
    failing = replace(resources, embedder=NoEmbedder(resources.embedder.space))
    blind = Memory(MemoryState.of(failing, memory.user_id))
    before = blind.skills.style(choice.context)
    blind.feedback(choice.message_id, 1)
    assert blind.skills.style(choice.context) != before
    assert blind.skills.set_style({"verbosity": 0.9})["verbosity"] == 0.9


class NoEmbedder:
    """Whoever asks it for a vector has made a mistake."""

    def __init__(self, space: Space) -> None:
        self.space = space

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError("nothing is to be embedded")

    def embed_question(self, question: str) -> NDArray[np.float32]:
        raise AssertionError("nothing is to be embedded")


@pytest.mark.spec("PRM-12", "PRM-13")
def test_the_template_stands_after_the_system_words(memory: Memory) -> None:
    memory.remember("My sister Ana lives in Porto.")
    choice = memory.skills.select("Where does Ana live?")
    context = memory.context("Where does Ana live?", system="You are kind.", skill=choice)
    assert context.text.startswith(f"You are kind.\n\n{choice.template}\n\n")
    assert [one.title for one in context.sections][:2] == ["System", "Skill"]
    assert context.text.index(choice.template) < context.text.index("<memory")
    assert memory.context("Where does Ana live?").section("Skill") is None
    assert memory.context("Where does Ana live?", skill=True).section("Skill")


def test_nothing_of_this_is_ever_recalled(memory: Memory) -> None:
    choice = memory.skills.select("What is a zebra?", session="s")
    memory.feedback(choice.message_id, -1, free_text="zebra zebra zebra")
    found = memory.recall("zebra")
    assert not [item for item in found.items if item.record.kind is not Kind.TURN]
    assert memory.admin.stats().awaiting_reembed == 0
    assert memory.admin.reembed() == 0


@pytest.mark.spec("SKL-06", "SKL-07")
def test_what_is_kept_of_a_skill_and_of_how_it_does(memory: Memory, clock: FrozenClock) -> None:
    made_at = clock.now()
    made = memory.skills.create("haiku", "Answer as a haiku.", trigger={"intent": "poem"})
    assert (made.type, made.trigger.intent) == ("user_created", ("poem",))
    assert memory.skills.get("concise_response").skill.type == "base"
    clock.advance(days=1)
    edited = memory.skills.edit("haiku", template="Answer as a haiku with a season word.")
    ids = str(made.record_id), str(edited.record_id)
    first, second = (memory.explain(id_).record for id_ in ids)
    assert (first.recorded_at, second.recorded_at) == (made_at, clock.now())
    assert first.standing.superseded_by == second.id
    new = memory.skills.get("haiku")
    assert (new.confidence, new.usage_count, new.positive, new.negative) == (0.5, 0, 0, 0)
    assert new.last_used_at is None
    poem = ReadContext("poem", "neutral", "morning", None, ())
    for reward in (1, 1, -1):
        memory.feedback(memory.skills.select("A poem", context=poem).message_id, reward)
    known = memory.skills.get("haiku")
    assert (known.usage_count, known.positive, known.negative) == (3, 2, 1)
    assert known.last_used_at == clock.now()
    sure = [one.confidence for one in memory.skills.list()]
    assert sure == sorted(sure, reverse=True), "the surest first"


class Counting(HashEmbedder):
    """An embedder that counts what it is asked for."""

    texts = 0

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        self.texts += len(statements)
        return super().embed(statements)


@pytest.mark.spec("SKL-18", "SKL-27", "PV-10")
def test_a_hundred_skills_are_compared_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = Counting(64)
    settled = Settings.model_validate({"skills": {"exploration": False}})
    with in_memory(embedder=embedder, settings=settled) as memory:
        for number in range(85):
            memory.skills.create(f"own_{number}", f"Way {number}.", trigger={"intent": "question"})
        assert len(memory.skills.list()) >= 98
        memory.skills.select("Hm?", context=QUESTION)
        embedder.texts = 0
        index = type(workspace_of(memory).index)
        monkeypatch.setattr(index, "search", None)
        monkeypatch.setattr(index, "rank", None)
        choice = memory.skills.select("Hm?", context=QUESTION)
        assert embedder.texts == 0 and len(choice.candidates) == 5
    styles, own = np.random.default_rng(1).random((100, 16)), np.full(16, 0.5)
    assert seconds(lambda: style_alignment(own, styles), 0.001) < 0.001


@pytest.mark.spec("SKL-27", "PV-06", "PV-03")
def test_the_styles_of_all_contexts_take_a_few_kilobytes(memory: Memory) -> None:
    assert {one.value for one in memory.skills.style().dimensions} == {0.5}, "nothing is known yet"
    assert {one.value for one in memory.skills.style("question_neutral_morning").dimensions} == {
        0.5
    }
    found = set()
    for intent in (f"intent{number}" for number in range(30)):
        context = ReadContext(intent, "neutral", "morning", None, ())
        choice = memory.skills.select("Hm?", context=context)
        memory.feedback(choice.message_id, 1)
        found.add(choice.bucket)
    assert found <= set(range(100)) and len(found) > 20, "kinds of context share 100 places"
    rows = workspace_of(memory).store.tallies("behavior/style")
    assert all(len(str(row.value)) < 1024 for row in rows.values())
    assert np.isfinite([memory.skills.style()[name] for name in ENDS]).all()
