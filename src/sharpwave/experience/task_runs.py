"""Finished tasks on their way to a record."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from sharpwave.errors import InvalidInput
from sharpwave.experience import flow, intake
from sharpwave.experience.learners.task_patterns import context_of
from sharpwave.types.experience import Action, Logged, TaskRun
from sharpwave.workspace import Workspace

IMPORT_BATCH = 50
"""Tasks stored at once when a log is imported."""
_TASK_FIELDS = {field.name for field in fields(TaskRun)}
_ACTION_FIELDS = {field.name for field in fields(Action)}
_OTHER_NAMES = {
    "tool": "name",
    "action": "name",
    "parameters": "details",
    "params": "details",
    "arguments": "details",
    "args": "details",
    "duration": "duration_ms",
    "taskId": "task_id",
    "id": "task_id",
    "executionHistory": "steps",
    "outcome": "success",
    "status": "success",
    "tokens_used": "tokens",
    "session_id": "session",
}
_OUTCOMES: dict[object, bool] = {
    "success": True,
    "completed": True,
    "ok": True,
    "failure": False,
    "failed": False,
    "error": False,
}


def observe(workspace: Workspace, runs: Sequence[TaskRun]) -> list[Logged]:
    """Learn from finished tasks, all of them in one transaction."""
    if not runs:
        raise InvalidInput("there is nothing to observe: the list of tasks is empty")
    records = [
        intake.task(workspace, run, context_of([step.name for step in run.steps])) for run in runs
    ]
    return flow.log(workspace, records)


def run_of(task: TaskRun | Mapping[str, object]) -> TaskRun:
    """A task from a mapping with its fields; names that other programs use are known too."""
    if isinstance(task, TaskRun):
        return task
    if not isinstance(task, Mapping):
        raise InvalidInput(f"a task must be a TaskRun or a mapping, not {type(task).__name__}")
    given = _renamed(task, _TASK_FIELDS)
    plan = given.get("plan")
    if isinstance(plan, Mapping):
        given.setdefault("goal", plan.get("goal"))
        plan = plan.get("steps", ())
    if plan is not None:
        given["plan"] = planned(plan)
    if "steps" in given:
        given["steps"] = tuple(action_of(step) for step in _listed(given["steps"]))
    if "query" not in given:
        raise InvalidInput("a task needs a query: what was asked")
    unknown = sorted(given.keys() - _TASK_FIELDS)
    if unknown:
        raise InvalidInput(f"a task has no field {unknown[0]!r}; there are: {_TASK_FIELDS}")
    given["success"] = _outcome(given.get("success"))
    given["at"] = _moment(given.get("at"))
    return TaskRun(**given)


def planned(steps: Any) -> tuple[str, ...]:
    """The actions of a plan, in the order of its steps [AGT-06].

    >>> planned([{"order": 2, "action": "create"}, {"order": 1, "action": "list"}])
    ('list', 'create')
    """
    if not isinstance(steps, Sequence) or isinstance(steps, str):
        raise InvalidInput("a plan is a list of steps")
    listed = list(steps)
    if all(isinstance(step, Mapping) for step in listed):
        listed.sort(key=lambda step: step.get("order", 0))
    return tuple(
        str(step.get("action") or step.get("name")) if isinstance(step, Mapping) else str(step)
        for step in listed
    )


def action_of(step: Action | Mapping[str, object] | str) -> Action:
    """One step from a name or a mapping."""
    if isinstance(step, Action):
        return step
    if isinstance(step, str):
        return Action(step)
    given = _renamed(step, _ACTION_FIELDS)
    if not isinstance(given.get("name"), str):
        raise InvalidInput("a step needs a name: which tool or action it was")
    known = {name: value for name, value in given.items() if name in _ACTION_FIELDS}
    known["error"] = known.get("error") or None  # frameworks write "" for none
    known["success"] = _outcome(known.get("success", known["error"] is None))
    known["at"] = _moment(known.get("at"))
    details = known.get("details") or {}
    if not isinstance(details, Mapping):
        raise InvalidInput("the details of a step must be a mapping")
    known["details"] = dict(details)
    return Action(**known)


def _renamed(given: Mapping[str, object], known: set[str]) -> dict[str, Any]:
    """Fields by our names; our own name wins over another's."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        ours = name if name in known else _OTHER_NAMES.get(name, name)
        if name == ours or ours not in given:
            found[ours] = value
    return found


def _outcome(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    outcome = _OUTCOMES.get(value) if isinstance(value, str) else None
    if outcome is None:
        raise InvalidInput(f"success must be True, False or None, not {type(value).__name__}")
    return outcome


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return value if isinstance(value, datetime) else None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise InvalidInput("at must be a time such as 2026-05-01T12:00:00Z") from None


def _listed(value: object) -> Sequence[Any]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InvalidInput("steps must be a list")
    return value
