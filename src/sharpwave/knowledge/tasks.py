"""Lists of tasks and notes, and status changes of tasks."""

from dataclasses import replace
from datetime import timedelta

from sharpwave import checks
from sharpwave.errors import InvalidInput, NotFound
from sharpwave.knowledge import views
from sharpwave.knowledge.settle_tasks import note_slot, task_slot
from sharpwave.types.known import TASK_STATES, Note, Task
from sharpwave.types.records import OPEN_TASK, Kind, State
from sharpwave.types.statements import TaskStatus
from sharpwave.types.storing import WHOLE, Change, Order, Revision, Stated, Window
from sharpwave.workspace import Workspace

DUE_SOON = timedelta(days=3)
"""A task due within this time is due soon."""
_BY_DUE = Stated(slots=(task_slot(),), kinds={Kind.TASK}, order=Order.DUE)


def with_status(workspace: Workspace, status: str | None, window: Window = WHOLE) -> list[Task]:
    """Tasks of one status, or all open ones, in order of due date."""
    states = OPEN_TASK if status is None else frozenset({_state(status)})
    wanted = replace(_BY_DUE, states=states, limit=window.end)
    return [Task.of(record) for record in window.of(workspace.store.stated(wanted))]


def goals(workspace: Workspace, most: int) -> list[Task]:
    """At most `most` active tasks in order of due date; those long overdue come last."""
    long_ago = workspace.clock.now() - DUE_SOON
    active = with_status(workspace, "active")
    return sorted(active, key=lambda task: task.is_overdue(long_ago))[:most]


def due_soon(workspace: Workspace, window: Window = WHOLE) -> list[Task]:
    """Open tasks that are overdue or due soon."""
    horizon = workspace.clock.now() + DUE_SOON
    tasks = with_status(workspace, None)
    return window.of([task for task in tasks if task.is_overdue(horizon)])


def move(workspace: Workspace, task_id: str, status: str) -> Task:
    """Give a task another status."""
    wanted = _state(status)
    slots = [str(task.slot) for task in workspace.store.find([task_id])]
    seen = workspace.store.slot_heads(slots)  # read first, to detect later changes
    found = workspace.store.find([task_id])
    if not found or found[0].kind is not Kind.TASK:
        raise NotFound(f"no task {task_id!r}; `tasks` lists them")
    (record,) = found
    if record.standing.state not in TASK_STATES.values():
        raise InvalidInput(f"the task {task_id!r} was replaced by {record.standing.superseded_by}")
    now = workspace.clock.now()
    standing = replace(record.standing, state=wanted, last_seen_at=now)
    ended = None if wanted in OPEN_TASK else now
    change = Change("task", now, (), revisions=(Revision(task_id, standing, ended),), seen=seen)
    workspace.store.commit(change)
    return Task.of(replace(record, standing=standing, valid_to=ended))


def _state(status: str) -> State:
    return TASK_STATES[checks.choice(TaskStatus, status, "status")]


def notes(workspace: Workspace) -> list[Note]:
    """Every active note: agreed notes before guesses, each group by confidence."""
    wanted = Stated(slots=(note_slot(),), kinds={Kind.NOTE}, states={State.ACTIVE})
    found = workspace.store.stated(wanted)
    found.sort(key=lambda record: (-record.standing.confidence, -record.number))
    kept = [views.note(record) for record in found]
    return sorted(kept, key=lambda note: not note.agreed)
