"""MCP over streamable HTTP, as an ASGI app to be mounted at /mcp."""

from contextlib import AbstractAsyncContextManager

from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from sharpwave.interfaces.auth import PRINCIPAL
from sharpwave.interfaces.mcp.server import ServedMemory, build
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings
from sharpwave.types.access import Principal

_STATE = "mcp/state"


class McpApp:
    """MCP as an ASGI app of one endpoint, mounted at any path; serve it inside `running()`.

    It keeps no sessions: every request is authenticated separately, so requests may reach any of
    several processes, and no session id grants access. It must be mounted behind middleware that
    checks host, origin and key, and puts the principal into the scope.
    """

    def __init__(self, memory: Memory, settings: Settings) -> None:
        key = memory.admin.shared_secret(_STATE)
        # every request was authenticated by the middleware
        served = ServedMemory(memory, settings, lambda request: request.scope[PRINCIPAL], key)
        self._server = build(served)
        self._app = self._server.streamable_http_app(
            streamable_http_path="/",
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """Serve requests while this is open: enter it in the lifespan of the whole app."""
        return self._server.session_manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one authenticated request."""
        app: ASGIApp = self._app
        if not isinstance(scope.get(PRINCIPAL), Principal):
            reason = "send a valid key: Authorization: Bearer …"
            app = _refusal(401, "unauthorized", reason, {"www-authenticate": "Bearer"})
        elif scope["method"] != "POST":  # a stream to listen on belongs to a session
            reason = "send POST: this server keeps no sessions"
            app = _refusal(405, "method_not_allowed", reason, {"allow": "POST"})
        await app({**scope, "path": "/", "raw_path": b"/", "root_path": ""}, receive, send)


def _refusal(status: int, code: str, message: str, headers: dict[str, str]) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": message}}, status, headers)
