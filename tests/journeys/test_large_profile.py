"""Somebody of whom much is known gets a context as quickly as anybody, and the same first lines."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cpu import times_as_much

from sharpwave import Memory, Settings
from sharpwave.testing import FrozenClock, HashEmbedder

QUESTION = "Which harbour did I visit?"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
    unread = Settings.model_validate({"embedder": {"provider": "table"}})  # but by rules
    with Memory.open(
        tmp_path / "m.db", settings=unread, clock=clock, embedder=HashEmbedder(64)
    ) as opened:
        yield opened


def _told(memory: Memory, facts: int) -> Memory:
    memory.remember([f"I have been to Harbour{number}." for number in range(facts)])
    memory.remember("I am allergic to peanuts.")
    return memory


@pytest.mark.spec("PRM-01", "PRO-10")
def test_a_context_costs_little_more_with_many_facts(memory: Memory) -> None:
    few, many = _told(memory.user("few"), 50), _told(memory.user("many"), 600)
    assert len(many.facts.profile()) == 601
    few.context(QUESTION), many.context(QUESTION)
    assert times_as_much(lambda: many.context(QUESTION), lambda: few.context(QUESTION), 2) < 2


@pytest.mark.spec("PRM-02", "PRO-10")
def test_what_is_shown_of_a_profile_are_its_first_facts(memory: Memory) -> None:
    _told(memory, 80)
    section = memory.context(QUESTION).section("User Profile")
    assert section is not None and "allergic to peanuts" in section.lines[0]
    first = [fact.text for fact in memory.facts.profile()][: len(section.lines)]
    assert all(f'"{text}"' in line for text, line in zip(first, section.lines, strict=True))


@pytest.mark.spec("PRM-02")
def test_what_is_not_worthy_leaves_no_gap_in_a_profile(memory: Memory) -> None:
    """However much others say of the user, and however important, the user's own words are told."""
    reports = [f"The user is allergic to herb{number}." for number in range(60)]
    memory.remember(reports, role="assistant")
    memory.remember("I have been to Porto.")
    assert len(memory.facts.list()) == 61
    section = memory.context("Where have I been?").section("User Profile")
    assert section is not None and len(section.lines) == 1 == len(memory.facts.profile())
    assert section.lines[0].startswith('- "The user has been to Porto"')
