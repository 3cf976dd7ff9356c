"""A little space on the disk, kept so that something can be forgotten when the disk is full.

It is a file without a name, which ends with the process. An erasure of a few records fits in it.
"""

import os
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

from sharpwave.settings.core import MIB

RESERVE_MIB = 1


class Reserve:
    """Space that an erasure may use."""

    def __init__(self, folder: Path) -> None:
        self._file: int | None = None
        with suppress(OSError):  # the disk is full already, or takes no further file
            self._file, name = tempfile.mkstemp(prefix=".sharpwave-", dir=folder)
            os.unlink(name)
        self._close = weakref.finalize(self, _close, self._file)
        self.renew()

    def release(self) -> None:
        """Give the space to the next write."""
        if self._file is not None:
            os.ftruncate(self._file, 0)

    def renew(self) -> None:
        """Take the space again, as far as there is any."""
        for part in (1, 2, 4, 8):
            if self._file is not None and RESERVE_MIB:
                with suppress(OSError):
                    return _allocate(self._file, RESERVE_MIB * MIB // part)

    def close(self) -> None:
        """Let go of it."""
        self._close()
        self._file = None


def _allocate(file: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        os.pwrite(file, bytes(size), 0)


def _close(file: int | None) -> None:
    if file is not None:
        os.close(file)
