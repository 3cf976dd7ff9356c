"""Secrets that all processes on one store share: made by the first that needs one."""

import secrets
from contextlib import suppress

from sharpwave.errors import Overtaken
from sharpwave.ports import Ports
from sharpwave.types.storing import Change, NewTally

DOORS = "*doors*"
"""The name under which they are kept; nobody's records are."""
_TOPIC = "doors/secret"
_BYTES = 32


class SharedSecrets:
    """By what they are for; never shown to anybody outside."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    def of(self, name: str) -> bytes:
        """The secret for something, the same for every process."""
        while True:
            found = self._ports.store.tallies(DOORS, _TOPIC, [name]).get(name)
            if found is not None:
                return bytes.fromhex(str(found.value["secret"]))
            made = NewTally(_TOPIC, name, {"secret": secrets.token_hex(_BYTES)}, 0)
            change = Change(DOORS, "secret", self._ports.clock.now(), (), tallies=(made,))
            with suppress(Overtaken):  # another process made it just now
                self._ports.store.commit(change)
