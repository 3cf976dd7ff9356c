"""How much one server does: durable writes, and recalls over 10,000 memories, over HTTP.

    python -m benchmarks.serve [--workers 2] [--seconds 8] [--memories 10000] [--embedder stub]
                               [--mem0 PYTHON]

A real `sharpwave serve` in processes of its own, on this machine, asked by `wrk` on eight
connections that stay open. Processor time is the server's own, all its processes together, so that
it tells something on a busy machine too: `two cores` is how many requests a second that time allows
on two that are idle. Beside it stands what the same call costs without a server. With `stub` there
is an embedder of hashes and no second look, as if embedding cost nothing. `--mem0` names a Python
that has mem0ai: a server around its `Memory` is asked in the same way, without a key.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks import wrk
from benchmarks.machine import describe
from benchmarks.processes import ENVIRONMENT
from sharpwave import Memory, load_settings

CONNECTIONS = 8
BATCH = 500
CALLS = 200
BODIES = 20_000
WARM_UP_S = 6.0
CORES = 2
WANTED = {"recall": 250, "remember": 300}
"""Requests a second on a quiet machine of two cores."""
COMMAND = [sys.executable, "-c", "from sharpwave.interfaces.start import main; main()", "serve"]
MEM0_SERVER = Path(__file__).with_name("contenders") / "mem0_server.py"
_WHO = "my sister Ana,my friend Ben,my boss,the neighbour,our dog Pixel,my aunt Mia".split(",")
_DID = "likes,bought,forgot,repaired,talked about,wants,sold,found,painted,lost".split(",")
_WHAT = "bicycle,piano,garden,kitchen,novel,boat,camera,guitar,carpet,telescope".split(",")
_WHERE = "Porto,Lisbon,Oslo,Kyoto,Quito,Turin,Ghent,Perth,Lima,Bern".split(",")
_WHEN = "last week,on Monday,in May,yesterday,two years ago,in the morning".split(",")


class Server(NamedTuple):
    """A server: where it listens, how to come in, its process."""

    url: str
    headers: dict[str, str]
    process: int


class Measured(NamedTuple):
    """One load, and what came of it."""

    what: str
    found: wrk.Answered
    cpu_ms: float
    library_ms: float | None = None
    """What the call costs without the door."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--embedder", action="append", choices=["stub", "sharpwave"])
    parser.add_argument("--mem0", metavar="PYTHON", help="a Python that has mem0ai")
    asked = parser.parse_args()
    wrk.installed()
    print("\n".join(f"{name}: {value}" for name, value in describe().items()))
    print(
        f"{'':22}   per s  two cores   CPU ms  library   p50 ms   p95 ms   p99 ms  errors  wanted"
    )
    for embedder in asked.embedder or ["stub", "sharpwave"]:
        with tempfile.TemporaryDirectory() as folder:
            for found in measure(Path(folder), embedder, asked):
                _show(embedder, found)
    if asked.mem0:
        with tempfile.TemporaryDirectory() as folder:
            for found in measure_mem0(Path(folder), asked):
                _show("mem0ai", found)


def measure(folder: Path, embedder: str, asked: argparse.Namespace) -> Iterator[Measured]:
    """Recalls, then writes."""
    settings = folder / "sharpwave.toml"
    settings.write_text(
        f'path = "{folder}/memory.db"\n'
        f"[server]\nrate_per_s = 0\nport = 0\nworkers = {asked.workers}\n"
        + ('[embedder]\nprovider = "hash"\n' if embedder == "stub" else "")
    )
    texts, asking = sentences(seed=1), questions(seed=2)
    with Memory.open(settings=load_settings(settings)) as memory:
        for _ in range(0, asked.memories, BATCH):
            memory.remember(list(islice(texts, BATCH)))
        recall_ms = _cpu_ms(lambda: memory.recall(next(asking), k=10))
        remember_ms = _cpu_ms(lambda: memory.remember(next(texts)))
    recalls = [{"query": query, "k": 10} for query in islice(asking, BODIES)]
    writes = [{"messages": text} for text in islice(texts, BODIES)]
    with server([*COMMAND, "--json", "--settings", str(settings)]) as at:
        yield _load(at, "recall", "/v1/recall", recalls, asked.seconds, recall_ms)
        yield _load(at, "remember", "/v1/remember", writes, asked.seconds, remember_ms)


def measure_mem0(folder: Path, asked: argparse.Namespace) -> Iterator[Measured]:
    """The same of mem0ai, one process as its own server is."""
    texts, asking = sentences(seed=1), questions(seed=2)
    lines = folder / "texts"
    lines.write_text("\n".join(islice(texts, asked.memories)))
    whose = {"user_id": "default"}
    searches = [{"query": query, **whose} for query in islice(asking, BODIES)]
    adds = [{"messages": text, **whose} for text in islice(texts, BODIES)]
    os.environ["MEM0_DIR"] = str(folder / "mem0")  # it writes there as soon as it is imported
    with server([asked.mem0, str(MEM0_SERVER), str(folder), str(lines)]) as at:
        yield _load(at, "recall", "/search", searches, asked.seconds)
        yield _load(at, "remember", "/memories", adds, asked.seconds)


def sentences(seed: int) -> Iterator[str]:
    """Things that people say; the same for the same seed."""
    chance = random.Random(seed)
    parts = (_WHO, _DID, _WHAT, _WHERE, _WHEN)
    while True:
        who, did, what, where, when = (chance.choice(part) for part in parts)
        yield f"{who.capitalize()} {did} a {what} in {where} {when}, number {chance.random():.6f}."


def questions(seed: int) -> Iterator[str]:
    """Things that people ask."""
    chance = random.Random(seed)
    while True:
        who, what, where = (chance.choice(part) for part in (_WHO, _WHAT, _WHERE))
        yield f"What was it with {who} and the {what} in {where}?"


def _cpu_ms(call: Callable[[], object]) -> float:
    for _ in range(CALLS // 10):
        call()
    started = time.process_time()
    for _ in range(CALLS):
        call()
    return 1000 * (time.process_time() - started) / CALLS


@contextmanager
def server(command: list[str]) -> Iterator[Server]:
    """A server that tells where it is, in JSON, until the block ends."""
    environment = {**os.environ, **ENVIRONMENT, "SHARPWAVE_PRIVACY__CONSENT_ASSUMED": "true"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            told = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
            headers = {}
            if "key_file" in told:
                headers["Authorization"] = f"Bearer {Path(told['key_file']).read_text().strip()}"
            yield Server(told["url"], headers, process.pid)
        finally:
            process.terminate()


def _load(
    at: Server,
    what: str,
    path: str,
    bodies: list[dict[str, object]] | list[dict[str, str]],
    seconds: float,
    library_ms: float | None = None,
) -> Measured:
    """Ask for so long, after a while that does not count: each worker makes its index first."""
    load = wrk.Load(path, at.headers, bodies, CONNECTIONS)
    wrk.ask(at.url, load, WARM_UP_S)
    cpu = wrk.cpu_s(at.process)
    found = wrk.ask(at.url, load, seconds)
    cpu_ms = 1000 * (wrk.cpu_s(at.process) - cpu) / max(found.requests, 1)
    return Measured(what, found, cpu_ms, library_ms)


def _show(who: str, one: Measured) -> None:
    found, library = one.found, "" if one.library_ms is None else f"{one.library_ms:.2f}"
    rate, idle = found.requests / found.seconds, 1000 * CORES / one.cpu_ms
    times = "".join(f"{figure:9.2f}" for figure in (found.p50_ms, found.p95_ms, found.p99_ms))
    print(
        f"{who + ' ' + one.what:22}{rate:8.1f}{idle:11.0f}{one.cpu_ms:9.2f}{library:>9}{times}"
        f"{found.errors:8}  {WANTED[one.what]}/s, load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
