"""The steps that bring a database up to date: numbered files, the same form for every dialect."""

import hashlib
from importlib.resources import files
from typing import NamedTuple

ACTOR_SALT_BYTES = 32
"""Size of the salt of names in the audit log, made with the first step."""


class Migration(NamedTuple):
    """One step: the version it leads to, its name, and its statements."""

    version: int
    name: str
    sql: str

    @property
    def digest(self) -> str:
        """Digest of the statements: a step that was applied must never change."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def bundled(package: str) -> list[Migration]:
    """The steps that come with a package of storage, in order."""
    folder = files(package) / "migrations"
    found = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [
        Migration(int(name[:4]), name.removesuffix(".sql"), (folder / name).read_text("utf-8"))
        for name in found
    ]
