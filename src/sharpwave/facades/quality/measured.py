"""How long calls take and what came of them, for each user, in this process [MET-05, MET-08]."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from statistics import fmean
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, runtime_checkable

import numpy as np

from sharpwave.types.answers import Recollection

if TYPE_CHECKING:
    from sharpwave.types.quality import Operation, Performance
    from sharpwave.workspace import Resources

_KEPT = 1_000
"""Times of each operation that percentiles are made of."""
_PEOPLE_KEPT = 1_000
_PERCENTILES = (50, 95, 99)


def _latest() -> deque[float]:
    return deque(maxlen=_KEPT)


@dataclass(slots=True)
class _Times:
    calls: int = 0
    errors: int = 0
    milliseconds: deque[float] = field(default_factory=_latest)


@dataclass(slots=True)
class _Person:
    since: datetime
    times: dict[str, _Times] = field(default_factory=dict)
    decisions: Counter[str] = field(default_factory=Counter)
    confidences: deque[float] = field(default_factory=_latest)
    tokens: deque[float] = field(default_factory=_latest)


@runtime_checkable
class _Counted(Protocol):
    """Text for a prompt."""

    tokens: int


class Measured:
    """What was measured, by user; of those who were not active for long nothing is kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._people: OrderedDict[str, _Person] = OrderedDict()

    def done(self, user_id: str, name: str, milliseconds: float, now: datetime) -> None:
        """Something was done for a user, and took so long."""
        with self._lock:
            times = self._person(user_id, now).times.setdefault(name, _Times())
            times.calls += 1
            times.milliseconds.append(milliseconds)

    def failed(self, user_id: str, name: str, now: datetime) -> None:
        """Something failed."""
        with self._lock:
            times = self._person(user_id, now).times.setdefault(name, _Times())
            times.calls += 1
            times.errors += 1

    def answered(self, user_id: str, answer: object, now: datetime) -> None:
        """Look at what an answer decides, or how long it is."""
        with self._lock:
            person = self._person(user_id, now)
            if isinstance(answer, Recollection):
                person.decisions[answer.decision.value] += 1
                person.confidences.append(answer.confidence)
            elif isinstance(answer, _Counted):
                person.tokens.append(answer.tokens)

    def forget(self, user_id: str) -> None:
        """Keep nothing of a user."""
        with self._lock:
            self._people.pop(user_id, None)

    def view(self, user_id: str) -> Performance:
        """What was measured for a user."""
        from sharpwave.types import quality

        with self._lock:
            person = self._people.get(user_id)
            if person is None:
                return quality.Performance(None)
            return quality.Performance(
                since=person.since,
                operations=tuple(_operation(*each) for each in sorted(person.times.items())),
                decisions=dict(person.decisions),
                mean_confidence=fmean(person.confidences) if person.confidences else None,
                mean_tokens=fmean(person.tokens) if person.tokens else None,
                most_tokens=int(max(person.tokens, default=0)),
            )

    def _person(self, user_id: str, now: datetime) -> _Person:
        person = self._people.setdefault(user_id, _Person(now))
        self._people.move_to_end(user_id)
        while len(self._people) > _PEOPLE_KEPT:
            self._people.popitem(last=False)
        return person


def _operation(name: str, times: _Times) -> Operation:
    from sharpwave.types import quality

    kept = np.array(times.milliseconds or [0.0])
    percentiles = (float(one) for one in np.percentile(kept, _PERCENTILES))
    return quality.Operation(name, times.calls, times.errors, float(kept.mean()), *percentiles)


class Watched(Protocol):
    """Whoever's calls are measured."""

    _measured: Measured
    user_id: str
    _resources: Resources


Whose = TypeVar("Whose", bound=Any)
Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def measured(
    method: Callable[Concatenate[Whose, Given], Answer],
) -> Callable[Concatenate[Whose, Given], Answer]:
    """Note how long a method of the facade takes, and what came of it."""
    name = method.__name__

    @wraps(method)
    def timed(self: Whose, /, *args: Given.args, **named: Given.kwargs) -> Answer:
        watched: Watched = self
        started = time.perf_counter()
        try:
            answer = method(self, *args, **named)
        except Exception:  # passed on; it is only counted
            watched._measured.failed(watched.user_id, name, watched._resources.clock.now())
            raise
        spent = (time.perf_counter() - started) * 1000
        now = watched._resources.clock.now()
        watched._measured.done(watched.user_id, name, spent, now)
        watched._measured.answered(watched.user_id, answer, now)
        return answer

    return timed
