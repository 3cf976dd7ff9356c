"""A memory in which much has happened, and what it holds, as one value to compare."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from sharpwave import Kind, Memory, Report
from sharpwave.sleep import cycle
from sharpwave.testing import FrozenClock, HashEmbedder, workspace_of

BEGIN = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
TALK = (
    ("user", "I live in Porto and work as a nurse at the hospital on the hill."),
    ("assistant", "Thank you, I will keep that in mind for our next talks."),
    ("user", "My sister Ana moved to Lisbon last year because of her new job at a bakery."),
    ("assistant", "That must have been a big change for the two of you."),
    ("user", "On Saturday we want to visit the garden with the old lemon trees near Sintra."),
    ("assistant", "Shall I remind you to book the train on Thursday?"),
    ("user", "Yes, and remember that Ana is allergic to peanuts, so no biscuits from the shop."),
    ("assistant", "Noted: no peanuts for Ana, and the train is to be booked on Thursday."),
)


class Killed(BaseException):
    """The process is gone: nobody cleans up after it."""


def small_steps(batch: int) -> AbstractContextManager[object]:
    """Steps of a few items each, so that there are many places to die in."""
    phases = tuple(work._replace(batch=min(work.batch, batch)) for work in cycle.PHASES)
    return patch.object(cycle, "PHASES", phases)


@contextmanager
def opened(path: Path, at: datetime) -> Iterator[Memory]:
    """The memory in a file, at a moment; it sleeps in small steps."""
    clock, embedder = FrozenClock(at), HashEmbedder(64)
    with small_steps(5), Memory.open(path, clock=clock, embedder=embedder) as memory:
        yield memory


def live(path: Path, days: int = 4, talks_a_day: int = 2) -> datetime:
    """Some days of talk, questions and work; returns when it ended."""
    at = BEGIN
    for day in range(days):
        with opened(path, at) as memory:
            for talk in range(talks_a_day):
                told = [
                    {"role": role, "content": f"{text} It is day {day}, part {talk}."}
                    for role, text in TALK
                ]
                memory.remember(told, session=f"day-{day}-{talk}")
            memory.recall("Where does Ana live?")
            for _ in range(4):
                with memory.agents.start("deploy the app", session=f"day-{day}") as work:
                    for tool in ("build", "test", "push"):
                        work.action(tool, success=True)
        at += timedelta(days=1)
    return at


def fingerprint(memory: Memory) -> list[tuple[object, ...]]:
    """All that a memory holds, in order; not how often it was read."""
    store = workspace_of(memory).store
    records = store.scan(0, 100_000)
    evidence = store.evidence([record.id for record in records])
    learned = (Kind.PATTERN, Kind.TOOL_RECORD, Kind.INSIGHT)  # their names differ each time
    return sorted(
        (
            "" if record.kind in learned else record.id,
            record.kind.value,
            record.text,
            astuple(replace(record.standing, access_count=0, accessed_at=None))[:10],
            str(record.valid_to),
            () if record.kind in learned else evidence[record.id],
        )
        for record in records
        if record.kind not in learned or record.standing.state.value == "active"
    )


def sleep_until(memory: Memory, place: int, error: type[BaseException] = Killed) -> Report | None:
    """Sleep up to the checkpoint of that number, and die there; the report if it never came."""
    passed = 0

    def checkpoint(name: str) -> None:
        nonlocal passed
        passed += 1
        if passed > place:
            raise error(name)

    try:
        return cycle.sleep(workspace_of(memory), heavy=True, checkpoint=checkpoint)
    except Killed:
        return None
