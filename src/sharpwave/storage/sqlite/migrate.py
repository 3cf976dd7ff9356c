"""Brings a file to the newest schema, one numbered step at a time, each in one transaction.

A file that already holds data is copied beside itself before each step; a new one takes all steps
in one transaction. A file written by a newer version of Sharpwave is refused, untouched.
"""

import secrets
from pathlib import Path

from sharpwave.errors import UnsafeStore
from sharpwave.storage.sql import migrations
from sharpwave.storage.sql.migrations import Migration
from sharpwave.storage.sqlite import copies
from sharpwave.storage.sqlite.connection import APPLICATION_ID, SqliteSession, translated


def bundled() -> list[Migration]:
    """The steps that come with the package, in order."""
    return migrations.bundled(__package__)


def migrate(db: SqliteSession, path: Path, steps: list[Migration]) -> list[Path]:
    """Apply what is missing; returns the backups that were made."""
    newest = steps[-1].version
    version = _version(db)
    if version > newest:
        raise UnsafeStore(
            f"{path} was written by a newer Sharpwave (schema {version}; this one knows {newest}). "
            "Upgrade Sharpwave; the file was not touched."
        )
    if version == 0:
        _apply(db, path, steps)
        return []
    backups = []
    for step in steps:
        if step.version > version:
            backups.append(_backup(db, path, version))
            _apply(db, path, [step])
            version = step.version
    return backups


def _apply(db: SqliteSession, path: Path, steps: list[Migration]) -> None:
    with translated(path):
        db.execute("BEGIN IMMEDIATE")
        try:
            version = _version(db)  # another process may have been faster
            for step in steps:
                if step.version > version:
                    _run_step(db, step)
            db.execute("COMMIT")
        except BaseException:  # passed on; half a step must not stay
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


def _run_step(db: SqliteSession, step: Migration) -> None:
    db.execute(step.sql)
    if step.version == 1:
        db.pragma("application_id", APPLICATION_ID)
        salt = secrets.token_bytes(migrations.ACTOR_SALT_BYTES)
        db.change("put_meta", {"name": "actor_salt", "value": salt})
    db.pragma("user_version", step.version)


def _backup(db: SqliteSession, path: Path, version: int) -> Path:
    target = path.with_name(f"{path.name}.schema-{version}.backup")
    if not target.exists():
        unfinished = target.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        with translated(path), copies.being_written(unfinished):
            db.execute("VACUUM INTO ?", (str(unfinished),))
            unfinished.rename(target)
    return target


def _version(db: SqliteSession) -> int:
    return int(db.pragma("user_version"))
