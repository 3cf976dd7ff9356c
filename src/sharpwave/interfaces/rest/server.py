"""The HTTP server: on loopback only, unless another address is configured and keys exist."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from anyio import to_thread
from starlette.applications import Starlette

from sharpwave import upkeep
from sharpwave.errors import InvalidSettings, SharpwaveError
from sharpwave.interfaces.rest import telemetry
from sharpwave.interfaces.rest.app import create_app
from sharpwave.interfaces.rest.limits import is_loopback
from sharpwave.interfaces.rest.middleware import MAX_BODY_BYTES
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings
from sharpwave.types.access import Scope

STOP_S = 10.0
"""Maximum time for running requests to finish at a stop."""
_BACKLOG = 2048


class Server(uvicorn.Server):
    """A uvicorn server that reports when it is open, and ends streams before it stops."""

    def __init__(
        self,
        memory: Memory,
        settings: Settings,
        opened: Callable[[str], None],
        address: socket.socket | None = None,
        *,
        first: bool = True,
        app: Starlette | None = None,
        dashboard: bool = False,
    ) -> None:
        """`address` is a listening socket. Only the `first` of several runs background work.

        `app` is served instead of the REST app; its `state.stopping` is set at a stop.
        """
        self.app: Any = app or create_app(memory, settings, first=first, dashboard=dashboard)
        self._memory = memory
        self._settings = settings
        self._end = threading.Event()
        self._opened = opened
        self._address = address or listen(settings.server.host, settings.server.port)
        self._runs_sleep = first and settings.sleep.enabled
        super().__init__(
            uvicorn.Config(
                self.app,
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=False,
                ws="websockets-sansio" if dashboard else "none",
                ws_max_size=MAX_BODY_BYTES,
                timeout_graceful_shutdown=round(STOP_S),
            )
        )

    @property
    def url(self) -> str:
        """The URL of the server."""
        return url_of(self._address)

    def link(self, key_file: Path | None) -> str | None:
        """The dashboard's URL, if served; with this machine's key as a one-time sign-in link."""
        dashboard = self.app.state.dashboard
        if dashboard is None:
            return None
        if key_file is None or not is_loopback(self._settings.server.host):
            return f"{self.url}/ui/"
        return f"{self.url}{dashboard.invite(key_file.read_text('utf-8').strip())}"

    def serve_until_stopped(self) -> None:
        """Serve and do background work until interrupted or `should_exit` is set."""
        with telemetry.logging_to(self._settings.server.log), self._sleep_worker():
            self.run(sockets=[self._address])

    @contextmanager
    def _sleep_worker(self) -> Iterator[None]:
        """Run jobs and sleep in a background thread; interrupted work resumes after a restart."""
        worker = threading.Thread(
            target=self._memory.admin.run_worker,
            args=(self._end,),
            name="sharpwave-worker",
            daemon=True,
        )
        if self._runs_sleep:
            worker.start()
        try:
            yield
        finally:
            self._end.set()
            if worker.ident is not None:
                worker.join(STOP_S)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on a signal without re-raising it, since the memory must still be closed."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()

    async def startup(self, sockets: Any = None) -> None:
        """Load the models, start, and report the URL; earlier connections wait."""
        await to_thread.run_sync(self._memory.admin.load_models)
        await super().startup(sockets)
        if not self.should_exit:
            self._opened(self.url)

    async def shutdown(self, sockets: Any = None) -> None:
        """End the worker and open streams, then wait for the remaining requests."""
        self._end.set()
        self.app.state.stopping.set()
        await super().shutdown(sockets)


def url_of(address: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = address.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def listen(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A listening socket; the system spreads connections over `shared` ones."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server(
            (host, port), family=family, backlog=_BACKLOG, reuse_port=shared
        )
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else error
        raise InvalidSettings(
            f"cannot listen on {host}:{port}: {why}. Choose another port with --port; 0 takes any."
        ) from error


def checked_settings(settings: Settings) -> Settings:
    """Settings for a server: consent is not assumed, on any address, unless set explicitly.

    It is assumed only when a program opens its own file [resolution 61].
    """
    if "consent_assumed" in settings.privacy.model_fields_set:
        return settings
    privacy = settings.privacy.model_copy(update={"consent_assumed": False})
    return settings.model_copy(update={"privacy": privacy})


def key_for_this_machine(memory: Memory, settings: Settings) -> Path | None:
    """The key file of this machine; without any key, create it on loopback, else refuse.

    A key is needed on loopback too: any web page and other users of the machine could call.
    """
    if any(key.revoked_at is None for key in memory.admin.keys.all()):
        return _existing_key(memory, _key_file(settings))
    if not is_loopback(settings.server.host):
        raise InvalidSettings(
            f"refused to listen on {settings.server.host} without any key: everybody who reaches "
            "it could read all memories. Make one first: sharpwave keys create NAME --for USER"
        )
    file = _key_file(settings)
    file.unlink(missing_ok=True)
    new_key = memory.admin.keys.create(f"local-{os.urandom(4).hex()}", memory.user_id, list(Scope))
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as key_file:
        key_file.write(new_key.secret + "\n")
    return file


def _key_file(settings: Settings) -> Path:
    path = upkeep.file_of(settings)
    return path.with_name(path.name + ".local-key")


def _existing_key(memory: Memory, file: Path) -> Path | None:
    try:
        memory.admin.keys.principal(file.read_text("utf-8").strip())
    except (OSError, ValueError, SharpwaveError):  # no file, or no valid key
        return None
    return file
