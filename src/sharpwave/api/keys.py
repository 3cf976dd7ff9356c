"""API keys: create, list, revoke and authenticate."""

import hashlib
import secrets
from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta

from sharpwave import checks
from sharpwave.errors import InvalidInput, NotFound, StorageError, Unauthorized
from sharpwave.ports import Clock, KeyRing
from sharpwave.types.access import APART, ApiKey, NewKey, Principal, Scope

PREFIX = "sw_"
"""Prefix of every secret, so that scanners for leaked secrets recognise it."""
_SECRET_BYTES = 32
_MAX_NAME_CHARS = 64
_USE_NOTED_EVERY = timedelta(minutes=1)


class Keys:
    """The API keys of one memory file. A secret has 256 random bits; only its SHA-256 is stored."""

    def __init__(self, ring: KeyRing, clock: Clock) -> None:
        self._ring = ring
        self._clock = clock

    def create(
        self,
        name: str,
        user: str,
        scopes: Collection[Scope | str] = (Scope.READ, Scope.WRITE),
    ) -> NewKey:
        """Create a key for one user's memory. Its secret is in the result and stored nowhere."""
        key_name = checks.path_name(name, "the name of a key", _MAX_NAME_CHARS)
        owner = checks.name(user, "user")
        if APART in owner:
            raise InvalidInput(f"no key opens {owner!r}: {APART} is for what adapters keep apart")
        key = ApiKey(key_name, owner, _scopes(scopes), self._clock.now())
        secret = PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
        self._ring.add(key, _digest(secret))
        return NewKey(secret, key)

    def all(self) -> list[ApiKey]:
        """All keys, including revoked ones, by name."""
        return self._ring.all()

    def revoke(self, name: str) -> None:
        """Revoke a key; it stops working at once."""
        if not self._ring.revoke(name, self._clock.now()):
            raise NotFound(f"there is no key {name!r} that could be revoked")

    def principal(self, secret: str) -> Principal:
        """The principal of a secret; raises Unauthorized if it is unknown or revoked."""
        key = self._ring.find(_digest(secret))
        if key is None or key.revoked_at is not None:
            raise Unauthorized("this key opens nothing: it is not known, or it was revoked")
        now = self._clock.now()
        if key.used_at is None or now - key.used_at >= _USE_NOTED_EVERY:
            with suppress(StorageError):  # on a full disk its owner can still read and forget
                self._ring.used(key.name, now)
        return Principal(key.user_id, key.scopes, key.name)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _scopes(names: Collection[Scope | str]) -> frozenset[Scope]:
    scopes = checks.choices(Scope, names, "scopes")
    if not scopes:
        raise InvalidInput("a key without scopes opens nothing; give it read, write or admin")
    return scopes
