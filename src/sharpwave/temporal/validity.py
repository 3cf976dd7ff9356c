"""When a record holds."""

from datetime import datetime

from sharpwave.types.records import Record, State

WRONG = frozenset({State.INVALIDATED, State.QUARANTINED})
"""States of records that were never true, or must not be believed."""


def held_at(record: Record, moment: datetime) -> bool:
    """True if it was true in the world at that moment, as far as we know today.

    What begins at a moment holds then; what ends then does not any more.
    """
    return (
        record.standing.state not in WRONG
        and record.valid_from <= moment
        and (record.valid_to is None or moment < record.valid_to)
    )


def holds_now(record: Record, now: datetime) -> bool:
    """True if it holds. What a clock that ran ahead has stamped is judged by that clock."""
    return held_at(record, max(now, record.standing.last_seen_at))


def held_between(record: Record, start: datetime, end: datetime) -> bool:
    """True if it held at some moment from `start` up to, not including, `end`."""
    return (
        record.standing.state not in WRONG
        and record.valid_from < end
        and (record.valid_to is None or record.valid_to > start)
    )


def recorded_between(record: Record, start: datetime, end: datetime) -> bool:
    """True if we learned it from `start` up to, not including, `end`."""
    return start <= record.recorded_at < end
