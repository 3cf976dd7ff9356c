"""What the client needs of a transport, and the errors that came over it."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from sharpwave.errors import SharpwaveError, StorageError

Params = Mapping[str, Any]


class Wire(Protocol):
    """Sends requests to a server. Errors that the server tells are raised as our own."""

    def ask(
        self, verb: str, path: str, *, query: Params, body: bytes | None, repeatable: bool
    ) -> bytes:
        """The body of the answer."""

    def lines(self, path: str) -> Iterator[str]:
        """The lines of an answer, while they arrive."""

    def send(self, path: str, parts: Iterable[bytes], query: Params) -> bytes:
        """Send a body in parts."""

    def fetch(self, path: str, to: Path) -> None:
        """Write the body of an answer to a new file."""

    def acting_for(self, user: str) -> "Wire":
        """The same server, as another user."""

    def close(self) -> None:
        """Let go of the connections."""


def _codes(error: type[SharpwaveError]) -> dict[str, type[SharpwaveError]]:
    found = {error.code: error}
    for child in error.__subclasses__():
        found |= _codes(child)
    return found


def error_of(status: int, code: str, detail: str) -> SharpwaveError:
    """The error that a server told of, as if it had been raised here."""
    found = _codes(SharpwaveError).get(code)
    if found is not None and found is not SharpwaveError:
        return found(detail)
    told = f"the server answered {status}: {detail or code}"
    return StorageError(told) if status >= 500 else SharpwaveError(told)
