"""Sessions of signed-in users, and the viewer of a page. The cookie holds a random name only."""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from starlette.concurrency import run_in_threadpool

from sharpwave.client.calls import CALLS
from sharpwave.client.forms import method_of
from sharpwave.errors import Unauthorized
from sharpwave.interfaces.auth import admit, require
from sharpwave.interfaces.rest.limits import RateLimiter
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings
from sharpwave.types.access import Principal, Scope

_SECRET_BYTES = 32
_INVITATIONS = 16
INVITATION_S = 15 * 60.0
"""Validity of a sign-in link, in seconds."""
_MAX_SESSIONS = 1000
"""Maximum number of sessions; beyond it the oldest end."""
PAGE_SIZE = 20
"""Rows of a list before it is paged."""
SESSION_S = 12 * 3600.0
"""Duration of a session, in seconds: a working day."""


@dataclass(slots=True, eq=False)
class BrowserSession:
    """A signed-in browser."""

    name: str = field(repr=False)
    authorization: str = field(repr=False)
    """The header of the sign-in; checked on every call, so that a key can be revoked."""
    until: float
    dark: bool | None = None
    """Dark theme; None for the theme of the system."""

    @property
    def is_over(self) -> bool:
        """Whether it was signed out or has expired."""
        return time.monotonic() >= self.until


class BrowserSessions:
    """All sessions, and the one-time sign-in links. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: OrderedDict[str, BrowserSession] = OrderedDict()
        self._invitations: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def begin(self, authorization: str) -> BrowserSession:
        """Start a session for a valid key."""
        name = secrets.token_urlsafe(_SECRET_BYTES)
        session = BrowserSession(name, authorization, time.monotonic() + SESSION_S)
        with self._lock:
            self._open[name] = session
            while len(self._open) > _MAX_SESSIONS:
                self._open.popitem(last=False)[1].until = 0.0
        return session

    def of(self, name: str | None) -> BrowserSession | None:
        """The session of that name, unless it is over."""
        session = self._open.get(name or "")
        if session is not None and session.is_over:
            self.end(session)
            return None
        return session

    def end(self, session: BrowserSession) -> None:
        """Sign out."""
        session.until = 0.0
        with self._lock:
            self._open.pop(session.name, None)

    def invite(self, authorization: str) -> str:
        """A one-time sign-in token, for a link shown to the owner of this machine."""
        token = secrets.token_urlsafe(_SECRET_BYTES)
        with self._lock:
            self._invitations[token] = authorization, time.monotonic() + INVITATION_S
            while len(self._invitations) > _INVITATIONS:
                self._invitations.popitem(last=False)
        return token

    def accept(self, token: str) -> BrowserSession:
        """Sign in with an invitation, which can be used once."""
        with self._lock:
            authorization, until = self._invitations.pop(token, ("", 0.0))
        if time.monotonic() >= until:
            raise Unauthorized(
                "this link was used before or has expired; start the server anew, or use a key"
            )
        return self.begin(authorization)


VIEWER = "sharpwave.visit"
"""Key of the ASGI scope that holds the viewer."""
Given = ParamSpec("Given")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Viewer:
    """The user who views a page. Every call of the memory goes through `ask`.

    viewer.ask(viewer.memory.recall, "Where does Ana live?", k=5)
    """

    memory: Memory
    """The memory of the key's user; a page cannot select another."""
    principal: Principal
    settings: Settings
    session: BrowserSession
    rates: RateLimiter
    query: Mapping[str, str]
    """Query parameters of the page's URL; they never trigger an action."""

    @property
    def may_write(self) -> bool:
        """Whether to show controls that change something."""
        return self.principal.may(Scope.WRITE)

    @property
    def may_admin(self) -> bool:
        """Whether to show controls for the whole file."""
        return self.principal.may(Scope.ADMIN)

    async def ask(
        self, call: Callable[Given, Answer], *args: Given.args, **kwargs: Given.kwargs
    ) -> Answer:
        """Call a method of the memory in a thread, with the same rights as over REST.

        The key is checked each time, so a session that is signed out or revoked gets no more
        answers. The rate limit is that of REST.
        """

        def checked() -> Answer:
            if self.session.is_over:
                raise Unauthorized("you are signed out")
            principal = admit(self.memory.admin.keys, self.session.authorization)
            require(principal, _needed_scope(call, kwargs))
            self.rates.take(principal.key_name)
            return call(*args, **kwargs)

        return await run_in_threadpool(checked)


def _needed_scope(call: Callable[..., Any], kwargs: Mapping[str, Any]) -> Scope:
    """The scope of a method in the table of calls."""
    method = method_of(call)
    for row in CALLS:
        fixed = all(kwargs.get(name, False) == value for name, value in row.fixed.items())
        if row.method == method and fixed:
            stores = row.writes_if is not None and kwargs.get(row.writes_if)
            return Scope.WRITE if stores else row.scope
    raise LookupError(f"{method} has no row in client/calls.py")
