"""What the proxy adds to a request, beside asking upstream directly.

    python -m benchmarks.proxy [--memories 10000] [--requests 200]

A real `sharpwave proxy` in a process of its own, in front of an upstream that answers at once with
a short stream. One request after the other, each with a question of its own: directly, through the
proxy without memory (`off`), with what is remembered (`read-only`: this is what happens before the
first token), and with keeping both turns afterwards (`on`). Processor time is the proxy's own.
"""

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import httpx2
import psutil

from benchmarks.machine import describe
from benchmarks.serve import BATCH, questions, sentences, server
from sharpwave import Memory, load_settings

COMMAND = [sys.executable, "-c", "from sharpwave.interfaces.start import main; main()", "proxy"]
WANTED_CPU_MS = 30.0
WARM_UP = 20
EVENT = b'data: {"choices": [{"index": 0, "delta": {"content": "word "}}]}\n\n'
LAST = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
STREAM = EVENT * 20 + LAST + b"data: [DONE]\n\n"


class Measured(NamedTuple):
    """Some requests in one way."""

    first_ms: list[float]
    cpu_ms: float | None = None
    tokens: float = 0.0


class _Models(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response_only(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(STREAM)))
        self.end_headers()
        self.wfile.write(STREAM)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=200)
    asked = parser.parse_args()
    print("\n".join(f"{name}: {value}" for name, value in describe().items()))
    load = f"load {os.getloadavg()[0]:.1f}"
    print(f"{'':12}  CPU ms  first byte p50 ms   p95 ms   tokens told   {load}")
    with tempfile.TemporaryDirectory() as folder, models() as upstream:
        for way, found in measure(Path(folder), upstream, asked.memories, asked.requests):
            cpu = "" if found.cpu_ms is None else f"{found.cpu_ms:.2f}"
            p95 = statistics.quantiles(found.first_ms, n=20)[-1]
            p50 = statistics.median(found.first_ms)
            print(f"{way:12}{cpu:>8}{p50:19.2f}{p95:9.2f}{found.tokens:14.0f}")
    print(f"wanted before the first token, over 10,000 memories: {WANTED_CPU_MS:.0f} ms CPU")


def measure(
    folder: Path, upstream: str, memories: int, requests: int
) -> Iterator[tuple[str, Measured]]:
    """Each way, one after the other."""
    settings = folder / "sharpwave.toml"
    settings.write_text(
        f'path = "{folder}/memory.db"\n'
        "[server]\nrate_per_s = 0\n[sleep]\nenabled = false\n"
        f'[proxy]\nport = 0\nupstream = "{upstream}"\n'
    )
    texts, asking = sentences(seed=1), questions(seed=2)
    with Memory.open(settings=load_settings(settings)) as memory:
        for _ in range(0, memories, BATCH):
            memory.remember(list(islice(texts, BATCH)))
    with server([*COMMAND, "--json", "--settings", str(settings)]) as at:
        process = psutil.Process(at.process)
        yield "directly", ask(upstream, {}, asking, requests, None)
        for way in ("off", "read-only", "on"):
            headers = {**at.headers, "X-Sharpwave-Memory": way}
            yield way, ask(f"{at.url}/v1", headers, asking, requests, process)


def ask(
    base: str,
    headers: dict[str, str],
    asking: Iterator[str],
    requests: int,
    process: psutil.Process | None,
) -> Measured:
    """So many requests, after some that do not count."""
    first_ms: list[float] = []
    tokens: list[int] = []
    spent = 0.0
    with httpx2.Client(base_url=base, headers=headers, trust_env=False, timeout=60) as http:
        for number, question in enumerate(islice(asking, WARM_UP + requests)):
            if number == WARM_UP and process is not None:
                spent = sum(process.cpu_times()[:2])
            body = {"model": "m", "stream": True, "messages": _messages(question)}
            started = time.perf_counter()
            with http.stream("POST", "/chat/completions", json=body) as answer:
                parts = answer.iter_raw()
                begun = next(parts)
                first_ms.append(1000 * (time.perf_counter() - started))
                assert begun + b"".join(parts) == STREAM
                tokens.append(int(answer.headers.get("x-sharpwave-context-tokens", 0)))
    cpu = None
    if process is not None:
        cpu = 1000 * (sum(process.cpu_times()[:2]) - spent) / requests
    return Measured(first_ms[WARM_UP:], cpu, statistics.mean(tokens))


def _messages(question: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]


@contextmanager
def models() -> Iterator[str]:
    """An upstream that answers at once; its base URL."""
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), _Models)
    upstream.daemon_threads = True
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{upstream.server_address[1]}/v1"
    finally:
        upstream.shutdown()
        upstream.server_close()


if __name__ == "__main__":
    main()
