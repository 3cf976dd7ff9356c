"""Many small users in one store: what one of them waits, beside a store with only that user.

Cold is a user's first question, for which Sharpwave must load the user's index; warm is the next.
Before each, connections are opened and shared caches filled in the same way for both stores.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.contenders.contender import Contender, Entry
from benchmarks.data import Batch, Dataset, Question
from benchmarks.processes import alone
from benchmarks.scenarios.one_user import RETURNED, load
from benchmarks.timing import Figures, Stopwatch, peak_mib

Owned = Mapping[str, Batch]

LONE_STORES = 40
WARM_ROUNDS = 3


def measure(
    data: Dataset, entries: Sequence[Entry], folder: Path, tell: Callable[[str], None]
) -> dict[str, Figures]:
    """Figures of each contender, in the big store and in lone ones."""
    results: dict[str, Figures] = {}
    owned = alone(memories_of_asked, data)
    for entry in entries:
        tell(f"{entry.name}: {data.plan.users:,} users with {data.plan.per_user} memories each")
        figures = alone(load, entry, data, folder)
        figures |= alone(one_of_many, entry, data.questions(), owned, folder)
        figures |= alone(lone, entry, data.questions()[:LONE_STORES], owned, folder)
        for state in ("cold", "warm"):
            figures[f"{state}_ratio"] = figures[f"{state}_p50_ms"] / figures[f"lone_{state}_p50_ms"]
            figures[f"{state}_cpu_ratio"] = (
                figures[f"{state}_cpu_p50_ms"] / figures[f"lone_{state}_cpu_p50_ms"]
            )
        results[entry.name] = {"users": data.plan.users, **figures}
    return results


def memories_of_asked(data: Dataset) -> Owned:
    """The memories of the users who are asked; found apart, not to add to anyone's peak."""
    asked = {question.user for question in data.questions()}
    return {batch.user: batch for batch in data.batches(data.plan.per_user) if batch.user in asked}


def one_of_many(entry: Entry, questions: Sequence[Question], owned: Owned, folder: Path) -> Figures:
    """Ask one user after another, all in one store."""
    contender = entry.open(folder / entry.store)
    cold, warm = Stopwatch(), Stopwatch()
    for question in questions:
        _ask(contender, question, owned[question.user].texts, cold, warm)
    figures = cold.figures("cold_") | warm.figures("warm_") | {"peak_mib": peak_mib()}
    contender.close()
    return figures


def lone(entry: Entry, questions: Sequence[Question], owned: Owned, folder: Path) -> Figures:
    """Ask some of the same users, each in a store of its own."""
    cold, warm = Stopwatch(), Stopwatch()
    for position, question in enumerate(questions):
        own = folder / f"lone-{entry.store}-{position}"
        contender = entry.open(own)
        contender.load([owned[question.user]])
        contender.close()
        contender = entry.open(own)
        _ask(contender, question, owned[question.user].texts, cold, warm)
        contender.close()
    return cold.figures("lone_cold_") | warm.figures("lone_warm_")


def _ask(
    contender: Contender, question: Question, texts: list[str], cold: Stopwatch, warm: Stopwatch
) -> None:
    contender.warm_up(texts)
    with cold.lap():
        contender.search(question, RETURNED)
    for _ in range(WARM_ROUNDS):
        with warm.lap():
            contender.search(question, RETURNED)
