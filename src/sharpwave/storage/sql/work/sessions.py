"""A user's sessions, counted where their turns lie."""

from typing import Any

from sharpwave.storage.sql.session import Session as SqlSession
from sharpwave.temporal.clock import from_microseconds
from sharpwave.types.storing import Session


def read(db: SqlSession, user_no: int, limit: int) -> list[Session]:
    """The sessions whose last turn is newest, that one first."""
    query = {"user_no": user_no, "limit": limit}
    found = db.rows("sessions", query)
    return [_session(row) for row in found if all(isinstance(one, int) for one in row[1:])]


def _session(row: Any) -> Session:
    id_, started, ended, turns = row
    moments = from_microseconds(started), from_microseconds(ended)
    return Session(id_.decode("utf-8", "replace"), *moments, turns)
