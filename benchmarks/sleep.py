"""What nights cost: `python -m benchmarks.sleep --users 1000 --memories 1000`.

Many users, each with so many turns in sessions of twenty, are written straight into a store (no
extraction: that is the write path's cost, not sleep's). Then everybody sleeps, one after another on
one core: the first, heavy night, and a light one after a day with one more session each.

Beside that, one person's year, a session a day, with a night after each and without any: what the
file takes, and what a question costs.
"""

import argparse
import random
import resource
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import machine, report
from benchmarks.timing import disk_bytes
from sharpwave import Kind, Memory, Record, Role, Settings, Source
from sharpwave.sleep import summarise
from sharpwave.sleep.scheduler import sleep_all
from sharpwave.testing import FrozenClock, resources_of, workspace_of
from sharpwave.types.records import Channel, Provenance, Stage, Standing, Temperature, Trust
from sharpwave.types.storing import Change, Space

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
SESSION = 20
QUESTIONS = 100
SPACE = Space("benchmark", "1", 256)
DOCUMENTS_MINUTES = (5.0, 10.0)
"""What the source documents expect for one user and night."""
WORDS = [f"word{number:03}" for number in range(600)]


@dataclass(frozen=True, slots=True)
class Year:
    """What a year of one person leaves behind."""

    slept: bool
    memories: int
    mb: float
    recall_ms: float
    nights_cpu_s: float


@dataclass(frozen=True, slots=True)
class Night:
    """One round over everybody."""

    name: str
    users: int
    cpu_s_per_user: float
    users_per_cpu_minute: float
    replayed: int
    summarised: int


class DrawnEmbedder:
    """Vectors drawn by the text's hash: costs nothing, so that sleep itself is measured."""

    @property
    def space(self) -> Space:
        return SPACE

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        return _vectors([hash(text) & 0xFFFF for text in statements])

    def embed_question(self, question: str) -> NDArray[np.float32]:
        found: NDArray[np.float32] = _vectors([hash(question) & 0xFFFF])[0]
        return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=50, help="1000 for the full size")
    parser.add_argument("--memories", type=int, default=1000, help="of each user")
    parser.add_argument("--days", type=int, default=365, help="of the year that is simulated")
    parser.add_argument("--output", type=Path, default=Path("results/sleep.json"))
    options = parser.parse_args(arguments)
    for name, value in machine.describe().items():
        print(f"{name:>16}  {value}")
    with tempfile.TemporaryDirectory() as folder:
        nights = measure(Path(folder) / "memory.db", options.users, options.memories)
    awake, asleep = (year(options.days, slept) for slept in (False, True))
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for night in nights:
        print(
            f"{night.name}: {night.users} users, {night.cpu_s_per_user:.3f} s CPU each, "
            f"{night.users_per_cpu_minute:.0f} users a CPU minute; "
            f"{night.replayed} turns replayed, {night.summarised} sessions summarised"
        )
    low, high = DOCUMENTS_MINUTES
    share = nights[0].cpu_s_per_user / (60 * low)
    print(f"the documents expect {low:.0f}-{high:.0f} minutes a user; the first night took", end="")
    print(f" 1/{1 / share:.0f} of the least")
    for one in (awake, asleep):
        print(
            f"{options.days} days {'with' if one.slept else 'without'} sleep: {one.memories} "
            f"memories, {one.mb:.1f} MB, {one.recall_ms:.2f} ms CPU a question, "
            f"{one.nights_cpu_s:.1f} s CPU for all nights"
        )
    print(
        f"with sleep a year takes {asleep.mb / awake.mb:.2f} times the storage and a question "
        f"{asleep.recall_ms / awake.recall_ms:.2f} times the CPU"
    )
    print(f"peak memory {peak_mb:.0f} MB")
    years = [asdict(awake), asdict(asleep)]
    told = {"nights": [asdict(night) for night in nights], "years": years, "peak_mb": peak_mb}
    report.write(options.output, told)


def measure(path: Path, users: int, memories: int) -> list[Night]:
    """Fill a store, let everybody sleep, talk for another day, let everybody sleep again."""
    clock = FrozenClock(BEGIN)
    settings = Settings.model_validate({"sleep": {"at_once": 1, "max_minutes": 600}})
    summarise.MAX_SESSIONS = 1000
    names = [f"user-{number:05}" for number in range(users)]
    with Memory.open(path, settings=settings, clock=clock, embedder=DrawnEmbedder()) as memory:
        for name in names:
            _fill(memory, name, memories, BEGIN - timedelta(days=30))
        print(
            f"{users * memories:,} turns of {users} users, {disk_bytes(path.parent) / 1e6:.0f} MB"
        )
        first = _night("first night", memory, names)
        clock.advance(days=1)
        for name in names:
            _fill(memory, name, SESSION, BEGIN)
        clock.advance(days=1)
        return [first, _night("light night", memory, names)]


def year(days: int, slept: bool) -> Year:
    """One person talks every day; a night after each, or none at all; then questions."""
    clock, name = FrozenClock(BEGIN), "somebody"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with Memory.open(path, clock=clock, embedder=DrawnEmbedder(), user=name) as memory:
            nights = 0.0
            for day in range(days):
                _fill(memory, name, SESSION, BEGIN + timedelta(days=day))
                clock.advance(days=1)
                began = time.process_time()
                if slept:
                    memory.sleep()
                nights += time.process_time() - began
            recall_ms = _recall_ms(memory)
            memories = workspace_of(memory).store.counts().memories
        return Year(slept, memories, disk_bytes(path.parent) / 1e6, recall_ms, nights)


def _recall_ms(memory: Memory) -> float:
    draw = random.Random(5)
    asked = [" ".join(draw.choices(WORDS, k=4)) for _ in range(QUESTIONS + 1)]
    memory.recall(asked[-1])  # loads the index
    began = time.process_time()
    for question in asked[:-1]:
        memory.recall(question)
    return (time.process_time() - began) * 1000 / QUESTIONS


def _night(title: str, memory: Memory, names: list[str]) -> Night:
    began = time.process_time()
    reports = sleep_all(resources_of(memory), names, threading.Event())
    each = (time.process_time() - began) / len(names)
    assert len(reports) == len(names) and all(one.finished_at for one in reports)
    replayed = sum(one.counts.get("replayed", 0) for one in reports)
    summarised = sum(one.counts.get("summarised", 0) for one in reports)
    return Night(title, len(names), each, 60 / each, replayed, summarised)


def _fill(memory: Memory, user_id: str, count: int, begin: datetime) -> None:
    draw = random.Random(f"{user_id}{begin}")
    records = [_turn(user_id, number, begin, draw) for number in range(count)]
    vectors = _vectors([draw.randrange(1 << 16) for _ in records])
    resources_of(memory).store.for_user(user_id).commit(
        Change("remember", begin, tuple(records), vectors=vectors, space=SPACE)
    )


def _turn(user_id: str, number: int, begin: datetime, draw: random.Random) -> Record:
    at = begin + timedelta(minutes=number)
    role = Role.USER if number % 2 == 0 else Role.ASSISTANT
    text = " ".join(draw.choices(WORDS, k=18)).capitalize() + "."
    return Record(
        id=f"{user_id}-{begin:%y%m%d}-{number}",
        user_id=user_id,
        kind=Kind.TURN,
        text=text,
        provenance=Provenance(Source.USER_MESSAGE, Channel.LIBRARY, Trust.USER, user_id),
        standing=Standing(Stage.ACTIVE, Temperature.HOT, 0.2, 1.0, 1, at),
        valid_from=at,
        recorded_at=at,
        role=role,
        session_id=f"{begin:%m%d}-{number // SESSION}",
    )


def _vectors(seeds: Sequence[int]) -> NDArray[np.float32]:
    drawn = np.random.default_rng(list(seeds)).standard_normal((len(seeds), SPACE.dimension))
    matrix = drawn.astype(np.float32)
    lengths: NDArray[np.float32] = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / lengths


if __name__ == "__main__":
    main()
