"""`experience`: learned on half of the runs, tested on the rest, beside counts of single tools.

    next tool      is the tool that was called next among the first 1 or 3 advised
    warnings       of the runs that failed, for how many a warning named a step or parameter that
                   went wrong before the run began; and how often runs that went well were warned
    success        how well the chance given before the run separates success from failure (AUROC)

The runs are those of the public set tau-bench airline, 50 tasks with 4 trials each. Two splits:
other trials of the same tasks, and other tasks. Nothing of a test run is learned.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from evals import cli
from evals.cli import SHARED, Data, Json
from evals.metrics import auroc
from evals.progress import Progress
from evals.sets import in_form, read_lines
from sharpwave import Action, Memory, TaskRun

_READS = ("get_", "search_", "list_", "think", "calculate")


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One tool call, and what the user had said before it."""

    action: Action
    messages: str


@dataclass(frozen=True, slots=True)
class AgentRun:
    """One trial of a task."""

    task: int
    trial: int
    success: bool
    opening: str
    """The user's first message."""
    steps: tuple[AgentStep, ...]
    said: str
    """Everything the user said."""
    failing: frozenset[str]
    """Tools whose calls were not as they should have been, or that should have been called."""
    failing_parameters: frozenset[str]

    def observed(self) -> TaskRun:
        """What an agent would hand to `observe`."""
        return TaskRun(
            query=self.said,
            steps=tuple(step.action for step in self.steps),
            success=self.success,
            task_id=f"{self.task}/{self.trial}",
            session=f"{self.task}/{self.trial}",
        )


def load_runs(data: Path) -> list[AgentRun]:
    """Every run; NotFound says what is missing."""
    rows = read_lines("trajectories", data)
    with in_form("tau-bench", data):
        return [_run(row) for row in rows]


def _run(row: Mapping[str, Any]) -> AgentRun:
    messages: list[str] = []
    steps: list[AgentStep] = []
    answers = {
        (place, message.get("name")): message["content"]
        for place, message in enumerate(row["traj"])
        if message["role"] == "tool"
    }
    for place, message in enumerate(row["traj"]):
        if message["role"] == "user":
            messages.append(str(message["content"]))
        for call in message.get("tool_calls") or ():
            name = call["function"]["name"]
            answer = str(answers.get((place + 1, name), ""))
            steps.append(AgentStep(_action(name, call, answer), "\n".join(messages)))
    success = row["reward"] == 1.0
    wanted = row["info"]["task"]["actions"]
    tools, parameters = _failing(wanted, [step.action for step in steps])
    return AgentRun(
        task=row["task_id"],
        trial=row["trial"],
        success=success,
        opening=messages[0] if messages else "",
        steps=tuple(steps),
        said="\n".join(messages),
        failing=frozenset() if success else tools,
        failing_parameters=frozenset() if success else parameters,
    )


def _action(name: str, call: Mapping[str, Any], answer: str) -> Action:
    try:
        details = json.loads(call["function"]["arguments"])
    except ValueError:
        details = {}
    error = answer.removeprefix("Error: ") if answer.startswith("Error") else None
    return Action(name, None, details, success=error is None, error=error)


def _failing(
    wanted: Sequence[Mapping[str, Any]], done: Sequence[Action]
) -> tuple[frozenset[str], frozenset[str]]:
    """Calls that change something and are not among those wanted, and those that are missing."""
    changes = [act for act in done if not act.name.startswith(_READS) and act.success]
    expected = [(each["name"], each["kwargs"]) for each in wanted]
    expected = [each for each in expected if not each[0].startswith(_READS)]
    missing = [e for e in expected if not any(e == (a.name, dict(a.details)) for a in changes)]
    extra = [a for a in changes if not any(e == (a.name, dict(a.details)) for e in expected)]
    extra += [act for act in done if act.success is False]
    parameters = {
        name
        for act in extra
        for wanted_name, kwargs in missing
        if wanted_name == act.name
        for name in {*kwargs, *act.details}
        if kwargs.get(name) != act.details.get(name)
    }
    tools = {name for name, _ in missing} | {act.name for act in extra}
    return frozenset(tools), frozenset(parameters)


Predict = Callable[[AgentRun, int], Sequence[str]]
BEST = (1, 3)


@dataclass(frozen=True, slots=True)
class NextToolAccuracy:
    """How often the next tool was among the first advised."""

    name: str
    steps: int
    at_1: float
    at_3: float


@dataclass(frozen=True, slots=True)
class WarningRates:
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
class SplitResult:
    """What one split gave."""

    split: str
    learned: int
    tested: int
    next_tool: tuple[NextToolAccuracy, ...]
    warnings: WarningRates
    success_auroc: float
    success_auroc_later: float
    """The same once the user has said everything."""


@dataclass(frozen=True, slots=True)
class ExperienceReport:
    """Every split."""

    halves: tuple[SplitResult, ...]


def compare(folder: Path, progress: Progress) -> ExperienceReport:
    """Measure both splits."""
    runs = load_runs(folder)
    halves = (
        ("other trials of the same tasks", [r for r in runs if r.trial < 2]),
        ("other tasks", [r for r in runs if r.task % 2 == 0]),
    )
    return ExperienceReport(tuple(_measure(name, half, runs, progress) for name, half in halves))


def _measure(
    name: str, learned: Sequence[AgentRun], runs: Sequence[AgentRun], progress: Progress
) -> SplitResult:
    known = {(run.task, run.trial) for run in learned}
    tested = [run for run in runs if (run.task, run.trial) not in known]
    with tempfile.TemporaryDirectory() as folder, Memory.open(f"{folder}/m.db") as memory:
        progress(f"{name}: learning from {len(learned)} runs")
        memory.agents.observe([run.observed() for run in learned if run.said.strip()])
        memory.agents.generate_insights()
        progress(f"{name}: testing on {len(tested)} runs")
        ours = _accuracy("sharpwave", tested, lambda run, place: _advised(memory, run, place))
        chances = [memory.agents.advise(run.opening).success_chance or 0.0 for run in tested]
        later = [memory.agents.advise(run.said).success_chance or 0.0 for run in tested]
        warned = _warned(memory, tested)
    outcomes = [run.success for run in tested]
    others = (
        _accuracy("unigram", tested, _unigram(learned)),
        _accuracy("bigram", tested, _bigram(learned)),
    )
    return SplitResult(
        split=name,
        learned=len(learned),
        tested=len(tested),
        next_tool=(ours, *others),
        warnings=warned,
        success_auroc=_separated(chances, outcomes),
        success_auroc_later=_separated(later, outcomes),
    )


def _advised(memory: Memory, run: AgentRun, place: int) -> list[str]:
    done = [step.action.name for step in run.steps[:place]]
    found = memory.agents.advise(run.steps[place].messages, {"done": done}, "act")
    return [step.text for step in found.next_steps]


def _accuracy(name: str, tested: Sequence[AgentRun], predict: Predict) -> NextToolAccuracy:
    hits = {k: 0 for k in BEST}
    total = 0
    for run in tested:
        for place, step in enumerate(run.steps):
            guessed = list(predict(run, place))
            total += 1
            for k in BEST:
                hits[k] += step.action.name in guessed[:k]
    return NextToolAccuracy(name, total, hits[1] / max(1, total), hits[3] / max(1, total))


def _unigram(learned: Sequence[AgentRun]) -> Predict:
    counts = Counter(step.action.name for run in learned for step in run.steps)
    ranked = [name for name, _ in counts.most_common()]
    return lambda run, place: ranked


def _bigram(learned: Sequence[AgentRun]) -> Predict:
    counts: dict[str, Counter[str]] = {}
    single: Counter[str] = Counter()
    for run in learned:
        before = ""
        for step in run.steps:
            counts.setdefault(before, Counter())[step.action.name] += 1
            single[step.action.name] += 1
            before = step.action.name

    def predict(run: AgentRun, place: int) -> list[str]:
        before = run.steps[place - 1].action.name if place else ""
        followed = [name for name, _ in counts.get(before, Counter()).most_common()]
        return [*followed, *(name for name, _ in single.most_common() if name not in followed)]

    return predict


def _warned(memory: Memory, tested: Sequence[AgentRun]) -> WarningRates:
    failed = [run for run in tested if run.failing]
    good = [run for run in tested if run.success and run.steps]
    named = parameters = alarms = total = 0
    for run in failed:
        warnings = memory.agents.advise(run.opening, stage="act").warnings
        total += len(warnings)
        tools = {warning.name for warning in warnings}
        words = " ".join(warning.text for warning in warnings)
        said = any(name in words for name in run.failing_parameters)
        named += bool(tools & run.failing) or said
        parameters += said
    for run in good:
        warnings = memory.agents.advise(run.opening, stage="act").warnings
        total += len(warnings)
        took = {step.action.name for step in run.steps}
        alarms += bool({warning.name for warning in warnings} & took)
    return WarningRates(
        failed_runs=len(failed),
        named=named / max(1, len(failed)),
        named_parameter=parameters / max(1, len(failed)),
        good_runs=len(good),
        false_alarms=alarms / max(1, len(good)),
        per_run=total / max(1, len(failed) + len(good)),
    )


def _separated(chances: Sequence[float], outcomes: Sequence[bool]) -> float:
    area = auroc(chances, outcomes)
    return 0.5 if area is None else area


# --- the command ----------------------------------------------------------------------------------


def experience(data: Data = SHARED, as_json: Json = False) -> None:
    """Learned on half of the runs of an agent: next tools, warnings, success of the rest."""
    report = compare(data, cli.report_progress)
    if as_json:
        cli.print_json(report)
        return
    for half in report.halves:
        title = f"{half.split}: learned on {half.learned} runs, tested on {half.tested}"
        table = Table("next tool", "steps", "accuracy@1", "accuracy@3", title=title)
        for each in half.next_tool:
            table.add_row(each.name, str(each.steps), f"{each.at_1:.3f}", f"{each.at_3:.3f}")
        cli.console.print(table)
        warned = half.warnings
        cli.say(
            f"failed runs that a warning named beforehand: {warned.named:.1%} of "
            f"{warned.failed_runs} (by parameter {warned.named_parameter:.1%}); runs that went "
            f"well and were warned of a step they took: {warned.false_alarms:.1%} of "
            f"{warned.good_runs}; {warned.per_run:.1f} warnings a run"
        )
        cli.say(
            f"success foretold from the first message: AUROC {half.success_auroc:.3f}; once the "
            f"user has said everything: {half.success_auroc_later:.3f}"
        )
