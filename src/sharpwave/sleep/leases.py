"""Leases on work for all users: one worker does it, although many check the clock.

Each task has one row of tallies: when it was done last, and until when the lease is held. The
row's version is the fencing token: a worker that lost the lease cannot renew or complete it.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sharpwave.errors import Overtaken
from sharpwave.types.storing import Change, NewTally
from sharpwave.workspace import Resources

LEASE_S = 120.0
"""Seconds without renewal after which another worker may take over."""
ALL_USERS = "*schedule*"
"""The user id under which the rows are stored; it has no records."""
_TOPIC = "schedule"


def is_held(row: Mapping[str, Any], now: datetime) -> bool:
    """Whether a lease is held; an overlong lease dates from before the clock went back."""
    if "until" not in row:
        return False
    left = datetime.fromisoformat(row["until"]) - now
    return timedelta() < left <= timedelta(seconds=2 * LEASE_S)  # clocks of machines differ


class Lease:
    """The right to do a task for all users, for a while."""

    def __init__(self, resources: Resources, name: str, last: str, version: int) -> None:
        self._resources = resources
        self._name = name
        self._last = last
        self._version = version
        self._until = resources.clock.now()

    def renew(self) -> None:
        """Prolong it when half of it is over; Overtaken if another worker holds it now."""
        now, length = self._resources.clock.now(), timedelta(seconds=LEASE_S)
        if not now < self._until - length / 2 <= now + length:
            self._until = now + length
            self._write({"last": self._last, "until": self._until.isoformat()})

    def complete(self) -> None:
        """Mark the task as done until its next scheduled time."""
        self._write({"last": self._resources.clock.now().isoformat()})

    def release(self) -> None:
        """Give up the lease without doing the task; the next worker that checks may do it."""
        self._write({"last": self._last})

    def _write(self, value: dict[str, object]) -> None:
        row = NewTally(_TOPIC, self._name, value, self._version)
        change = Change("schedule", self._resources.clock.now(), (), tallies=(row,))
        self._resources.store.for_user(ALL_USERS).commit(change)
        self._version += 1


def acquire(resources: Resources, name: str, since: datetime | None) -> Lease | None:
    """The lease, unless another worker holds it, or the task was done since then.

    A task that was never done is recorded as done now, so that a new store begins with the next
    scheduled time. `since` is None for a task without a schedule.
    """
    row = resources.store.for_user(ALL_USERS).tallies(_TOPIC, [name]).get(name)
    value: dict[str, Any] = dict(row.value) if row else {}
    lease = Lease(resources, name, value.get("last", ""), row.version if row else 0)
    try:
        if since is not None and row is None:
            lease.complete()
            return None
        if since is not None and datetime.fromisoformat(value["last"]) >= since:
            return None
        if is_held(value, resources.clock.now()):
            return None
        lease.renew()
    except Overtaken:
        return None  # another worker was faster
    return lease
