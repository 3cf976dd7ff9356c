"""How much one server does: durable writes, and recalls over 10,000 memories, over HTTP.

    python -m benchmarks.serve [--seconds 8] [--memories 10000] [--embedder stub]

A real `sharpwave serve` in a process of its own, on this machine; this process only asks, on eight
connections that stay open. Processor time is the server's own, so that it holds on a busy machine
too; beside it stands what the same call costs without a server, in a process of its own. With
`stub` there is an embedder of hashes and no second look, as if embedding cost nothing.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.machine import describe
from sharpwave import Memory, load_settings

CONNECTIONS = 8
BATCH = 500
CALLS = 200
WANTED = {"/v1/remember": (300.0, 1.5), "/v1/recall": (250.0, 3.0)}
"""Requests a second on a quiet machine of two cores, and milliseconds of processor time each."""
COMMAND = [sys.executable, "-c", "from sharpwave.interfaces.cli.app import main; main()", "serve"]
_WHO = "my sister Ana,my friend Ben,my boss,the neighbour,our dog Pixel,my aunt Mia".split(",")
_DID = "likes,bought,forgot,repaired,talked about,wants,sold,found,painted,lost".split(",")
_WHAT = "bicycle,piano,garden,kitchen,novel,boat,camera,guitar,carpet,telescope".split(",")
_WHERE = "Porto,Lisbon,Oslo,Kyoto,Quito,Turin,Ghent,Perth,Lima,Bern".split(",")
_WHEN = "last week,on Monday,in May,yesterday,two years ago,in the morning".split(",")


class Server(NamedTuple):
    """A server: where it listens, its key, its process."""

    host: str
    port: int
    key: str
    process: int

    def cpu_s(self) -> float:
        """Processor time that it has used so far."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Measured(NamedTuple):
    """One load, and what came of it."""

    path: str
    rate: float
    errors: int
    cpu_ms: float
    library_ms: float
    """What the call costs without the door."""
    p50_ms: float
    p95_ms: float
    p99_ms: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--embedder", action="append", choices=["stub", "sharpwave"])
    asked = parser.parse_args()
    print("\n".join(f"{name}: {value}" for name, value in describe().items()))
    print(f"{'':24}   per s    CPU ms  library   p50 ms   p95 ms   p99 ms   errors   wanted")
    for embedder in asked.embedder or ["stub", "sharpwave"]:
        with tempfile.TemporaryDirectory() as folder:
            for found in measure(Path(folder), embedder, asked.memories, asked.seconds):
                _show(embedder, found)


def measure(folder: Path, embedder: str, memories: int, seconds: float) -> list[Measured]:
    settings = folder / "sharpwave.toml"
    settings.write_text(
        f'path = "{folder}/memory.db"\n[server]\nrate_per_s = 0\nport = 0\n'
        + ('[embedder]\nprovider = "hash"\n' if embedder == "stub" else "")
        + ('[reranker]\nprovider = "none"\n' if embedder == "stub" else "")
    )
    texts, asking = sentences(seed=1), questions(seed=2)
    with Memory.open(settings=load_settings(settings)) as memory:
        for _ in range(0, memories, BATCH):
            memory.remember([next(texts) for _ in range(BATCH)])
        recall_ms = _cpu_ms(lambda: memory.recall(next(asking), k=10))
        remember_ms = _cpu_ms(lambda: memory.remember(next(texts)))
    with server(settings) as at:
        recalls = ({"query": next(asking), "k": 10} for _ in iter(int, 1))
        writes = ({"said": next(texts)} for _ in iter(int, 1))
        return [
            asyncio.run(load(at, "/v1/recall", recalls, seconds, recall_ms)),
            asyncio.run(load(at, "/v1/remember", writes, seconds, remember_ms)),
        ]


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
def server(settings: Path) -> Iterator[Server]:
    command = [*COMMAND, "--json", "--settings", str(settings)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            told = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
            host, _, port = told["url"].removeprefix("http://").rpartition(":")
            key = Path(told["key_file"]).read_text().strip()
            yield Server(host, int(port), key, process.pid)
        finally:
            process.terminate()


async def load(
    at: Server, path: str, bodies: Iterator[object], seconds: float, library_ms: float
) -> Measured:
    """Ask on all connections for so long, after a short while that does not count."""
    await _together(at, path, bodies, seconds / 4)
    cpu, started = at.cpu_s(), time.perf_counter()
    times, errors = await _together(at, path, bodies, seconds)
    took, used = time.perf_counter() - started, at.cpu_s() - cpu
    times.sort()
    shares = [1000 * times[int(len(times) * share)] for share in (0.5, 0.95, 0.99)]
    cpu_ms = 1000 * used / len(times)
    return Measured(path, len(times) / took, errors, cpu_ms, library_ms, *shares)


async def _together(
    at: Server, path: str, bodies: Iterator[object], seconds: float
) -> tuple[list[float], int]:
    until = time.perf_counter() + seconds
    asked = [_ask(at, path, bodies, until) for _ in range(CONNECTIONS)]
    found = await asyncio.gather(*asked)
    return [one for times, _ in found for one in times], sum(errors for _, errors in found)


async def _ask(
    at: Server, path: str, bodies: Iterator[object], until: float
) -> tuple[list[float], int]:
    """Ask again and again on one connection; the times, and how many answers were no 200."""
    times, errors = list[float](), 0
    reader, writer = await asyncio.open_connection(at.host, at.port)
    head = f"POST {path} HTTP/1.1\r\nHost: {at.host}\r\nAuthorization: Bearer {at.key}\r\n"
    head += "Content-Type: application/json\r\nContent-Length: "
    while time.perf_counter() < until:
        body = json.dumps(next(bodies))
        started = time.perf_counter()
        writer.write(f"{head}{len(body)}\r\n\r\n{body}".encode())
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = answer.partition(b"content-length: ")[2].partition(b"\r")[0]
        await reader.readexactly(int(length))
        times.append(time.perf_counter() - started)
        errors += not answer.startswith(b"http/1.1 200")
    writer.close()
    return times, errors


def _show(embedder: str, found: Measured) -> None:
    rate, cpu = WANTED[found.path]
    figures = (found.rate, *found[3:])
    shown = "".join(f"{figure:9.2f}" for figure in figures)
    wanted = f"{rate:.0f}/s, {cpu} ms CPU"
    print(f"{embedder + ' ' + found.path:24}{shown}{found.errors:9}   {wanted}")


if __name__ == "__main__":
    main()
