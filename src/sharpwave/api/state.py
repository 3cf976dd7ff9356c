"""State shared by all methods of one open memory."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sharpwave import checks
from sharpwave.api.metrics import CallMetrics
from sharpwave.worker import Worker
from sharpwave.workspace import Resources, Workspace

if TYPE_CHECKING:
    from sharpwave.behavior.skills.metrics import MetricsLog
    from sharpwave.events.webhooks import Deliveries


class Process:
    """State of one process with an open memory: its worker and counters."""

    def __init__(self, resources: Resources) -> None:
        self.worker = Worker(resources)
        self.metrics = CallMetrics()
        self.reflection_failures = 0
        self._lock = threading.Lock()
        self._deliveries: Deliveries | None = None
        self._skill_metrics: MetricsLog | None = None

    def count_reflection_failure(self) -> None:
        """Count a reflection that failed."""
        with self._lock:
            self.reflection_failures += 1

    def deliveries(self) -> Deliveries:
        """Pending deliveries to webhooks and subscribers."""
        from sharpwave.events.webhooks import Deliveries

        with self._lock:
            self._deliveries = self._deliveries or Deliveries()
            return self._deliveries

    def skill_metrics(self) -> MetricsLog:
        """Metrics of skill selection, for the log."""
        from sharpwave.behavior.skills.metrics import MetricsLog

        with self._lock:
            self._skill_metrics = self._skill_metrics or MetricsLog()
            return self._skill_metrics


@dataclass(frozen=True)
class MemoryState:
    """One user's access to an open memory."""

    resources: Resources
    user_id: str
    process: Process

    @classmethod
    def of(cls, resources: Resources, user: str) -> MemoryState:
        """The state of a memory that was just opened."""
        return cls(resources, checks.name(user, "user"), Process(resources))

    def workspace(self) -> Workspace:
        """The workspace of one call."""
        return self.resources.for_user(self.user_id)

    def for_user(self, user: str) -> MemoryState:
        """The same memory for another user."""
        return replace(self, user_id=checks.name(user, "user"))


NO_USER = ""
"""A name that no user can have."""


class Namespace:
    """A part of an open memory, bound to its user."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    @property
    def _workspace(self) -> Workspace:
        return self._state.workspace()

    @property
    def _usable(self) -> Workspace:
        """The user's workspace; without consent to memory, an empty one."""
        workspace = self._workspace
        if workspace.consents.may_remember:
            return workspace
        return self._state.resources.for_user(NO_USER)
