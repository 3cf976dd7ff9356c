"""Tasks and open loops."""

from __future__ import annotations

from sharpwave import checks
from sharpwave.api.state import Namespace
from sharpwave.api.windows import window
from sharpwave.knowledge import tasks
from sharpwave.types.known import Task

List = list  # `list` is a method here


class TasksApi(Namespace):
    """Tasks of the user."""

    def list(
        self, status: str | None = None, *, limit: int | None = None, offset: int = 0
    ) -> List[Task]:
        """Open tasks, or those "active", "stalled", "done" or "dropped"; due ones first.

        `limit` and `offset` select a page.
        """
        return tasks.with_status(self._usable, status, window(limit, offset))

    def due_soon(self, limit: int | None = None, *, offset: int = 0) -> List[Task]:
        """Open tasks that are overdue or due soon, the most urgent first.

        `limit` and `offset` select a page.
        """
        return tasks.due_soon(self._usable, window(limit, offset))

    def set_status(self, task: str, status: str) -> Task:
        """Set the status of a task: "done", "dropped", "stalled" or "active"."""
        return tasks.move(self._workspace, checks.name(task, "an id"), status)
