"""Who may come in by the doors; only a digest of each secret is kept."""

from datetime import datetime
from typing import Any

import apsw

from sharpwave.errors import Conflict
from sharpwave.storage.sqlite import statements
from sharpwave.storage.sqlite.readers import Readers
from sharpwave.storage.sqlite.statements import SQL
from sharpwave.storage.sqlite.writer import Writer
from sharpwave.temporal.moments import from_microseconds, to_microseconds
from sharpwave.types.doors.access import ApiKey, Scope


class SqliteKeys:
    """The key ring of one SQLite file."""

    def __init__(self, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Keep a new key; Conflict if the name was ever used."""
        row = {
            "digest": digest,
            "name": key.name,
            "user_id": key.user_id,
            "scopes": " ".join(sorted(key.scopes)),
            "at": to_microseconds(key.created_at),
        }

        def work(db: apsw.Connection) -> None:
            if statements.row(db, "api_key_named", {"name": key.name}):
                raise Conflict(f"there is, or was, a key {key.name!r}; choose another name")
            db.execute(SQL["add_api_key"], row)

        self._writer.run(work)

    def find(self, digest: bytes) -> ApiKey | None:
        """The key whose secret has this digest, revoked or not."""
        with self._readers.borrow() as db:
            found = statements.row(db, "api_key", {"digest": digest})
        return _key(found) if found else None

    def all(self) -> list[ApiKey]:
        """Every key, revoked ones too, in order of their names."""
        with self._readers.borrow() as db:
            return [_key(found) for found in statements.rows(db, "api_keys", {})]

    def revoke(self, name: str, at: datetime) -> bool:
        """The key opens nothing any more; False if there is none of that name that does."""
        return self._change("revoke_api_key", name, at)

    def used(self, name: str, at: datetime) -> None:
        """Note that a key was used."""
        self._change("use_api_key", name, at)

    def _change(self, statement: str, name: str, at: datetime) -> bool:
        def work(db: apsw.Connection) -> bool:
            db.execute(SQL[statement], {"name": name, "at": to_microseconds(at)})
            return db.changes() > 0

        return self._writer.run(work)


def _key(row: Any) -> ApiKey:
    name, user_id, scopes, created_at, used_at, revoked_at = row
    return ApiKey(
        name=name,
        user_id=user_id,
        scopes=frozenset(map(Scope, scopes.split())),
        created_at=from_microseconds(created_at),
        used_at=None if used_at is None else from_microseconds(used_at),
        revoked_at=None if revoked_at is None else from_microseconds(revoked_at),
    )
