"""Experience: learned on half of the runs, tested on the rest, beside counts of single tools.

    next tool      is the tool that was called next among the first 1 or 3 advised
    warnings       of the runs that failed, for how many a warning named a step or parameter that
                   went wrong before the run began; and how often runs that went well were warned
    success        how well the chance given before the run separates success from failure (AUROC)

Two splits: other trials of the same tasks, and other tasks. Nothing of a test run is learned.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sharpwave import Memory
from evals import trajectories
from evals.trajectories import Run

Told = Callable[[str], None]
Predict = Callable[[Run, int], Sequence[str]]
BEST = (1, 3)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often the next tool was among the first advised."""

    name: str
    steps: int
    at_1: float
    at_3: float


@dataclass(frozen=True, slots=True)
class Warned:
    """How often a warning was there before it was needed."""

    failed_runs: int
    named: float
    """Share of failed runs with a warning that names a step or parameter that went wrong."""
    named_parameter: float
    good_runs: int
    false_alarms: float
    """Share of runs that went well with a warning that names a step they took."""
    per_run: float
    """Warnings a run."""


@dataclass(frozen=True, slots=True)
class Half:
    """What one split gave."""

    split: str
    learned: int
    tested: int
    next_tool: tuple[Accuracy, ...]
    warnings: Warned
    success_auroc: float
    success_auroc_later: float
    """The same once the user has said everything."""


@dataclass(frozen=True, slots=True)
class Report:
    """Every split."""

    halves: tuple[Half, ...]


def compare(folder: Path, told: Told) -> Report:
    """Measure both splits."""
    runs = trajectories.load(folder)
    halves = (
        ("other trials of the same tasks", [r for r in runs if r.trial < 2]),
        ("other tasks", [r for r in runs if r.task % 2 == 0]),
    )
    return Report(tuple(_measure(name, half, runs, told) for name, half in halves))


def _measure(name: str, learned: Sequence[Run], runs: Sequence[Run], told: Told) -> Half:
    known = {(run.task, run.trial) for run in learned}
    tested = [run for run in runs if (run.task, run.trial) not in known]
    with tempfile.TemporaryDirectory() as folder, Memory.open(f"{folder}/m.db") as memory:
        told(f"{name}: learning from {len(learned)} runs")
        memory.observe([run.observed() for run in learned if run.said.strip()])
        memory.learn()
        told(f"{name}: testing on {len(tested)} runs")
        ours = _accuracy("sharpwave", tested, lambda run, place: _advised(memory, run, place))
        chances = [memory.advise(run.opening).success_chance or 0.0 for run in tested]
        later = [memory.advise(run.said).success_chance or 0.0 for run in tested]
        warned = _warned(memory, tested)
    outcomes = [run.success for run in tested]
    others = (
        _accuracy("unigram", tested, _unigram(learned)),
        _accuracy("bigram", tested, _bigram(learned)),
    )
    return Half(
        split=name,
        learned=len(learned),
        tested=len(tested),
        next_tool=(ours, *others),
        warnings=warned,
        success_auroc=auroc(chances, outcomes),
        success_auroc_later=auroc(later, outcomes),
    )


def _advised(memory: Memory, run: Run, place: int) -> list[str]:
    done = [step.action.name for step in run.steps[:place]]
    found = memory.advise(run.steps[place].heard, {"done": done}, "act")
    return [step.text for step in found.next_steps]


def _accuracy(name: str, tested: Sequence[Run], predict: Predict) -> Accuracy:
    hits = {k: 0 for k in BEST}
    total = 0
    for run in tested:
        for place, step in enumerate(run.steps):
            guessed = list(predict(run, place))
            total += 1
            for k in BEST:
                hits[k] += step.action.name in guessed[:k]
    return Accuracy(name, total, hits[1] / max(1, total), hits[3] / max(1, total))


def _unigram(learned: Sequence[Run]) -> Predict:
    counts = Counter(step.action.name for run in learned for step in run.steps)
    ranked = [name for name, _ in counts.most_common()]
    return lambda run, place: ranked


def _bigram(learned: Sequence[Run]) -> Predict:
    counts: dict[str, Counter[str]] = {}
    single: Counter[str] = Counter()
    for run in learned:
        before = ""
        for step in run.steps:
            counts.setdefault(before, Counter())[step.action.name] += 1
            single[step.action.name] += 1
            before = step.action.name

    def predict(run: Run, place: int) -> list[str]:
        before = run.steps[place - 1].action.name if place else ""
        followed = [name for name, _ in counts.get(before, Counter()).most_common()]
        return [*followed, *(name for name, _ in single.most_common() if name not in followed)]

    return predict


def _warned(memory: Memory, tested: Sequence[Run]) -> Warned:
    failed = [run for run in tested if run.failing]
    good = [run for run in tested if run.success and run.steps]
    named = parameters = alarms = total = 0
    for run in failed:
        warnings = memory.advise(run.opening, stage="plan").warnings
        total += len(warnings)
        tools = {warning.name for warning in warnings}
        words = " ".join(warning.text for warning in warnings)
        said = any(name in words for name in run.failing_parameters)
        named += bool(tools & run.failing) or said
        parameters += said
    for run in good:
        warnings = memory.advise(run.opening, stage="plan").warnings
        total += len(warnings)
        took = {step.action.name for step in run.steps}
        alarms += bool({warning.name for warning in warnings} & took)
    return Warned(
        failed_runs=len(failed),
        named=named / max(1, len(failed)),
        named_parameter=parameters / max(1, len(failed)),
        good_runs=len(good),
        false_alarms=alarms / max(1, len(good)),
        per_run=total / max(1, len(failed) + len(good)),
    )


def auroc(scores: Sequence[float], outcomes: Sequence[bool]) -> float:
    """The chance that a success got a higher score than a failure; ties count half.

    >>> auroc([0.9, 0.4, 0.5], [True, False, True])
    1.0
    """
    good = [score for score, outcome in zip(scores, outcomes, strict=True) if outcome]
    bad = [score for score, outcome in zip(scores, outcomes, strict=True) if not outcome]
    if not good or not bad:
        return 0.5
    wins = sum((g > b) + 0.5 * (g == b) for g in good for b in bad)
    return wins / (len(good) * len(bad))
