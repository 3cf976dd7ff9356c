"""How sure a fact still is when it is read: the stored value never changes [TMP-06]."""

from datetime import datetime, timedelta
from typing import NamedTuple

from sharpwave.formulas.decay import decayed_confidence
from sharpwave.types.records import Kind, Record

_DAY = timedelta(days=1)


class Fading(NamedTuple):
    """When a fact is looked at, and how much of its confidence a day without a sign of it costs."""

    now: datetime
    daily_rate: float

    def confidence(self, record: Record) -> float:
        """What is left of its confidence since it was last said or used; of facts only.

        Whole days count, so that the same question has the same answer within a day.
        """
        standing = record.standing
        if record.kind is not Kind.FACT:
            return standing.confidence
        last = max(standing.last_seen_at, standing.accessed_at or standing.last_seen_at)
        days = (self.now - last) // _DAY
        return decayed_confidence(standing.confidence, self.daily_rate, days)
