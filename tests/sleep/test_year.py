"""A simulated year: several people, all nights, and what must hold on every single day."""

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from sharpwave import Kind, Memory, Settings
from sharpwave.settings.core import SleepSettings
from sharpwave.sleep import journal
from sharpwave.sleep.schedule import IdleMonitor
from sharpwave.sleep.scheduler import Scheduler
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of, workspace_of
from sharpwave.types.records import Stage, State, Temperature
from sharpwave.types.storing import Staged, Stated

NEW_YEAR = datetime(2026, 1, 1, 4, 0, tzinfo=UTC)
PEOPLE = ("ana", "bruno")
DAYS = 365
TOPICS = ("the garden", "the new job", "a trip to Braga", "the flat", "the choir", "running")
PENDING = Staged(Kind.TURN, frozenset({Stage.ACTIVE, Stage.WORKING}))
SETTINGS = Settings.model_validate(
    {"sleep": {"require_idle": False}, "embedder": {"provider": "table"}}
)
"""Without the encoder, messages are read by rules alone: the nights are tested here."""


@pytest.mark.spec("SLP-01", "SLP-05", "TIER-07", "TIER-14")
@pytest.mark.timeout(120)
def test_a_year(tmp_path: Path) -> None:
    clock, random = FrozenClock(NEW_YEAR), Random(11)
    said = dict.fromkeys(PEOPLE, 0)
    with Memory.open(
        tmp_path / "year.db", settings=SETTINGS, clock=clock, embedder=HashEmbedder(32)
    ) as memory:
        watch = Scheduler(resources_of(memory), IdleMonitor(lambda: 99.0, SleepSettings()))
        for day in range(DAYS):
            for person in PEOPLE:
                if random.random() < 0.2:
                    _talk(memory.user(person), day, random)
                    said[person] += 6
            clock.advance(days=1)
            for report in watch.check(threading.Event()):
                assert report.finished_at is not None, report
            for person in PEOPLE:
                _holds_every_day(memory.user(person), said[person])
        for person in PEOPLE:
            _holds_in_the_end(memory.user(person), clock.now())
        assert memory.admin.verify().ok


def _talk(memory: Memory, day: int, random: Random) -> None:
    topic, place = random.choice(TOPICS), random.choice(("Porto", "Faro", "Evora"))
    turns = [
        ("user", f"Today, on day {day}, I was thinking about {topic} for quite some time."),
        ("assistant", f"Tell me more about {topic} if you like, I am all ears today."),
        ("user", f"I live in {place} now, and {memory.user_id}'s friends often come to see me."),
        ("assistant", "How nice that they visit you so often in this season."),
        ("user", f"We talked about {topic} with number {random.randrange(1000)} on the list."),
        ("assistant", "I will remember that, and we can come back to it."),
    ]
    memory.remember([{"role": role, "content": text} for role, text in turns], session=f"day-{day}")


def _holds_every_day(memory: Memory, said: int) -> None:
    """Nothing is lost, and nothing waits for longer than a day and a night."""
    store, now = workspace_of(memory).store, resources_of(memory).clock.now()
    assert store.counts().by_kind.get(Kind.TURN, 0) == said
    pending = store.staged(PENDING)
    assert all(turn.valid_from > now - timedelta(days=2) for turn in pending)


def _holds_in_the_end(memory: Memory, now: datetime) -> None:
    store, user_id = workspace_of(memory).store, memory.user_id
    turns = store.staged(Staged(Kind.TURN, limit=100_000))
    assert all(user_id in turn.text for turn in turns if "friends" in turn.text), "only one's own"
    for turn in turns:
        days = (now - turn.valid_from) / timedelta(days=1)
        if days > 90 + 8:
            assert turn.standing.temperature is Temperature.COLD
        elif 14 + 8 < days < 90:
            assert turn.standing.temperature is Temperature.WARM
    active = frozenset({State.ACTIVE})
    episodes = store.stated(Stated(kinds=frozenset({Kind.EPISODE}), states=active))
    sessions = {t.session_id for t in turns if t.valid_from < now - timedelta(days=3)}
    assert sessions <= {episode.session_id for episode in episodes}
    assert len(memory.facts.list(subject="user", predicate="lives_in")) == 1, "one home at a time"
    assert memory.recall("Where do I live?").items, "what was said stays within reach"
    rows = store.tallies(journal.JOURNAL)
    runs = {name.split("/")[0] for name in rows}
    reports = {report.run: report for report in memory.admin.sleep_log(1000)}
    oldest = min(reports[run].started_at for run in runs)
    assert now - oldest < timedelta(days=30 + 8), "what undoes a night is not kept forever"
