"""The wall clock: the only place in the package that asks what time it is."""

from datetime import UTC, datetime


class SystemClock:
    """The computer's clock, in UTC."""

    def now(self) -> datetime:
        """The current moment."""
        return datetime.now(UTC)
