"""Middleware that checks every request: host, origin, key, rate, size. And the access log.

The checks run in this order, on headers alone: a request without a key costs next to nothing.
"""

import logging
import re
import time
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import unquote_to_bytes
from uuid import uuid4

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sharpwave.api.keys import Keys
from sharpwave.client import header_values
from sharpwave.errors import SharpwaveError, Unauthorized
from sharpwave.interfaces.auth import PRINCIPAL, acting_for, admit
from sharpwave.interfaces.rest.limits import AllowedHosts, RateLimiter, WrongKeys
from sharpwave.interfaces.rest.problems import of_error, problem
from sharpwave.interfaces.rest.telemetry import ACCESS, Metrics
from sharpwave.settings.server import ServerSettings
from sharpwave.types.access import Principal

USER = "Sharpwave-User"
"""Header in which an admin names the user; see `header_values` for how."""
OPEN = frozenset({"/health", "/ready", "/openapi.json", "/docs"})
"""Paths that need no key: health and API documentation."""
UPLOADS = frozenset({"/v1/import", "/v1/import/chats", "/v1/import/log"})
MAX_BODY_BYTES = 4 * 1024 * 1024
"""Maximum request size, except imports: the longest text that is stored, escaped as JSON."""
MAX_IMPORT_BYTES = 256 * 1024 * 1024
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)


class TooLarge(Exception):
    """The request body exceeds its limit."""


class RequestGuard:
    """Middleware around the app and everything mounted in it."""

    def __init__(
        self,
        app: ASGIApp,
        keys: Keys,
        settings: ServerSettings,
        names: AllowedHosts,
        metrics: Metrics,
        authenticates_itself: Callable[[Scope], bool],
    ) -> None:
        """`authenticates_itself` tells which requests an inner app authenticates."""
        self._app = app
        self._keys = keys
        self._names = names
        self._metrics = metrics
        self._logs = settings.log.access
        self._rates = RateLimiter(settings.rate_per_s)
        self._wrong_keys = WrongKeys()
        self._authenticates_itself = authenticates_itself

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        headers = Headers(scope=scope)
        body = _LimitedReceive(receive, self._limit(scope["path"]))
        answer = _GuardedSend(send, body, _request_id(scope))
        try:
            refusal = self._wrong_host(headers) or _unreadable(scope)
            if refusal is None:
                refusal = await self._authenticate(scope, headers)
            if refusal is None and scope["type"] == "http":
                refusal = self._invalid_body(scope, headers)
            if refusal is not None:
                await _refuse(refusal, scope, receive, answer)
                return
            with suppress(TooLarge):
                await self._app(scope, body, answer)
            if body.too_large:
                answer.drops_answers = False
                await _refuse(self._too_large(scope["path"]), scope, receive, answer)
        finally:
            seconds = time.perf_counter() - started
            self._metrics.request(scope, answer.status, seconds)
            if self._logs and scope["type"] == "http":
                _LOG.info("request", extra=_log_line(scope, answer, body, seconds))

    def _wrong_host(self, headers: Headers) -> Response | None:
        refusal = self._names.refusal(headers.getlist("host"), headers.getlist("origin"))
        if refusal is None:
            return None
        status, reason = refusal
        return problem(status, "forbidden" if status == 403 else None, reason)

    async def _authenticate(self, scope: Scope, headers: Headers) -> Response | None:
        """Find the principal: 401 without a valid key, 403 if it may not act for that user."""
        if scope["path"] in OPEN or self._authenticates_itself(scope):
            return None
        credentials = headers.getlist("authorization")
        try:
            principal = await self._principal(credentials, (scope.get("client") or ("",))[0])
            user = header_values.only_name(headers.getlist(USER), USER)
            principal = acting_for(principal, user)
            self._rates.take(principal.key_name)
        except SharpwaveError as error:
            return of_error(error)
        scope[PRINCIPAL] = principal
        return None

    async def _principal(self, credentials: list[str], address: str) -> Principal:
        if len(credentials) != 1:
            raise Unauthorized("send one key: Authorization: Bearer sw_…")
        try:
            return await run_in_threadpool(admit, self._keys, credentials[0])
        except Unauthorized as error:
            raise self._wrong_keys.refusal(address, error) from None

    def _invalid_body(self, scope: Scope, headers: Headers) -> Response | None:
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._limit(scope["path"]):
            return self._too_large(scope["path"])
        has_body = length != "0" or "transfer-encoding" in headers
        if scope["method"] in _SAFE or not has_body or scope["path"] in UPLOADS:
            return None
        if self._authenticates_itself(scope):
            return None
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":  # web pages can send other types without preflight
            return problem(415, None, "send JSON, as Content-Type: application/json")
        return None

    def _limit(self, path: str) -> int:
        return MAX_IMPORT_BYTES if path in UPLOADS else MAX_BODY_BYTES

    def _too_large(self, path: str) -> Response:
        return problem(413, None, f"at most {self._limit(path)} bytes are taken at once")


class _GuardedSend:
    """Passes an answer on, with the headers that every answer has."""

    def __init__(self, send: Send, body: "_LimitedReceive", request_id: bytes) -> None:
        self._send = send
        self._body = body
        self.request_id = request_id
        self.status = self.size = 0
        self.drops_answers = True
        """Whether answers of the app to a truncated body are dropped."""

    async def __call__(self, message: Message) -> None:
        if self._body.too_large and self.drops_answers and not self.status:
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            names = {name.lower() for name, _ in message.get("headers", ())}
            missing = [header for header in _HEADERS if header[0] not in names]
            missing.append((REQUEST_ID, self.request_id))
            message = {**message, "headers": [*message.get("headers", ()), *missing]}
        self.size += len(message.get("body", b""))
        await self._send(message)


async def _refuse(response: Response, scope: Scope, receive: Receive, answer: _GuardedSend) -> None:
    if scope["type"] == "websocket":
        await receive()
        await answer({"type": "websocket.close", "code": 1008})
    elif not answer.status:
        await response(scope, receive, answer)


def _unreadable(scope: Scope) -> Response | None:
    """Refuse an address that is not UTF-8, which would be decoded to other names."""
    raw = scope.get("raw_path") or b""
    if b"%" in raw or b"%" in scope["query_string"]:
        try:
            unquote_to_bytes(raw + b"?" + scope["query_string"]).decode()
        except UnicodeDecodeError:
            return problem(400, None, "path and query are UTF-8 in percent-encoding; this is not")
    return None


class _LimitedReceive:
    """Counts the bytes actually received, whatever the headers say."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self.size = 0

    @property
    def too_large(self) -> bool:
        return self.size > self._limit

    async def __call__(self) -> Message:
        message = await self._receive()
        self.size += len(message.get("body", b""))
        if self.too_large:
            raise TooLarge
        return message


_LOG = logging.getLogger(ACCESS)
REQUEST_ID = b"x-request-id"
_ID = re.compile(rb"[0-9a-fA-F-]{8,64}")
"""Request ids from a proxy; any other value is replaced."""


def _request_id(scope: Scope) -> bytes:
    ids = [value for name, value in scope["headers"] if name == REQUEST_ID]
    if len(ids) == 1 and _ID.fullmatch(ids[0]):
        return bytes(ids[0])
    return uuid4().hex.encode()


def _log_line(
    scope: Scope, answer: _GuardedSend, body: _LimitedReceive, seconds: float
) -> dict[str, object]:
    """Fields of the access log. The path may contain names, so the route is logged instead."""
    route = getattr(scope.get("route"), "path", None)
    principal = scope.get(PRINCIPAL)
    return {
        "request_id": answer.request_id.decode("ascii"),
        "method": scope["method"] if route else None,
        "route": route,
        "status": answer.status or 500,
        "key": principal.key_name if principal else None,
        "wall_ms": round(1000 * seconds, 3),
        "bytes_in": body.size,
        "bytes_out": answer.size,
    }
