"""Whether the machine has had nothing to do for a while [SLP-02]."""

from collections.abc import Callable
from datetime import datetime, timedelta

from sharpwave.settings.sleep import ScheduleSettings


class IdleWatch:
    """Looks at the load now and then; idle once it was low for long enough without a break."""

    def __init__(self, percent: Callable[[], float], settings: ScheduleSettings) -> None:
        self._percent = percent
        self._settings = settings
        self._since: datetime | None = None
        self._last: datetime | None = None

    def look(self, now: datetime) -> bool:
        """Take a look now; True if the machine is idle.

        A look that comes much too late, or a clock that goes back, begins the count anew: nobody
        knows what happened in between.
        """
        late = timedelta(seconds=3 * self._settings.check_s)
        if self._last is not None and not timedelta() <= now - self._last <= late:
            self._since = None
        self._last = now
        if self._percent() >= self._settings.idle_cpu_percent:
            self._since = None
            return False
        self._since = self._since or now
        return now - self._since >= timedelta(seconds=self._settings.idle_s)
