"""Runs of tool-using agents: the public set tau-bench airline, 50 tasks with 4 trials each.

Read from a folder, never part of the package.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.types.experience import Action, TaskRun

FILE = "trajectories/tau_bench_airline_gpt4o.jsonl.gz"
_READS = ("get_", "search_", "list_", "think", "calculate")


@dataclass(frozen=True, slots=True)
class Step:
    """One tool call, and what the user had said before it."""

    action: Action
    heard: str


@dataclass(frozen=True, slots=True)
class Run:
    """One trial of a task."""

    task: int
    trial: int
    success: bool
    opening: str
    """The user's first message."""
    steps: tuple[Step, ...]
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


def load(folder: Path) -> list[Run]:
    """Every run; NotFound says what is missing."""
    file = folder / FILE
    if not file.exists():
        file = folder / Path(FILE).name
    if not file.exists():
        raise NotFound(f"the runs are not there: no {folder / FILE}; say where with --data")
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            return [_run(json.loads(line)) for line in lines]
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise InvalidInput(f"{file} is not in the form of tau-bench: {error!r}") from error


def _run(row: Mapping[str, Any]) -> Run:
    heard: list[str] = []
    steps: list[Step] = []
    answers = {
        (place, message.get("name")): message["content"]
        for place, message in enumerate(row["traj"])
        if message["role"] == "tool"
    }
    for place, message in enumerate(row["traj"]):
        if message["role"] == "user":
            heard.append(str(message["content"]))
        for call in message.get("tool_calls") or ():
            name = call["function"]["name"]
            answer = str(answers.get((place + 1, name), ""))
            steps.append(Step(_action(name, call, answer), "\n".join(heard)))
    success = row["reward"] == 1.0
    wanted = row["info"]["task"]["actions"]
    tools, parameters = _failing(wanted, [step.action for step in steps])
    return Run(
        task=row["task_id"],
        trial=row["trial"],
        success=success,
        opening=heard[0] if heard else "",
        steps=tuple(steps),
        said="\n".join(heard),
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
