"""The proxy: authenticate a request, add memory, pass it upstream and the answer back.

    authenticate ▸ read ▸ look up context ▸ request upstream ▸ pass the answer on ▸ record the turn

Only conversation requests are changed, and only by text added before the question. Errors of the
memory never fail a request; errors of upstream are passed on.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import anyio
import httpx2
from anyio import to_thread
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from sharpwave.errors import InvalidSettings, NoConsent
from sharpwave.interfaces.proxy.access import MEMORY, AccessCheck, Caller, Refused, Use, error
from sharpwave.interfaces.proxy.dialects import (
    DIALECTS,
    AnswerReader,
    Dialect,
    conversation_in,
    reader,
)
from sharpwave.interfaces.proxy.recall import (
    ContextLookup,
    ProxyQuestion,
    Unavailable,
)
from sharpwave.interfaces.proxy.recording import TurnRecorder, exchange_of
from sharpwave.interfaces.proxy.transcripts import SeenExchanges
from sharpwave.interfaces.proxy.upstream import Upstream, base_url, is_plain, response_headers
from sharpwave.interfaces.rest import server
from sharpwave.interfaces.rest.limits import AllowedHosts, RateLimiter, is_loopback
from sharpwave.memory import Memory
from sharpwave.settings.server import ProxySettings
from sharpwave.settings.tree import Settings
from sharpwave.types.access import Principal
from sharpwave.types.access import Scope as Right
from sharpwave.types.contexts import Context

_LOG = logging.getLogger(__name__)
BASE = b"/v1"
TOKENS = b"x-sharpwave-context-tokens"
MAX_BODY_BYTES = 64 * 1024 * 1024
_ANSWER_BYTES = 4 * 1024 * 1024
"""A larger answer is passed on, but not remembered."""
_AT_ONCE_BYTES = 64 * 1024
"""Larger bodies are parsed in a thread, to avoid blocking other requests."""
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it goes upstream."""

    body: bytes
    use: Use
    tokens: int = 0
    question: ProxyQuestion | None = None
    """Recorded once upstream accepts the request."""
    dialect: Dialect | None = None


def create_app(memory: Memory, settings: Settings) -> Starlette:
    """The proxy in front of `settings.proxy.upstream`, with this memory."""
    http, proxy = settings.server, settings.proxy
    anonymous = Principal(memory.user_id, frozenset({Right.READ, Right.WRITE}), "without-key")
    access = AccessCheck(
        memory.admin.keys,
        AllowedHosts(proxy.host, http.hosts, http.origins),
        RateLimiter(http.rate_per_s),
        anonymous if proxy.without_key else None,
    )
    proxy_app = ProxyApp(access, Upstream(proxy), memory, proxy)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        app.state.stopping.set()
        await proxy_app.close(server.STOP_S)

    app = Starlette(lifespan=lifespan)
    app.router.default = proxy_app
    app.state.stopping = asyncio.Event()
    return app


class ProxyApp:
    """The ASGI app of the proxy."""

    def __init__(
        self, access: AccessCheck, upstream: Upstream, memory: Memory, settings: ProxySettings
    ) -> None:
        self._access = access
        self._upstream = upstream
        self._lookup = ContextLookup(memory, settings)
        self._recorder = TurnRecorder(memory)
        self._seen = SeenExchanges()

    async def close(self, seconds: float) -> None:
        """Store the queued turns, and close the upstream connections."""
        self._lookup.close()
        await to_thread.run_sync(self._recorder.close, seconds)
        await self._upstream.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, until it is answered or its client disconnects."""
        if scope["type"] != "http":
            return
        try:
            caller = await self._access.admit(scope)
            path = _path(scope)
            body = await self._body(receive)
        except Refused as refused:
            await refused.response(scope, receive, send)
            return
        if body is None:
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_when_gone, receive, tasks.cancel_scope)
            await self._forward(scope, send, caller, path, body)
            tasks.cancel_scope.cancel()

    async def _body(self, receive: Receive) -> bytes | None:
        """The request body; None if the client disconnected."""
        parts: list[bytes] = []
        left = MAX_BODY_BYTES
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            left -= len(parts[-1])
            if left < 0:
                limit = MAX_BODY_BYTES
                raise Refused(error(413, f"at most {limit} bytes are taken at once", "too_large"))
            if not message.get("more_body"):
                return b"".join(parts)

    async def _forward(
        self, scope: Scope, send: Send, caller: Caller, path: bytes, body: bytes
    ) -> None:
        sent = await self._prepared(scope["method"], caller, path, body)
        headers = self._upstream.headers(scope["headers"], caller.authorization)
        query = b"?" + scope["query_string"] if scope["query_string"] else b""
        answer = _Answer(send, sent)
        try:
            async with self._upstream.request(
                scope["method"], path + query, headers, sent.body
            ) as response:
                await answer.begin(response)
                async for chunk in response.aiter_raw():
                    await answer.pass_chunk(chunk)
                await answer.end()
        except httpx2.TimeoutException:
            await answer.fail(504, "the models did not answer in time", "upstream_timeout")
        except httpx2.TransportError as transport_error:
            reason = f"the models cannot be reached ({type(transport_error).__name__})"
            await answer.fail(502, reason, "upstream_unreachable")
        finally:
            if sent.question is not None and answer.is_accepted:
                text = answer.text()
                self._seen.add(sent.question, text)
                self._recorder.record(exchange_of(sent.question, text))
            elif sent.question is not None:
                self._recorder.release()

    async def _prepared(self, method: str, caller: Caller, path: bytes, body: bytes) -> Sent:
        """The request with memory added, if it is a conversation and the caller may use it."""
        dialect = DIALECTS.get(path.decode("latin-1")) if method == "POST" else None
        unchanged = Sent(body, caller.use)
        if dialect is None or caller.principal is None or caller.use is Use.OFF:
            return unchanged
        conversation = await _in_background(lambda: conversation_in(body, dialect), len(body))
        if conversation is None:
            return unchanged
        question = ProxyQuestion(
            caller.principal.user_id, caller.session or conversation.upstream_id, conversation
        )
        if self._seen.is_copied_in(question):
            return Sent(body, Use.OFF)
        self._seen.add(question)
        use, context = await self._look_up(caller, question)
        if use is Use.NO_CONSENT:
            self._seen.forget(question.user_id)
            return Sent(body, use)
        tokens = 0
        if context is not None and context.ids:
            try:
                body = await _in_background(lambda: conversation.reminded(context.text), len(body))
                tokens = context.tokens
            except (ValueError, RecursionError):  # the body can be parsed, but not serialised
                use = Use.UNAVAILABLE
        is_recorded = caller.use is Use.ON and caller.may(Right.WRITE) and self._recorder.reserve()
        if use is Use.ON and not is_recorded:
            use = Use.READ_ONLY
        return Sent(body, use, tokens, question if is_recorded else None, dialect)

    async def _look_up(self, caller: Caller, question: ProxyQuestion) -> tuple[Use, Context | None]:
        """Whether the memory can be used for a question, and the context if it may be read."""
        try:
            context = await self._lookup.context(question)
        except NoConsent:
            return Use.NO_CONSENT, None
        except Unavailable:
            return Use.UNAVAILABLE if caller.may(Right.READ) else Use.ON, None
        return Use.ON, context if caller.may(Right.READ) else None


class _Answer:
    """The upstream answer, streamed to the client."""

    def __init__(self, send: Send, sent: Sent) -> None:
        self._send = send
        self._sent = sent
        self._reader: AnswerReader | None = None
        self._status = 0

    @property
    def is_accepted(self) -> bool:
        """Whether upstream accepted the request."""
        return 200 <= self._status < 300

    def text(self) -> str:
        """The text of the answer, if it is complete."""
        return self._reader.text() if self._reader is not None else ""

    async def begin(self, answer: httpx2.Response) -> None:
        """Pass on the status and the headers."""
        self._status = answer.status_code
        plain = answer.headers.get("content-encoding", "identity") == "identity"
        if self._sent.dialect is not None and self.is_accepted and plain:
            kind = answer.headers.get("content-type", "")
            self._reader = reader(kind, self._sent.dialect, _ANSWER_BYTES)
        headers = [*response_headers(answer), *self._own_headers()]
        await self._send(
            {"type": "http.response.start", "status": self._status, "headers": headers}
        )

    def _own_headers(self) -> list[tuple[bytes, bytes]]:
        headers = [(MEMORY.encode(), self._sent.use.value.encode())]
        if self._sent.tokens:
            headers.append((TOKENS, str(self._sent.tokens).encode()))
        return headers

    async def pass_chunk(self, chunk: bytes) -> None:
        """Pass on a chunk, then parse it."""
        await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
        if self._reader is not None:
            self._reader.feed(chunk)

    async def end(self) -> None:
        """End the answer."""
        if self._reader is not None:
            self._reader.end()
        await self._send({"type": "http.response.body", "body": b""})

    async def fail(self, status: int, reason: str, code: str) -> None:
        """Send an error if nothing was sent yet; else break off, as upstream did."""
        if self._status:
            _LOG.warning("an answer broke off upstream")
            return
        refusal = error(status, reason, code, {MEMORY: self._sent.use.value})
        await refusal({"type": "http"}, _disconnected, self._send)


async def _disconnected() -> dict[str, str]:
    return {"type": "http.disconnect"}


async def _cancel_when_gone(receive: Receive, request: anyio.CancelScope) -> None:
    """Cancel a request when its client has disconnected."""
    with contextlib.suppress(KeyError):
        while (await receive())["type"] != "http.disconnect":
            pass
    request.cancel()


async def _in_background(make: Callable[[], Made], size: int) -> Made:
    return await to_thread.run_sync(make) if size > _AT_ONCE_BYTES else make()


def _path(scope: Scope) -> bytes:
    """The path below the base URL."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    raw = raw.partition(b"?")[0]
    path = raw.removeprefix(BASE)
    if not raw.startswith(BASE + b"/") or not is_plain(path):
        raise Refused(error(404, "there is nothing here; the base URL ends in /v1", "not_found"))
    return path


def checked_settings(settings: Settings) -> Settings:
    """Settings for serving: the proxy's address replaces the server's."""
    proxy = settings.proxy
    base_url(proxy.upstream)
    if proxy.without_key and not is_loopback(proxy.host):
        raise InvalidSettings(
            f"refused to listen on {proxy.host} without keys: everybody who reaches it could read "
            "this memory. Leave out --without-key, or listen on 127.0.0.1"
        )
    server_settings = settings.server.model_copy(update={"host": proxy.host, "port": proxy.port})
    return server.checked_settings(settings.model_copy(update={"server": server_settings}))


def key_file(memory: Memory, settings: Settings) -> Path | None:
    """The key file of this machine, if a key is needed and known."""
    return None if settings.proxy.without_key else server.key_for_this_machine(memory, settings)
