"""What remembering one turn costs, by stage: CPU, on real chat turns, without a language model.

    python -m benchmarks.write [--data ../shared/data] [--turns 2000]

Each stage is the step of the write path of the same name, called as the flow calls it; the whole is
`Memory.remember` on a file with one disk sync a call. The baseline in the same run is the same call
with extraction switched off. CPU is that of the calling thread for the stages, of the process for
the whole, so that the writer thread counts.
"""

import argparse
import gzip
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sharpwave import Memory, Message, Settings
from sharpwave.remember import commit, extract, gate, intake, reconcile, screen
from sharpwave.wiring import open_resources
from sharpwave.workspace import Workspace

T = TypeVar("T")
WORDS = (50, 70)
"""How long an ordinary turn is, for the row of the target."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--turns", type=int, default=2000)
    asked = parser.parse_args()
    texts = _turns(asked.data, asked.turns)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(path=Path(folder) / "stages.db")
        resources = open_resources(settings)
        stages = _stages(texts, resources.for_user("bench"))
        resources.store.close()
        learning = _whole(texts, Settings(path=Path(folder) / "whole.db"))
        plain = Settings(path=Path(folder) / "plain.db")
        words_only = _whole(
            texts,
            plain.model_copy(
                update={"remember": plain.remember.model_copy(update={"extract": False})}
            ),
        )
    _report(texts, stages, learning, words_only)


def _turns(data: Path, count: int) -> list[str]:
    file = data / "longmemeval" / "longmemeval_s_dev.jsonl.gz"
    if not file.exists():
        raise SystemExit(f"there is no {file}; give the folder with the public sets by --data")
    texts: list[str] = []
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            for session in json.loads(line)["haystack_sessions"]:
                texts += [turn["content"] for turn in session if turn["role"] == "user"]
            if len(texts) >= count:
                break
    return [text for text in texts if text.strip()][:count]


class _Meter:
    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = {}

    def run(self, stage: str, work: Callable[[], T]) -> T:
        start = time.thread_time()
        result = work()
        self.spent.setdefault(stage, []).append((time.thread_time() - start) * 1e3)
        return result


def _stages(texts: list[str], workspace: Workspace) -> _Meter:
    meter, user, settings = _Meter(), workspace.user_id, workspace.settings
    policy = settings.privacy.stored
    for text in texts:
        now, said = workspace.clock.now(), [Message(text)]
        records = meter.run("intake", lambda: intake.to_records(said, user, now))  # noqa: B023
        screened = meter.run("screen", lambda: screen.screen(records, policy))  # noqa: B023
        around = extract.surroundings(screened.records, {}, workspace.store)
        found = meter.run(
            "extract",
            lambda: extract.find(screened.records, {}, around, settings.remember),  # noqa: B023
        )
        passed, _ = meter.run(
            "gate",
            lambda: gate.judge(found.extracted, settings.remember.min_confidence, notes=True),  # noqa: B023
        )
        decided = meter.run(
            "reconcile",
            lambda: reconcile.decide(workspace, passed, now),  # noqa: B023
        )
        everything = [*screened.records, *decided.draft.new]
        change, _ = meter.run(
            "embed",
            lambda: commit.to_change(everything, "remember", now, workspace.embedder),  # noqa: B023
        )
        workspace.store.commit(change)
    return meter


def _whole(texts: list[str], settings: Settings) -> tuple[float, int]:
    """CPU ms a turn of the whole process, and how many facts, tasks and notes came of it."""
    with Memory.open(settings=settings) as memory:
        start = time.process_time()
        for text in texts:
            memory.remember(text)
        spent = (time.process_time() - start) * 1e3 / len(texts)
        kinds = memory.admin.stats().by_kind
    return spent, sum(count for kind, count in kinds.items() if kind != "turn")


def _report(
    texts: list[str], stages: _Meter, learning: tuple[float, int], words_only: tuple[float, int]
) -> None:
    print(
        f"{len(texts)} turns of LongMemEval dev, "
        f"{_median([len(text.split()) for text in texts]):.0f} words each (median)"
    )
    print(f"{'stage':10} {'median ms':>10} {'p95 ms':>8} {'mean ms':>8}")
    for stage, spent in stages.spent.items():
        p95 = sorted(spent)[int(len(spent) * 0.95)]
        print(f"{stage:10} {_median(spent):10.3f} {p95:8.3f} {statistics.fmean(spent):8.3f}")
    ordinary = [
        spent
        for spent, text in zip(stages.spent["extract"], texts, strict=True)
        if WORDS[0] <= len(text.split()) <= WORDS[1]
    ]
    verdict = "PASS" if _median(ordinary) <= 2.0 else "FAIL"
    print(
        f"extract of {len(ordinary)} turns of {WORDS[0]}-{WORDS[1]} words: "
        f"{_median(ordinary):.3f} ms median (limit 2): {verdict}"
    )
    print(
        f"remember: {learning[0]:.3f} ms a turn, {learning[1]} facts, tasks and notes;"
        f" words only {words_only[0]:.3f} ms; ratio {learning[0] / words_only[0]:.2f}"
    )


def _median(values: list[float] | list[int]) -> float:
    return float(statistics.median(values)) if values else float("nan")


if __name__ == "__main__":
    main()
