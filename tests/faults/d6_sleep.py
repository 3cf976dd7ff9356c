"""D6: a process is killed, or told to stop, in the middle of a night; another one goes on.

Whatever step it died at, the file must hold in the end what it would hold had nobody interfered,
with nothing derived left over from the half-done step; told to stop, it must be gone within ten
seconds. Control: a night that notes a step as done before it is.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.faults.harness import Figures, Options, Result, finish, judged, start
from tests.sleep.living import fingerprint, live, opened

from sharpwave import Memory
from sharpwave.sleep import cycle
from sharpwave.sleep.journal import Step
from sharpwave.sleep.run import SleepRun
from sharpwave.testing import workspace_of

NAME = "d6_sleep"
FAULTS = ("different", "orphans", "child_failed", "slow_to_stop")
MOST_STOP_S = 10.0
LEASE = timedelta(minutes=3)


def run(options: Options) -> Result:
    lived = options.folder / "lived.db"
    now = live(lived, days=4 if options.long else 2)
    expected, steps = _uninterrupted(lived, now, options.folder)
    places = range(3, steps, 1 if options.long else 9)
    figures = _campaign(lived, now, expected, places, options.folder, broken=False)
    control = _campaign(lived, now, expected, places, options.folder, broken=True)
    return judged(NAME, options, figures, FAULTS, control, ("different",))


def _uninterrupted(lived: Path, now: datetime, folder: Path) -> tuple[str, int]:
    path = _copy(lived, folder, "whole")
    names: list[str] = []
    with opened(path, now) as memory:
        _sleep(memory, names.append)
        return _digest(memory), len(names)


def _campaign(
    lived: Path, now: datetime, expected: str, places: range, folder: Path, *, broken: bool
) -> Figures:
    totals = dict.fromkeys(FAULTS, 0)
    slowest = 0.0
    for place in places:
        for number in (signal.SIGKILL,) if broken else (signal.SIGKILL, signal.SIGTERM):
            path = _copy(lived, folder, f"{place}.{number}.{broken}")
            arguments = (path, now.isoformat(), place, int(number), int(broken))
            with start(NAME, *arguments, stdout=subprocess.PIPE) as child:
                assert child.stdout is not None
                child.stdout.readline()  # it tells when the signal comes
                began = time.monotonic()
                code = finish(child)
            totals["child_failed"] += code != (-number if number == signal.SIGKILL else 0)
            slowest = max(slowest, time.monotonic() - began)
            with opened(path, now + LEASE) as memory:
                _sleep(memory)
                totals["different"] += _digest(memory) != expected
                totals["orphans"] += _orphans(memory)
            path.unlink()
        if broken and totals["different"]:
            break  # it has shown what it must
    totals["slow_to_stop"] = int(slowest > MOST_STOP_S)
    return {"steps": len(places), **totals, "stop_s_max": round(slowest, 2)}


def _copy(lived: Path, folder: Path, name: str) -> Path:
    path = folder / f"{name}.db"
    shutil.copy(lived, path)
    return path


def _sleep(memory: Memory, checkpoint: Any = lambda name: None) -> None:
    cycle.sleep(workspace_of(memory), heavy=True, checkpoint=checkpoint)


def _digest(memory: Memory) -> str:
    return hashlib.sha256(repr(fingerprint(memory)).encode()).hexdigest()


def _orphans(memory: Memory) -> int:
    """Records that rest on something which is not there."""
    records = workspace_of(memory).store.scan(0, 100_000)
    known = {record.id for record in records}
    return sum(bool(set(record.provenance.parents) - known) for record in records)


# ---- the child


class Forgetful(SleepRun):
    """Notes a step as done before it is."""

    def write(self, items: Any, step: Step) -> None:
        super().write(items, Step(entries=step.entries))
        self.between()
        quiet = replace(step, entries=())
        super().write([], quiet)

    def between(self) -> None:
        """Here it may die."""


def _child(path: str, now: str, place: str, number: str, broken: str) -> None:
    passed, stop = 0, threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())

    def die(name: str) -> None:
        nonlocal passed
        passed += 1
        if passed == int(place) + 1:
            print(name, flush=True)
            os.kill(os.getpid(), int(number))
        if stop.is_set():
            raise cycle.Stop

    with opened(Path(path), datetime.fromisoformat(now)) as memory:
        if int(broken):
            Forgetful.between = lambda self: die("between")  # type: ignore[method-assign]
            cycle.SleepRun = Forgetful  # type: ignore[attr-defined]
        _sleep(memory, die)


if __name__ == "__main__":
    _child(*sys.argv[1:])
