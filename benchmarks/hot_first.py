"""Whether searching the hot memories first, and the rest only if that was weak, would pay.

    python -m benchmarks.hot_first [--data ../shared/data] [--questions 40]

For each question of LongMemEval dev its own history, with its dates, in a file of its own, asked at
its own date. `one scan` is recall as it is. `hot first` searches the last `remember.hot_days` days
by the same recall, and all of it if the decision was neither to assert nor to hedge. CPU is that of
the process without the embedding of the question, which both share; `found` is the share of
questions with an answering turn among the first ten.
"""

import argparse
import gzip
import json
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from sharpwave import Decision, Memory, Message, Recollection, Settings
from sharpwave.testing import FrozenClock
from sharpwave.types.records import HOT_DAYS

SURE = (Decision.ASSERT, Decision.HEDGE)
TOP, WARM, REPEATS = 10, 3, 5


class Measured(NamedTuple):
    """One question, asked in one way."""

    cpu_s: float
    found: bool
    searches: int


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--questions", type=int, default=40)
    given = parser.parse_args()
    told: dict[str, list[Measured]] = {"one scan": [], "hot first": []}
    for one in _questions(given.data, given.questions):
        for way, measured in _ask(one).items():
            told[way].append(measured)
    print(f"{'way':10} {'CPU ms':>8} {'found':>7} {'searches':>9}   a question")
    for way, every in told.items():
        count = len(every)
        cpu, found = sum(m.cpu_s for m in every) / count, sum(m.found for m in every) / count
        print(
            f"{way:10} {1000 * cpu:8.2f} {found:7.3f} {sum(m.searches for m in every) / count:9.2f}"
        )


def _questions(data: Path, count: int) -> Iterator[dict[str, Any]]:
    file = data / "longmemeval" / "longmemeval_s_dev.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line, _ in zip(lines, range(count), strict=False):
            yield json.loads(line)


def _ask(one: dict[str, Any]) -> dict[str, Measured]:
    asked_at = _moment(one["question_date"])
    with tempfile.TemporaryDirectory() as folder:
        plain = Settings(path=Path(folder) / "memory.db")
        remember = plain.remember.model_copy(update={"extract": False})
        settings = plain.model_copy(update={"remember": remember})
        with Memory.open(settings=settings, clock=FrozenClock(asked_at)) as memory:
            answering = _remember(memory, one)
            hot = asked_at - timedelta(days=HOT_DAYS)
            return {
                "one scan": _measured(memory, one["question"], None, answering),
                "hot first": _measured(memory, one["question"], hot, answering),
            }


def _remember(memory: Memory, one: dict[str, Any]) -> set[str]:
    """Everything that was said; returns the ids of the turns that answer."""
    answering = set()
    dated = zip(one["haystack_dates"], one["haystack_sessions"], strict=True)
    for day, (date, session) in enumerate(dated):
        turns = [turn for turn in session if turn["content"].strip()]
        said = [
            Message(
                turn["content"][:10_000], role=turn["role"], session=f"s{day}", at=_moment(date)
            )
            for turn in turns
        ]
        ids = memory.remember(said).ids if said else ()
        answering |= {id_ for id_, turn in zip(ids, turns, strict=True) if turn.get("has_answer")}
    return answering


def _measured(memory: Memory, question: str, hot: datetime | None, answering: set[str]) -> Measured:
    for _ in range(WARM):
        _recalled(memory, question, hot)
    began = time.process_time()
    for _ in range(REPEATS):
        found, searches = _recalled(memory, question, hot)
    cpu = (time.process_time() - began) / REPEATS
    first = {item.record.id for item in found.items[:TOP]}
    return Measured(cpu, bool(first & answering), searches)


def _recalled(memory: Memory, question: str, hot: datetime | None) -> tuple[Recollection, int]:
    if hot is not None:
        near = memory.recall(question, since=hot)
        if near.decision in SURE:
            return near, 1
    return memory.recall(question), 1 if hot is None else 2


def _moment(told: str) -> datetime:
    return datetime.strptime(told, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)


if __name__ == "__main__":
    main()
