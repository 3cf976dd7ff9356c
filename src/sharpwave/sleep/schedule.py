"""When sleep is due: by the calendar, caught up if missed, never twice [SLP-03...05, SCH]."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Any

from cronsim import CronSim, CronSimError

from sharpwave.errors import InvalidSettings
from sharpwave.settings.sleep import ScheduleSettings, SleepSettings
from sharpwave.sleep import cycle
from sharpwave.sleep.run import RUN, STATE, slept_since
from sharpwave.workspace import Resources


def last_time(cron: str, now: datetime, zone: tzinfo | None = None) -> datetime:
    """The latest moment up to now that a schedule of five fields names, in the local time zone."""
    try:
        found = next(CronSim(cron, now.astimezone(zone), reverse=True))
    except (CronSimError, StopIteration) as error:
        raise InvalidSettings(
            f"{cron!r} is no schedule: {error}. Five fields are needed, such as '0 2 * * *'"
        ) from error
    return found.astimezone(now.tzinfo)


def due_users(resources: Resources, settings: SleepSettings, since: datetime) -> Sequence[str]:
    """Who has not slept since a moment though there is reason to; the longest waiting first."""
    now, waiting = resources.clock.now(), []
    for one in resources.store.tallied(STATE, RUN):
        state: Mapping[str, Any] = one.tally.value if one.tally else {}
        rested = slept_since(state, since, now, settings.schedule.lease_s)
        if not rested and cycle.is_due(one, now, settings):
            waiting.append((state.get("last") or "", one.user_id))
    return [user_id for _, user_id in sorted(waiting)]


def is_time(now: datetime, settings: SleepSettings, idle: bool, zone: tzinfo | None = None) -> bool:
    """True if the night that the schedule named last may begin.

    That is when the machine is idle, or has been busy for so long that waiting makes no sense.
    """
    schedule = settings.schedule
    if idle or not schedule.require_idle:
        return True
    return now - last_time(schedule.cron, now, zone) >= timedelta(hours=schedule.patience_hours)


class IdleMonitor:
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


def cpu_percent() -> Callable[[], float]:
    """A function that tells the share of CPU in use, in percent, since it was last asked."""
    import psutil

    psutil.cpu_percent(interval=None)  # the first call only begins to measure
    return lambda: float(psutil.cpu_percent(interval=None))
