"""Tasks and notes: which there are, and moving them on."""

from dataclasses import replace
from datetime import timedelta

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.knowledge import views
from sharpwave.knowledge.tasks import slot
from sharpwave.ports import Ports, Store
from sharpwave.settings.remember import KnowledgeSettings
from sharpwave.types.known import Note, Task
from sharpwave.types.records import Kind, State
from sharpwave.types.statements import TaskStatus
from sharpwave.types.storing import WHOLE, Change, Order, Revision, Stated, Window

_STATES = {
    TaskStatus.ACTIVE: State.ACTIVE,
    TaskStatus.STALLED: State.STALLED,
    TaskStatus.DONE: State.DONE,
}
_OPEN = frozenset({State.ACTIVE, State.STALLED})
_BY_DUE = Stated(slots=(slot(),), kinds=frozenset({Kind.TASK}), order=Order.DUE)


def with_status(
    user_id: str, ports: Ports, status: str | None, window: Window = WHOLE
) -> list[Task]:
    """Tasks of one status, or all that are not done; those due first come first."""
    states = _OPEN if status is None else frozenset({_STATES[_status(status)]})
    wanted = replace(_BY_DUE, states=states, limit=window.end)
    return [views.task(record) for record in window.of(ports.store.stated(user_id, wanted))]


def due_soon(
    user_id: str, ports: Ports, settings: KnowledgeSettings, window: Window = WHOLE
) -> list[Task]:
    """Open tasks that are overdue or soon will be."""
    horizon = ports.clock.now() + timedelta(days=settings.due_soon_days)
    tasks = with_status(user_id, ports, None, window)
    return [task for task in tasks if task.due is not None and task.due <= horizon]


def move(user_id: str, ports: Ports, task_id: str, status: str) -> Task:
    """Give a task another status."""
    wanted = _STATES[_status(status)]
    seen = _heads(user_id, ports.store, task_id)
    found = ports.store.find(user_id, [task_id])
    if not found or found[0].kind is not Kind.TASK:
        raise NotFound(f"no task {task_id!r}; `tasks` lists them")
    (record,) = found
    if record.standing.state not in _STATES.values():
        raise InvalidInput(f"the task {task_id!r} was replaced by {record.standing.superseded_by}")
    now = ports.clock.now()
    standing = replace(record.standing, state=wanted, last_seen_at=now)
    ended = now if wanted is State.DONE else None
    change = Change(
        user_id, "task", now, (), revisions=(Revision(task_id, standing, ended),), seen=seen
    )
    ports.store.commit(change)
    return views.task(replace(record, standing=standing, valid_to=ended))


def _heads(user_id: str, store: Store, task_id: str) -> dict[str, int]:
    """How far the slot of a task is; asked before the task itself, so that changes are noticed."""
    slots = [str(task.slot) for task in store.find(user_id, [task_id])]
    return store.slot_heads(user_id, slots)


def notes(user_id: str, ports: Ports, enough: int) -> list[Note]:
    """Every note that is kept: what was agreed on before guesses, each the surest first.

    A conclusion of ours is agreed on once it was drawn often `enough`.
    """
    wanted = Stated(kinds=frozenset({Kind.NOTE}), states=frozenset({State.ACTIVE}))
    found = ports.store.stated(user_id, wanted)
    found.sort(key=lambda record: (-record.standing.confidence, -record.number))
    kept = [views.note(record, enough) for record in found]
    return sorted(kept, key=lambda note: not note.agreed)


def _status(status: str) -> TaskStatus:
    try:
        return TaskStatus(status)
    except ValueError:
        known = ", ".join(TaskStatus)
        raise InvalidInput(f"status must be one of {known}, not {status!r}") from None
