"""Rows that were read, as records, pages, index rows and counts."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from sharpwave.storage.sql import rows
from sharpwave.storage.sql.session import SqlSession
from sharpwave.types.records import Record
from sharpwave.types.storing import IndexRow, Space, StoreCounts

RECORDS_KEPT = 4096
"""Rows of which the record is kept: a context reads the same tasks, rules and facts each time."""


@lru_cache(RECORDS_KEPT)
def _record(row: tuple[Any, ...]) -> Record | None:
    return rows.to_record(row)  # looked up at each call: fault checks replace it


def count(db: SqlSession, bounds: dict[str, Any], file_bytes: int) -> StoreCounts:
    """How many records and vectors there are of one user, or of all."""
    by_kind: dict[str, int] = dict(db.rows("count_kinds", bounds))
    all_users = bounds["user_no"] is None
    return StoreCounts(
        users=db.row("count_users", {})[0] if all_users else int(bool(by_kind)),
        memories=sum(by_kind.values()),
        by_kind=by_kind,
        spaces={Space(*space): vectors for *space, vectors in db.rows("count_spaces", bounds)},
        file_bytes=file_bytes,
    )


def space_no(db: SqlSession, space: Space) -> int:
    """The number of a space; 0 if nothing is stored in it."""
    found = db.row("space", space._asdict())
    return int(found[0]) if found else 0


def page(db: SqlSession, name: str, query: dict[str, int]) -> list[Record]:
    """The next intact records; empty only at the end, whatever is damaged on the way."""
    while True:
        records = to_records(db.readable(name, query))
        if records:
            return records
        last = db.row(f"{name}_end", query)[0]
        if last is None:
            return []
        query = {**query, "after": last}


def to_records(found: Iterable[Any]) -> list[Record]:
    """The intact records among these rows."""
    return [record for row in found if row and (record := _record(row)) is not None]


def let_go() -> None:
    """Keep no record in memory: some of them were forgotten."""
    _record.cache_clear()


def to_index_row(row: Any, space: Space) -> IndexRow:
    """A row for the index. What is damaged may rank wrongly, but is never served: see `fetch`."""
    number, seq, *named, valid_from, text, check, vector, current, tags = row
    kind, role, speaker, session_id, text, tags = (
        None if value is None else value.decode("utf-8", "replace")
        for value in (*named, text, tags)
    )
    moment = valid_from if isinstance(valid_from, int) else 0
    whole = vector if rows.intact(vector, check, space.dimension) else None
    who = (kind or "", role, speaker, session_id)
    return IndexRow(number, seq, *who, moment, text or "", whole, bool(current), tags or "")
