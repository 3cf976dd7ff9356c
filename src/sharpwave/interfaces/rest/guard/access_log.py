"""One line a request, of what is known of it without its words."""

import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sharpwave.interfaces.auth.oidc import BY_TOKEN
from sharpwave.interfaces.rest.guard.boundary import PRINCIPAL
from sharpwave.interfaces.rest.logs import ACCESS

_LOG = logging.getLogger(ACCESS)
REQUEST_ID = b"x-request-id"
_ID = re.compile(rb"[0-9a-fA-F-]{8,64}")
"""Ids that a proxy gave; what looks otherwise may be anything, and is replaced."""
_spent: ContextVar[list[float] | None] = ContextVar("spent", default=None)


class AccessLog:
    """Around the boundary, so that what is refused there is written down, too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and write down how it went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        seen = _Seen(_id(scope), receive, send)
        spent: list[float] = []
        _spent.set(spent)  # of this request alone: the server gives each a context of its own
        started = time.perf_counter()
        try:
            await self._app(scope, seen.receive, seen.send)
        finally:
            wall = (time.perf_counter() - started) * 1000
            _LOG.info("request", extra=seen.line(scope, wall, sum(spent) if spent else None))


class _Seen:
    """What passes by of one request: sizes and status."""

    def __init__(self, id_: str, receive: Receive, send: Send) -> None:
        self._id = id_
        self._receive, self._send = receive, send
        self._status = 500
        self._in = self._out = 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._in += len(message.get("body", b""))
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = [*message.get("headers", ()), (REQUEST_ID, self._id.encode())]
            message = {**message, "headers": headers}
        self._out += len(message.get("body", b""))
        await self._send(message)

    def line(self, scope: Scope, wall_ms: float, cpu_ms: float | None) -> dict[str, object]:
        """What is written. The path may hold names, so the route stands for it."""
        route = getattr(scope.get("route"), "path", None)
        principal = scope.get(PRINCIPAL)
        return {
            "request_id": self._id,
            "method": scope["method"] if route else None,
            "route": route,
            "status": self._status,
            "key": _key(principal.key_name) if principal else None,
            "wall_ms": round(wall_ms, 3),
            "cpu_ms": None if cpu_ms is None else round(cpu_ms, 3),
            "bytes_in": self._in,
            "bytes_out": self._out,
        }


def timed(
    span: Callable[[str], AbstractContextManager[Any]],
) -> Callable[[str], AbstractContextManager[Any]]:
    """The span of a call, which also counts the CPU time of the thread that does the work."""

    @contextmanager
    def counted(method: str) -> Iterator[None]:
        started = time.thread_time()
        try:
            with span(method):
                yield
        finally:
            spent = _spent.get()
            if spent is not None:
                spent.append((time.thread_time() - started) * 1000)

    return counted


def _key(name: str) -> str:
    """The name of a key; of a token, which names a person, a digest that only tells them apart."""
    if not name.startswith(BY_TOKEN):
        return name
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6)
    return f"{BY_TOKEN}{digest.hexdigest()}"


def _id(scope: Scope) -> str:
    given = [value for name, value in scope["headers"] if name == REQUEST_ID]
    if len(given) == 1 and _ID.fullmatch(given[0]):
        return str(given[0].decode("ascii"))
    return uuid4().hex
