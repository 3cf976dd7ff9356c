"""A fair lock for the processes that write to one file.

SQLite's own lock mostly goes to the process that has just committed: of two busy processes one can
wait for seconds. Here a writer holds a second lock until SQLite has let it in, so that a process
which wrote a moment ago comes after the one that waits. Without it nothing is lost or mixed, since
SQLite's own lock still decides.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sharpwave.storage.sqlite.connection import LOOK_S


class WriteLock:
    """A lock in a file beside the memories; it ends with the process that holds it."""

    def __init__(self, path: Path, wait_s: float) -> None:
        self._path = path.with_name(path.name + "-turn")
        self._wait_s = wait_s
        self._file = self._opened()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock meanwhile; after waiting too long, go on without it."""
        locked = self._waited()
        try:
            yield
        finally:
            if locked and self._file is not None:
                with suppress(OSError):  # as below
                    fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Remove the lock file, unless another process holds it."""
        if self._file is not None and self._locked(self._file):
            with suppress(OSError):  # where it may not be removed, it stays
                if self._exists(self._file):
                    self._path.unlink()
        self._close_file()

    def _waited(self) -> bool:
        until = time.monotonic() + self._wait_s
        while not self._taken():
            if time.monotonic() > until:
                return False
            time.sleep(LOOK_S)
        return True

    def _taken(self) -> bool:
        """Try to take the lock; False if another process holds it, or its file was removed."""
        if self._file is None:
            self._file = self._opened()
        if self._file is None:
            return True  # there can be no such lock: go on without it
        if not self._locked(self._file):
            return False
        if self._exists(self._file):
            return True
        self._close_file()
        return False

    def _locked(self, file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a filesystem without such locks
            return True
        return True

    def _exists(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), self._path.stat())
        except OSError:
            return False

    def _opened(self) -> int | None:
        try:
            return os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError:  # the folder is gone, or the file is another's
            return None

    def _close_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)
