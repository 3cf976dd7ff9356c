"""The wall clock: the only place in the package that asks what time it is."""

from collections.abc import Callable
from datetime import UTC, datetime

from sharpwave.errors import InvalidInput


class SystemClock:
    """The computer's clock, in UTC."""

    def now(self) -> datetime:
        """The current moment."""
        return datetime.now(UTC)


class UtcClock:
    """Somebody's own clock, in whatever timezone, read in UTC."""

    def __init__(self, read: Callable[[], datetime]) -> None:
        self._read = read

    def now(self) -> datetime:
        """The current moment, in UTC."""
        moment = self._read()
        if moment.tzinfo is None:
            raise InvalidInput("the clock tells a time without a timezone; let it tell UTC")
        return moment.astimezone(UTC)


class StandingClock:
    """A clock that stands still: all that is done by it happens at one moment."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """That moment."""
        return self._moment
