"""The system clock, timestamps in microseconds, and ids that sort by time.

The only place in the package that reads the current time.
"""

import base64
import hashlib
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from sharpwave.errors import InvalidInput


class SystemClock:
    """The computer's clock, in UTC."""

    def now(self) -> datetime:
        """The current moment."""
        return datetime.now(UTC)


class UtcClock:
    """A caller's clock in any timezone, read in UTC."""

    def __init__(self, read: Callable[[], datetime]) -> None:
        self._read = read

    def now(self) -> datetime:
        """The current moment, in UTC."""
        moment = self._read()
        if moment.tzinfo is None:
            raise InvalidInput("the clock tells a time without a timezone; let it tell UTC")
        return moment.astimezone(UTC)


class StandingClock:
    """A clock that always returns the same moment."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """That moment."""
        return self._moment


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


def new_id(now: datetime) -> str:
    """New unique id: 26 letters and digits that sort by time."""
    return _text(_milliseconds(now) + secrets.token_bytes(10))


def time_part(moment: datetime) -> str:
    """Prefix of the ids made at a moment: earlier ids sort before it."""
    return _text(_milliseconds(moment) + bytes(10))[:8]


def digest(words: str) -> str:
    """Digest of words that must not be stored, such as the name of a session."""
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _milliseconds(moment: datetime) -> bytes:
    return max(0, int(moment.timestamp() * 1000)).to_bytes(6, "big")


def _text(octets: bytes) -> str:
    return base64.b32hexencode(octets)[:26].decode().lower()
