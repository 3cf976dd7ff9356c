"""A little space on the disk, kept so that something can be forgotten when the disk is full.

It is a file without a name, which ends with the process. An erasure of a few records fits in it.
"""

import os
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import IO

from sharpwave.settings.core import MIB

RESERVE_MIB = 1


class Reserve:
    """Space that an erasure may use."""

    def __init__(self, folder: Path) -> None:
        self._file: IO[bytes] | None = None
        with suppress(OSError):  # the disk is full already, or takes no further file
            self._file = tempfile.TemporaryFile(dir=folder)
            weakref.finalize(self, self._file.close)
        self.renew()

    def release(self) -> None:
        """Give the space to the next write."""
        if self._file is not None:
            self._file.truncate(0)

    def renew(self) -> None:
        """Reserve the space anew, as far as there is any."""
        for part in (1, 2, 4, 8):
            if self._file is not None and RESERVE_MIB:
                with suppress(OSError, ValueError):  # full, or closed meanwhile
                    return _allocate(self._file.fileno(), RESERVE_MIB * MIB // part)

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()


def _allocate(file: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        os.pwrite(file, bytes(size), 0)
