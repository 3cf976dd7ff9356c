"""A model is asked about facts that rules see no quarrel in [CON-02]."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import pytest

from sharpwave import Memory, Settings
from sharpwave.errors import ProviderUnavailable
from sharpwave.llm.prompts import conversation, sleep
from sharpwave.sleep import cycle, doubt
from sharpwave.testing import FrozenClock, HashEmbedder, LLMCall, ScriptedLLM, workspace_of

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
FIRST, SECOND = "I like grilled steak with pepper.", "I like grilled tofu with pepper."


class Judge:
    """A model that says of every two statements whether they can both be true."""

    def __init__(self, inconsistent: bool, works: bool = True) -> None:
        self.inconsistent = inconsistent
        self.works = works
        self.asked: list[str] = []
        self.llm = ScriptedLLM(self._answer)  # type: ignore[arg-type]

    def _answer(self, asked: LLMCall) -> object:
        if asked.prompt.name == sleep.CONFLICT:
            self.asked.append(asked.prompt.user)
            if not self.works:
                raise ProviderUnavailable("busy")
            return sleep.ConflictOutput(why="because", inconsistent=self.inconsistent)
        forms = {
            sleep.SUMMARY: sleep.SummaryOutput(summary=""),
            sleep.NOTES: sleep.NotesOutput(notes=[]),
            conversation.CONVERSATION: conversation.ConversationOutput(),
        }
        return forms[asked.prompt.name]


@contextmanager
def told(
    path: Path, judge: Judge | None, days: float = 1, **llm: object
) -> Iterator[tuple[Memory, FrozenClock]]:
    """A memory in which two things were said that may be at odds."""
    clock = FrozenClock(NOON)
    settings = Settings.model_validate({"llm": llm, "sleep": {"at_once": 1}})
    with (
        patch.object(doubt, "MIN_COSINE", 0.2),
        Memory.open(
            path / "m.db",
            settings=settings,
            clock=clock,
            embedder=HashEmbedder(64),
            llm=judge.llm if judge else None,
        ) as memory,
    ):
        memory.admin.consent("egress", True)
        memory.remember(FIRST)
        clock.advance(days=days)
        memory.remember(SECOND)
        clock.advance(days=1)
        yield memory, clock


def held(memory: Memory) -> list[str]:
    return sorted(fact.text for fact in memory.facts.list())


@pytest.mark.spec("CON-02")
def test_what_cannot_both_hold_is_asked_of_the_user_and_can_be_undone(tmp_path: Path) -> None:
    judge = Judge(inconsistent=True)
    with told(tmp_path, judge) as (memory, clock):
        before = held(memory)
        assert len(before) == 2
        report = memory.sleep(heavy=True)
        assert len(judge.asked) == 1 and "tofu" in judge.asked[0] and "steak" in judge.asked[0]
        assert report.counts["doubted"] == 1
        (open_one,) = memory.facts.conflicts()
        assert {open_one.older.text, open_one.newer.text} == set(before)
        memory.admin.undo_sleep(report.run)
        assert held(memory) == before and memory.facts.conflicts() == []
        clock.advance(days=1)
        memory.sleep(heavy=True)
        assert len(judge.asked) == 1 and held(memory) == before, "what was taken back stays so"


@pytest.mark.spec("CON-02")
def test_what_is_old_yields_to_what_is_new(tmp_path: Path) -> None:
    with told(tmp_path, Judge(inconsistent=True), days=400) as (memory, _):
        report = memory.sleep(heavy=True)
        assert report.counts["replaced"] == 1
        assert [fact for fact in held(memory) if "steak" in fact] == []
        assert "steak" in str(memory.facts.history("user", "noted")), "it is kept as what was true"
        memory.admin.undo_sleep(report.run)
        assert len(held(memory)) == 2


def test_a_pair_is_asked_about_once(tmp_path: Path) -> None:
    judge = Judge(inconsistent=False)
    with told(tmp_path, judge) as (memory, clock):
        for _ in range(3):
            memory.sleep(heavy=True)
            clock.advance(days=7)
        assert len(judge.asked) == 1 and len(held(memory)) == 2


def test_without_an_answer_nothing_changes(tmp_path: Path) -> None:
    with told(tmp_path, Judge(inconsistent=True, works=False)) as (memory, _):
        memory.sleep(heavy=True)
        assert len(held(memory)) == 2 and memory.facts.conflicts() == []


def test_nobody_is_asked_without_consent_or_allowance(tmp_path: Path) -> None:
    judge = Judge(inconsistent=True)
    with told(tmp_path, judge) as (memory, _):
        memory.admin.consent("egress", False)
        memory.sleep(heavy=True)
        assert judge.asked == [] and len(held(memory)) == 2
    (tmp_path / "spent").mkdir()
    with told(tmp_path / "spent", judge, daily_calls=0) as (memory, _):
        memory.sleep(heavy=True)
        assert judge.asked == [] and len(held(memory)) == 2


def test_without_a_model_nothing_changes(tmp_path: Path) -> None:
    with told(tmp_path, None) as (memory, _):
        memory.sleep(heavy=True)
        assert len(held(memory)) == 2


def test_who_is_away_is_asked_once_a_night_and_the_rest_the_next(tmp_path: Path) -> None:
    judge = Judge(inconsistent=False, works=False)
    with told(tmp_path, judge) as (memory, clock):
        memory.remember("I like grilled fish with pepper.")
        memory.sleep(heavy=True)
        assert len(judge.asked) == 1, "nobody waits for it again"
        judge.works = True
        clock.advance(days=7)
        memory.sleep(heavy=True)
        assert len(judge.asked) == 1 + 3, "every pair has its answer"


def test_who_was_away_before_an_interruption_is_asked_the_next_night(tmp_path: Path) -> None:
    judge = Judge(inconsistent=False, works=False)
    with told(tmp_path, judge) as (memory, clock):

        def checkpoint(name: str) -> None:
            if name == "promote.plan":
                raise cycle.Stop

        cycle.sleep(workspace_of(memory), heavy=True, checkpoint=checkpoint)
        assert len(judge.asked) == 1
        judge.works = True
        memory.sleep(heavy=True)
        assert len(judge.asked) == 1, "the rest of the same night"
        clock.advance(days=7)
        memory.sleep(heavy=True)
        assert len(judge.asked) == 2


def test_one_night_finds_out_for_the_round(tmp_path: Path) -> None:
    judge = Judge(inconsistent=False, works=False)
    with told(tmp_path, judge) as (memory, clock):
        for name in ("ana", "ben", "cleo"):
            user = memory.user(name)
            user.remember(FIRST)
            clock.advance(days=1)
            user.remember(SECOND)
        reports = memory.admin.sleep_all()
    assert len(reports) == 4 and len(judge.asked) == 1, "the others do not wait for it"
    assert sum("did not answer" in note for one in reports for note in one.notes) == 1
