"""Secrets that all processes on one store share: made by the first that needs one."""

import secrets
from contextlib import suppress

from sharpwave.errors import Overtaken
from sharpwave.types.storing import Change, NewTally
from sharpwave.workspace import Resources

DOORS = "*doors*"
"""The name under which they are kept; nobody's records are."""
_TOPIC = "doors/secret"
_BYTES = 32


class SharedSecrets:
    """By what they are for; never shown to anybody outside."""

    def __init__(self, resources: Resources) -> None:
        self._clock, self._store = resources.clock, resources.store.for_user(DOORS)

    def of(self, name: str) -> bytes:
        """The secret for something, the same for every process."""
        while True:
            found = self._store.tallies(_TOPIC, [name]).get(name)
            if found is not None:
                return bytes.fromhex(str(found.value["secret"]))
            made = NewTally(_TOPIC, name, {"secret": secrets.token_hex(_BYTES)}, 0)
            change = Change("secret", self._clock.now(), (), tallies=(made,))
            with suppress(Overtaken):  # another process made it just now
                self._store.commit(change)
