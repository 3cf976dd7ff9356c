"""The frame of every fault check.

A check is a module named like `d1_kill9.py` with `run(options) -> Result`; it needs no other
registration. What must never happen is counted in `found`. Where a check has a control, the same
fault hits a variant that is broken on purpose, and the check passes only if that variant fails:
a check that cannot tell is worth nothing.
"""

import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from sharpwave import Settings
from sharpwave.settings.models import EmbedderSettings
from sharpwave.storage.sql import rows
from sharpwave.types.records import Record

Figures = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
LEDGER = Path(__file__).with_name("ledger.jsonl")
DEADLINE_S = 120.0
"""The longest that a child process may take."""
_CHECK = re.compile(r"[a-z]\d+_\w+")


@dataclass(frozen=True, slots=True)
class Options:
    """How to run a check: what to draw from, how much, and an empty folder to work in."""

    seed: int
    long: bool
    folder: Path
    minutes: float | None = None
    """How long the soak lasts, if not as long as its form says."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a check found: `found` must be all zero, `control` (broken on purpose) all above it."""

    check: str
    seed: int
    long: bool
    passed: bool
    rounds: Figures
    """What was done: how many rounds, writes, files, and how long things took."""
    found: dict[str, int]
    control: Figures | None = None

    def to_line(self, **further: object) -> str:
        return json.dumps(asdict(self) | further)


def checks() -> dict[str, Callable[[Options], Result]]:
    """Every check of this folder by its module's name."""
    folder = Path(__file__).parent
    names = sorted(found.name for found in pkgutil.iter_modules([str(folder)]))
    return {name: _lazy(name) for name in names if _CHECK.fullmatch(name)}


def judged(
    name: str,
    options: Options,
    figures: Figures,
    must_be_zero: tuple[str, ...],
    control: Figures | None = None,
    control_must_show: tuple[str, ...] = (),
) -> Result:
    """The result: the real variant shows none of its faults, the broken one all that it must."""
    found = {fault: figures[fault] for fault in must_be_zero}
    rounds = {name: value for name, value in figures.items() if name not in found}
    shown = None if control is None else {fault: control[fault] for fault in control_must_show}
    passed = not any(found.values()) and all((shown or {}).values())
    return Result(name, options.seed, options.long, passed, rounds, found, shown)


def start(module: str, *arguments: object, **streams: Any) -> subprocess.Popen[bytes]:
    """Start a module of this folder as a child process, with our import path."""
    command = [sys.executable, "-m", f"tests.faults.{module}", *map(str, arguments)]
    return subprocess.Popen(command, env=environment(), cwd=ROOT, **streams)


def finish(child: subprocess.Popen[bytes], deadline_s: float = DEADLINE_S) -> int:
    """Wait for a child; one that does not end in time is killed, which is a failure."""
    try:
        return child.wait(deadline_s)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        raise


CHEAP_VECTORS = {"SHARPWAVE_EMBEDDER__PROVIDER": "table"}
"""What is broken here is the store: the table alone makes vectors a hundred times faster."""


def settings(**groups: Any) -> Settings:
    """Default settings, whatever the environment says, but for the cheap vectors."""
    return Settings(embedder=EmbedderSettings(provider="table"), **groups)


def environment() -> Mapping[str, str]:
    """Our environment, with the import path made explicit and one thread for linear algebra."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    return {**os.environ, **CHEAP_VECTORS, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}


def _lazy(name: str) -> Callable[[Options], Result]:
    def run(options: Options) -> Result:
        check: Callable[[Options], Result] = importlib.import_module(f"tests.faults.{name}").run
        return check(options)

    return run


@contextmanager
def without_checksums() -> Iterator[None]:
    """The fault of a control: a row is believed as it is."""

    def unchecked(row: tuple[Any, ...]) -> Record | None:
        try:
            return rows._record(row)
        except (KeyError, ValueError, TypeError, OverflowError):
            return None

    rows.let_go()
    try:
        with mock.patch.object(rows, "to_record", unchecked):
            yield
    finally:
        rows.let_go()
