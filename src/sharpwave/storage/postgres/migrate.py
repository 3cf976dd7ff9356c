"""Brings a database to the newest schema, one numbered step at a time, each in one transaction.

Every step is recorded with a digest of its statements. A database whose steps are not ours, or that
a newer version of Sharpwave has changed, is refused, untouched.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sharpwave.errors import StoreDamaged, UnsafeStore
from sharpwave.storage.sql import migrations
from sharpwave.storage.sql.migrations import Migration

_LOCK = 5_305_718_214_461_957_120  # any number, as long as it is always the same
_OLDEST_SERVER = 150_000
_RECORDS = """CREATE TABLE IF NOT EXISTS migrations (
    version integer PRIMARY KEY, name text NOT NULL, digest text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
)"""
_SERVER = """SELECT current_setting('server_version_num')::integer,
    current_setting('server_encoding'), current_setting('synchronous_commit'),
    (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user)"""


def bundled() -> list[Migration]:
    """The steps that come with the package, in order."""
    return migrations.bundled(__package__)


def require_safe(db: Any) -> None:
    """Refuse a server, a database or a role with which memories would be at risk."""
    version, encoding, durable, bypasses_security = db.execute(_SERVER).fetchone()
    if version < _OLDEST_SERVER:
        raise UnsafeStore(f"PostgreSQL 15 or newer is needed, not {version // 10_000}")
    if encoding != "UTF8":
        raise UnsafeStore(f"the database must be encoded in UTF8, not {encoding}")
    if durable == "off":
        raise UnsafeStore("with synchronous_commit off, acknowledged memories can be lost")
    if bypasses_security:
        raise UnsafeStore(
            "row-level security does not hold for this role, so nothing would keep users apart but "
            "our own statements. Connect as an ordinary role that owns the database: "
            "CREATE ROLE sharpwave LOGIN; CREATE DATABASE sharpwave OWNER sharpwave"
        )


@contextmanager
def alone(db: Any) -> Iterator[None]:
    """Keep other processes from changing the schema meanwhile."""
    db.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
    try:
        yield
    finally:
        db.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))


def migrate(db: Any, steps: list[Migration]) -> None:
    """Apply what is missing, while no other process does."""
    with alone(db):
        applied = _applied(db)
        _require_known(applied, steps)
        if not applied:
            db.execute(_RECORDS)
        for step in steps:
            if step.version not in applied:
                _apply(db, step)


def salt_of(db: Any) -> bytes:
    """The salt that this store mixes into the digests of its users' names."""
    found = db.execute("SELECT value FROM meta WHERE name = 'actor_salt'").fetchone()
    if found is None:
        raise StoreDamaged("the salt of the audit is missing from the database; restore a backup")
    return bytes.fromhex(found[0])


def _applied(db: Any) -> dict[int, str]:
    if not db.execute("SELECT to_regclass('public.migrations') IS NOT NULL").fetchone()[0]:
        return {}
    return dict(db.execute("SELECT version, digest FROM migrations").fetchall())


def _require_known(applied: dict[int, str], steps: list[Migration]) -> None:
    newest, digests = steps[-1].version, {step.version: step.digest for step in steps}
    if max(applied, default=0) > newest:
        raise UnsafeStore(
            f"the database was changed by a newer Sharpwave (schema {max(applied)}; this one knows "
            f"{newest}). Upgrade Sharpwave; the database was not touched."
        )
    if any(digests.get(version) != digest for version, digest in applied.items()):
        raise UnsafeStore("the schema of the database is not one of ours; it was not touched")


def _apply(db: Any, step: Migration) -> None:
    with db.transaction():
        db.execute(step.sql)
        if step.version == 1:
            salt = secrets.token_hex(migrations.ACTOR_SALT_BYTES)
            db.execute("INSERT INTO meta (name, value) VALUES ('actor_salt', %s)", (salt,))
        record = (step.version, step.name, step.digest)
        db.execute("INSERT INTO migrations (version, name, digest) VALUES (%s, %s, %s)", record)
