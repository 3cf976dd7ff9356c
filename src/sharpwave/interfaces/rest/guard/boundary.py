"""What every request passes before anything of it is believed: host, origin, key, rate, size.

In this order, on headers alone: whoever has no key costs no memory, no file and no model.
"""

import time
from collections.abc import Callable
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sharpwave.errors import SharpwaveError, Unauthorized
from sharpwave.interfaces.auth.gate import Gate, acting_for
from sharpwave.interfaces.rest.guard.hosts import Names
from sharpwave.interfaces.rest.guard.rates import Rates
from sharpwave.interfaces.rest.metrics import Metrics
from sharpwave.interfaces.rest.problems import of_error, problem
from sharpwave.settings.server import ServerSettings
from sharpwave.types.access import Principal

PRINCIPAL = "sharpwave.principal"
"""Where the principal stands in the scope of a request."""
OPEN = frozenset({"/health", "/ready", "/openapi.json", "/docs"})
"""What anybody may see: whether we are up, and what this version can do."""
UPLOADS = frozenset({"/v1/import", "/v1/import/chats", "/v1/import/log"})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)


def none(scope: Scope) -> bool:
    """Of nothing."""
    return False


class TooLarge(Exception):
    """More was sent than is allowed."""


class Boundary:
    """The wall around the app, and around whatever is mounted in it."""

    def __init__(
        self,
        app: ASGIApp,
        gate: Gate,
        settings: ServerSettings,
        names: Names,
        metrics: Metrics,
        has_own_door: Callable[[Scope], bool] = none,
    ) -> None:
        """`has_own_door` says of which requests somebody inside asks who sends them."""
        self._app = app
        self._gate = gate
        self._settings = settings
        self._names = names
        self._metrics = metrics
        self._rates = Rates(settings)
        self._has_own_door = has_own_door
        self._open = OPEN | ({"/metrics"} if settings.open_metrics else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        headers = _headers(scope)
        answer = _Answer(send)
        try:
            refusal = self._misdirected(headers)
            if refusal is None:
                refusal = await self._unknown(scope, headers)
            if refusal is None and scope["type"] == "http":
                refusal = self._unfit(scope, headers)
            if refusal is not None:
                await _refuse(refusal, scope, receive, answer)
                return
            body = answer.body = _Body(receive, self._limit(scope["path"]))
            with suppress(TooLarge):
                await self._app(scope, body, answer)
            if body.too_large:
                answer.body = None
                await _refuse(self._too_large(scope["path"]), scope, receive, answer)
        finally:
            seconds = time.perf_counter() - started
            self._metrics.request(scope, answer.status, seconds)

    def _misdirected(self, headers: dict[str, list[str]]) -> Response | None:
        found = self._names.refusal(headers.get("host", []), headers.get("origin", []))
        if found is None:
            return None
        status, why = found
        return problem(status, "forbidden" if status == 403 else None, why)

    async def _unknown(self, scope: Scope, headers: dict[str, list[str]]) -> Response | None:
        """Find out who is asking; 401 if nobody says, 403 if they may not be who they say."""
        if scope["path"] in self._open or self._has_own_door(scope):
            return None
        given = headers.get("authorization", [])
        try:
            principal = await self._principal(given)
            named = headers.get("sharpwave-user")
            principal = acting_for(principal, None if named is None else named[-1])
            self._rates.take(principal.key_name)
        except SharpwaveError as error:
            return of_error(error)
        scope[PRINCIPAL] = principal
        return None

    async def _principal(self, given: list[str]) -> Principal:
        if len(given) != 1:
            raise Unauthorized("send one key: Authorization: Bearer sw_…")
        known = self._gate.known(given[0])
        if known is not None:
            return known
        return await run_in_threadpool(self._gate.admit, given[0])

    def _unfit(self, scope: Scope, headers: dict[str, list[str]]) -> Response | None:
        length = headers.get("content-length", ["0"])[0]
        if not length.isdecimal() or int(length) > self._limit(scope["path"]):
            return self._too_large(scope["path"])
        has_body = length != "0" or "transfer-encoding" in headers
        if scope["method"] in _SAFE or not has_body or scope["path"] in UPLOADS:
            return None
        if self._has_own_door(scope):
            return None
        kind = headers.get("content-type", [""])[0].partition(";")[0].strip().lower()
        if kind != "application/json":  # also what a page elsewhere can send without asking
            return problem(415, None, "send JSON, as Content-Type: application/json")
        return None

    def _limit(self, path: str) -> int:
        large = path in UPLOADS
        return self._settings.max_import_bytes if large else self._settings.max_body_bytes

    def _too_large(self, path: str) -> Response:
        return problem(413, None, f"at most {self._limit(path)} bytes are taken at once")


class _Answer:
    """Passes an answer on, with the headers that every answer has."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.body: _Body | None = None

    async def __call__(self, message: Message) -> None:
        if self.body is not None and self.body.too_large and not self.status:
            return  # whatever the app makes of half a body
        if message["type"] == "http.response.start":
            self.status = message["status"]
            names = {name.lower() for name, _ in message.get("headers", ())}
            missing = [header for header in _HEADERS if header[0] not in names]
            message = {**message, "headers": [*message.get("headers", ()), *missing]}
        await self._send(message)


async def _refuse(response: Response, scope: Scope, receive: Receive, answer: _Answer) -> None:
    if scope["type"] == "websocket":
        await receive()
        await answer({"type": "websocket.close", "code": 1008})
    elif not answer.status:
        await response(scope, receive, answer)


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


class _Body:
    """Counts what really comes, whatever the headers said."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit

    @property
    def too_large(self) -> bool:
        return self._left < 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self.too_large:
            raise TooLarge
        return message
