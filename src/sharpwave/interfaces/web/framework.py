"""NiceGUI, which draws the pages. It supports one app per process, so the app is cached."""

import secrets
from functools import cache

import uvicorn
from fastapi import FastAPI
from jinja2 import BaseLoader, Environment
from nicegui import Client, app, client, ui
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sharpwave.interfaces.web import layout, navigation
from sharpwave.interfaces.web.pages import privacy
from sharpwave.interfaces.web.sessions import VIEWER, BrowserSession

NONCE = "sharpwave.nonce"
"""Key of the ASGI scope that holds the CSP nonce of a page."""
_RECONNECT_S = 20.0
_BUILD_S = 30.0
_MARK = f"<script nonce=\"{{{{ request.scope['{NONCE}'] }}}}\""


@cache
def host() -> FastAPI:
    """The app around NiceGUI, with every page in it."""
    host_app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.config.socket_io_js_transports = ["websocket"]
    if not hasattr(uvicorn.Config, "loaded_app"):
        # NiceGUI inspects every server of this process, including those that have not started.
        uvicorn.Config.loaded_app = None
    app.config.quasar_config["loadingBar"] = {"skipHijack": True}
    templates = client.templates.env
    if templates.loader is not None:
        templates.loader = _NonceLoader(templates.loader)
    host_app.add_route(privacy.EXPORT_PATH, privacy.export, methods=["GET"])
    ui.run_with(
        host_app,
        title="Sharpwave",
        dark=None,
        language="en-US",
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=_RECONNECT_S,
        binding_refresh_interval=None,
        gzip_middleware_factory=None,
    )
    for page in navigation.every():
        ui.page(page.path, title=f"{page.title} · Sharpwave", response_timeout=_BUILD_S)(
            layout.with_layout(page)
        )
    return host_app


def close_pages_of(session: BrowserSession) -> None:
    """Close the open pages of a session that ended."""
    for page in list(Client.instances.values()):
        viewer = page.request.scope.get(VIEWER)
        if viewer is not None and viewer.session is session:
            page.delete()


class _NonceLoader(BaseLoader):
    """Templates with the nonce of the request on their scripts, as the CSP requires."""

    def __init__(self, loader: BaseLoader) -> None:
        self._loader = loader

    def get_source(self, environment: Environment, template: str) -> object:  # type: ignore[override]  # as the one inside
        """The template, with the nonce on each of its scripts."""
        source, name, is_current = self._loader.get_source(environment, template)
        return source.replace("<script", _MARK), name, is_current


_ASSETS = "/_nicegui/"
_SENT = frozenset({200, 206, 304})
"""Statuses that may be cached; a redirect to the login or an error may not."""


class SecurityHeaders:
    """Middleware that sets security headers and a CSP nonce per page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or a websocket."""
        nonce = secrets.token_urlsafe(16)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                lasting = _ASSETS in scope["path"] and message["status"] in _SENT
                headers = _headers(nonce, lasting=lasting)
                kept_headers = [
                    header
                    for header in message.get("headers", ())
                    if header[0].lower() not in headers
                ]
                message = {**message, "headers": [*kept_headers, *headers.items()]}
            await send(message)

        kept_headers = [
            header for header in scope["headers"] if header[0].lower() != b"x-forwarded-prefix"
        ]
        await self._app({**scope, "headers": kept_headers, NONCE: nonce}, receive, with_headers)


def _headers(nonce: str, *, lasting: bool) -> dict[bytes, bytes]:
    """Security headers: scripts need the nonce or the same origin.

    The framework compiles its templates, which needs 'unsafe-eval', and sets inline styles.
    """
    policy = (
        "default-src 'none'; "
        f"script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return {
        b"content-security-policy": policy.encode(),
        b"referrer-policy": b"same-origin",  # with no-referrer, forms would send no origin
        b"x-frame-options": b"DENY",
        b"cache-control": b"private, max-age=31536000, immutable" if lasting else b"no-store",
    }
