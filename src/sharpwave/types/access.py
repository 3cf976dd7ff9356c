"""API keys, permissions and principals."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

APART = "/@/"
"""Separator in the names of users that adapters create, after the name of the original user. No
key can be created for such a name, but an admin may act for it."""


class Scope(StrEnum):
    """A permission of a key; each is granted separately."""

    READ = "read"
    """Recall, list and export."""
    WRITE = "write"
    """Remember, correct and forget."""
    ADMIN = "admin"
    """Act for any user, create keys, see the audit log, back up."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A stored key, without its secret."""

    name: str
    user_id: str
    """The user whose memory it gives access to."""
    scopes: frozenset[Scope]
    created_at: datetime
    used_at: datetime | None = None
    """When it was last used, to the minute."""
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A new key. The secret is shown only once and cannot be retrieved again."""

    secret: str
    key: ApiKey


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated caller: user, permissions and name of the key."""

    user_id: str
    scopes: frozenset[Scope]
    key_name: str

    def may(self, scope: Scope) -> bool:
        """Whether the caller has a permission."""
        return scope in self.scopes
