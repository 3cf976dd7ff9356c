"""Time and memory of the running process.

Other programs share the machine, so wall time alone says little: next to it stands CPU time, which
counts every thread of the process and nothing else.
"""

import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

Figures = dict[str, float]


@dataclass(slots=True)
class Stopwatch:
    """Wall and CPU time of each of a number of calls."""

    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)

    @contextmanager
    def lap(self) -> Iterator[None]:
        """Time what is done inside."""
        cpu, wall = time.process_time(), time.perf_counter()
        yield
        self.wall_s.append(time.perf_counter() - wall)
        self.cpu_s.append(time.process_time() - cpu)

    def figures(self, prefix: str = "") -> Figures:
        """Median and 95th percentile of the wall time, median and mean of the CPU time, in ms."""
        return {
            f"{prefix}p50_ms": 1e3 * float(np.percentile(self.wall_s, 50)),
            f"{prefix}p95_ms": 1e3 * float(np.percentile(self.wall_s, 95)),
            f"{prefix}cpu_p50_ms": 1e3 * float(np.percentile(self.cpu_s, 50)),
            f"{prefix}cpu_ms": 1e3 * float(np.mean(self.cpu_s)),
        }


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of wall and of CPU time that something takes, once."""
    watch = Stopwatch()
    with watch.lap():
        work()
    return watch.wall_s[0], watch.cpu_s[0]


def peak_mib() -> float:
    """The most memory this process ever held, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would start at what the parent held when it forked
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def disk_bytes(folder: Path) -> int:
    """What the files of a folder take."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
