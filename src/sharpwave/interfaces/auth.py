"""From a bearer key to a `Principal`.

authenticator = Authenticator(memory.admin.keys)
principal = authenticator.admit("Bearer sw_…")  # Unauthorized if it opens nothing
require(principal, Scope.WRITE)                 # Forbidden if the key does not allow it
"""

from dataclasses import replace

from sharpwave.api.keys import Keys
from sharpwave.errors import Forbidden, Unauthorized
from sharpwave.types.access import Principal, Scope

_MAX_HEADER_CHARS = 8192


class Authenticator:
    """Finds the principal of a request. Thread-safe."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def admit(self, authorization: str | None) -> Principal:
        """Who sends this `Authorization` header; a key is looked up each time."""
        if authorization is None:
            raise Unauthorized("send a key: Authorization: Bearer sw_…")
        kind, _, secret = authorization.partition(" ")
        if kind.lower() != "bearer" or not secret.strip() or len(secret) > _MAX_HEADER_CHARS:
            raise Unauthorized("send the key as: Authorization: Bearer sw_…")
        return self._keys.principal(secret.strip())


def require(principal: Principal, scope: Scope) -> None:
    """Refuse what the key does not allow."""
    if not principal.may(scope):
        raise Forbidden(f"this key does not allow {scope.value}; make one with that scope")


def acting_for(principal: Principal, user: str | None) -> Principal:
    """The principal acting as another user; only for admins."""
    if user is None or user == principal.user_id:
        return principal
    if not principal.may(Scope.ADMIN):
        raise Forbidden("only a key with the scope admin may act for another user")
    return replace(principal, user_id=user)
