"""One user with many memories: loading, cold start, hybrid queries, and how exact they are."""

from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.contenders.contender import (
    SHARPWAVE,
    SHARPWAVE_WITHOUT_SNAPSHOT,
    Contender,
    Entry,
)
from benchmarks.data import NEAREST, Dataset, Question
from benchmarks.processes import alone
from benchmarks.timing import Figures, Stopwatch, disk_bytes, peak_mib, timed
from sharpwave.index.recall_index import SNAPSHOT_MIN_RECORDS

LOAD_BATCH = 1000
WARM_UP = 5
RETURNED = 10


def measure(
    data: Dataset, entries: Sequence[Entry], folder: Path, tell: Callable[[str], None]
) -> dict[str, Figures]:
    """Figures of each contender; those that share a store are loaded once."""
    results: dict[str, Figures] = {}
    for entry in entries:
        tell(f"{entry.name}: {data.plan.memories:,} memories of one user")
        figures: Figures = {}
        if not (folder / entry.store).exists():
            figures |= alone(load, entry, data, folder)
        if entry == SHARPWAVE:
            figures |= alone(cold_start, SHARPWAVE_WITHOUT_SNAPSHOT, data, folder)
            if data.plan.memories >= SNAPSHOT_MIN_RECORDS:
                figures |= alone(save_snapshot, entry, data, folder)
        results[entry.name] = figures | alone(query, entry, data, folder)
    return results


def load(entry: Entry, data: Dataset, folder: Path) -> Figures:
    """Take everything in, in batches."""
    contender = entry.open(folder / entry.store)

    def work() -> None:
        contender.load(data.batches(LOAD_BATCH))
        contender.close()

    wall_s, cpu_s = timed(work)
    memories = data.plan.memories
    return {
        "load_per_s": memories / wall_s,
        "load_cpu_us": 1e6 * cpu_s / memories,
        "disk_bytes": disk_bytes(folder / entry.store) / memories,
    }


def cold_start(entry: Entry, data: Dataset, folder: Path) -> Figures:
    """From an open file to the first answer, when no index was saved."""
    contender = entry.open(folder / entry.store)
    wall_s, cpu_s = timed(lambda: contender.search(data.questions()[0], RETURNED))
    contender.close()
    return {
        "cold_plain_s": wall_s,
        "cold_plain_cpu_s": cpu_s,
        "cold_plain_peak_mib": peak_mib(),
    }


def save_snapshot(entry: Entry, data: Dataset, folder: Path) -> Figures:
    """The same once more, and the index is saved for the next start."""
    contender = entry.open(folder / entry.store)
    wall_s, _ = timed(lambda: contender.search(data.questions()[0], RETURNED))
    contender.close()
    return {"first_start_s": wall_s, "first_start_peak_mib": peak_mib()}


def query(entry: Entry, data: Dataset, folder: Path) -> Figures:
    """Ask everything, in a fresh process."""
    first, *questions = data.questions()
    entry.imported()
    opened: list[Contender] = []
    open_s, _ = timed(lambda: opened.append(entry.open(folder / entry.store)))
    contender = opened[0]
    cold_s, cold_cpu_s = timed(lambda: contender.search(first, RETURNED))
    for question in questions[:WARM_UP]:
        contender.search(question, RETURNED)
    contender.settle()
    figures = ask(contender, questions)
    figures |= {
        "cold_s": open_s + cold_s,
        "cold_cpu_s": cold_cpu_s,
        "peak_mib": peak_mib(),
        "index_bytes": contender.index_bytes() / data.plan.memories,
        "recall_at_10": recall(contender, questions),
    }
    contender.close()
    return figures


def ask(contender: Contender, questions: Sequence[Question]) -> Figures:
    """Time of each question; what a contender puts off is shared out over all of them."""
    watch = Stopwatch()
    for question in questions:
        with watch.lap():
            contender.search(question, RETURNED)
    _, later_s = timed(contender.settle)
    figures = watch.figures()
    figures["cpu_ms"] += 1e3 * later_s / len(questions)
    return figures


def recall(contender: Contender, questions: Sequence[Question]) -> float:
    """Share of the exact nearest that the contender's vector ranking holds, at the same depth."""
    hits = sum(
        len(set(contender.nearest(question, NEAREST)) & set(question.nearest))
        for question in questions
    )
    return hits / sum(len(question.nearest) for question in questions)
