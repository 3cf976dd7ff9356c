"""What the shared parts of a store need from its database: named statements in a transaction."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol, TypeVar

from sharpwave.errors import UnsafeStore
from sharpwave.ports import CommitSubscription

T = TypeVar("T")


class SqlSession(Protocol):
    """Runs the statements of a dialect by their names, inside one transaction."""

    def row(self, name: str, bindings: Mapping[str, Any]) -> Any:
        """The first row of a named statement, or None."""

    def rows(self, name: str, bindings: Mapping[str, Any]) -> list[Any]:
        """Every row of a named statement."""

    def readable(self, name: str, bindings: Mapping[str, Any]) -> Iterator[Any]:
        """Every row, one by one; None in place of a row with unreadable text."""

    def change(self, name: str, bindings: Mapping[str, Any]) -> int:
        """Run a named statement; returns how many rows it changed."""

    def readable_each(self, name: str, binding_sets: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
        """Every row for each set of bindings, as `readable`."""

    def row_each(self, name: str, binding_sets: Iterable[Mapping[str, Any]]) -> list[Any]:
        """The first row, or None, of a named statement for each set of bindings."""

    def change_each(self, name: str, binding_sets: Iterable[Mapping[str, Any]]) -> list[int]:
        """Run a named statement for each set of bindings; how many rows each changed."""

    def see_only(self, user_no: int) -> None:
        """Hide the rows of other users from now on, where the database can enforce it."""

    def numbers(self, wanted: Sequence[int]) -> Any:
        """Whole numbers as one binding."""


class Database(Protocol):
    """Where sessions come from. Errors of the database come out as ours."""

    def run(self, work: Callable[[SqlSession], T]) -> T:
        """Do the work in one transaction; returns once it is durable."""

    def snapshot(self) -> AbstractContextManager[SqlSession]:
        """A session that sees one state of the database for as long as it is held."""

    def borrow(self) -> AbstractContextManager[SqlSession]:
        """A session for one statement; cheaper than a snapshot."""

    def listen(self, topic: str, notify: Callable[[], None]) -> CommitSubscription:
        """Call `notify` whenever any process commits something of a topic."""


class _Held(threading.local):
    """The session that this thread reads by inside `one_state`, if any."""

    session: SqlSession | None = None


class SharedReads:
    """A database that shares a session for all reads while `one_state` lasts."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.run, self.listen = database.run, database.listen
        self._held = _Held()

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """All reads of this thread inside this context see the same state."""
        if self._held.session is not None:
            yield
            return
        with self._database.snapshot() as session:
            self._held.session = session
            try:
                yield
            finally:
                self._held.session = None

    def snapshot(self) -> AbstractContextManager[SqlSession]:
        held = self._held.session
        return self._database.snapshot() if held is None else nullcontext(held)

    def borrow(self) -> AbstractContextManager[SqlSession]:
        held = self._held.session
        return self._database.borrow() if held is None else nullcontext(held)


def refuse_fork(opened_by: int) -> None:
    """Connections to a database do not survive a fork, and threads that write do not either."""
    if os.getpid() != opened_by:
        raise UnsafeStore(
            "this memory was opened before the process forked; open it again in the child"
        )
