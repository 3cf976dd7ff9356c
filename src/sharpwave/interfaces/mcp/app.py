"""MCP over streamable HTTP, as an ASGI app to be mounted at /mcp."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from sharpwave.errors import SharpwaveError
from sharpwave.interfaces.mcp.server import ServedMemory, build
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings
from sharpwave.types.access import Principal

if TYPE_CHECKING:
    from mcp.server.transport_security import TransportSecuritySettings

_LOG = logging.getLogger(__name__)
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Authenticate = Callable[[Mapping[str, str]], Principal | None]
"""Who sends these headers (names in lower case); None or an error of ours if they open nothing."""

PRINCIPAL = "sharpwave.principal"
"""Key of the ASGI scope in which an outer app puts the principal."""
_STATE = "mcp/state"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class McpApp:
    """MCP as an ASGI app of one endpoint, mounted at any path; serve it inside `running()`.

    It keeps no sessions: every request is authenticated by itself, so that requests may reach any
    of several processes, and no session id grants access. Without `authenticate` it must be mounted
    behind middleware that checks host, origin and key, and puts the principal into the scope.
    """

    def __init__(
        self, memory: Memory, settings: Settings, authenticate: Authenticate | None = None
    ) -> None:
        self._authenticate = authenticate
        key = memory.admin.shared_secret(_STATE)
        self._server = build(ServedMemory(memory, settings, _from_request, key))
        self._app = self._server.streamable_http_app(
            streamable_http_path="/",
            json_response=True,
            stateless_http=True,
            transport_security=_names(settings.server.hosts, check=authenticate is not None),
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve requests while this is open: enter it in the lifespan of the whole app."""
        async with self._server.session_manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one authenticated request."""
        principal = await self._principal(scope)
        if principal is None:
            await _unauthorized(send)
            return
        inner = {**scope, "path": "/", "raw_path": b"/", "root_path": "", PRINCIPAL: principal}
        await self._app(inner, receive, send)

    async def _principal(self, scope: Scope) -> Principal | None:
        if self._authenticate is None:
            found = scope.get(PRINCIPAL)
            return found if isinstance(found, Principal) else None
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope.get("headers", ())
        }
        try:
            return await asyncio.to_thread(self._authenticate, headers)
        except SharpwaveError:
            _LOG.info("a request was refused", exc_info=True)
            return None


def _names(hosts: Sequence[str], check: bool) -> "TransportSecuritySettings":
    """Allowed host names, against DNS rebinding."""
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415 - an extra

    every = (*_LOOPBACK, *hosts)
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=check,
        allowed_hosts=[form for host in every for form in (host, f"{host}:*")],
        allowed_origins=[
            form
            for host in every
            for form in (f"http://{host}:*", f"https://{host}", f"https://{host}:*")
        ],
    )


def _from_request(request: Any) -> Principal:
    """Who sent an HTTP request; a request that came past the check is a mistake of ours."""
    found = request.scope.get(PRINCIPAL)
    if not isinstance(found, Principal):
        raise PermissionError("a request reached the MCP server without a principal")
    return found


async def _unauthorized(send: Send) -> None:
    body = json.dumps(
        {"error": {"code": "unauthorized", "message": "send a valid key: Authorization: Bearer …"}}
    ).encode()
    headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})
