"""The REST app: routes behind the middleware, one OpenAPI document, problems for every error."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route, compile_path
from starlette.types import ASGIApp, Scope

from sharpwave import __version__
from sharpwave.errors import SharpwaveError
from sharpwave.interfaces import extras
from sharpwave.interfaces.rest import (
    compatibility_routes,
    custom_routes,
    events,
    import_export,
    routes,
    status,
)
from sharpwave.interfaces.rest.events import NewsWaiter
from sharpwave.interfaces.rest.limits import AllowedHosts
from sharpwave.interfaces.rest.middleware import RequestGuard
from sharpwave.interfaces.rest.problems import of_error, problem
from sharpwave.interfaces.rest.telemetry import Metrics
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings

_LOG = logging.getLogger(__name__)
_SHOWN_ERRORS = 20
MCP = "/mcp"
"""Path of MCP, if the extra `mcp` is installed."""
_HOT = {"/v1/recall", "/v1/remember", "/v1/context"}
_OWN_SPANS_ONLY: Any = dict.fromkeys(
    ("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False
)
"""FastAPI's own telemetry would record queries and inputs, which hold what users said."""


def create_app(
    memory: Memory,
    settings: Settings,
    *,
    first: bool = True,
    dashboard: bool = False,
) -> FastAPI:
    """The REST app of a memory, with MCP beside it.

    A mounted app finds the principal in `scope["sharpwave.principal"]`. Of several apps on one
    file, only the `first` sends webhooks. With `dashboard` it also serves the pages, once per
    process.
    """
    server = settings.server
    metrics = Metrics()
    app = _new_app()
    app.boundary = (
        memory.admin.keys,
        server,
        AllowedHosts(server.host, server.hosts, server.origins),
        metrics,
        lambda scope: app.state.dashboard is not None and app.state.dashboard.owns(scope),
    )
    app.state.memory = memory
    app.state.metrics = metrics
    app.state.stopping = asyncio.Event()
    app.state.first = first
    app.state.dashboard = None
    app.state.mcp = None
    if extras.has_mcp():
        from sharpwave.interfaces.mcp.app import McpApp  # noqa: PLC0415 - an extra

        app.state.mcp = McpApp(memory, settings)
    app.router.routes[:0] = _routes()
    if app.state.mcp is not None:
        app.router.routes.append(_NamedRoute(MCP, endpoint=app.state.mcp))
    if dashboard:
        with extras.requires("the dashboard", "sharpwave[dashboard]"):
            from sharpwave.interfaces.web.app import mount  # noqa: PLC0415 - an extra
        app.state.dashboard = mount(app, memory, settings)
    app.add_exception_handler(SharpwaveError, _sharpwave_error)
    app.add_exception_handler(RequestValidationError, _invalid_input)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _unexpected)
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """All routes in one flat list, the most frequent first, since they are tried in order.

    Cached: their functions find the memory in the request's app.
    """
    parts = (
        part.routes()
        for part in (custom_routes, import_export, events, compatibility_routes, status)
    )
    all_routes = [route for part in (*parts, routes.table()) for route in part.routes]
    return tuple(sorted(all_routes, key=lambda route: getattr(route, "path", "") not in _HOT))


class _RestApp(FastAPI):
    """A FastAPI app with our middleware outermost, also around error handling."""

    boundary: tuple[Any, ...]

    def build_middleware_stack(self) -> ASGIApp:
        """The middleware stack with `RequestGuard` outermost."""
        return RequestGuard(super().build_middleware_stack(), *self.boundary)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document, with the security scheme."""
        document = super().openapi()
        schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes["key"] = {"type": "http", "scheme": "bearer", "description": "A key of yours."}
        return document


def _new_app() -> _RestApp:
    return _RestApp(
        title="Sharpwave",
        version=__version__,
        summary="Memory for AI assistants that learns while it sleeps.",
        description="Send your key as `Authorization: Bearer sw_…`. The key says whose memory it "
        "is; an admin may name another user in the header `Sharpwave-User`, in UTF-8 or as "
        "`UTF-8''stra%C3%9Fe` (RFC 8187). Composed and decomposed spellings of a name (NFC, NFD) "
        "are one user. Any request that "
        "writes may carry an `Idempotency-Key`: sent again, it is answered as the first time "
        "(`Idempotency-Replayed: true`) and done once. Imports need none: they leave alone what "
        "is there already.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=_OWN_SPANS_ONLY,
        lifespan=_lifespan,
    )


class _NamedRoute(Route):
    """A route that puts itself into the scope, as those of FastAPI do."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether the route matches a request."""
        match, found = super().matches(scope)
        return match, {**found, "route": self} if found else found


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        if app.state.mcp is not None:
            await stack.enter_async_context(app.state.mcp.running())
        if app.state.dashboard is not None:
            await stack.enter_async_context(app.state.dashboard.running())
        delivery = asyncio.create_task(_deliver_webhooks(app)) if app.state.first else None
        yield
        app.state.stopping.set()
        if delivery is not None:
            await delivery


async def _deliver_webhooks(app: FastAPI) -> None:
    """Deliver events to webhooks until the server stops; the rest after the next start."""
    stopping = app.state.stopping
    with NewsWaiter(app.state.memory.admin.subscribe_all) as waiter:
        while not stopping.is_set():
            delivered = 0
            try:
                delivered = await run_in_threadpool(app.state.memory.admin.deliver, stopping.is_set)
            except Exception:  # noqa: BLE001 - the store may be busy; whatever it is, look again
                _LOG.warning("webhooks were not told", exc_info=True)
            if not delivered:  # otherwise there may be more
                await waiter.wait(stopping)


async def _sharpwave_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, SharpwaveError)
    return compatibility_routes.with_documented_names(request, of_error(error))


async def _invalid_input(request: Request, error: Exception) -> Response:
    """The places of invalid input, without repeating the values."""
    assert isinstance(error, RequestValidationError)
    problems = [
        {"at": ".".join(str(part) for part in item["loc"]), "problem": item["msg"]}
        for item in error.errors()[:_SHOWN_ERRORS]
    ]
    detail = "; ".join(f"{item['at']}: {item['problem']}" for item in problems[:3])
    return compatibility_routes.with_documented_names(
        request, problem(422, "invalid_input", detail, errors=problems)
    )


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    detail = str(error.detail)
    if error.status_code == 404:
        detail = "there is nothing at this path; /docs lists what there is"
    if error.status_code == 405:
        verbs = headers["Allow"] = ", ".join(_verbs(request))
        detail = f"this path takes {verbs}, not {request.method}; /docs lists all"
    return problem(error.status_code, None, detail, headers=headers)


def _verbs(request: Request) -> list[str]:
    """All verbs of the requested path, over all routes."""
    paths = request.app.openapi()["paths"]
    requested = request.scope["path"]
    templates = [path for path in paths if compile_path(path)[0].match(requested)]
    exact = [path for path in templates if path == requested] or templates
    return sorted({verb.upper() for path in exact for verb in paths[path]})


async def _unexpected(request: Request, error: Exception) -> Response:
    _LOG.error("a request failed", exc_info=error)
    response = problem(500, "error", "something unexpected happened; the log says what")
    return compatibility_routes.with_documented_names(request, response)
