"""From a bearer key to a `Principal`: our own keys, and tokens of an identity provider.

gate = Gate(memory.keys, settings.server)
principal = gate.admit("Bearer sw_…")        # Unauthorized if it opens nothing
require(principal, Scope.WRITE)              # Forbidden if the key does not allow it
"""

import hashlib
import threading
import time
from collections import OrderedDict
from dataclasses import replace

from sharpwave.errors import Forbidden, Unauthorized
from sharpwave.facades.keys import PREFIX, Keys
from sharpwave.interfaces.auth.oidc import Tokens
from sharpwave.settings.server import ServerSettings
from sharpwave.types.access import Principal, Scope

_REMEMBERED = 4096
_MAX_HEADER_CHARS = 8192


class Gate:
    """Lets in whoever has a key. Safe for all threads."""

    def __init__(self, keys: Keys, settings: ServerSettings) -> None:
        self._keys = keys
        self._seconds = settings.key_cache_s
        self._tokens = Tokens(settings.oidc) if settings.oidc.issuer else None
        self._lock = threading.Lock()
        self._known: OrderedDict[bytes, tuple[float, Principal]] = OrderedDict()

    def known(self, authorization: str | None) -> Principal | None:
        """Who was let in with this header a moment ago; never asks the store."""
        if authorization is None:
            return None
        found = self._known.get(_digest(authorization))
        if found is None or time.monotonic() >= found[0]:
            return None
        return found[1]

    def admit(self, authorization: str | None) -> Principal:
        """Who sends this `Authorization` header."""
        principal = self.known(authorization)
        if principal is not None:
            return principal
        secret = _bearer(authorization)
        if secret.startswith(PREFIX) or self._tokens is None:
            principal = self._keys.principal(secret)
        else:
            principal = self._tokens.principal(secret)
        self._remember(_digest(str(authorization)), principal)
        return principal

    def _remember(self, digest: bytes, principal: Principal) -> None:
        with self._lock:
            self._known[digest] = (time.monotonic() + self._seconds, principal)
            self._known.move_to_end(digest)
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)


def require(principal: Principal, scope: Scope) -> None:
    """Refuse what the key does not allow."""
    if not principal.may(scope):
        raise Forbidden(f"this key does not allow {scope.value}; make one with that scope")


def acting_for(principal: Principal, user: str | None) -> Principal:
    """The principal as another user, whom only an admin may name."""
    if user is None or user == principal.user_id:
        return principal
    if not principal.may(Scope.ADMIN):
        raise Forbidden("only a key with the scope admin may act for another user")
    return replace(principal, user_id=user)


def _bearer(authorization: str | None) -> str:
    if authorization is None:
        raise Unauthorized("send a key: Authorization: Bearer sw_…")
    kind, _, secret = authorization.partition(" ")
    if kind.lower() != "bearer" or not secret.strip() or len(secret) > _MAX_HEADER_CHARS:
        raise Unauthorized("send the key as: Authorization: Bearer sw_…")
    return secret.strip()


def _digest(authorization: str) -> bytes:
    """What a header is remembered by: secrets are not kept, and looking up tells no timing."""
    return hashlib.sha256(authorization.encode("utf-8", "surrogatepass")).digest()
