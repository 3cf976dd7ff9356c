"""Tells webhooks what happened: in order, signed, at least once, again later if it fails.

Whoever listens on the bus is told first, and once.

Any number of processes may look; of each webhook one at a time tells (`telling`). A webhook
remembers the last event it was told, and the receiver knows an event by its `seq`.
"""

import threading
from collections.abc import Callable

from sharpwave.events import hooks
from sharpwave.events.publishing import Publishing
from sharpwave.events.telling import Teller, tell
from sharpwave.workspace import Resources

_PAGE = 1000


class Deliveries:
    """What one process has still to tell; it looks only at users to whom something happened."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: int | None = None
        self._late: set[str] = set()
        """Users with a webhook that is to be looked at again."""
        self._published = Publishing()

    def deliver(self, resources: Resources, stopped: Callable[[], bool]) -> int:
        """Tell everybody what is due; returns how many events were delivered."""
        with self._lock:
            published = self._published.go_on(resources, stopped)
            if resources.sender is None:
                return published
            self._late |= self._busy(resources)
            tellers = (
                Teller(resources.for_user(user), resources.sender, stopped)
                for user in sorted(self._late)
            )
            return published + sum(map(self._for_user, tellers))

    def _busy(self, resources: Resources) -> set[str]:
        if self._seen is None:
            self._seen = 0
            users = set(resources.store.users())
        else:
            users = set()
        while page := resources.store.events(self._seen, _PAGE):
            users |= {event.user_id for event in page if event.user_id}
            self._seen = page[-1].seq
        return users

    def _for_user(self, teller: Teller) -> int:
        told = [tell(kept, teller) for kept in hooks.of_user(teller.workspace)]
        if not any(one.look_again for one in told):
            self._late.discard(teller.workspace.user_id)
        return sum(one.events for one in told)
