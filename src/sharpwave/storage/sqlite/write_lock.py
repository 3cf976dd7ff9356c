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
    def mine(self) -> Iterator[None]:
        """Be the next to write, or, after waiting too long, one of many who ask."""
        mine = self._waited()
        try:
            yield
        finally:
            if mine and self._file is not None:
                with suppress(OSError):  # as below
                    fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Leave no file behind, unless another process is at it."""
        if self._file is not None and self._locked(self._file):
            with suppress(OSError):  # where nobody may remove it, it stays
                if self._is_there(self._file):
                    self._path.unlink()
        self._let_go()

    def _waited(self) -> bool:
        until = time.monotonic() + self._wait_s
        while not self._taken():
            if time.monotonic() > until:
                return False
            time.sleep(LOOK_S)
        return True

    def _taken(self) -> bool:
        """Whether the lock is ours now. A file that somebody removed is no lock any more."""
        if self._file is None:
            self._file = self._opened()
        if self._file is None:
            return True  # there can be no such lock: everybody's turn
        if not self._locked(self._file):
            return False
        if self._is_there(self._file):
            return True
        self._let_go()
        return False

    def _locked(self, file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a filesystem without such locks: everybody's turn
            return True
        return True

    def _is_there(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), self._path.stat())
        except OSError:
            return False

    def _opened(self) -> int | None:
        try:
            return os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError:  # the folder is gone, or the file is another's
            return None

    def _let_go(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)
