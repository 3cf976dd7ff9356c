"""Who may come in by the doors; only a digest of each secret is kept."""

from datetime import datetime
from typing import Any

from sharpwave.errors import Conflict
from sharpwave.storage.sql.session import Database, Session
from sharpwave.temporal.clock import from_microseconds, to_microseconds
from sharpwave.types.access import ApiKey, Scope


class SqlKeys:
    """The key ring of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Keep a new key; Conflict if the name was ever used."""
        row = {
            "digest": digest,
            "name": key.name,
            "user_id": key.user_id,
            "scopes": " ".join(sorted(key.scopes)),
            "at": to_microseconds(key.created_at),
        }

        def work(db: Session) -> None:
            if db.row("api_key_named", {"name": key.name}):
                raise Conflict(f"there is, or was, a key {key.name!r}; choose another name")
            db.change("add_api_key", row)

        self._database.run(work)

    def find(self, digest: bytes) -> ApiKey | None:
        """The key whose secret has this digest, revoked or not."""
        with self._database.borrow() as db:
            found = db.row("api_key", {"digest": digest})
        return _key(found) if found else None

    def all(self) -> list[ApiKey]:
        """Every key, revoked ones too, in order of their names."""
        with self._database.borrow() as db:
            return [_key(found) for found in db.rows("api_keys", {})]

    def revoke(self, name: str, at: datetime) -> bool:
        """The key opens nothing any more; False if there is none of that name that does."""
        return self._change("revoke_api_key", name, at)

    def used(self, name: str, at: datetime) -> None:
        """Note that a key was used."""
        self._change("use_api_key", name, at)

    def _change(self, statement: str, name: str, at: datetime) -> bool:
        def work(db: Session) -> bool:
            return db.change(statement, {"name": name, "at": to_microseconds(at)}) > 0

        return self._database.run(work)


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
