"""Tasks and open loops."""

from __future__ import annotations

from sharpwave import checks
from sharpwave.api.state import MemoryState
from sharpwave.api.windows import window
from sharpwave.knowledge import tasks
from sharpwave.types.known import Task

List = list  # `list` is a method here


class TasksApi:
    """What the user wants to get done."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def list(
        self, status: str | None = None, *, limit: int | None = None, offset: int = 0
    ) -> List[Task]:
        """Open tasks, or those "active", "stalled", "done" or "dropped"; due ones first.

        With a `limit` only so many after the first `offset`.
        """
        workspace = self._state.workspace()
        return tasks.with_status(workspace, status, window(limit, offset))

    def due_soon(self, limit: int | None = None, *, offset: int = 0) -> List[Task]:
        """Open tasks that are overdue or soon will be, the most urgent first.

        With a `limit` only so many after the first `offset`.
        """
        workspace = self._state.workspace()
        return tasks.due_soon(workspace, window(limit, offset))

    def set_status(self, task: str, status: str) -> Task:
        """Say that a task is "done", "dropped", "stalled" or "active" again."""
        workspace = self._state.workspace()
        return tasks.move(workspace, checks.name(task, "an id"), status)
