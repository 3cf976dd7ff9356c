"""Where a hook finds the server that has the memory open. Only the standard library and paths."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_NAMES = ("SHARPWAVE_FILE", "SHARPWAVE_PATH", "SHARPWAVE_USER")
"""The variables that decide which memory is meant; settings cannot be loaded yet to ask them."""


@dataclass(frozen=True, slots=True)
class MeetingPoint:
    """Files that belong to one memory, as options and environment name it."""

    folder: Path
    name: str

    @property
    def socket(self) -> Path:
        """Where the server listens."""
        return self.folder / f"{self.name}.sock"

    @property
    def lock(self) -> Path:
        """Held by the one server that listens."""
        return self.folder / f"{self.name}.lock"

    @property
    def missed(self) -> Path:
        """What was done while nobody listened: names of tools and files, no content."""
        return self.folder / f"{self.name}.jsonl"

    @property
    def log(self) -> Path:
        """What went wrong; a hook itself never fails."""
        return self.folder / "hook.log"


def meeting_point(db: str | None, user: str | None, settings: str | None) -> MeetingPoint:
    """The place for these options in this environment; only the user can look into it."""
    told = [db, user, settings, *(os.environ.get(name) for name in _NAMES)]
    digest = hashlib.blake2b(repr(told).encode("utf-8", "surrogatepass"), digest_size=6)
    folder = platformdirs.user_state_path("sharpwave") / "hooks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return MeetingPoint(folder, digest.hexdigest())
