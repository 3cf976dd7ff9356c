"""Single memories from several callers at once, each durable before its caller goes on."""

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.contenders.contender import Contender, Entry
from benchmarks.data import Batch, Dataset
from benchmarks.processes import alone
from benchmarks.timing import Figures


class Case(NamedTuple):
    """A contender, and how many call it at once."""

    entry: Entry
    callers: int


def measure(
    data: Dataset, cases: Sequence[Case], folder: Path, seconds: float, tell: Callable[[str], None]
) -> dict[str, Figures]:
    """Adds each second of each case, in a new store."""
    results = {}
    for entry, callers in cases:
        name = f"{entry.name}, {callers} caller{'s' if callers > 1 else ''}"
        tell(f"{name}: single durable adds")
        own = folder / f"{entry.store}-{callers}"
        results[name] = alone(adds, Case(entry, callers), data, own, seconds)
    return results


def adds(case: Case, data: Dataset, folder: Path, seconds: float) -> Figures:
    """Add until the time is up."""
    contender = case.entry.open(folder)
    supply = next(data.batches(data.plan.per_user))
    callers = [
        _Caller(contender, supply, number, case.callers, seconds) for number in range(case.callers)
    ]
    contender.add("first", supply.texts[0], supply.vectors[0])
    cpu, wall = time.process_time(), time.perf_counter()
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    wall_s, cpu_s = time.perf_counter() - wall, time.process_time() - cpu
    contender.close()
    added = sum(caller.added for caller in callers)
    return {
        "callers": case.callers,
        "adds_per_s": added / wall_s,
        "wait_ms": 1e3 * wall_s * case.callers / max(added, 1),
        "cpu_ms": 1e3 * cpu_s / max(added, 1),
        "failed": sum(caller.failed for caller in callers),
    }


class _Caller(threading.Thread):
    """One caller with a user of its own."""

    def __init__(
        self, contender: Contender, supply: Batch, number: int, callers: int, seconds: float
    ) -> None:
        super().__init__()
        self.added = self.failed = 0
        self._contender = contender
        self._supply = supply
        self._rows = itertools.cycle(range(number, len(supply.texts), callers))
        self._user = f"caller-{number}"
        self._seconds = seconds

    def run(self) -> None:
        deadline = time.perf_counter() + self._seconds
        while time.perf_counter() < deadline:
            row = next(self._rows)
            text = f"{self._supply.texts[row]} {self.added}"
            try:
                self._contender.add(self._user, text, self._supply.vectors[row])
                self.added += 1
            except Exception:  # noqa: BLE001 - that a peer fails under threads is a finding
                self.failed += 1
