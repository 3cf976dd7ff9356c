"""What a process measured of choosing skills, told in the log every now and then [MET-03, MET-05].

Of each person who is active, at most once an hour; numbers and names, never words.
"""

import logging
import threading
from collections import OrderedDict, deque
from datetime import datetime, timedelta

import numpy as np

from sharpwave.behavior.skills import keeping
from sharpwave.workspace import Workspace

_LOG = logging.getLogger(__name__)
_TIMES_KEPT = 1000
_PEOPLE_KEPT = 10_000
_PERCENTILES = (50, 95, 99)


class Measures:
    """The last times of choosing, and when it was last told how a person fares."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._milliseconds: deque[float] = deque(maxlen=_TIMES_KEPT)
        self._told: OrderedDict[str, datetime] = OrderedDict()

    def chosen(self, workspace: Workspace, milliseconds: float) -> None:
        """A skill was chosen for somebody, and took so long."""
        with self._lock:
            self._milliseconds.append(milliseconds)
        self.tell_if_due(workspace)

    def tell_if_due(self, workspace: Workspace) -> None:
        """Log how this person fares and how long choosing takes, if it is time."""
        if not self._is_due(workspace):
            return
        found = keeping.metrics(workspace)
        accuracy = {
            "metric_type": "behavioral_memory_aggregate",
            "user_id": workspace.user_id,
            "skill_accuracy": found.positive_rate,
            "user_satisfaction": found.mean_reward,
            "adaptation_speed": found.interactions_to_target,
            "confidence_variance": found.confidence_variance,
        }
        _LOG.info("how answers are liked", extra=accuracy)
        with self._lock:
            times, people = np.array(self._milliseconds), len(self._told)
        if not len(times):
            return
        p50, p95, p99 = (float(one) for one in np.percentile(times, _PERCENTILES))
        speed = {
            "metric_type": "behavioral_memory_performance",
            "selection_p50_ms": p50,
            "selection_p95_ms": p95,
            "selection_p99_ms": p99,
            "selection_mean_ms": float(times.mean()),
            "storage_bytes": found.storage_bytes,
            "active_people": people,
            "skills": len(keeping.every(workspace)),
        }
        _LOG.info("how long choosing takes", extra=speed)

    def _is_due(self, workspace: Workspace) -> bool:
        """Whether the time is over that began when this person was first seen, or last told of."""
        now, every = (
            workspace.clock.now(),
            timedelta(minutes=workspace.settings.skills.log.every_minutes),
        )
        with self._lock:
            since = self._told.setdefault(workspace.user_id, now)
            due = now - since >= every
            if due:
                self._told[workspace.user_id] = now
            while len(self._told) > _PEOPLE_KEPT:
                self._told.popitem(last=False)
        return due
