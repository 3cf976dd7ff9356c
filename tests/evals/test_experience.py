"""The evaluation of experience, on a few runs of our own making."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from evals import experience
from sharpwave import NotFound


def run(task: int, trial: int) -> dict[str, Any]:
    """Even tasks look first and succeed; odd ones pay at once and fail."""
    names = ["look", "pay"] if task % 4 < 2 else ["pay"]
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"topic {task % 4}: please pay"}]
    for name in names:
        arguments = json.dumps({"amount": task})
        call = {"id": name, "function": {"name": name, "arguments": arguments}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "name": name, "content": "done"})
    wanted = [{"name": "pay", "kwargs": {"amount": task if task % 4 < 2 else -1}}]
    return {
        "task_id": task,
        "trial": trial,
        "reward": float(task % 4 < 2),
        "traj": messages,
        "info": {"task": {"actions": wanted}},
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    file = tmp_path / "trajectories" / "runs.jsonl.gz"
    file.parent.mkdir()
    with gzip.open(file, "wt", encoding="utf-8") as out:
        for task in range(16):
            for trial in range(4):
                out.write(json.dumps(run(task, trial)) + "\n")
    return tmp_path


def test_it_learns_what_the_counts_cannot(folder: Path) -> None:
    report = experience.compare(folder, lambda text: None)
    trials, tasks = report.halves
    ours, unigram, bigram = trials.next_tool
    assert ours.at_1 > max(unigram.at_1, bigram.at_1) and ours.at_3 == 1.0
    assert trials.success_auroc > 0.9
    assert trials.warnings.named > 0.9
    assert (trials.learned, trials.tested, tasks.learned) == (32, 32, 32)


def test_failing_steps_are_those_that_were_not_wanted(folder: Path) -> None:
    bad = next(each for each in experience.load_runs(folder) if not each.success)
    assert bad.failing == {"pay"} and bad.failing_parameters == {"amount"}


def test_missing_runs_are_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="--data"):
        experience.load_runs(tmp_path)
