"""Which talk gets a summary: named or not, forgotten in part, taken back."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.sleep.living import Killed

from sharpwave import Kind, Memory, Record, Report, Settings
from sharpwave.sleep import cycle, extractive, summarise
from sharpwave.sleep.journal import Step
from sharpwave.sleep.run import SleepRun, read_state
from sharpwave.temporal.clock import digest
from sharpwave.testing import FrozenClock, HashEmbedder, workspace_of
from sharpwave.types.records import State
from sharpwave.types.sleep import EPISODE, Phase
from sharpwave.types.storing import Stated

MORNING = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MORNING)


@pytest.fixture
def memory(clock: FrozenClock, tmp_path: Path) -> Iterator[Memory]:
    settings = Settings.model_validate({"remember": {"timezone": "America/New_York"}})
    with Memory.open(
        tmp_path / "m.db", settings=settings, clock=clock, embedder=HashEmbedder(64)
    ) as opened:
        yield opened


def talk(
    memory: Memory, clock: FrozenClock, about: str, turns: int = 6, session: str | None = None
) -> list[str]:
    """Somebody tells something, a minute a turn; returns the ids of the turns."""
    ids: list[str] = []
    for number in range(turns):
        told = f"We spoke of {about}: on part {number} of the walk we saw the old mill of Tomar."
        ids += memory.remember(told, session=session).ids
        clock.advance(minutes=1)
    return ids


def summaries(memory: Memory) -> list[Record]:
    wanted = Stated(kinds=frozenset({Kind.EPISODE}), states=frozenset({State.ACTIVE}))
    return workspace_of(memory).store.stated(wanted)


@pytest.mark.spec("EPI-05")
def test_a_session_is_summarised_when_it_has_ended_and_again_if_it_goes_on(
    tmp_path: Path, clock: FrozenClock
) -> None:
    said = (
        "The landlord wants to raise the rent by a tenth from October.",
        "My neighbour in the flat above pays less and has the balcony to the court.",
        "The contract says that he has to give three months of notice in writing.",
        "I found a form of the tenants' union that one fills in and sends by registered mail.",
        "My cousin Inês is a lawyer and will read the letter before I send it.",
    )
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        for text in said:
            memory.remember(text, session="rent")
            clock.advance(minutes=5)
        assert "summarised" not in memory.sleep().counts, "it may still go on"
        clock.advance(days=1)
        assert memory.sleep().counts["summarised"] == 1
        (first,) = summaries(memory)
        assert first.session_id == "rent" and first.metadata["count"] == len(said)
        clock.advance(days=1)
        assert "summarised" not in memory.sleep().counts
        memory.remember("He answered: the rent stays as it is until next summer.", session="rent")
        clock.advance(days=2)
        assert memory.sleep().counts["summarised"] == 1
        (second,) = summaries(memory)
        assert second.metadata["count"] == len(said) + 1 and second.id != first.id
        (listed,) = memory.admin.sessions()
        assert listed.summary == second.text
        clock.advance(days=15)
        memory.sleep(heavy=True)
        found = memory.recall("What did we say about the rent?", kinds=["episode"]).items
        assert [item.record.id for item in found] == [second.id], "also when its turns are warm"


@pytest.mark.spec("EPI-05")
def test_talk_without_a_session_is_summarised_by_day_and_pause(
    memory: Memory, clock: FrozenClock
) -> None:
    talk(memory, clock, "figs")
    clock.advance(hours=8)
    talk(memory, clock, "olives")  # the same day, after a long pause
    clock.advance(hours=10, minutes=43)
    talk(memory, clock, "almonds", turns=10)  # in New York it is midnight after half of it
    clock.advance(days=2)
    report = memory.sleep()
    assert report.counts["summarised"] == 4
    found = summaries(memory)
    assert [one.metadata["count"] for one in found] == [6, 6, 5, 5]
    assert ["figs" in one.text for one in found] == [True, False, False, False]
    assert "summarised" not in memory.sleep().counts


def test_a_day_without_a_session_waits_until_all_of_it_has_settled(
    memory: Memory, clock: FrozenClock
) -> None:
    talk(memory, clock, "figs")
    clock.advance(hours=2)
    talk(memory, clock, "olives")
    clock.advance(hours=22, minutes=30)
    assert "summarised" not in memory.sleep().counts
    clock.advance(hours=10)
    assert memory.sleep().counts["summarised"] == 1
    assert summaries(memory)[0].metadata["count"] == 12


@pytest.mark.parametrize("session", [None, "garden"])
def test_a_summary_that_lost_a_turn_is_made_again_from_what_is_left(
    memory: Memory, clock: FrozenClock, session: str | None
) -> None:
    ids = talk(memory, clock, "figs", turns=8, session=session)
    clock.advance(days=2)
    memory.sleep()
    (first,) = summaries(memory)
    memory.forget(first.provenance.parents[0])
    assert summaries(memory) == []
    assert memory.sleep().counts["summarised"] == 1
    (second,) = summaries(memory)
    assert second.metadata["count"] == 7 and second.id != first.id
    assert first.provenance.parents[0] not in second.provenance.parents
    assert "summarised" not in memory.sleep().counts
    memory.forget(*(one for one in ids if one != first.provenance.parents[0]))
    assert "summarised" not in memory.sleep().counts, "nothing is left of it"


def test_not_even_a_digest_of_a_forgotten_session_is_kept(
    memory: Memory, clock: FrozenClock
) -> None:
    for session in ("doctor", "garden"):
        talk(memory, clock, "figs", session=session)
    clock.advance(days=2)
    memory.sleep()
    memory.forget(session="doctor")
    memory.sleep()
    known = workspace_of(memory).store.tallies("sleep/summaries")
    assert list(known) == [digest(EPISODE + "garden")]


def test_a_summary_that_was_taken_back_is_not_made_again_until_the_talk_goes_on(
    memory: Memory, clock: FrozenClock
) -> None:
    talk(memory, clock, "figs", session="garden")
    clock.advance(days=2)
    memory.admin.undo_sleep(memory.sleep().run)
    assert "summarised" not in memory.sleep().counts and not summaries(memory)
    talk(memory, clock, "olives", session="garden")
    clock.advance(days=2)
    assert memory.sleep().counts["summarised"] == 1


def test_an_interrupted_night_keeps_no_name_of_a_session(
    memory: Memory, clock: FrozenClock
) -> None:
    def die(name: str) -> None:
        if name.startswith("summarise.0"):
            raise Killed

    talk(memory, clock, "figs", session="doctor-appointment")
    clock.advance(days=2)
    with pytest.raises(Killed):
        cycle.sleep(workspace_of(memory), checkpoint=die)
    state = str(read_state(workspace_of(memory))[0])
    assert "'phase': 'summarise'" in state and "doctor" not in state


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I saw Dr. Aigner today. He was pleased.", 2),
        ("Mrs. Huber and Prof. Lang came. We ate at St. Martin.", 2),
        ("The concert is by J. S. Bach. It starts at eight!", 2),
        ("It is over. Done.", 2),
    ],
)
def test_a_sentence_does_not_end_after_an_abbreviation(text: str, parts: int) -> None:
    assert len(extractive.sentences(text)) == parts


def sleep_with(
    memory: Memory,
    plan: Callable[[SleepRun], list[str]] = summarise.plan,
    process: Callable[[SleepRun, Sequence[str]], Step] = summarise.process,
) -> Report:
    """Sleep with these functions of the phase that summarises."""
    phases = tuple(
        work._replace(plan=plan, process=process) if work.phase is Phase.SUMMARISE else work
        for work in cycle.PHASES
    )
    with patch.object(cycle, "PHASES", phases):
        return memory.sleep()


def test_what_is_forgotten_while_it_is_planned_hides_no_session(
    memory: Memory, clock: FrozenClock
) -> None:
    talk(memory, clock, "the walk", session="walk")
    others = talk(memory, clock, "tea", turns=1, session="other")
    clock.advance(days=2)

    def plan(run: SleepRun) -> list[str]:
        items = summarise.plan(run)
        if others:
            memory.forget(others.pop())
        return items

    assert sleep_with(memory, plan=plan).counts["summarised"] == 1
    assert not others and len(summaries(memory)) == 1


def test_a_session_that_was_left_for_later_is_summarised_the_next_night(
    memory: Memory, clock: FrozenClock
) -> None:
    talk(memory, clock, "the walk", session="walk")
    others = talk(memory, clock, "tea", turns=5, session="other")
    clock.advance(days=2)

    def process(run: SleepRun, items: Sequence[str]) -> Step:
        step = summarise.process(run, items)
        if others:
            memory.forget(others.pop())
        return step

    report = sleep_with(memory, process=process)
    assert report.notes == ("summarise: too busy, left for later",)
    assert not others and summaries(memory) == []
    clock.advance(days=1)
    assert memory.sleep().counts["summarised"] == 1
    assert len(summaries(memory)) == 1
