"""What one recall and one context cost, end to end with the real embedder, as memory grows.

    python -m benchmarks.recall [--data ../shared/data] [--sizes 1000,10000,100000] [--calls 200]

Turns of LongMemEval dev, cut to 400 characters and numbered where they must repeat, of one user in
one file; its questions are asked. CPU is that of the process for one caller, by stage (the steps of
the read path) and in all; beside it, in the same run, what others take for the same questions with
the same embedder, each in a process of its own with one BLAS thread. Then ten callers at once. The
first calls of each are left out; the very first, which makes the index, stands alone. A peer that
is not installed is left out, and so are sizes that would take it too long.
"""

import argparse
import gzip
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contenders.answering import PEERS
from benchmarks.processes import MeasurementFailed, alone
from sharpwave import Memory, Message, Settings
from sharpwave.index.recall_index import RecallIndex
from sharpwave.recall import flow
from sharpwave.testing import resources_of

CUT, BATCH, WARM, CALLERS = 400, 1000, 20, 10
ENOUGH_S = 20.0
"""No more calls after this much CPU time."""
STAGES = ("cue", "named", "gather", "score", "decide", "choose")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--calls", type=int, default=200)
    given = parser.parse_args()
    print(f"{'memories':>9} {'what':22} {'p50 ms':>8} {'p95 ms':>8}   CPU a call")
    for size in (int(part) for part in given.sizes.split(",")):
        for line in alone(_ours, given.data, size, given.calls):
            print(line, flush=True)
        for place, peer in enumerate(PEERS):
            if size <= peer.most:
                try:
                    print(alone(_peer, place, given.data, size, given.calls), flush=True)
                except MeasurementFailed as error:
                    print(f"{size:9,} {peer.name:22} {str(error).splitlines()[-1]}", flush=True)


def _asked(data: Path, size: int, calls: int) -> tuple[list[str], list[str]]:
    texts, questions = read_turns(data)
    asked = [questions[place % len(questions)] for place in range(calls + WARM)]
    return grown(texts, size), asked


def read_turns(data: Path) -> tuple[list[str], list[str]]:
    """Turns of LongMemEval, each once and cut, and its questions."""
    file = data / "longmemeval" / "longmemeval_s_dev.jsonl.gz"
    if not file.exists():
        raise SystemExit(f"there is no {file}; give the folder with the public sets by --data")
    texts: dict[str, None] = {}
    questions = []
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            one = json.loads(line)
            questions.append(one["question"])
            for session in one["haystack_sessions"]:
                texts.update({turn["content"][:CUT]: None for turn in session if turn["content"]})
    return [text for text in texts if text.strip()], questions


def grown(texts: Sequence[str], size: int) -> list[str]:
    """So many texts, numbered where they must repeat."""
    return [
        texts[place % len(texts)] + (f" ({place // len(texts)})" if place >= len(texts) else "")
        for place in range(size)
    ]


def _ours(data: Path, size: int, calls: int) -> list[str]:
    """One line each for recall, its stages, context, and many callers."""
    texts, asked = _asked(data, size, calls)
    with tempfile.TemporaryDirectory() as folder:
        with Memory.open(settings=_settings(Path(folder))) as memory:
            for start in range(0, size, BATCH):
                some = texts[start : start + BATCH]
                memory.remember([Message(text, session=f"s{start}") for text in some])
            began = time.process_time()
            memory.recall(asked[0])
            lines = [f"{size:9,} first recall, index made: {time.process_time() - began:.2f} s CPU"]
            lines.append(_line(size, "recall", _timed(memory.recall, asked)))
            meter = _Meter()
            with meter:
                _timed(memory.recall, asked)
            for stage, spent in meter.spent.items():
                lines.append(f"{size:9,}   {stage:20} {spent / len(asked):8.2f} on average")
            lines.append(_line(size, "context, 800 tokens", _timed(_context(memory), asked)))
            lines.append(_together(memory, asked, size))
            index = resources_of(memory).index
            if isinstance(index, RecallIndex):
                lines.append(f"{size:9,} {index.size_bytes / size:.0f} bytes a memory in the index")
            return lines


def _peer(place: int, data: Path, size: int, calls: int) -> str:
    texts, asked = _asked(data, size, calls)
    with tempfile.TemporaryDirectory() as folder:
        return _line(size, PEERS[place].name, _timed(PEERS[place].open(texts, Path(folder)), asked))


def _settings(folder: Path) -> Settings:
    plain = Settings(path=folder / "memory.db")
    remember = plain.remember.model_copy(update={"extract": False})
    store = plain.store.model_copy(update={"synchronous": "OFF"})
    return plain.model_copy(update={"remember": remember, "store": store})


def _context(memory: Memory) -> Callable[[str], object]:
    return lambda question: memory.context(question, budget=800)


def _timed(call: Callable[[str], object], asked: Sequence[str]) -> list[float]:
    spent = []
    for question in asked:
        start = time.process_time()
        call(question)
        spent.append((time.process_time() - start) * 1e3)
        if sum(spent) > ENOUGH_S * 1e3:
            break
    return spent[min(WARM, len(spent) // 2) :]


class _Meter:
    """Wraps the functions of each step while it is open."""

    def __init__(self) -> None:
        self.spent = dict.fromkeys(STAGES, 0.0)
        self._wrapped: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> None:
        for stage in STAGES:
            module = getattr(flow, stage)
            for name, function in list(vars(module).items()):
                own = getattr(function, "__module__", "") == module.__name__
                if own and callable(function) and not name.startswith("_") and name[0].islower():
                    self._wrapped.append((module, name, function))
                    setattr(module, name, self._metered(stage, function))

    def __exit__(self, *_: object) -> None:
        for module, name, function in self._wrapped:
            setattr(module, name, function)

    def _metered(self, stage: str, function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.spent[stage] += (time.process_time() - start) * 1e3

        return call


def _together(memory: Memory, asked: Sequence[str], size: int) -> str:
    start, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(CALLERS) as pool:
        list(pool.map(memory.recall, asked))
    wall, spent = time.perf_counter() - start, time.process_time() - cpu
    return (
        f"{size:9,} {CALLERS} callers at once: {len(asked) / wall:.0f} recalls/s, "
        f"{spent * 1e3 / len(asked):.1f} ms CPU each"
    )


def _line(size: int, what: str, spent: Sequence[float]) -> str:
    p50, p95 = np.percentile(spent, [50, 95]) if len(spent) else (float("nan"),) * 2
    return f"{size:9,} {what:22} {p50:8.2f} {p95:8.2f}"


if __name__ == "__main__":
    main()
