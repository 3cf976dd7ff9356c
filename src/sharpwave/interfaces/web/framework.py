"""NiceGUI, which draws the pages. It serves one app in a process, so that is made once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache

import uvicorn
from fastapi import FastAPI
from jinja2 import BaseLoader, Environment
from nicegui import Client, app, client, ui

from sharpwave.interfaces.web import exporting, frame, navigation
from sharpwave.interfaces.web.headers import NONCE
from sharpwave.interfaces.web.sessions import Session
from sharpwave.interfaces.web.visit import VISIT

_RECONNECT_S = 20.0
_BUILD_S = 30.0
_MARK = f"<script nonce=\"{{{{ request.scope['{NONCE}'] }}}}\""


@cache
def host() -> FastAPI:
    """The app around NiceGUI, with every page in it."""
    around = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.config.socket_io_js_transports = ["websocket"]
    if not hasattr(uvicorn.Config, "loaded_app"):
        # NiceGUI looks at every server of this process, also at those that have not begun.
        uvicorn.Config.loaded_app = None
    app.config.quasar_config["loadingBar"] = {"skipHijack": True}
    templates = client.templates.env
    if templates.loader is not None:
        templates.loader = _Marked(templates.loader)
    around.add_route(exporting.PATH, exporting.export, methods=["GET"])
    ui.run_with(
        around,
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
        ui.page(page.PATH, title=f"{page.TITLE} · Sharpwave", response_timeout=_BUILD_S)(
            frame.around(page)
        )
    return around


@asynccontextmanager
async def running() -> AsyncIterator[None]:
    """Serve pages while this is open."""
    around = host()
    async with around.router.lifespan_context(around):
        yield


def close_pages_of(session: Session) -> None:
    """What is open in the browser of somebody who signed out hears nothing more."""
    for page in list(Client.instances.values()):
        visit = page.request.scope.get(VISIT)
        if visit is not None and visit.session is session:
            page.delete()


class _Marked(BaseLoader):
    """Templates whose scripts carry the word of the request, as the headers demand."""

    def __init__(self, loader: BaseLoader) -> None:
        self._loader = loader

    def get_source(self, environment: Environment, template: str) -> object:  # type: ignore[override]  # as the one inside
        """The template, with a mark on every script of its own."""
        source, name, is_current = self._loader.get_source(environment, template)
        return source.replace("<script", _MARK), name, is_current
