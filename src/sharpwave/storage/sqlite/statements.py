"""The statements of `queries.sql`, by name, and how to run one."""

from collections.abc import Iterator, Mapping
from typing import Any

import apsw

from sharpwave.storage import named_queries

SQL = named_queries.load("sharpwave.storage.sqlite", "queries.sql")


def rows(db: apsw.Connection, name: str, bindings: Mapping[str, Any]) -> list[Any]:
    """Every row of a named statement."""
    return db.execute(SQL[name], bindings).fetchall()


def readable(found: apsw.Cursor) -> Iterator[Any]:
    """Every row of a cursor; None in place of one whose text is no longer text."""
    while True:
        try:
            yield next(found)
        except StopIteration:
            return
        except UnicodeDecodeError:
            yield None


def row(db: apsw.Connection, name: str, bindings: Mapping[str, Any]) -> Any:
    """The first row of a named statement, or None."""
    return db.execute(SQL[name], bindings).fetchone()
