"""The statements of `queries.sql`, by name, and a connection that runs them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import apsw
import numpy as np

from sharpwave.storage import named_queries

SQL = named_queries.load("sharpwave.storage.sqlite", "queries.sql")


class Connection(apsw.Connection):
    """A connection to a file; see `sql.session.Session`."""

    def row(self, name: str, bindings: Mapping[str, Any]) -> Any:
        """The first row of a named statement, or None."""
        return self.execute(SQL[name], bindings).fetchone()

    def rows(self, name: str, bindings: Mapping[str, Any]) -> list[Any]:
        """Every row of a named statement."""
        return self.execute(SQL[name], bindings).fetchall()

    def readable(self, name: str, bindings: Mapping[str, Any]) -> Iterator[Any]:
        """Every row, one by one; None in place of one whose text is no longer text."""
        found = self.execute(SQL[name], bindings)
        while True:
            try:
                yield next(found)
            except StopIteration:
                return
            except UnicodeDecodeError:
                yield None

    def change(self, name: str, bindings: Mapping[str, Any]) -> int:
        """Run a named statement; returns how many rows it changed."""
        self.execute(SQL[name], bindings)
        return self.changes()

    def readable_each(self, name: str, many: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
        """Every row for each set of bindings, as `readable`."""
        return (row for bindings in many for row in self.readable(name, bindings))

    def row_each(self, name: str, many: Iterable[Mapping[str, Any]]) -> list[Any]:
        """The first row, or None, of a named statement for each set of bindings."""
        return [self.row(name, bindings) for bindings in many]

    def change_each(self, name: str, many: Iterable[Mapping[str, Any]]) -> list[int]:
        """Run a named statement for each set of bindings; how many rows each changed."""
        return [self.change(name, bindings) for bindings in many]

    def see_only(self, user_no: int) -> None:
        """Nothing to do: each statement names the user."""

    def numbers(self, wanted: Sequence[int]) -> Any:
        """Whole numbers as one binding, for `carray`."""
        return apsw.carray(np.asarray(wanted, np.int64).tobytes(), flags=apsw.SQLITE_CARRAY_INT64)
