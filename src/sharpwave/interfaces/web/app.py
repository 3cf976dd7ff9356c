"""The dashboard as an ASGI app at /ui: sign in, sign out, and the pages behind a session."""

from contextlib import AbstractAsyncContextManager
from html import escape
from math import ceil
from pathlib import Path
from urllib.parse import parse_qs

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from sharpwave.errors import SharpwaveError, TooManyRequests, Unauthorized
from sharpwave.interfaces.auth import admit
from sharpwave.interfaces.rest.limits import RateLimiter, WrongKeys
from sharpwave.interfaces.rest.problems import STATUS
from sharpwave.interfaces.web import framework
from sharpwave.interfaces.web.framework import SecurityHeaders
from sharpwave.interfaces.web.sessions import (
    SESSION_S,
    VIEWER,
    BrowserSession,
    BrowserSessions,
    Viewer,
)
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings

PATH = "/ui"
COOKIE = "sharpwave_session"
_STATIC = Path(__file__).parent / "static"
_LOGIN_PAGE = Path(__file__).with_name("login.html").read_text("utf-8")
_POLICY_VIOLATION = 1008
_MAX_FORM_BYTES = 16 * 1024


class Dashboard:
    """Signs users in by key, and serves their pages."""

    def __init__(self, memory: Memory, settings: Settings) -> None:
        self._memory = memory
        self._settings = settings
        self._sessions = BrowserSessions()
        self._rates = RateLimiter(settings.server.rate_per_s)
        self._wrong_keys = WrongKeys()
        self._inner_app = framework.host()
        self._app = SecurityHeaders(
            Router(
                [
                    Route("/login", self._login, methods=["GET", "POST"]),
                    Route("/enter", self._enter, methods=["GET"]),
                    Route("/logout", self._logout, methods=["POST"]),
                    Mount("/static", StaticFiles(directory=_STATIC)),
                    Mount("/", self._pages),
                ],
                redirect_slashes=False,
            )
        )

    @staticmethod
    def owns(scope: Scope) -> bool:
        """True for requests of a browser: pages, their assets, and `/` if HTML is accepted."""
        path = scope["path"]
        if path == "/":
            return "text/html" in HTTPConnection(scope).headers.get("accept", "")
        return bool(path == PATH or path.startswith(f"{PATH}/"))

    @staticmethod
    async def welcome(request: Request) -> Response:
        """Redirect the server's root to the dashboard."""
        return RedirectResponse(f"{PATH}/", 303)

    def running(self) -> AbstractAsyncContextManager[object]:
        """Serve while this is open."""
        return self._inner_app.router.lifespan_context(self._inner_app)

    def invite(self, secret: str) -> str:
        """A path that signs in once with this key."""
        return f"{PATH}/enter?token={self._sessions.invite(f'Bearer {secret}')}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or a websocket."""
        await self._app(scope, receive, send)

    async def _login(self, request: Request) -> Response:
        if request.method != "POST":
            if self._session(request) is not None:
                return RedirectResponse(f"{PATH}/", 303)
            return login_page()
        refusal = _check_origin(request)
        if refusal is not None:
            return refusal
        body = await request.body()
        if len(body) > _MAX_FORM_BYTES:  # parsing blocks all other requests
            return login_page("this is too long for a key", 413)
        form = parse_qs(body.decode("utf-8", "replace"))
        authorization = "Bearer " + form.get("key", [""])[0].strip()
        try:
            await run_in_threadpool(admit, self._memory.admin.keys, authorization)
        except Unauthorized as error:
            return self._wrong_key(request, error)
        except SharpwaveError as error:
            return login_page(error.public, STATUS.get(error.code, 500))
        if (earlier_session := self._session(request)) is not None:
            self._end(earlier_session)
        return self._sign_in(request, self._sessions.begin(authorization))

    async def _enter(self, request: Request) -> Response:
        """Sign in by the link that the server prints at its start."""
        try:
            session = self._sessions.accept(request.query_params.get("token", ""))
        except Unauthorized as error:
            return self._wrong_key(request, error)
        return self._sign_in(request, session)

    def _wrong_key(self, request: Request, error: Unauthorized) -> Response:
        """Count a wrong key: an address with too many has to wait. Valid keys are accepted."""
        refusal = self._wrong_keys.refusal(request.client.host if request.client else "", error)
        response = login_page(str(refusal), STATUS[refusal.code])
        if isinstance(refusal, TooManyRequests):
            response.headers["retry-after"] = str(ceil(refusal.retry_after_s or 1))
        return response

    async def _logout(self, request: Request) -> Response:
        refusal = _check_origin(request)
        if refusal is not None:
            return refusal
        session = self._session(request)
        if session is not None:
            self._end(session)
        response = RedirectResponse(f"{PATH}/login", 303)
        response.delete_cookie(COOKIE, path=PATH)
        return response

    def _sign_in(self, request: Request, session: BrowserSession) -> Response:
        response = RedirectResponse(f"{PATH}/", 303)
        response.set_cookie(
            COOKIE,
            session.name,
            max_age=round(SESSION_S),
            path=PATH,
            secure=_is_private(request),
            httponly=True,
            samesite="strict",
        )
        return response

    def _end(self, session: BrowserSession) -> None:
        self._sessions.end(session)
        framework.close_pages_of(session)

    def _session(self, connection: HTTPConnection) -> BrowserSession | None:
        return self._sessions.of(connection.cookies.get(COOKIE))

    async def _pages(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve pages, which need a session."""
        connection = HTTPConnection(scope)
        session = self._session(connection)
        viewer = None if session is None else await self._viewer(connection, session)
        if viewer is not None:
            await self._inner_app({**scope, VIEWER: viewer}, receive, send)
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(_POLICY_VIOLATION)
        elif scope["method"] in ("GET", "HEAD"):
            await RedirectResponse(f"{PATH}/login", 303)(scope, receive, send)
        else:
            await PlainTextResponse("sign in first", 401)(scope, receive, send)

    async def _viewer(self, connection: HTTPConnection, session: BrowserSession) -> Viewer | None:
        """The session's viewer; None if the key is no longer valid."""
        try:
            keys = self._memory.admin.keys
            principal = await run_in_threadpool(admit, keys, session.authorization)
        except Unauthorized:
            self._sessions.end(session)
            return None
        memory = self._memory.user(principal.user_id)
        query = dict(connection.query_params)
        return Viewer(memory, principal, self._settings, session, self._rates, query)


def mount(app: FastAPI, memory: Memory, settings: Settings) -> Dashboard:
    """Mount the dashboard on an app at /ui; serve the app inside `running()`."""
    dashboard = Dashboard(memory, settings)
    app.router.routes += [
        Route("/", dashboard.welcome, methods=["GET"]),
        Route(PATH, dashboard.welcome, methods=["GET"]),
        Mount(PATH, dashboard),
    ]
    return dashboard


def _is_private(request: Request) -> bool:
    """Whether the browser uses TLS, with this server or with a proxy in front of it.

    A form tells it by its origin. Otherwise a proxy header does, which need not be trusted: a
    false claim only makes the sender's own cookie stricter.
    """
    if "origin" in request.headers:
        return request.headers["origin"].lower().startswith("https://")
    scheme = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
    return "https" in (request.url.scheme, scheme)


def _check_origin(request: Request) -> Response | None:
    """Refuse a form without an origin; other origins are refused earlier."""
    if "origin" in request.headers:  # RequestGuard has checked it
        return None
    return PlainTextResponse("send this from the page itself", 403)


def login_page(problem: str = "", status: int = 200) -> Response:
    """The sign-in page, with an error message if there is one."""
    notice = f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else ""
    return HTMLResponse(_LOGIN_PAGE.format(problem=notice), status)
