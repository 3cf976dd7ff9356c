"""Asking a server on this machine by `wrk`, which takes little of the processor itself."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

SCRIPT = """
local bodies, headers, path, next_one = {}, {}, "", 0

function init(args)
  path = args[1]
  for line in io.lines(args[2]) do headers[line:match("^(.-): ")] = line:match(": (.*)$") end
  for line in io.lines(args[3]) do bodies[#bodies + 1] = line end
end

function request()
  next_one = next_one % #bodies + 1
  return wrk.format("POST", path, headers, bodies[next_one])
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\\n{"requests": %d, "seconds": %f, "errors": %d, ',
    summary.requests, summary.duration / 1e6, e.connect + e.read + e.write + e.status + e.timeout))
  io.write(string.format('"p50_ms": %f, "p95_ms": %f, "p99_ms": %f}\\n',
    latency:percentile(50) / 1e3, latency:percentile(95) / 1e3, latency:percentile(99) / 1e3))
end
"""


class Answered(NamedTuple):
    """What came of a load."""

    requests: int
    seconds: float
    errors: int
    p50_ms: float
    p95_ms: float
    p99_ms: float


class Load(NamedTuple):
    """What to ask, and how many at once."""

    path: str
    headers: Mapping[str, str]
    bodies: Sequence[object]
    connections: int


def installed() -> str:
    """Where wrk is; to be asked before anything that takes long."""
    program = shutil.which("wrk")
    if program is None:
        raise SystemExit("this needs wrk: apt install wrk")
    return program


def ask(url: str, load: Load, seconds: float) -> Answered:
    """Send the bodies one after the other, on all connections, for so long."""
    program = installed()
    with tempfile.TemporaryDirectory() as folder:
        script, headers, bodies = (Path(folder) / name for name in ("ask.lua", "headers", "bodies"))
        script.write_text(SCRIPT)
        sent = {**load.headers, "Content-Type": "application/json"}
        headers.write_text("".join(f"{name}: {value}\n" for name, value in sent.items()))
        bodies.write_text("".join(json.dumps(body) + "\n" for body in load.bodies))
        options = ["-t1", f"-c{load.connections}", f"-d{seconds:.0f}s", "--timeout", "30s"]
        command = [program, *options, "-s", str(script), url, "--", load.path]
        shown = subprocess.run(
            [*command, str(headers), str(bodies)], capture_output=True, text=True, check=True
        )
    return Answered(**json.loads(shown.stdout.strip().splitlines()[-1]))


def cpu_s(process: int) -> float:
    """Processor time that a process and its children have used so far."""
    folder = Path(f"/proc/{process}")
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = (folder / f"task/{process}/children").read_text().split()
    return own + sum(cpu_s(int(child)) for child in children)
