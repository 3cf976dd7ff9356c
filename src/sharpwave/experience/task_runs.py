"""Finished tasks on their way to a record."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

from pydantic import TypeAdapter, ValidationError

from sharpwave import checks
from sharpwave.errors import InvalidInput
from sharpwave.experience import flow, intake
from sharpwave.experience.learners.task_patterns import context_of
from sharpwave.types.experience import Logged, TaskRun
from sharpwave.workspace import Workspace

IMPORT_BATCH = 50
"""Tasks stored at once when a log is imported."""
_RUNS = TypeAdapter(TaskRun)


def observe(workspace: Workspace, runs: Sequence[TaskRun]) -> list[Logged]:
    """Learn from finished tasks, all of them in one transaction."""
    if not runs:
        raise InvalidInput("there is nothing to observe: the list of tasks is empty")
    records = [
        intake.task(workspace, run, context_of([step.name for step in run.steps])) for run in runs
    ]
    return flow.log(workspace, records)


def run_of(task: TaskRun | Mapping[str, object]) -> TaskRun:
    """A task from a mapping with its fields; names that other programs use are known too.

    >>> plan = [{"order": 2, "action": "create"}, {"order": 1, "action": "list"}]
    >>> run_of({"query": "ship", "plan": {"goal": "sent", "steps": plan}}).plan
    ('list', 'create')
    """
    if not isinstance(task, TaskRun | Mapping):
        raise InvalidInput(f"a task must be a TaskRun or a mapping, not {type(task).__name__}")
    if isinstance(task, Mapping) and isinstance(plan := task.get("plan"), Mapping):
        task = {"goal": plan.get("goal"), **task, "plan": plan.get("steps", ())}
    try:
        return _RUNS.validate_python(task)
    except ValidationError as error:
        raise checks.refused(error, "task", [field.name for field in fields(TaskRun)]) from None
