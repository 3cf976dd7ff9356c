"""Cost of logging and of advice as experience grows: `python -m benchmarks.experience`.

Interactions of ten actions are logged one by one, each durable before the next. What is compared
is the time per action at the start and at the end; it must not grow with what is known.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import machine, report
from benchmarks.timing import Stopwatch, disk_bytes
from sharpwave import Action, Memory, Settings
from sharpwave.testing import FrozenClock

ACTIONS_EACH = 10
TOOLS = [f"tool_{number:02}" for number in range(40)]
WORDS = "deploy fix review refactor test release migrate document measure clean".split()
THINGS = "login billing search export parser cache index report chart invoice".split()
FLOWS = [[TOOLS[(7 * flow + 3 * step) % 40] for step in range(6)] for flow in range(12)]
SHARE = 0.02
"""Of the interactions, at the start and at the end, that are compared."""
ADVISED = 200


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured."""

    actions: int
    first_ms: float
    last_ms: float
    ratio: float
    wall_s: float
    advise_p50_ms: float
    advise_p95_ms: float
    file_mb: float
    records: int


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--actions", type=int, default=50_000, help="1000000 for the full size")
    parser.add_argument("--output", type=Path, default=Path("results/experience.json"))
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder) / "memory.db", options.actions)
    about = machine.describe()
    for name, value in about.items():
        print(f"{name:>16}  {value}")
    print(f"{figures.actions:,} actions in {figures.wall_s:.0f} s, {figures.records:,} records")
    print(f"CPU ms per action: first {figures.first_ms:.3f}, last {figures.last_ms:.3f}", end="")
    print(f", ratio {figures.ratio:.2f} ({'PASS' if figures.ratio <= 2 else 'FAIL'}: at most 2)")
    verdict = "PASS" if figures.advise_p95_ms < 20 else "FAIL"
    print(
        f"advise CPU ms: p50 {figures.advise_p50_ms:.1f}, p95 {figures.advise_p95_ms:.1f}", end=""
    )
    print(f" ({verdict}: below 20); file {figures.file_mb:.0f} MB")
    content = {"about": about, "figures": {k: getattr(figures, k) for k in Figures.__slots__}}
    report.write(options.output, content)


def measure(path: Path, actions: int) -> Figures:
    """Log so many actions, then ask for advice."""
    rng, clock = random.Random(1), FrozenClock()
    count = max(100, actions // ACTIONS_EACH)
    compared = max(50, int(count * SHARE))
    laps: list[float] = []
    started = time.perf_counter()
    with Memory.open(path, settings=Settings(), clock=clock) as memory:
        for query, done in interactions(count, rng):
            clock.advance(minutes=rng.choice([1, 1, 2, 30]))
            begun = time.process_time()
            with memory.agents.start(query, session=f"s{rng.randrange(8)}") as live:
                for action in done:
                    clock.advance(seconds=5)
                    live.action(action)
                live.complete(success=rng.random() < 0.8)
            laps.append(time.process_time() - begun)
        wall = time.perf_counter() - started
        memory.agents.advise("warm up")
        watch = Stopwatch()
        for query, done in interactions(ADVISED, random.Random(2)):
            with watch.lap():
                memory.agents.advise(query, {"done": [action.name for action in done[:3]]}, "act")
        records = memory.admin.stats().memories
    first, last = float(np.median(laps[:compared])), float(np.median(laps[-compared:]))
    advised = np.array(watch.cpu_s) * 1e3
    return Figures(
        actions=count * ACTIONS_EACH,
        first_ms=first * 1e3 / ACTIONS_EACH,
        last_ms=last * 1e3 / ACTIONS_EACH,
        ratio=last / first,
        wall_s=wall,
        advise_p50_ms=float(np.percentile(advised, 50)),
        advise_p95_ms=float(np.percentile(advised, 95)),
        file_mb=disk_bytes(path.parent) / 1e6,
        records=records,
    )


def interactions(count: int, rng: random.Random) -> Iterator[tuple[str, list[Action]]]:
    """Work with habits and noise in it: twelve workflows, forty tools, errors and parameters."""
    for number in range(count):
        flow = rng.choice(FLOWS)
        steps = list(flow)
        while len(steps) < ACTIONS_EACH:
            steps.insert(rng.randrange(len(steps) + 1), rng.choice(TOOLS))
        query = f"{rng.choice(WORDS)} the {rng.choice(THINGS)} of project {number % 977}"
        yield query, [_action(name, rng) for name in steps]


def _action(name: str, rng: random.Random) -> Action:
    failed = rng.random() < 0.05
    return Action(
        name,
        target=f"src/{rng.choice(THINGS)}.py",
        details={"mode": rng.choice(["fast", "safe"]), "limit": rng.choice([10, 50, 100])},
        success=not failed,
        error=f"Timeout after {rng.randrange(9000)} ms" if failed else None,
        duration_ms=rng.lognormvariate(4, 1),
    )


if __name__ == "__main__":
    main()
