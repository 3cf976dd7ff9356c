"""Copies of the file that are kept for a while: one a day, the oldest go [XPT-03]."""

import contextlib
import glob
from collections.abc import Callable
from datetime import date
from pathlib import Path

from sharpwave.errors import StoreDegraded
from sharpwave.storage.sql.verifying import Progress

Backup = Callable[[Path, Progress], None]


def keep(
    backup: Backup, file: Path, folder: Path, day: date, most: int, progress: Progress
) -> Path:
    """Write the copy of a day, in place of an earlier one of that day, and let older ones go.

    An earlier copy goes only once the new one is complete and was read back.
    """
    target = folder / f"{file.stem}-{day.isoformat()}{file.suffix}"
    fresh = folder / f".{file.name}.new"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        backup(fresh, progress)
        fresh.replace(target)
        name = f"{glob.escape(file.stem)}-????-??-??{glob.escape(file.suffix)}"
        for old in sorted(folder.glob(name))[:-most]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise StoreDegraded(f"cannot keep a copy in {folder}: {error}") from error
    finally:
        with contextlib.suppress(OSError):  # there is no such folder
            fresh.with_name(fresh.name + ".unfinished").unlink(missing_ok=True)
    return target
