"""A person is answered in ways that fit better and better, and keeps that across restarts."""

import asyncio
from collections import Counter
from pathlib import Path
from statistics import fmean
from time import process_time

import pytest

from sharpwave import AsyncMemory, InvalidInput, Memory, NotFound, Settings, SkillChoice
from sharpwave.behavior.skills import select
from sharpwave.experience import rebuild
from sharpwave.tallies import Sheet
from sharpwave.testing import FrozenClock, workspace_of
from sharpwave.types.storing import EXPERIENCE

WORDS = "How do I reverse a list in Python?"


@pytest.fixture(autouse=True)
def _same_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "SEED", 3)


def settings() -> Settings:
    return Settings.model_validate({"skills": {"exploration": False}})


def turn(memory: Memory, clock: FrozenClock) -> tuple[SkillChoice, str]:
    """One exchange; returns what was chosen, and the id of the answer."""
    asked = memory.remember(WORDS, session="s").ids[0]
    choice = memory.skills.select(WORDS, session="s", message_id=asked)
    prompt = memory.context(WORDS, system="You help.", skill=choice)
    assert choice.template in prompt.text
    clock.advance(minutes=1)
    answer = memory.remember(f"Answered {choice.skill.id}.", role="assistant", session="s").ids[0]
    return choice, answer


def test_a_context_that_chooses_can_be_rated(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", settings=settings()) as memory:
        made = memory.context(WORDS, skill=True)
        assert made.choice is not None and made.choice.template in made.text
        receipt = memory.feedback(made.choice.message_id, 1)
        assert (receipt.skill, receipt.skill_updated) == (made.choice.skill.id, True)
        assert memory.context(WORDS, skill=made.choice).choice == made.choice
        assert memory.context(WORDS).choice is None


@pytest.mark.spec("EVL-27", "PV-13")
def test_after_ten_exchanges_most_answers_suit_a_new_user(tmp_path: Path) -> None:
    first, later = [], []
    with Memory.open(tmp_path / "m.db") as memory:
        for number in range(20):
            person, verbose = memory.user(f"user {number}"), number % 2 == 0
            for exchange in range(15):
                choice = person.skills.select("How does a heat pump work?")
                length = choice.skill.dimensions[0]
                suits = length >= 0.6 if verbose else length <= 0.4
                person.feedback(choice.message_id, 1 if suits else -1)
                if exchange < 5:
                    first.append(suits)
                elif exchange >= 10:
                    later.append(suits)
    assert fmean(later) >= 0.8 and fmean(later) > fmean(first), (fmean(first), fmean(later))


@pytest.mark.spec("TRJ-08")
def test_the_odds_of_a_skill_in_a_context_are_those_of_its_trajectories(tmp_path: Path) -> None:
    asked = ("How do I sort a list?", "Hello! I am so happy today.", "Compare tea with coffee.")
    with Memory.open(tmp_path / "m.db") as memory:
        for number in range(24):
            choice = memory.skills.select(asked[number % 3])
            memory.feedback(choice.message_id, 1 if number % 5 else -1)
        liked = Counter[tuple[str, str, float]](
            (one.context, one.skill, one.reward or 0.0) for one in memory.skills.trajectories()
        )
        assert liked.total() == 24
        contexts = {context for context, _, _ in liked}
        assert len(contexts) == 3
        rated = {context: memory.skills.odds(context) for context in contexts}
        for context, odds in rated.items():
            for one in odds:
                won, lost = (liked[context, one.skill, reward] for reward in (1.0, -1.0))
                assert (one.alpha, one.beta) == (1 + won, 1 + lost)
        assert memory.skills.learn().trajectories == 24
        assert {context: memory.skills.odds(context) for context in contexts} == rated


@pytest.mark.spec("SKL-23")
def test_after_ten_ratings_most_skills_are_of_the_kind_that_was_liked(tmp_path: Path) -> None:
    clock = FrozenClock()
    liked = []
    for _ in range(2):  # the second half after a restart
        with Memory.open(tmp_path / "m.db", clock=clock, settings=settings()) as memory:
            for _ in range(7):
                choice, answer = turn(memory, clock)
                likes = choice.skill.dimensions[0] >= 0.6  # verbose answers
                liked.append(likes)
                memory.feedback(answer, 1 if likes else -1)
    assert sum(liked[-4:]) >= 3
    with Memory.open(tmp_path / "m.db", clock=clock, settings=settings()) as memory:
        assert memory.skills.style(choice.context)["verbosity"] > 0.5
        assert memory.skills.metrics().ratings == 14
        assert len(memory.skills.trajectories()) == 14
        assert memory.admin.verify().ok


def test_what_is_forgotten_is_not_learned_from(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "m.db", clock=clock, settings=settings()) as memory:
        first, answer = turn(memory, clock)
        memory.feedback(answer, 1)
        before = memory.skills.get(first.skill.id)
        second, answer = turn(memory, clock)
        memory.feedback(answer, -1)
        memory.forget(second.message_id)
        assert memory.skills.get(first.skill.id) == before
        assert memory.skills.metrics().ratings == 1
        assert [one.message_id for one in memory.skills.trajectories()] == [first.message_id]
        memory.forget(session="s")
        assert memory.skills.metrics().ratings == 0
        assert memory.skills.trajectories() == []


def test_feedback_finds_the_turn_it_is_about_and_no_other(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "m.db", clock=clock, settings=settings()) as memory:
        first, answer = turn(memory, clock)
        asked = memory.remember("And in Rust?", session="s").ids[0]
        unchosen = memory.remember("Use rev.", role="assistant", session="s").ids[0]
        for id_ in (asked, unchosen):
            with pytest.raises(NotFound, match="no skill was chosen"):
                memory.feedback(id_, -1)
        asked = memory.remember("And in C?", session="s").ids[0]
        second = memory.skills.select("And in C?", session="s")
        memory.feedback(asked, 1)
        third = memory.skills.select("And in Go?", session="s")
        asked = memory.remember("And in Go?", session="s").ids[0]
        memory.remember("Let me think.", role="assistant", session="s")
        later = memory.remember("A loop.", role="assistant", session="s").ids[0]
        memory.feedback(later, -1)
        memory.feedback(answer, 1)
        rewards = {one.message_id: one.reward for one in memory.skills.trajectories()}
        ids = (first.message_id, second.message_id, third.message_id)
        assert [rewards[id_] for id_ in ids] == [1, 1, -1]


def test_a_skill_made_again_starts_anew(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", settings=settings()) as memory:
        memory.skills.create("haiku", "Answer as a haiku.")
        choice = memory.skills.select("Hello", message_id="one")
        memory.feedback(choice.message_id, -1, skill="haiku")
        memory.skills.archive("haiku")
        memory.skills.delete("haiku")
        memory.skills.create("haiku", "Answer as one haiku.")
        again = memory.skills.get("haiku")
        assert not again.archived and again.confidence == 0.5
        with pytest.raises(InvalidInput, match="say what to change"):
            memory.skills.edit("haiku")
        with pytest.raises(InvalidInput, match=r"skills\.select"):
            memory.context("Hello", skill="haiku")  # type: ignore[arg-type]


def test_an_export_carries_what_was_learned(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "a.db", clock=clock, settings=settings()) as memory:
        memory.skills.create("haiku", "Answer as a haiku.")
        _, answer = turn(memory, clock)
        memory.feedback(answer, 1, free_text="too long")
        memory.skills.learn(even_if_few=True)
        lines = list(memory.export())
        skills, style = memory.skills.list(), memory.skills.style()
    with Memory.open(tmp_path / "b.db", clock=clock, settings=settings()) as other:
        other.admin.import_(lines, own=True)
        assert [(one.skill.id, one.confidence) for one in other.skills.list()] == [
            (one.skill.id, one.confidence) for one in skills
        ]
        assert other.skills.style() == style
        assert other.admin.stats().awaiting_reembed == 0


def test_whoever_only_rates_has_no_work_of_agents_to_learn_anew(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "m.db", clock=clock, settings=settings()) as memory:
        turn(memory, clock)
        memory.forget(*memory.remember("Never mind.", session="s").ids)
        workspace = workspace_of(memory)
        sheet = Sheet.of(workspace.store, EXPERIENCE)
        assert rebuild.up_to_date(workspace, sheet) is sheet


def test_the_same_can_be_awaited(tmp_path: Path) -> None:
    async def talk() -> None:
        async with await AsyncMemory.open(tmp_path / "m.db") as memory:
            choice = await memory.skills.select(WORDS)
            receipt = await memory.feedback(choice.message_id, 1)
            assert receipt.new_confidence == pytest.approx(0.59)
            await memory.skills.create("haiku", "Answer as a haiku.")
            await memory.skills.edit("haiku", template="Answer as one haiku.")
            await memory.skills.archive("haiku")
            assert (
                len(await memory.skills.list(archived=True)) == len(await memory.skills.list()) + 1
            )
            await memory.skills.delete("haiku")
            await memory.skills.set_style({"verbosity": 0.2})
            assert (await memory.skills.style())["verbosity"] == 0.2
            await memory.skills.reset()
            assert len(await memory.skills.trajectories()) == 1
            await memory.skills.learn()
            assert await memory.skills.learn_population() == 0
            assert (await memory.skills.metrics()).ratings == 0
            assert (await memory.skills.get("casual_chat")).confidence == 0.5
            assert (await memory.context(WORDS, skill=choice)).section("Skill")

    asyncio.run(talk())


def test_ways_to_answer_are_not_what_was_said(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "a.db", settings=settings()) as memory:
        memory.skills.create("haiku", "Answer as a haiku about the sea.")
        memory.remember("The sea was calm today.")
        assert {item.record.kind for item in memory.recall("haiku about the sea")} <= {
            "turn",
            "fact",
        }
        assert memory.admin.stats().awaiting_reembed == 0


LISTED = {
    "too_verbose": "too long, too verbose, too detailed, too wordy, too much text, "
    "make it shorter, be more concise, brevity, tldr, summarize",
    "too_brief": "too short, too brief, not enough detail, more explanation, elaborate, expand, "
    "needs context, incomplete, more info",
    "wrong_tone": "too formal, too casual, wrong tone, inappropriate style, be more friendly, "
    "be more professional, tone down, lighten up",
    "not_helpful": "not helpful, doesn't answer, irrelevant, off topic, didn't help, useless, "
    "not what I asked, wrong answer",
    "incorrect_info": "incorrect, wrong, inaccurate, false, mistake, error, not true, outdated, "
    "misinformation",
}
"""The documents' example phrases of each category."""


@pytest.mark.spec("FB-08")
def test_the_documents_phrases_are_read_as_their_categories_within_seconds(tmp_path: Path) -> None:
    for category, listed in LISTED.items():
        phrases = listed.split(", ")
        with Memory.open(tmp_path / f"{category}.db") as memory:
            for phrase in phrases:
                choice = memory.skills.select(WORDS)
                memory.feedback(choice.message_id, -1, free_text=phrase)
            begun = process_time()
            report = memory.skills.learn()
            assert process_time() - begun < 5, "what was learned comes with the package"
        assert report.read == len(phrases)
        found = report.categories.get(category, 0)
        assert found >= len(phrases) - 1, (category, report.categories)
