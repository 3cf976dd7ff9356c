"""MCP over streamable HTTP, as an ASGI app to be mounted at /mcp."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from sharpwave.interfaces.mcp.server import ServedMemory, build
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings
from sharpwave.types.access import Principal

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

PRINCIPAL = "sharpwave.principal"
"""Key of the ASGI scope in which an outer app puts the principal."""
_STATE = "mcp/state"


class McpApp:
    """MCP as an ASGI app of one endpoint, mounted at any path; serve it inside `running()`.

    It keeps no sessions: every request is authenticated by itself, so that requests may reach any
    of several processes, and no session id grants access. It must be mounted behind middleware that
    checks host, origin and key, and puts the principal into the scope.
    """

    def __init__(self, memory: Memory, settings: Settings) -> None:
        from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415

        key = memory.admin.shared_secret(_STATE)
        self._server = build(ServedMemory(memory, settings, _from_request, key))
        self._app = self._server.streamable_http_app(
            streamable_http_path="/",
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve requests while this is open: enter it in the lifespan of the whole app."""
        async with self._server.session_manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one authenticated request."""
        if not isinstance(scope.get(PRINCIPAL), Principal):
            why = "send a valid key: Authorization: Bearer …"
            await _refuse(send, 401, "unauthorized", why, (b"www-authenticate", b"Bearer"))
            return
        if scope["method"] != "POST":  # a stream to listen on belongs to a session
            why = "send POST: this server keeps no sessions"
            await _refuse(send, 405, "method_not_allowed", why, (b"allow", b"POST"))
            return
        inner = {**scope, "path": "/", "raw_path": b"/", "root_path": ""}
        await self._app(inner, receive, send)


def _from_request(request: Any) -> Principal:
    """Who sent an HTTP request; a request that came past the check is a mistake of ours."""
    found = request.scope.get(PRINCIPAL)
    if not isinstance(found, Principal):
        raise PermissionError("a request reached the MCP server without a principal")
    return found


async def _refuse(
    send: Send, status: int, code: str, message: str, header: tuple[bytes, bytes]
) -> None:
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    headers = [(b"content-type", b"application/json"), header]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
