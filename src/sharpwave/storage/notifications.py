"""The topics that processes notify each other of, and a subscription that never notifies."""

import hashlib

JOBS = "jobs"
EVENTS = "events"
_DIGEST_BYTES = 8


def events_of(user_id: str) -> str:
    """The topic of one user's events, without the user's name.

    >>> events_of("ana")
    'events 24d4b96f58da6d4a'
    """
    name = user_id.encode("utf-8", "surrogatepass")
    return f"{EVENTS} {hashlib.sha256(name).digest()[:_DIGEST_BYTES].hex()}"


class NoNotifications:
    """The subscription of a store that cannot notify: its listeners poll."""

    @property
    def live(self) -> bool:
        """Never."""
        return False

    def end(self) -> None:
        """Nothing to do."""
