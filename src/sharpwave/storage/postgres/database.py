"""Transactions on connections of a pool. Each is one user's, or only reads.

A change begins by locking its user's row, so that the changes of one user happen one after the
other, whichever machine asks for them, and those of others go on meanwhile.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, TypeVar

from sharpwave.errors import StorageError, StoreClosed, StoreDegraded
from sharpwave.ports import CommitSubscription
from sharpwave.settings.storage import PostgresSettings
from sharpwave.storage.postgres.driver import Watch, lost_connection, open_pool, translated
from sharpwave.storage.postgres.listener import NotificationListener
from sharpwave.storage.postgres.session import PostgresSession
from sharpwave.storage.sql.session import SqlSession, refuse_fork
from sharpwave.storage.sql.touches import TOUCH_FLUSH_S, Touches

CONNECT_TIMEOUT_S = 10.0
"""How long a call waits for a connection."""
LOCK_TIMEOUT_S = 30.0
"""How long a write waits for others to finish; a migration or a large erasure takes seconds."""
ANSWER_TIMEOUT_S = 60.0
"""How long a statement waits for an answer before the connection counts as lost; more than
`LOCK_TIMEOUT_S`."""
T = TypeVar("T")
_LOG = logging.getLogger(__name__)
_CHANGE = "BEGIN ISOLATION LEVEL READ COMMITTED"  # it sees what others did before it got the lock
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_MIN_WAIT_S = 0.5
_READ_ONLY = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"


class PostgresDatabase:
    """See `sql.session.Database`. Accesses are counted with their user's next change, or soon."""

    def __init__(self, url: str, settings: PostgresSettings) -> None:
        self.touches = Touches()
        self._process = os.getpid()
        self._connections = settings.connections
        self._pool = open_pool(
            url,
            limit=settings.connections,
            wait_s=CONNECT_TIMEOUT_S,
            lock_wait_s=LOCK_TIMEOUT_S,
        )
        self._watch = Watch()
        self._listener = NotificationListener(url, CONNECT_TIMEOUT_S)
        self._closing = threading.Event()
        self._flusher = threading.Thread(target=self._flush, name="sharpwave-touch", daemon=True)
        self._flusher.start()

    def run(self, work: Callable[[SqlSession], T], *, patient: bool = False) -> T:
        """See `Database.run`; if `patient`, it waits for as long as a statement takes."""
        with self._transaction(_CHANGE, patient) as session:
            result = work(session)
            if session.locked is not None:
                self.touches.write(session, session.locked)
        return result

    def snapshot(self, *, patient: bool = False) -> AbstractContextManager[PostgresSession]:
        return self._transaction(_SNAPSHOT, patient)

    def borrow(self) -> AbstractContextManager[PostgresSession]:
        return self._transaction(_READ_ONLY)

    def alone(self) -> AbstractContextManager[Any]:
        """A bare connection outside any transaction, for what cannot run inside one."""
        return self._connected()

    def listen(self, topic: str, notify: Callable[[], None]) -> CommitSubscription:
        refuse_fork(self._process)
        return self._listener.listen(topic, notify)

    def close(self) -> None:
        """Write pending access counts, and close the connections.

        In a forked child nothing is closed: all of it still belongs to the parent.
        """
        if self._closing.is_set():
            return
        self._closing.set()
        if os.getpid() != self._process:
            return
        self._flusher.join()
        self._watch.close()
        self._listener.close()
        self._pool.close()

    @contextmanager
    def _transaction(self, begin: str, patient: bool = False) -> Iterator[PostgresSession]:
        if self._closing.is_set() and threading.current_thread() is not self._flusher:
            raise StoreClosed("this memory is closed; open it again")
        with self._connected(begin) as connection:
            answered = partial(self._watch.over, connection, ANSWER_TIMEOUT_S)
            try:
                yield PostgresSession(connection, nullcontext if patient else answered)
            except BaseException:  # passed on; half a change must not stay
                if not connection.broken:
                    with answered():
                        connection.rollback()
                raise
            with answered():
                connection.commit()

    @contextmanager
    def _connected(self, begin: str = "") -> Iterator[Any]:
        refuse_fork(self._process)
        with translated():
            connection = self._working_connection(begin)
            try:
                yield connection
            finally:
                self._pool.putconn(connection)

    def _working_connection(self, begin: str) -> Any:
        """A connection that works: those that died since they were last used are dropped."""
        lost = lost_connection()
        deadline = time.monotonic() + CONNECT_TIMEOUT_S
        for left in reversed(range(self._connections + 1)):
            wait_s = max(deadline - time.monotonic(), _MIN_WAIT_S)
            connection = self._pool.getconn(wait_s)
            try:
                with self._watch.over(connection, wait_s):
                    connection.execute(begin)
            except BaseException as error:  # passed on, unless another connection may work
                self._pool.putconn(connection)
                timed_out = time.monotonic() > deadline
                if timed_out or not (
                    left and isinstance(error, lost)
                ):  # nothing has happened on it yet
                    raise
            else:
                return connection
        raise AssertionError("the last of them was returned or its error passed on")

    def _flush(self) -> None:
        while not self._closing.wait(TOUCH_FLUSH_S):
            self._count()
        self._count()

    def _count(self) -> None:
        """Write accesses of users who change nothing at the moment."""
        for user_id in self.touches.users():
            try:
                self.run(partial(self._lock, user_id))
            except StorageError as error:
                _LOG.warning("accesses could not be counted: %s", error)
                if isinstance(error, StoreDegraded):
                    return  # the server is away: every further user would wait for it too

    def _lock(self, user_id: str, session: SqlSession) -> None:
        """Lock a user, so that accesses are written then; those of an erased user are dropped."""
        if session.row("lock_user", {"user_id": user_id}) is None:
            self.touches.write(session, user_id)
