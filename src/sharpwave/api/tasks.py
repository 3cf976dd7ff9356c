"""Tasks and open loops."""

from __future__ import annotations

from sharpwave import checks
from sharpwave.api.state import Namespace
from sharpwave.api.windows import window
from sharpwave.knowledge import tasks
from sharpwave.types.known import Task

List = list  # `list` is a method here


class TasksApi(Namespace):
    """What the user wants to get done."""

    def list(
        self, status: str | None = None, *, limit: int | None = None, offset: int = 0
    ) -> List[Task]:
        """Open tasks, or those "active", "stalled", "done" or "dropped"; due ones first.

        With a `limit` only so many after the first `offset`.
        """
        return tasks.with_status(self._usable, status, window(limit, offset))

    def due_soon(self, limit: int | None = None, *, offset: int = 0) -> List[Task]:
        """Open tasks that are overdue or soon will be, the most urgent first.

        With a `limit` only so many after the first `offset`.
        """
        return tasks.due_soon(self._usable, window(limit, offset))

    def set_status(self, task: str, status: str) -> Task:
        """Say that a task is "done", "dropped", "stalled" or "active" again."""
        return tasks.move(self._workspace, checks.name(task, "an id"), status)
