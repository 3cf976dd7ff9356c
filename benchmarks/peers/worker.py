"""A process in the environment of one peer, which does what lines of JSON on its input say.

    {"do": "open", "folder": …, "dimension": 384}   a new, empty store
    {"do": "know", "file": …}                       vectors that need not be computed
    {"do": "load", "items": [[id, text], …]}        many memories
    {"do": "add", "items": [[id, text], …]}         each in a call of its own, timed
    {"do": "search", "questions": […], "limit": 10} each timed, with the ids found
    {"do": "context", "questions": […]}             each timed; Sharpwave only
    {"do": "embed", "texts": […], "file": …, "questions": true}
    {"do": "size"}                                  bytes on disk, most memory held

It answers each with one line. One core, and no network.
"""

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.stores import STORES, Embedder, Item, Store
from benchmarks.timing import disk_bytes, peak_mib

Answer = dict[str, Any]


class Worker:
    """The store of this process, and the calls that the lines name."""

    def __init__(self, kind: str, model: Path) -> None:
        self._kind, self._model = kind, model
        self._embedder = Embedder(model, 0)
        self._store: Store | None = None
        self._folder = Path()

    @property
    def store(self) -> Store:
        """The open one."""
        assert self._store is not None
        return self._store

    def open(self, line: Answer) -> Answer:
        """A new store; the one before is closed."""
        if self._store is not None:
            self._store.close()
        self._folder = Path(line["folder"])
        self._folder.mkdir(parents=True)
        self._embedder = Embedder(self._model, line["dimension"])
        self._store = STORES[self._kind](self._folder, self._embedder)
        return {}

    def know(self, line: Answer) -> Answer:
        """Vectors in a file, with their texts."""
        with np.load(line["file"]) as held:
            self._embedder.know(json.loads(str(held["texts"])), held["vectors"])
        return {}

    def load(self, line: Answer) -> Answer:
        """Take in many; CPU seconds."""
        began = time.process_time()
        self.store.load([Item(*item) for item in line["items"]])
        return {"cpu_s": time.process_time() - began}

    def add(self, line: Answer) -> Answer:
        """Take in each."""
        return self._timed(self.store.add, [Item(*item) for item in line["items"]])

    def search(self, line: Answer) -> Answer:
        """Ids found for each."""
        limit = line["limit"]
        return self._timed(lambda asked: self.store.search(asked, limit), line["questions"])

    def context(self, line: Answer) -> Answer:
        """A context for each."""
        store: Any = self.store
        return self._timed(store.context, line["questions"])

    def embed(self, line: Answer) -> Answer:
        """Write the vectors of texts into a file; CPU seconds."""
        texts = line["texts"]
        make = self._maker(line["questions"], line.get("own", False))
        make("so that it is loaded")
        began = time.process_time()
        vectors = np.stack([make(text) for text in texts])
        spent = time.process_time() - began
        np.savez(line["file"], texts=json.dumps(texts), vectors=vectors)
        return {"cpu_s": spent, "dimension": vectors.shape[1]}

    def _maker(self, asked: bool, own: bool) -> Callable[[str], Any]:
        """Sharpwave's embedder, chromadb's as it calls it, or the model of both by itself."""
        if self._kind == "Sharpwave":
            embedder = _cached("sharpwave.embedding.sharpwave_embedder", "SharpwaveEmbedder")
            return embedder.embed_question if asked else lambda text: embedder.embed([text])[0]
        if own:
            function = _cached("chromadb.utils.embedding_functions", "DefaultEmbeddingFunction")
            return lambda text: function([text])[0]
        return self._embedder.one

    def size(self, line: Answer) -> Answer:
        """What it takes now."""
        return {"bytes": disk_bytes(self._folder), "peak_mib": peak_mib()}

    def _timed(self, call: Callable[[Any], Any], given: Sequence[Any]) -> Answer:
        found, cpu, wall = [], [], []
        for one in given:
            cpu_began, wall_began = time.process_time(), time.perf_counter()
            answer = call(one)
            wall.append(time.perf_counter() - wall_began)
            cpu.append(time.process_time() - cpu_began)
            found.append(answer if isinstance(answer, list) else None)
        return {"found": found, "cpu_s": cpu, "wall_s": wall}


@cache
def _cached(module: str, kind: str) -> Any:
    return getattr(import_module(module), kind)()


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[int(sys.argv[3]) % len(cores)]})
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a peer prints is no answer
    socket.socket.connect = _refuse  # type: ignore[method-assign]
    worker = Worker(sys.argv[1], Path(sys.argv[2]))
    for text in sys.stdin:
        line = json.loads(text)
        answers.write(json.dumps(getattr(worker, line["do"])(line)) + "\n")
        answers.flush()


def _refuse(*_: object) -> None:
    raise OSError("peers are measured without a network")


if __name__ == "__main__":
    main()
