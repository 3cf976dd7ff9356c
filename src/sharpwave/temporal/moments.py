"""Moments as whole microseconds since 1970 in UTC: exact both ways, unlike a float."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> int:
    """Microseconds since 1970.

    >>> to_microseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    return (moment - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=8192)  # a record has most of its times three times over
def from_microseconds(microseconds: int) -> datetime:
    """The moment, in UTC.

    >>> from_microseconds(1_000_000).isoformat()
    '1970-01-01T00:00:01+00:00'
    """
    return _EPOCH + timedelta(microseconds=microseconds)
