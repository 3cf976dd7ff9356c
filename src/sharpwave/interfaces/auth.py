"""From a bearer key to a `Principal`.

principal = admit(memory.admin.keys, "Bearer sw_…")  # Unauthorized if it opens nothing
require(principal, Scope.WRITE)                      # Forbidden if the key does not allow it
"""

from dataclasses import replace

from sharpwave.api.keys import Keys
from sharpwave.errors import Forbidden, Unauthorized
from sharpwave.types.access import Principal, Scope

PRINCIPAL = "sharpwave.principal"
"""Key of the ASGI scope that holds the principal of a request."""
_MAX_HEADER_CHARS = 8192


def admit(keys: Keys, authorization: str | None) -> Principal:
    """The principal of an `Authorization` header; the key is looked up each time."""
    if authorization is None:
        raise Unauthorized("send a key: Authorization: Bearer sw_…")
    kind, _, secret = authorization.partition(" ")
    if kind.lower() != "bearer" or not secret.strip() or len(secret) > _MAX_HEADER_CHARS:
        raise Unauthorized("send the key as: Authorization: Bearer sw_…")
    return keys.principal(secret.strip())


def require(principal: Principal, scope: Scope) -> None:
    """Raise Forbidden unless the principal has the scope."""
    if not principal.may(scope):
        raise Forbidden(f"this key does not allow {scope.value}; make one with that scope")


def acting_for(principal: Principal, user: str | None) -> Principal:
    """The principal acting as another user; only for admins."""
    if user is None or user == principal.user_id:
        return principal
    if not principal.may(Scope.ADMIN):
        raise Forbidden("only a key with the scope admin may act for another user")
    return replace(principal, user_id=user)
