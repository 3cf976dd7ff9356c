"""Turns in writing, for the processes that share a file.

SQLite lets in whoever asks at the right moment, and that is mostly the one that has just
committed: of two busy processes one can wait for seconds. Here whoever wants to write holds a lock
until SQLite has let it in, so that one which wrote a moment ago comes after the one that waits.
It is a courtesy: without it nothing is lost or mixed, since SQLite's own lock still decides.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOOK_S = 0.001


class Turns:
    """The lock beside a file; it ends with the process that holds it."""

    def __init__(self, path: Path, wait_s: float) -> None:
        self._wait_s = wait_s
        flags = os.O_CREAT | os.O_RDWR | os.O_CLOEXEC
        self._lock = os.open(path.with_name(path.name + "-turn"), flags, 0o600)

    @contextmanager
    def mine(self) -> Iterator[None]:
        """Be the next to write, or, after waiting too long, one of many who ask."""
        mine = self._taken()
        try:
            yield
        finally:
            if mine:
                fcntl.flock(self._lock, fcntl.LOCK_UN)

    def _taken(self) -> bool:
        until = time.monotonic() + self._wait_s
        while True:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    return False
                time.sleep(_LOOK_S)
            except OSError:  # a filesystem without such locks
                return False
            else:
                return True

    def close(self) -> None:
        """Let go of the lock."""
        os.close(self._lock)
