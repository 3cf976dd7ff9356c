"""Which records a question is about."""

from collections.abc import Collection
from datetime import datetime

from sharpwave.types.records import Kind, Record, Stage
from sharpwave.types.storing import Stated

_UNSETTLED = frozenset({Stage.ACTIVE, Stage.WORKING})


def predicate(record: Record) -> str:
    """What a record states about its subject."""
    return record.statement.predicate if record.statement else ""


def relates(record: Record, names: Collection[str], mentions: Collection[tuple[str, int]]) -> bool:
    """Whether a record is about one of some names and mentions another of them."""
    subject = str(record.slot).partition("|")[0]
    return subject in names and any(
        (name, record.number) in mentions for name in names if name != subject
    )


def is_in_time(record: Record, wanted: Stated) -> bool:
    """Whether a record holds, and was learned, in the time that is asked for."""
    over, learned = record.valid_to, record.recorded_at
    return (
        (wanted.begun_by is None or record.valid_from <= wanted.begun_by)
        and (wanted.beyond is None or over is None or over > wanted.beyond)
        and (wanted.recorded_from is None or learned >= wanted.recorded_from)
        and (wanted.recorded_by is None or learned <= wanted.recorded_by)
    )


def is_used(record: Record, since: datetime | None) -> bool:
    """Whether a record was asked for since then."""
    used = record.standing.accessed_at
    return since is None or (used is not None and used >= since)


def is_pending(record: Record, kind: Kind) -> bool:
    """Whether a record of a kind has not settled yet."""
    return record.kind is kind and record.standing.stage in _UNSETTLED
