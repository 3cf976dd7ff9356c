"""What one recall and one context cost, end to end with the real embedder, as memory grows.

    python -m benchmarks.recall [--data ../shared/data] [--sizes 1000,10000,100000] [--calls 200]

Turns of LongMemEval dev, cut to 400 characters and numbered where they must repeat, of one user in
one file; its questions are asked. CPU is that of the process for one caller, by stage (the steps of
the read path) and in all; beside it, in the same run, a float scan of the same vectors with BM25 of
the same words over all turns, which is what a plain in-process retriever does. Then ten callers at
once. The first calls of each, which cut words for the first time, are left out.
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

from sharpwave import Memory, Said, Settings
from sharpwave.evals.retrievers import Keywords
from sharpwave.providers.sharpwave_embedder.embedder import SharpwaveEmbedder
from sharpwave.recall import flow

CUT, BATCH, WARM, CALLERS = 400, 1000, 20, 10
STAGES = ("cue", "gather", "shortlist", "wording", "score", "second_look", "choose", "decide")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--calls", type=int, default=200)
    given = parser.parse_args()
    texts, questions = _read(given.data)
    print(f"{'memories':>9} {'what':22} {'p50 ms':>8} {'p95 ms':>8}   CPU a call")
    for size in (int(part) for part in given.sizes.split(",")):
        asked = [questions[place % len(questions)] for place in range(given.calls + WARM)]
        _size(_grown(texts, size), asked)


def _read(data: Path) -> tuple[list[str], list[str]]:
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


def _grown(texts: Sequence[str], size: int) -> list[str]:
    return [
        texts[place % len(texts)] + (f" ({place // len(texts)})" if place >= len(texts) else "")
        for place in range(size)
    ]


def _size(texts: Sequence[str], asked: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with Memory.open(settings=_settings(Path(folder))) as memory:
            for start in range(0, len(texts), BATCH):
                some = texts[start : start + BATCH]
                memory.remember([Said(text, session=f"s{start}") for text in some])
            meter = _Meter()
            with meter:
                whole = _timed(memory.recall, asked)
            _print(len(texts), "recall", whole)
            for stage, spent in meter.spent.items():
                _print(len(texts), f"  {stage}", spent[WARM:])
            _print(len(texts), "context, 800 tokens", _timed(_context(memory), asked))
            _print(len(texts), "float scan + BM25", _timed(_plain(texts), asked))
            _together(memory, asked, len(texts))


def _settings(folder: Path) -> Settings:
    plain = Settings(path=folder / "memory.db")
    remember = plain.remember.model_copy(update={"extract": False})
    store = plain.store.model_copy(update={"synchronous": "OFF"})
    return plain.model_copy(update={"remember": remember, "store": store})


def _context(memory: Memory) -> Callable[[str], object]:
    return lambda question: memory.context(question, budget=800)


def _plain(texts: Sequence[str]) -> Callable[[str], object]:
    embedder, words = SharpwaveEmbedder(), Keywords().index(list(texts))
    vectors = np.concatenate(
        [embedder.embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
    )

    def search(question: str) -> object:
        cosines = vectors @ embedder.embed_question(question)
        scores = np.asarray(words(question))
        return np.argsort(-(cosines + scores / (scores.max() or 1.0)))[:16]

    return search


def _timed(call: Callable[[str], object], asked: Sequence[str]) -> list[float]:
    spent = []
    for question in asked:
        start = time.process_time()
        call(question)
        spent.append((time.process_time() - start) * 1e3)
    return spent[WARM:]


class _Meter:
    """Wraps the functions of each step while it is open."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = {}
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
                took = (time.process_time() - start) * 1e3
                self.spent.setdefault(stage, []).append(took)

        return call


def _together(memory: Memory, asked: Sequence[str], size: int) -> None:
    start, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(CALLERS) as pool:
        list(pool.map(memory.recall, asked))
    wall, spent = time.perf_counter() - start, time.process_time() - cpu
    print(
        f"{size:9,} {CALLERS} callers at once: {len(asked) / wall:.0f} recalls/s, "
        f"{spent * 1e3 / len(asked):.1f} ms CPU each"
    )


def _print(size: int, what: str, spent: Sequence[float]) -> None:
    p50, p95 = np.percentile(spent, [50, 95]) if len(spent) else (float("nan"),) * 2
    print(f"{size:9,} {what:22} {p50:8.2f} {p95:8.2f}", flush=True)


if __name__ == "__main__":
    main()
