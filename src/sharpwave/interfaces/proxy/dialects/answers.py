"""What a model answered, read from the bytes that pass by: nothing is held back, or changed."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from sharpwave.interfaces.proxy.dialects import chat, responses
from sharpwave.interfaces.proxy.dialects.talk import Talk

_DONE = b"[DONE]"


class Dialect(NamedTuple):
    """How to read one of the APIs."""

    read: Callable[[Mapping[str, Any]], Talk | None]
    said: Callable[[Mapping[str, Any]], str]
    heard: Callable[[Mapping[str, Any]], tuple[str, bool]]


DIALECTS = {
    "/chat/completions": Dialect(chat.read, chat.said, chat.heard),
    "/responses": Dialect(responses.read, responses.said, responses.heard),
}
"""By the path after `/v1`."""


def talk_in(body: bytes, dialect: Dialect) -> Talk | None:
    """The conversation in a request; None if it is none that can be read."""
    try:
        asked = json.loads(body)
        return dialect.read(asked) if isinstance(asked, dict) else None
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None  # whatever is wrong with it, upstream says so


class Reader(Protocol):
    """Sees an answer pass."""

    def feed(self, chunk: bytes) -> None:
        """Some more bytes of it."""

    def end(self) -> None:
        """It came in full."""

    def text(self) -> str:
        """What was said; empty if the answer is not complete, or says nothing."""


def reader(kind: str, dialect: Dialect, limit: int) -> Reader | None:
    """A reader for an answer of this content type; None for what is no text of a model."""
    plain = kind.partition(";")[0].strip().lower()
    if plain == "text/event-stream":
        return Streamed(dialect, limit)
    return Whole(dialect, limit) if plain == "application/json" else None


class Whole:
    """An answer in one piece of JSON."""

    def __init__(self, dialect: Dialect, limit: int) -> None:
        self._dialect = dialect
        self._limit = limit
        self._body = bytearray()
        self._size = 0
        self._is_whole = False

    def feed(self, chunk: bytes) -> None:
        """Keep it, up to the limit."""
        self._size += len(chunk)
        if self._size <= self._limit:
            self._body += chunk
        else:
            self._body.clear()

    def end(self) -> None:
        """Only now is it an answer."""
        self._is_whole = self._size <= self._limit

    def text(self) -> str:
        """What was said."""
        if not self._is_whole:
            return ""
        try:
            return self._dialect.said(json.loads(self._body))
        except (ValueError, TypeError, AttributeError, RecursionError):
            return ""


class Streamed:
    """An answer as server-sent events."""

    def __init__(self, dialect: Dialect, limit: int) -> None:
        self._dialect = dialect
        self._left = limit
        self._line = bytearray()
        self._said: list[str] = []
        self._complete = False

    def feed(self, chunk: bytes) -> None:
        """Read the lines that are whole."""
        self._left -= len(chunk)
        if self._left < 0:
            self._line.clear()
            self._said.clear()
            return
        self._line += chunk
        if b"\n" not in chunk:  # a long line is not looked through again for each of its pieces
            return
        *lines, self._line = self._line.split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                self._take(line.removeprefix(b"data:").strip())

    def _take(self, data: bytearray) -> None:
        if data == _DONE:
            return
        try:
            text, is_last = self._dialect.heard(json.loads(data))
        except (ValueError, TypeError, AttributeError, RecursionError):
            return
        self._said.append(text)
        self._complete = self._complete or is_last

    def end(self) -> None:
        """The events say by themselves which is the last; many clients leave after it."""

    def text(self) -> str:
        """What was said, if the last event came."""
        return "".join(self._said) if self._complete and self._left >= 0 else ""
