"""Reads the answers of an HTTP client within limits of time and size, whatever the endpoint sends.

The client's own limit is one for each piece: a server that drips, or never ends, keeps to it. Only
the head of an answer is out of reach here; it is read piece by piece, up to the client's own size.
"""

from typing import Any

from sharpwave.llm.patience import Patience

_UNTIL = "sharpwave.until"  # where a request carries the moment by which its answer must be there


class Unusable(Exception):
    """What came is no answer; the message says what it is instead."""


class TooLate(Exception):
    """The answer comes, but too slowly."""


class Limits:
    """Hooks for one client: the read timeout of a request holds for its whole answer."""

    def __init__(self, most_bytes: int, setting: str, patience: Patience) -> None:
        """`setting` is what to raise if more than `most_bytes` is wanted."""
        self._most = most_bytes
        self._setting = setting
        self._patience = patience

    @property
    def hooks(self) -> dict[str, list[Any]]:
        """As the HTTP client takes them."""
        return {"request": [self._note_time], "response": [self._read]}

    @property
    def headers(self) -> dict[str, str]:
        """What to ask for: compressed, any size would fit into the limit."""
        return {"Accept-Encoding": "identity"}

    def _note_time(self, request: Any) -> None:
        """Called before a request is sent."""
        limit_s: float = request.extensions["timeout"]["read"]
        request.extensions[_UNTIL] = self._patience.now() + limit_s

    def _read(self, response: Any) -> None:
        """Called when the head of an answer is there."""
        encoding = response.headers.get("content-encoding", "identity")
        if encoding.lower() != "identity":
            raise Unusable("a compressed answer, although none was asked for")
        until, body = response.request.extensions[_UNTIL], bytearray()
        for piece in response.stream:
            body += piece
            if len(body) > self._most:
                raise Unusable(f"more than {self._setting} = {self._most} bytes")
            if self._patience.now() > until:
                raise TooLate
        response.stream.close()
        response.stream = type(response)(response.status_code, content=bytes(body)).stream
