"""The tunable numbers of the copy that is kept when a server stops."""

from pathlib import Path

from pydantic import Field

from sharpwave.tunables.group import Group


class BackupSettings(Group):
    """A copy of the file at each stop, one a day [XPT-03, DEP-04]."""

    at_shutdown: bool = Field(False, description="Keep a copy of the file when it stops.")
    folder: Path | None = Field(None, description="Where; default: `backups` beside the file.")
    keep: int = Field(7, ge=1, description="Copies that are kept, one a day; older ones go.")
    limit_s: float = Field(20.0, gt=0, description="A copy that takes longer is given up.")
