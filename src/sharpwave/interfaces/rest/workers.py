"""Several processes behind one port, each with the memory open; a dead one is restarted."""

import logging
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from sharpwave.errors import SharpwaveError
from sharpwave.interfaces.rest.server import STOP_S, Server, listen, url_of
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings

PAUSES_S = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Pauses before consecutive restarts; after the last one the worker is not restarted."""
SETTLED_S = 60.0
"""A worker that served this long is restarted without delay."""


class Restarts:
    """Consecutive restarts of one worker."""

    def __init__(self) -> None:
        self._count = 0

    def pause_s(self, lived_s: float) -> float:
        """Pause before the next restart, in seconds; SharpwaveError after too many."""
        if lived_s >= SETTLED_S:
            self._count = 0
        if self._count == len(PAUSES_S):
            raise SharpwaveError(
                f"a worker died {self._count + 1} times soon after its start, and is not started "
                "again; what it said stands above. `sharpwave doctor` looks at the file."
            )
        self._count += 1
        return PAUSES_S[self._count - 1]


_LOG = logging.getLogger(__name__)
_SPREAD = sys.platform == "linux"
"""Whether the system spreads connections evenly over the sockets of one port."""
_GRACE_S = 5.0
"""How much longer than its requests a worker may take to close its memory."""
_SPAWN = get_context("spawn")


class _Worker(NamedTuple):
    """A process, and the pipe to it."""

    process: BaseProcess
    line: Connection
    started_at: float


class Workers:
    """The configured number of server processes, until interrupted."""

    def __init__(self, settings: Settings, opened: Callable[[str], None]) -> None:
        # without their sources, which cannot be pickled
        self._settings = Settings.model_construct(settings.model_fields_set, **dict(settings))
        self._opened = opened
        self._sockets = _sockets(settings)
        self._workers: list[_Worker] = []

    def serve_until_stopped(self) -> None:
        """Start all workers, replace those that die, and stop all at the end."""
        with _stop_signal() as stop:
            try:
                self._workers = [self._start(place) for place in range(len(self._sockets))]
                if self._are_open(stop):
                    self._opened(url_of(self._sockets[0]))
                    self._watch(stop)
            finally:
                self._end()

    def _start(self, place: int) -> _Worker:
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(
            target=_serve,
            args=(self._settings, self._sockets[place], place == 0, theirs),
            name=f"sharpwave-worker-{place}",
            daemon=True,
        )
        process.start()
        theirs.close()
        return _Worker(process, ours, time.monotonic())

    def _are_open(self, stop: socket.socket) -> bool:
        """Wait until every worker is open; False if interrupted."""
        for worker in self._workers:
            if stop in wait([worker.line, stop]):
                return False
            if not _is_open(worker.line):
                raise SharpwaveError("a worker could not begin to serve; what it said stands above")
        return True

    def _watch(self, stop: socket.socket) -> None:
        """Replace workers that die, until interrupted."""
        restarts = [Restarts() for _ in self._workers]
        due: dict[int, float] = {}
        while True:
            sentinels = [
                running.process.sentinel
                for position, running in enumerate(self._workers)
                if position not in due
            ]
            now = time.monotonic()
            ended = wait([stop, *sentinels], max(0.0, min(due.values()) - now) if due else None)
            if stop in ended:
                return
            for place, worker in enumerate(self._workers):
                now = time.monotonic()
                if worker.process.sentinel in ended:
                    _LOG.warning("worker %d ended with %s", place, worker.process.exitcode)
                    worker.line.close()
                    due[place] = now + restarts[place].pause_s(now - worker.started_at)
                if due.get(place, now + 1) <= now:
                    del due[place]
                    self._workers[place] = self._start(place)

    def _end(self) -> None:
        """Let all workers finish their requests, and kill those that do not."""
        for worker in self._workers:
            worker.line.close()
        for worker in self._workers:
            worker.process.join(STOP_S + _GRACE_S)
            worker.process.kill()
        for address in self._sockets:
            address.close()


def _serve(settings: Settings, address: socket.socket, first: bool, line: Connection) -> None:
    """Main function of a worker process: serve until its pipe closes."""
    with Memory.open(settings=settings) as memory:
        server = Server(memory, settings, lambda url: line.send(True), address, first=first)

        def follow() -> None:
            _is_open(line)  # nothing is sent on the pipe; it only closes
            server.should_exit = True

        threading.Thread(target=follow, name="sharpwave-line", daemon=True).start()
        server.serve_until_stopped()


def _is_open(line: Connection) -> bool:
    """Wait for a message; False if the pipe closes without one."""
    with suppress(EOFError, OSError):
        return bool(line.recv())
    return False


def _sockets(settings: Settings) -> list[socket.socket]:
    """A socket for each worker; one for all where the system does not spread connections."""
    server = settings.server
    single = listen(server.host, server.port)  # refused if the port is taken
    if not _SPREAD:
        return [single] * server.workers
    port = single.getsockname()[1]
    single.close()
    return [listen(server.host, port, shared=True) for _ in range(server.workers)]


@contextmanager
def _stop_signal() -> Iterator[socket.socket]:
    """A socket that becomes readable when a stop signal arrives."""
    reader, writer = socket.socketpair()
    writer.setblocking(False)

    def request_stop(number: int, frame: object) -> None:
        with suppress(OSError):  # the buffer is full: a stop was already requested
            writer.send(b"!")

    previous_handlers = {
        signal_number: signal.signal(signal_number, request_stop)
        for signal_number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        with reader, writer:
            yield reader
    finally:
        for signal_number, handler in previous_handlers.items():
            signal.signal(signal_number, handler)
