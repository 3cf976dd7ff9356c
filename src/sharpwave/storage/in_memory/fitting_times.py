"""Whether a record is of the time that is asked for."""

from datetime import datetime

from sharpwave.types.records import Record
from sharpwave.types.storing import Stated


def in_time(record: Record, wanted: Stated) -> bool:
    """Whether a record holds, and was learned, in the time that is asked for."""
    over, learned = record.valid_to, record.recorded_at
    return (
        (wanted.begun_by is None or record.valid_from <= wanted.begun_by)
        and (wanted.beyond is None or over is None or over > wanted.beyond)
        and (wanted.recorded_from is None or learned >= wanted.recorded_from)
        and (wanted.recorded_by is None or learned <= wanted.recorded_by)
    )


def used(record: Record, since: datetime | None) -> bool:
    """Whether it was used since a moment, if one is given."""
    used = record.standing.accessed_at
    return since is None or (used is not None and used >= since)
