"""Receives from the server what any process commits (LISTEN), and notifies the subscribers.

One connection of its own, outside the pool, and one thread, from the first listener on. While the
connection is lost nothing is received: once it is back all subscribers are notified, since they may
have missed something. Behind a pooler that changes connections between transactions little arrives.
"""

import logging
import selectors
import socket
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from sharpwave.storage.notifications import EVENTS
from sharpwave.storage.postgres.driver import connect, lost_connection

CHANNEL = "sharpwave"
_LOG = logging.getLogger(__name__)
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 10.0


class NotificationListener:
    """Notifies the subscribers of this process."""

    def __init__(self, url: str, wait_s: float) -> None:
        self._url = url
        self._wait_s = wait_s
        self._lock = threading.Lock()
        self._listeners: list[_Subscription] = []
        self._thread: threading.Thread | None = None
        self._closing, self._closed = socket.socketpair()
        self._ended = threading.Event()
        self.live = False
        """Whether notifications can be received at the moment."""

    def listen(self, topic: str, notify: Callable[[], None]) -> "_Subscription":
        """Call `notify`, from another thread, whenever something of a topic is committed."""
        subscription = _Subscription(self, topic, notify)
        with self._lock:
            self._listeners.append(subscription)
            if self._thread is None and not self._ended.is_set():
                self._thread = threading.Thread(
                    target=self._run, name="sharpwave-listener", daemon=True
                )
                self._thread.start()
        return subscription

    def leave(self, subscription: "_Subscription") -> None:
        with self._lock:
            self._listeners = [kept for kept in self._listeners if kept is not subscription]

    def close(self) -> None:
        self._ended.set()
        self._closing.send(b"!")
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()
        self._closing.close()
        self._closed.close()

    def _run(self) -> None:
        pause = _FIRST_PAUSE_S
        while not self._ended.is_set():
            try:
                with closing(connect(self._url, self._wait_s)) as db:
                    db.execute(f"LISTEN {CHANNEL}")
                    self.live, pause = True, _FIRST_PAUSE_S
                    self._notify(None)  # whatever was missed
                    self._receive(db)
            except lost_connection() as error:
                _LOG.info("nothing is heard from PostgreSQL until it is back: %s", error)
            finally:
                self.live = False
            self._ended.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def _receive(self, db: Any) -> None:
        """Pass on notifications until the listener is closed or the connection is lost."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(db.fileno(), selectors.EVENT_READ)
            waiting.register(self._closed, selectors.EVENT_READ)
            while not self._ended.is_set():
                waiting.select()
                db.pgconn.consume_input()
                topics = {note.extra.decode() for note in iter(db.pgconn.notifies, None)}
                if topics:
                    self._notify(topics)

    def _notify(self, topics: set[str] | None) -> None:
        """Notify the subscribers of these topics, or all."""
        if topics and any(topic.startswith(EVENTS) for topic in topics):
            topics = topics | {EVENTS}
        with self._lock:
            wanted = [
                subscription
                for subscription in self._listeners
                if topics is None or subscription.topic in topics
            ]
        for subscription in wanted:
            try:
                subscription.notify()
            except Exception:  # noqa: BLE001 - a failing subscriber must not stop the rest
                _LOG.warning("a listener failed", exc_info=True)


@dataclass(eq=False, slots=True)
class _Subscription:
    """See `ports.CommitSubscription`."""

    listener: NotificationListener
    topic: str
    notify: Callable[[], None]

    @property
    def live(self) -> bool:
        return self.listener.live

    def end(self) -> None:
        self.listener.leave(self)
