"""A person is answered in ways that fit better and better, and keeps that across restarts."""

import asyncio
from pathlib import Path

import pytest

from sharpwave.aio import AsyncMemory
from sharpwave.errors import InvalidInput, NotFound
from sharpwave.experience import rebuild
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings
from sharpwave.testing import FrozenClock
from sharpwave.types.skills import SkillChoice

WORDS = "How do I reverse a list in Python?"


def settings() -> Settings:
    return Settings.model_validate({"skills": {"seed": 3, "exploration": {"enabled": False}}})


def turn(memory: Memory, clock: FrozenClock) -> tuple[SkillChoice, str]:
    """One exchange; returns what was chosen, and the id of the answer."""
    asked = memory.remember(WORDS, session="s").ids[0]
    choice = memory.select_skill(WORDS, session="s", message_id=asked)
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


@pytest.mark.spec("EVL-27", "PV-13", "SKL-23", "TRJ-08")
def test_ten_exchanges_find_what_somebody_likes(tmp_path: Path) -> None:
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
        assert memory.style(choice.context)["verbosity"] > 0.5
        assert memory.behavior_metrics().ratings == 14
        assert len(memory.trajectories()) == 14
        assert memory.verify().ok


def test_what_is_forgotten_is_not_learned_from(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "m.db", clock=clock, settings=settings()) as memory:
        first, answer = turn(memory, clock)
        memory.feedback(answer, 1)
        before = memory.skill(first.skill.id)
        second, answer = turn(memory, clock)
        memory.feedback(answer, -1)
        memory.forget(second.message_id)
        assert memory.skill(first.skill.id) == before
        assert memory.behavior_metrics().ratings == 1
        assert [one.message_id for one in memory.trajectories()] == [first.message_id]
        memory.forget(session="s")
        assert memory.behavior_metrics().ratings == 0
        assert memory.trajectories() == []


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
        second = memory.select_skill("And in C?", session="s")
        memory.feedback(asked, 1)
        third = memory.select_skill("And in Go?", session="s")
        asked = memory.remember("And in Go?", session="s").ids[0]
        memory.remember("Let me think.", role="assistant", session="s")
        later = memory.remember("A loop.", role="assistant", session="s").ids[0]
        memory.feedback(later, -1)
        memory.feedback(answer, 1)
        rewards = {one.message_id: one.reward for one in memory.trajectories()}
        ids = (first.message_id, second.message_id, third.message_id)
        assert [rewards[id_] for id_ in ids] == [1, 1, -1]


def test_a_skill_made_again_starts_anew(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", settings=settings()) as memory:
        memory.create_skill("haiku", "Answer as a haiku.")
        choice = memory.select_skill("Hello", message_id="one")
        memory.feedback(choice.message_id, -1, skill="haiku")
        memory.archive_skill("haiku")
        memory.delete_skill("haiku")
        memory.create_skill("haiku", "Answer as one haiku.")
        again = memory.skill("haiku")
        assert not again.archived and again.confidence == 0.5
        with pytest.raises(InvalidInput, match="say what to change"):
            memory.edit_skill("haiku")
        with pytest.raises(InvalidInput, match="select_skill"):
            memory.context("Hello", skill="haiku")  # type: ignore[arg-type]


def test_an_export_carries_what_was_learned(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "a.db", clock=clock, settings=settings()) as memory:
        memory.create_skill("haiku", "Answer as a haiku.")
        _, answer = turn(memory, clock)
        memory.feedback(answer, 1, free_text="too long")
        memory.learn_behavior(even_if_few=True)
        lines = list(memory.export())
        skills, style = memory.skills(), memory.style()
    with Memory.open(tmp_path / "b.db", clock=clock, settings=settings()) as other:
        other.import_(lines, own=True)
        assert [(one.skill.id, one.confidence) for one in other.skills()] == [
            (one.skill.id, one.confidence) for one in skills
        ]
        assert other.style() == style


def test_whoever_only_rates_has_no_work_of_agents_to_learn_anew(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "m.db", clock=clock, settings=settings()) as memory:
        turn(memory, clock)
        memory.forget(*memory.remember("Never mind.", session="s").ids)
        ports, experience = memory._ports, memory._settings.experience
        sheet = memory._room.sheet()
        assert rebuild.up_to_date(sheet, memory.user_id, ports, experience) is sheet


def test_the_same_can_be_awaited(tmp_path: Path) -> None:
    async def talk() -> None:
        async with await AsyncMemory.open(tmp_path / "m.db") as memory:
            choice = await memory.select_skill(WORDS)
            receipt = await memory.feedback(choice.message_id, 1)
            assert receipt.new_confidence == pytest.approx(0.59)
            await memory.create_skill("haiku", "Answer as a haiku.")
            await memory.edit_skill("haiku", template="Answer as one haiku.")
            await memory.archive_skill("haiku")
            assert len(await memory.skills(archived=True)) == len(await memory.skills()) + 1
            await memory.delete_skill("haiku")
            await memory.set_style({"verbosity": 0.2})
            assert (await memory.style())["verbosity"] == 0.2
            await memory.reset_skills()
            assert len(await memory.trajectories()) == 1
            await memory.learn_behavior()
            assert await memory.learn_population() == 0
            assert (await memory.behavior_metrics()).ratings == 0
            assert (await memory.skill("casual_chat")).confidence == 0.5
            assert (await memory.context(WORDS, skill=choice)).section("Skill")

    asyncio.run(talk())


def test_ways_to_answer_are_not_what_was_said(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "a.db", settings=settings()) as memory:
        memory.create_skill("haiku", "Answer as a haiku about the sea.")
        memory.remember("The sea was calm today.")
        assert {item.record.kind for item in memory.recall("haiku about the sea")} <= {
            "turn",
            "fact",
        }
        assert memory.stats().awaiting_reembed == 0
