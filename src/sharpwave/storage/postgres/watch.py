"""Ends the wait for a server that does not answer: a cut line looks like a slow server for ever.

Nothing below us does: libpq waits for an answer without a limit, and a line that is cut in the
middle is not noticed by either end for many minutes.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

_LOOK_EVERY_S = 0.25


class Watch:
    """Knows which connections wait for an answer, and until when."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until: dict[int, tuple[float, Any]] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._look, name="sharpwave-watch", daemon=True)
        self._thread.start()

    @contextlib.contextmanager
    def over(self, connection: Any, seconds: float) -> Iterator[None]:
        """Whatever waits inside gets an answer in time, or the error of a lost connection."""
        with self._lock:
            self._until[id(connection)] = (time.monotonic() + seconds, connection)
        try:
            yield
        finally:
            with self._lock:
                self._until.pop(id(connection), None)

    def close(self) -> None:
        """Watch no more."""
        self._closing.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._closing.wait(_LOOK_EVERY_S):
            now = time.monotonic()
            with self._lock:  # until it is cut off nobody gets the connection for something else
                for until, connection in self._until.values():
                    if now > until:
                        _cut(connection)


def _cut(connection: Any) -> None:
    """Close the line under a connection, so that its reader wakes up."""
    with contextlib.suppress(Exception):  # whoever waits is told by the connection itself
        descriptor = os.dup(connection.fileno())
        with socket.socket(fileno=descriptor) as line:
            line.shutdown(socket.SHUT_RDWR)
