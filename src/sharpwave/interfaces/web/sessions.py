"""Who is signed in. A browser holds a random name; everything else stays here."""

import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from sharpwave.errors import Unauthorized
from sharpwave.settings.dashboard import DashboardSettings

_SECRET_BYTES = 32
_INVITATIONS = 16
_HOUR_S = 3600.0


@dataclass(slots=True, eq=False)
class Session:
    """One person in one browser, from signing in to signing out."""

    name: str = field(repr=False)
    authorization: str = field(repr=False)
    """What was shown at the door; looked at again with every call, so that a key can be revoked."""
    until: float
    dark: bool | None = None
    """How pages are to look; None: as the rest of the machine."""
    ended: bool = False

    @property
    def is_over(self) -> bool:
        """Whether somebody signed out, or its time is up; pages that are open ask, too."""
        return self.ended or time.monotonic() >= self.until


class Sessions:
    """Everybody who is signed in, and the links that sign in once. Safe for all threads."""

    def __init__(self, settings: DashboardSettings) -> None:
        self.seconds = settings.session_hours * _HOUR_S
        self._most = settings.sessions
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Session] = OrderedDict()
        self._invitations: OrderedDict[str, str] = OrderedDict()

    def begin(self, authorization: str) -> Session:
        """Let somebody in who has shown a key."""
        name = secrets.token_urlsafe(_SECRET_BYTES)
        session = Session(name, authorization, time.monotonic() + self.seconds)
        with self._lock:
            self._open[name] = session
            while len(self._open) > self._most:
                self._open.popitem(last=False)[1].ended = True
        return session

    def of(self, name: str | None) -> Session | None:
        """The session of that name, unless it is over."""
        session = self._open.get(name or "")
        if session is not None and session.is_over:
            self.end(session)
            return None
        return session

    def end(self, session: Session) -> None:
        """Sign out."""
        session.ended = True
        with self._lock:
            self._open.pop(session.name, None)

    def invite(self, authorization: str) -> str:
        """A word that signs in once, for a link that is shown to the owner of this machine."""
        token = secrets.token_urlsafe(_SECRET_BYTES)
        with self._lock:
            self._invitations[token] = authorization
            while len(self._invitations) > _INVITATIONS:
                self._invitations.popitem(last=False)
        return token

    def accept(self, token: str) -> Session:
        """Sign in by an invitation; it is used up by that."""
        with self._lock:
            authorization = self._invitations.pop(token, None)
        if authorization is None:
            raise Unauthorized(
                "this link was used before, or is of an earlier start; sign in with a key"
            )
        return self.begin(authorization)
