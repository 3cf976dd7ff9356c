"""The part of the facade that is about sleep. Each method calls one flow."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sharpwave import checks

if TYPE_CHECKING:
    from sharpwave.ports import Ports
    from sharpwave.settings.tree import Settings
    from sharpwave.types.sleep import Report, SleepStatus, Undone

MAX_NIGHTS = 10_000
"""The most reports one call gives."""


class SleepMemory:
    """What happens to memories while nobody asks for them."""

    _ports: Ports
    _settings: Settings
    _user: str

    def sleep(self, *, heavy: bool | None = None, dry_run: bool = False) -> Report:
        """Consolidate this user's memory now, and tell what was done and why.

        `heavy` says whether the weekly work is done too; by default when it is due. With `dry_run`
        nothing is written: the report says what would be done. Raises Busy if another worker is
        at it.
        """
        from sharpwave.sleep import cycle

        return cycle.sleep(self._user, self._ports, self._settings, heavy, dry_run)

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
        from sharpwave.sleep.when import schedule, sweeping, watch

        ports, settings = self._ports, self._settings
        now = ports.clock.now()
        users = schedule.due_users(ports, settings.sleep, now)
        stopped = stop or threading.Event()
        reports = watch.round_of(users, ports, settings, stopped, tell, now)
        sweeping.sweep(ports, settings)  # those who have nothing that could sleep
        return reports

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The words of records by id, such as those that a report names."""
        return {record.id: record.text for record in self._ports.store.find(self._user, ids)}

    def sleep_log(self, limit: int = 20) -> list[Report]:
        """The reports of past nights, the newest first."""
        from sharpwave.sleep import journal

        most = checks.count(limit, "limit", MAX_NIGHTS)
        return journal.reports(self._user, self._ports.store)[:most]

    def undo_sleep(self, run: str) -> Undone:
        """Take back what a night did. What changed again since is left as it is, and named."""
        from sharpwave.sleep import undo

        return undo.undo(run, self._user, self._ports)

    def sleep_status(self) -> SleepStatus:
        """What waits for the next night, and how the last one went."""
        from sharpwave.sleep import look

        return look.status(self._user, self._ports)
