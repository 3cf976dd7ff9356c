"""Recall on a file, on PostgreSQL by the index in memory and by the catalog, and bare pgvector.

    python -m benchmarks.scale [--one 1000000] [--users 10000 --each 100] [--questions 100]

The data of `benchmarks/data.py` go into a file, and from there to a server that is started for
this, with memory enough to make a graph in. Each way answers the same questions with the same
vectors; the machine is shared, so read the CPU of the calling process, the ratios, and how many of
the exact nearest ten were found. `server` is what the server's processes took besides.

Quiet, on two cores, a million takes about an hour, most of it the catalog and its graph.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from tests.storage.postgres.own_server import OwnServer, own_server

from benchmarks.contenders.given_vectors import WITHOUT_MODELS, GivenVectors
from benchmarks.data import Dataset, Plan, Question, make
from benchmarks.scale.loading import load
from benchmarks.timing import Stopwatch, timed
from sharpwave import Memory, Settings, upkeep
from sharpwave.index import large_index
from sharpwave.storage.postgres.catalog import GRAPH_REACH
from sharpwave.testing import resources_of
from sharpwave.types.searching import Filter

WARM, FOUND, CANDIDATES = 5, 10, 50
SERVER = {
    "shared_buffers": "2GB",
    "maintenance_work_mem": "3GB",
    "max_parallel_maintenance_workers": "2",
    "max_wal_size": "8GB",
}
Way = tuple[Callable[[Question], object], Callable[[Question], list[str]]]
_BARE = """SELECT m.text FROM catalog_vectors v
JOIN memories m ON m.user_no = v.user_no AND m.key = v.key
WHERE v.user_no = %(user_no)s::bigint
ORDER BY v.vector::halfvec(384) <=> %(vector)s::halfvec(384) LIMIT 10"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--each", type=int, default=100)
    parser.add_argument("--questions", type=int, default=100)
    given = parser.parse_args()
    for users, each in ((1, given.one), (given.users, given.each)):
        if users * each:
            print(f"\n{users:,} x {each:,}", flush=True)
            with tempfile.TemporaryDirectory() as folder:
                data = make(Plan(users, each, given.questions), Path(folder) / "data")
                _measure(data, Path(folder))


def _measure(data: Dataset, folder: Path) -> None:
    file = folder / "m.db"
    wall_s, cpu_s = timed(lambda: load(data, Settings(path=file)))
    print(f"  loaded into a file: {cpu_s:.1f} s CPU, {wall_s:.1f} s", flush=True)
    with own_server(**SERVER) as server:
        with psycopg.connect(server.address("postgres"), autocommit=True) as db:
            db.execute("CREATE EXTENSION vector")
        source = Settings(path=file)
        wall_s, cpu_s = timed(lambda: upkeep.move(source, server.address()))
        print(f"  moved to PostgreSQL: {cpu_s:.1f} s CPU, {wall_s:.1f} s", flush=True)
        _ask("file", Settings(path=file), data, server)
        _ask("postgres, memory", _on(server, search="memory"), data, server)
        if data.plan.users == 1:
            large_index.SEARCH_ABOVE, large_index.CATALOG_MINUTES = 0, 600
            _ask("postgres, catalog", _on(server, search="database"), data, server)
            _ask_bare(data, server)


def _on(server: OwnServer, **how: Any) -> Settings:
    return Settings.model_validate({"postgres": {"url": server.address(), **how}})


def _ask(way: str, settings: Settings, data: Dataset, server: OwnServer) -> None:
    given = GivenVectors()
    settings = settings.model_copy(update={"embedder": WITHOUT_MODELS.embedder})
    with Memory.open(settings=settings, embedder=given) as memory:
        resources = resources_of(memory)
        if settings.postgres.search == "database":
            before = _server_cpu_s(server)
            wall_s, cpu_s = timed(resources.for_user(data.questions()[0].user).index.tidy)
            theirs = _server_cpu_s(server) - before
            print(f"  catalog made: {cpu_s:.1f} s CPU, server {theirs:.1f}, {wall_s:.1f} s")

        def recall(question: Question) -> object:
            given.also_know(question.text, question.vector)
            return memory.user(question.user).recall(question.text, k=FOUND)

        def nearest(question: Question) -> list[str]:
            workspace = resources.for_user(question.user)
            ranked = workspace.index.rank("", question.vector, CANDIDATES, Filter()).vector
            records = workspace.store.fetch(ranked.numbers[:FOUND].tolist())
            return [record.text for record in records]

        _tell(way, data, (recall, nearest), server)


def _ask_bare(data: Dataset, server: OwnServer) -> None:
    with psycopg.connect(server.address("postgres"), autocommit=True) as db:
        db.execute(f"SET hnsw.ef_search = {GRAPH_REACH}")
        (user_no,) = db.execute("SELECT user_no FROM users").fetchone() or (0,)

        def nearest(question: Question) -> list[str]:
            asked = {"user_no": user_no, "vector": str(question.vector.tolist())}
            return [text for (text,) in db.execute(_BARE, asked)]

        _tell("bare pgvector", data, (nearest, nearest), server)


def _tell(way: str, data: Dataset, asks: Way, server: OwnServer) -> None:
    ask, nearest = asks
    questions, watch = data.questions(), Stopwatch()
    for question in questions[:WARM]:
        ask(question)
    before = _server_cpu_s(server)
    for question in questions:
        with watch.lap():
            ask(question)
    theirs = 1e3 * (_server_cpu_s(server) - before) / len(questions)
    right = np.mean([len(set(nearest(one)) & set(one.nearest)) / FOUND for one in questions])
    cpu = [1e3 * float(np.percentile(watch.cpu_s, part)) for part in (50, 95)]
    wall = [1e3 * float(np.percentile(watch.wall_s, part)) for part in (50, 95)]
    print(
        f"  {way:18} CPU {cpu[0]:7.1f} / {cpu[1]:7.1f} ms, server {theirs:6.1f}, "
        f"wall {wall[0]:7.1f} / {wall[1]:7.1f}, recall@10 {right:.3f}, "
        f"load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def _server_cpu_s(server: OwnServer) -> float:
    """CPU time of the server's processes, those that ended included."""
    first = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
    living = sum(_spent(pid) for pid in _processes() if _parent(pid) == first)
    return living + sum(map(int, _fields(first)[13:15])) / os.sysconf("SC_CLK_TCK")


def _processes() -> Iterator[int]:
    return (int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit())


def _fields(pid: int) -> list[str]:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["", "0", *["0"] * 20]


def _parent(pid: int) -> int:
    return int(_fields(pid)[1])


def _spent(pid: int) -> float:
    return sum(map(int, _fields(pid)[11:13])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
