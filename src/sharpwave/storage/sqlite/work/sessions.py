"""A user's sessions, counted where their turns lie."""

from typing import Any

import apsw

from sharpwave.storage.sqlite import statements
from sharpwave.temporal.moments import from_microseconds
from sharpwave.types.known import Session


def read(db: apsw.Connection, user_no: int, limit: int) -> list[Session]:
    """The sessions whose last turn is newest, that one first."""
    query = {"user_no": user_no, "limit": limit}
    found = statements.rows(db, "sessions", query)
    return [_session(row) for row in found if all(isinstance(one, int) for one in row[1:])]


def _session(row: Any) -> Session:
    id_, started, ended, turns = row
    moments = from_microseconds(started), from_microseconds(ended)
    return Session(id_.decode("utf-8", "replace"), *moments, turns)
