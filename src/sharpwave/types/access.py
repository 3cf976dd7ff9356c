"""API keys and principals: who may use an interface, and for what."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

APART = "/@/"
"""Stands in the name of a user that an adapter made for a part of its program, behind the name of
the user it was made for. No key opens such a name, but an admin may act for it."""


class Scope(StrEnum):
    """What a key allows; each is granted by itself."""

    READ = "read"
    """Recall, list and export."""
    WRITE = "write"
    """Remember, correct and forget."""
    ADMIN = "admin"
    """Act for any user, make keys, see the audit log, back up."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is kept: everything but the secret."""

    name: str
    user_id: str
    """The user to whose memory it gives access."""
    scopes: frozenset[Scope]
    created_at: datetime
    used_at: datetime | None = None
    """When it was last used, to the minute."""
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made. The secret is shown this once and cannot be had again."""

    secret: str
    key: ApiKey


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller: the user to act for, what is allowed, and by which key."""

    user_id: str
    scopes: frozenset[Scope]
    key_name: str

    def may(self, scope: Scope) -> bool:
        """Whether this is allowed."""
        return scope in self.scopes
