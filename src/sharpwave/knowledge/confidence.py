"""How sure we are of a fact now, and how reliable each source is."""

from datetime import datetime, timedelta

from sharpwave.formulas.decay import decayed_confidence
from sharpwave.types.records import Kind, Record, Source

CONFIDENCE_LOSS_PER_DAY = 0.001
"""Share of its confidence that a fact loses per day without being stated or used [TMP-06]."""
ENOUGH_VOTES = 3
"""Independent observations that are enough [SCO-10]."""
RELIABILITY = {
    Source.USER_MESSAGE: 0.95,
    Source.TOOL: 0.94,
    Source.SYSTEM: 0.8,
    Source.INFERRED: 0.7,
    Source.WEB: 0.6,
    Source.IMPORT: 0.6,
}
"""Reliability of each source [SCO-09]; for a tool the middle of 0.9 to 0.98."""
_DAY = timedelta(days=1)


def confidence(record: Record, now: datetime) -> float:
    """A fact's confidence after decay since it was last stated or used; other kinds do not decay.

    Whole days count, so the same question has the same answer within a day.
    """
    standing = record.standing
    if record.kind is not Kind.FACT:
        return standing.confidence
    last = max(standing.last_seen_at, standing.accessed_at or standing.last_seen_at)
    return decayed_confidence(standing.confidence, CONFIDENCE_LOSS_PER_DAY, (now - last) // _DAY)
