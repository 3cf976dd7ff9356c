"""The part of the facade that is about sleep. Each method calls one flow."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sharpwave import checks

if TYPE_CHECKING:
    from sharpwave.types.sleep import Report, SleepStatus, Undone
    from sharpwave.workspace import Workspace

MAX_NIGHTS = 10_000
"""The most reports one call gives."""


class SleepMemory:
    """What happens to memories while nobody asks for them."""

    _workspace: Workspace

    def sleep(self, *, heavy: bool | None = None, dry_run: bool = False) -> Report:
        """Consolidate this user's memory now, and tell what was done and why.

        `heavy` says whether the weekly work is done too; by default when it is due. With `dry_run`
        nothing is written: the report says what would be done. Raises Busy if another worker is
        at it.
        """
        from sharpwave.sleep import cycle

        return cycle.sleep(self._workspace, heavy, dry_run)

    def sleep_everyone(
        self,
        *,
        stop: threading.Event | None = None,
        tell: Callable[[str, str], None] | None = None,
    ) -> list[Report]:
        """Let every user of the store sleep who has reason to, a few at once.

        Set `stop` to end it after the steps at hand; the rest goes on next time. `tell` hears the
        user and the name of each step.
        """
        from sharpwave.sleep import schedule, scheduler

        resources = self._workspace.shared
        now = resources.clock.now()
        users = schedule.due_users(resources, now)
        stopped = stop or threading.Event()
        reports = scheduler.sleep_all(resources, users, stopped, tell, now)
        scheduler.sweep(resources)  # those who have nothing that could sleep
        return reports

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The words of records by id, such as those that a report names."""
        return {record.id: record.text for record in self._workspace.store.find(ids)}

    def sleep_log(self, limit: int = 20) -> list[Report]:
        """The reports of past nights, the newest first."""
        from sharpwave.sleep import journal

        most = checks.count(limit, "limit", MAX_NIGHTS)
        return journal.reports(self._workspace.store)[:most]

    def undo_sleep(self, run: str) -> Undone:
        """Take back what a night did. What changed again since is left as it is, and named."""
        from sharpwave.sleep import journal

        return journal.undo(self._workspace, run)

    def sleep_status(self) -> SleepStatus:
        """What waits for the next night, and how the last one went."""
        from sharpwave.sleep import run

        return run.status(self._workspace)
