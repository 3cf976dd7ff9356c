"""Work for everybody that one worker does for all of them, however many look at the clock.

Each sort of work has one row of tallies: when it was done last, and until when somebody is at it.
The row's version is the fencing number: who lost the claim to another cannot prolong or end it.
"""

from datetime import datetime, timedelta
from typing import Any

from sharpwave.errors import Overtaken
from sharpwave.types.storing import Change, NewTally
from sharpwave.workspace import Resources

ALL_USERS = "*schedule*"
"""The name under which it is noted; nobody's records are."""
_TOPIC = "schedule"


class Lease:
    """The right to do some work for everybody, for a while."""

    def __init__(
        self, name: str, resources: Resources, lease_s: float, last: str, version: int
    ) -> None:
        self._name = name
        self._resources = resources
        self._lease = timedelta(seconds=lease_s)
        self._last = last
        self._version = version
        self._until = resources.clock.now()

    def keep(self) -> None:
        """Still at it; Overtaken if it took too long and somebody else is at it now."""
        now = self._resources.clock.now()
        if not now < self._until - self._lease / 2 <= now + self._lease:
            self._until = now + self._lease
            self._write({"last": self._last, "until": self._until.isoformat()})

    def done(self) -> None:
        """It is done, until the clock says so again."""
        self._write({"last": self._resources.clock.now().isoformat()})

    def let_go(self) -> None:
        """It is not done; whoever looks next may do it."""
        self._write({"last": self._last})

    def _write(self, value: dict[str, object]) -> None:
        row = NewTally(_TOPIC, self._name, value, self._version)
        change = Change("schedule", self._resources.clock.now(), (), tallies=(row,))
        self._resources.store.for_user(ALL_USERS).commit(change)
        self._version += 1


def acquire(
    name: str, resources: Resources, since: datetime | None, lease_s: float
) -> Lease | None:
    """The claim, unless somebody is at it, or has done it since then.

    What nobody ever did is noted as done now, so that a new store begins with the next time;
    without `since` it is work that has no hour.
    """
    found = resources.store.for_user(ALL_USERS).tallies(_TOPIC, [name]).get(name)
    value: dict[str, Any] = dict(found.value) if found else {}
    claim = Lease(name, resources, lease_s, value.get("last", ""), found.version if found else 0)
    try:
        if since is not None and found is None:
            claim.done()
            return None
        if since is not None and _is_done(value, since):
            return None
        if _is_held(value, resources.clock.now(), lease_s):
            return None
        claim.keep()
    except Overtaken:
        return None  # somebody else was faster
    return claim


def _is_done(value: dict[str, Any], since: datetime) -> bool:
    return datetime.fromisoformat(value["last"]) >= since


def _is_held(value: dict[str, Any], now: datetime, lease_s: float) -> bool:
    """Whether somebody is at it; a claim longer than any is from before the clock went back."""
    if "until" not in value:
        return False
    left = datetime.fromisoformat(value["until"]) - now
    return timedelta() < left <= timedelta(seconds=2 * lease_s)  # clocks of machines differ
