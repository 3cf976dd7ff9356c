"""One state of the database for all that a thread reads in a while, for one transaction."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeVar

from sharpwave.ports import Hearing
from sharpwave.storage.sql.session import Database, Session

T = TypeVar("T")


class _Held(threading.local):
    """The session by which this thread reads now, if it asked for one."""

    session: Session | None = None


class SteadyDatabase:
    """A database whose reads share a session while `one_state` lasts; otherwise as it is."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held = _Held()

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """Whatever this thread reads meanwhile is of the same moment."""
        if self._held.session is not None:
            yield
            return
        with self._database.snapshot() as session:
            self._held.session = session
            try:
                yield
            finally:
                self._held.session = None

    def run(self, work: Callable[[Session], T]) -> T:
        """Do the work in one transaction; returns once it is durable."""
        return self._database.run(work)

    def snapshot(self) -> AbstractContextManager[Session]:
        """A session that sees one state of the database for as long as it is held."""
        held = self._held.session
        return self._database.snapshot() if held is None else nullcontext(held)

    def borrow(self) -> AbstractContextManager[Session]:
        """A session for one statement; cheaper than a snapshot."""
        held = self._held.session
        return self._database.borrow() if held is None else nullcontext(held)

    def listen(self, topic: str, hear: Callable[[], None]) -> Hearing:
        """Call `hear` whenever any process commits something of a topic."""
        return self._database.listen(topic, hear)
