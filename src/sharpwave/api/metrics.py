"""Durations and decisions of calls, by user, in this process [MET-05, MET-08]."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from sharpwave.ports import Clock
from sharpwave.types.answers import Recollection

if TYPE_CHECKING:
    from sharpwave.types.quality import Operation, Performance

_SAMPLES = 1_000
"""Number of durations kept per operation, for percentiles."""
_USERS = 1_000
"""Number of users kept; the least recently active are dropped."""
_PERCENTILES = (50, 95, 99)


def _samples() -> deque[float]:
    return deque(maxlen=_SAMPLES)


@dataclass(slots=True)
class _Timing:
    calls: int = 0
    errors: int = 0
    milliseconds: deque[float] = field(default_factory=_samples)

    def operation(self, name: str) -> Operation:
        from sharpwave.types.quality import Operation

        durations = np.array(self.milliseconds or [0.0])
        percentiles = (float(value) for value in np.percentile(durations, _PERCENTILES))
        return Operation(name, self.calls, self.errors, float(durations.mean()), *percentiles)


@dataclass(slots=True)
class _UserMetrics:
    since: datetime
    timings: dict[str, _Timing] = field(default_factory=dict)
    decisions: Counter[str] = field(default_factory=Counter)
    confidences: deque[float] = field(default_factory=_samples)
    tokens: deque[float] = field(default_factory=_samples)


class CallMetrics:
    """Durations, errors, decisions and context sizes by user."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users: OrderedDict[str, _UserMetrics] = OrderedDict()

    @contextmanager
    def timed(self, user_id: str, name: str, clock: Clock) -> Iterator[None]:
        """Measure the duration and errors of a block."""
        started = time.perf_counter()
        failed = True
        try:
            yield
            failed = False
        finally:
            milliseconds = (time.perf_counter() - started) * 1000
            with self._lock:
                timing = self._user(user_id, clock.now()).timings.setdefault(name, _Timing())
                timing.calls += 1
                timing.errors += failed
                if not failed:
                    timing.milliseconds.append(milliseconds)

    def recalled(self, user_id: str, answer: Recollection, now: datetime) -> None:
        """Count the decision of a recall."""
        with self._lock:
            user = self._user(user_id, now)
            user.decisions[answer.decision.value] += 1
            user.confidences.append(answer.confidence)

    def assembled(self, user_id: str, tokens: int, now: datetime) -> None:
        """Count the tokens of a context."""
        with self._lock:
            self._user(user_id, now).tokens.append(tokens)

    def forget(self, user_id: str) -> None:
        """Drop everything about a user."""
        with self._lock:
            self._users.pop(user_id, None)

    def view(self, user_id: str) -> Performance:
        """What was measured for a user."""
        from sharpwave.types.quality import Performance

        with self._lock:
            user = self._users.get(user_id)
            if user is None:
                return Performance(None)
            return Performance(
                since=user.since,
                operations=tuple(
                    timing.operation(name) for name, timing in sorted(user.timings.items())
                ),
                decisions=dict(user.decisions),
                mean_confidence=fmean(user.confidences) if user.confidences else None,
                mean_tokens=fmean(user.tokens) if user.tokens else None,
                most_tokens=int(max(user.tokens, default=0)),
            )

    def _user(self, user_id: str, now: datetime) -> _UserMetrics:
        user = self._users.setdefault(user_id, _UserMetrics(now))
        self._users.move_to_end(user_id)
        while len(self._users) > _USERS:
            self._users.popitem(last=False)
        return user
