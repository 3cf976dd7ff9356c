"""Named statements on one connection, inside a transaction that sees one user's rows only."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from sharpwave.storage import named_queries
from sharpwave.storage.postgres import driver

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

_BINDING = re.compile(r"(?<![:\w]):([a-z_]+)")  # but not the `::` of a cast


def for_psycopg(statements: Mapping[str, str]) -> dict[str, str]:
    """Named statements with their bindings as psycopg reads them."""
    return {
        name: _BINDING.sub(r"%(\1)s", text.replace("%", "%%")) for name, text in statements.items()
    }


SQL = for_psycopg(named_queries.load("sql/queries.sql", "postgres/queries.sql"))
ABOUT_ALL_USERS = frozenset(
    """users users_with count_users count_kinds count_spaces count_memories events prune_events
    due_job next_job lease_job job tallied finish_job postpone_job hasten_job hasten_jobs
    all_memories all_vectors""".split()
)
"""The only statements that see rows of more than one user, and only if no user is bound."""
_LOOK_UP = frozenset({"user", "lock_user", "add_user"})
_AT_ONCE = 1000
"""Statements sent at once: few enough to be answered within the time limit of one."""
_SEE = "SELECT set_config('sharpwave.user_no', %s, true)"
_OPEN = "SELECT set_config('sharpwave.everyone', %s, true)"


class PostgresSession:
    """See `sql.session.SqlSession`."""

    def __init__(
        self,
        connection: "Connection[Any]",
        answered: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._connection = connection
        self._answered = answered
        """Limits how long one statement waits for the server."""
        self.locked: str | None = None
        """The user whose history this transaction extends."""
        self._seen = 0
        """The number of the user whose rows this transaction sees."""

    def row(self, name: str, bindings: Mapping[str, Any]) -> Any:
        found = self._execute(name, bindings).fetchone()
        if found and name in _LOOK_UP:
            self._seen = int(found[0])
            if name != "user":
                self.locked = bindings["user_id"]
        return found

    def rows(self, name: str, bindings: Mapping[str, Any]) -> list[Any]:
        return self._execute(name, bindings).fetchall()

    def readable(self, name: str, bindings: Mapping[str, Any]) -> Iterator[Any]:
        """Every row. Rows about all users are streamed, and not held in memory."""
        if name not in ABOUT_ALL_USERS:
            yield from self._execute(name, bindings)
            return
        self._see_all(True)
        yield from self._connection.cursor(binary=True).stream(SQL[name], bindings)
        self._see_all(False)

    def change(self, name: str, bindings: Mapping[str, Any]) -> int:
        return self._execute(name, bindings).rowcount

    def readable_each(self, name: str, binding_sets: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
        """Every row for each set of bindings, without waiting in between."""
        return (row for result in self._each(name, binding_sets) for row in result)

    def row_each(self, name: str, binding_sets: Iterable[Mapping[str, Any]]) -> list[Any]:
        """The first row, or None, for each set of bindings, without waiting in between."""
        return [result.fetchone() for result in self._each(name, binding_sets)]

    def change_each(self, name: str, binding_sets: Iterable[Mapping[str, Any]]) -> list[int]:
        """How many rows each set of bindings changed, without waiting in between."""
        return [result.rowcount for result in self._each(name, binding_sets)]

    def ask(self, statement: str, bindings: Mapping[str, Any]) -> "Cursor[Any]":
        """Run a statement that only this database has."""
        with self._answered():
            return self._connection.cursor(binary=True).execute(statement, bindings)

    def ask_all(self, statements: Sequence[tuple[str, Mapping[str, Any]]]) -> list[list[Any]]:
        """Every row of each of several statements as in `ask`, without waiting in between."""
        with self._answered(), self._connection.pipeline():
            sent = [
                self._connection.cursor(binary=True).execute(statement, bindings)
                for statement, bindings in statements
            ]
            return [cursor.fetchall() for cursor in sent]

    def stream(self, statement: str, size: int) -> Iterator[Any]:
        """Every row of a statement as in `ask`, read in parts of `size` rows."""
        with self._connection.cursor(name="sharpwave", binary=True) as cursor:
            cursor.itersize = size
            yield from cursor.execute(statement)

    def see_only(self, user_no: int) -> None:
        if user_no != self._seen:
            with self._answered():
                self._connection.execute(_SEE, (str(user_no),))
            self._seen = user_no

    def numbers(self, wanted: Sequence[int]) -> Any:
        return driver.pack_numbers(wanted)

    def _execute(self, name: str, bindings: Mapping[str, Any]) -> "Cursor[Any]":
        all_users = name in ABOUT_ALL_USERS and bindings.get("user_no") is None
        with self._answered():
            if all_users:
                self._see_all(True)
            found = self._connection.cursor(binary=True).execute(SQL[name], bindings)
            if all_users:
                self._see_all(False)
        return found

    def _each(
        self, name: str, binding_sets: Iterable[Mapping[str, Any]]
    ) -> "Iterator[Cursor[Any]]":
        """The result for each set of bindings, many sent at once."""
        bindings = list(binding_sets)
        for first in range(0, len(bindings), _AT_ONCE):
            cursor = self._connection.cursor(binary=True)
            with self._answered():
                if len(bindings) == 1:  # several are prepared first
                    cursor.execute(SQL[name], bindings[0])
                else:
                    part = bindings[first : first + _AT_ONCE]
                    cursor.executemany(SQL[name], part, returning=True)
            yield cursor
            while cursor.nextset():
                yield cursor

    def _see_all(self, open_: bool) -> None:
        self._connection.execute(_OPEN, ("on" if open_ else "off",))
