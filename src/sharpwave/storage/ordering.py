"""The order in which facts, tasks and notes are read."""

from collections.abc import Callable, Mapping, Sequence

from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.records import Record
from sharpwave.types.storing import Order, Stated

A_DAY = 86_400_000_000
"""Microseconds: within a day the order stays the same, whatever is used."""


def first(found: Sequence[Record], wanted: Stated) -> list[Record]:
    """The first `limit` records, in the wanted order."""
    place = _PLACES.get(wanted.order)
    return (sorted(found, key=place) if place else list(found))[: wanted.limit]


def _foremost(record: Record) -> tuple[float, ...]:
    standing = record.standing
    last = max(standing.last_seen_at, standing.accessed_at or standing.last_seen_at)
    days = to_microseconds(last) // A_DAY
    return -standing.importance, -standing.confidence, -days, record.number


def _frequent(record: Record) -> tuple[float, ...]:
    standing = record.standing
    return -standing.seen_count, -to_microseconds(standing.last_seen_at), record.number


def _newest(record: Record) -> tuple[float, ...]:
    return -to_microseconds(record.recorded_at), -record.number


def _due(record: Record) -> tuple[float, ...]:
    due = record.due
    return due is None, to_microseconds(due) if due else 0, record.number


_PLACES: Mapping[Order, Callable[[Record], tuple[float, ...]]] = {
    Order.FOREMOST: _foremost,
    Order.FREQUENT: _frequent,
    Order.NEWEST: _newest,
    Order.DUE: _due,
}
