"""Speed, memory and disk of Sharpwave beside other stores: `python -m benchmarks.store`.

    1 one user       at each size     queries, recall, loading, cold start, memory, disk
    2 many users     in one store     what one of them waits, beside a store of its own
    3 durable adds   1 and 8 callers  single memories each second
    4 embedding      own embedder     its share of remember and recall
    5 targets        PASS or FAIL

All data lie in a temporary folder that is gone at the end, whatever happens.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks import machine, report
from benchmarks.contenders.contender import (
    CHROMA,
    FLOAT_FTS5,
    FLOAT_FTS5_WITHOUT_STOP_WORDS,
    MEM0,
    SHARPWAVE,
    Entry,
)
from benchmarks.data import Dataset, Plan, make
from benchmarks.processes import alone
from benchmarks.scenarios import durable_adds, embedding, many_users, one_user
from benchmarks.scenarios.durable_adds import Case
from benchmarks.targets import CALLERS, Results, judge
from benchmarks.timing import Figures

MILLION = 1_000_000
SIZES = (1_000, 10_000, 100_000, MILLION)
PEERS_UP_TO = 10_000
USERS, USERS_OF_CHROMA, MEMORIES_PER_USER = 10_000, 300, 100
RESULTS = Path("results/store.json")
NOTES = (
    "The same vectors (384-d, unit, clustered) and Zipf text for all; embedding is left out of "
    "every row but those of the last table.",
    "One BLAS thread and no network for all; every step runs in a process of its own.",
    "Other programs share this machine: trust CPU times and ratios before wall times.",
    "Sharpwave and float scan + FTS5 answer by vector and keywords; chromadb and mem0ai (as "
    "installed, without extras) by vector only.",
    "Loading is Memory.remember, insert or add in batches of 1,000; mem0ai's add takes one a call, "
    "so it is loaded through its vector store.",
    f"Many users: chromadb with {USERS_OF_CHROMA} instead of {USERS:,}, since it loads slowly.",
    "cold s: from opening to the first answer in a fresh process; the system's file cache is warm.",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and save."""
    options = _options(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the folder is removed
    shown = report.Report()
    about = machine.describe()
    shown.header(about, NOTES)
    results = Results()
    with tempfile.TemporaryDirectory(prefix="sharpwave-bench-") as folder:
        os.environ["MEM0_DIR"] = f"{folder}/mem0"  # it writes there as soon as it is imported
        _measure(options, Path(folder), results, shown)
    verdicts = judge(results)
    shown.verdicts(verdicts)
    about["load average at the end"] = machine.describe()["load average"]
    content = {
        "about": about,
        "notes": NOTES,
        "results": asdict(results),
        "verdicts": [{**verdict._asdict(), "word": verdict.word} for verdict in verdicts],
    }
    report.write(options.output, content)
    print(f"written to {options.output}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.store", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--sizes", help="sizes of the one user, such as 1000,10000")
    parser.add_argument("--skip-peers", action="store_true", help="without chromadb and mem0ai")
    parser.add_argument(
        "--quick", action="store_true", help="smoke test: 1,000 memories, all parts"
    )
    parser.add_argument("--output", type=Path, default=RESULTS, help="the JSON file")
    options = parser.parse_args(arguments)
    sizes = [int(size) for size in options.sizes.split(",")] if options.sizes else list(SIZES)
    if options.quick:
        sizes = sizes[:1]
    options.sizes = sizes
    return options


def _measure(
    options: argparse.Namespace, folder: Path, results: Results, shown: report.Report
) -> None:
    for size in options.sizes:
        rows = _one_user(size, options, folder / f"one-{size}", shown)
        results.one_user[size] = rows
        shown.table(f"One user, {size:,} memories: asking", rows, report.ASKING)
        shown.table(f"One user, {size:,} memories: keeping", rows, report.KEEPING)
    results.many_users = _many_users(options, folder / "many", shown)
    shown.table("Many users in one store", results.many_users, report.MANY_USERS)
    data = _data(Plan(1, 1_000, 200), folder / "adds", shown)
    seconds = 1.0 if options.quick else 6.0
    results.durable_adds = durable_adds.measure(
        data, _cases(options), folder / "adds", seconds, shown.step
    )
    shown.table("Durable adds of single memories", results.durable_adds, report.DURABLE_ADDS)
    results.embedding = embedding.measure(data, folder / "adds", shown.step)
    shown.table(
        f"The default embedder, {data.plan.memories:,} memories",
        results.embedding,
        report.EMBEDDING,
    )


def _one_user(
    size: int, options: argparse.Namespace, folder: Path, shown: report.Report
) -> dict[str, Figures]:
    entries = [SHARPWAVE, FLOAT_FTS5, FLOAT_FTS5_WITHOUT_STOP_WORDS]
    if size <= PEERS_UP_TO and not options.skip_peers:
        entries += [CHROMA, MEM0]
    data = _data(Plan(1, size, _questions(size)), folder, shown)
    rows = one_user.measure(data, entries, folder, shown.step)
    ours = rows[SHARPWAVE.name]
    for figures in rows.values():
        figures["cpu_ratio"] = figures["cpu_ms"] / ours["cpu_ms"]
        figures["wall_ratio"] = figures["p50_ms"] / ours["p50_ms"]
    shutil.rmtree(folder)
    return rows


def _many_users(
    options: argparse.Namespace, folder: Path, shown: report.Report
) -> dict[str, Figures]:
    users, users_of_chroma = (100, 20) if options.quick else (USERS, USERS_OF_CHROMA)
    groups: list[tuple[int, list[Entry]]] = [(users, [SHARPWAVE, FLOAT_FTS5])]
    if not options.skip_peers:
        # Chroma takes in a few hundred a second: fewer users will have to do.
        groups.append((users_of_chroma, [CHROMA]))
    rows: dict[str, Figures] = {}
    for count, entries in groups:
        own = folder / str(count)
        questions = min(100, count)
        data = _data(Plan(count, MEMORIES_PER_USER, questions), own, shown)
        rows |= many_users.measure(data, entries, own, shown.step)
        shutil.rmtree(own)
    return rows


def _cases(options: argparse.Namespace) -> list[Case]:
    entries = [SHARPWAVE] if options.skip_peers else [SHARPWAVE, CHROMA, MEM0]
    return [Case(entry, callers) for callers in (1, CALLERS) for entry in entries]


def _questions(size: int) -> int:
    return 200 if size <= PEERS_UP_TO else 100 if size < MILLION else 50


def _data(plan: Plan, folder: Path, shown: report.Report) -> Dataset:
    shown.step(f"making {plan.memories:,} memories")
    return alone(make, plan, folder / "data")


if __name__ == "__main__":
    main()
