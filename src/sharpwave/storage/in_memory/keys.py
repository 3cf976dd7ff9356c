"""Who may come in by the doors, in a dictionary."""

import threading
from dataclasses import replace
from datetime import datetime

from sharpwave.errors import Conflict
from sharpwave.types.access import ApiKey


class InMemoryKeys:
    """Keys for as long as the process lives."""

    def __init__(self) -> None:
        self._keys: dict[bytes, ApiKey] = {}
        self._lock = threading.Lock()

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Keep a new key; Conflict if the name was ever used."""
        with self._lock:
            if any(known.name == key.name for known in self._keys.values()):
                raise Conflict(f"there is, or was, a key {key.name!r}; choose another name")
            self._keys[digest] = key

    def find(self, digest: bytes) -> ApiKey | None:
        """The key whose secret has this digest, revoked or not."""
        return self._keys.get(digest)

    def all(self) -> list[ApiKey]:
        """Every key, revoked ones too, in order of their names."""
        with self._lock:
            return sorted(self._keys.values(), key=lambda key: key.name)

    def revoke(self, name: str, at: datetime) -> bool:
        """The key opens nothing any more; False if there is none of that name that does."""
        with self._lock:
            for digest, key in self._keys.items():
                if key.name == name and key.revoked_at is None:
                    self._keys[digest] = replace(key, revoked_at=at)
                    return True
        return False

    def used(self, name: str, at: datetime) -> None:
        """Note that a key was used."""
        with self._lock:
            for digest, key in self._keys.items():
                if key.name == name:
                    latest = at if key.used_at is None else max(at, key.used_at)
                    self._keys[digest] = replace(key, used_at=latest)
