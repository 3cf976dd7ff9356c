"""The order in which records are read when only the foremost of them are wanted."""

from collections.abc import Sequence

from sharpwave.temporal.moments import to_microseconds
from sharpwave.types.records import Record
from sharpwave.types.storing import Stated

A_DAY = 86_400_000_000
"""Microseconds: within a day the order stays the same, whatever is used."""


def first(found: Sequence[Record], wanted: Stated) -> list[Record]:
    """As many as are wanted, in the order that is."""
    return (sorted(found, key=_place) if wanted.foremost else list(found))[: wanted.limit]


def _place(record: Record) -> tuple[float, float, int, int]:
    """The most important first, of these the surest, of these the last seen or used."""
    standing = record.standing
    last = max(standing.last_seen_at, standing.accessed_at or standing.last_seen_at)
    days = to_microseconds(last) // A_DAY
    return -standing.importance, -standing.confidence, -days, record.number
