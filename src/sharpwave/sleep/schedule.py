"""When sleep is due: by the calendar and on an idle machine, caught up if missed, never twice.

[SLP-02...05, SCH]
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Any

from cronsim import CronSim, CronSimError

from sharpwave.errors import InvalidSettings
from sharpwave.formulas.bandit import position
from sharpwave.settings.core import SleepSettings
from sharpwave.sleep.run import RUN, STATE, read_state, slept_since
from sharpwave.workspace import Resources, Workspace

CHECK_S = 60.0
"""Seconds between two checks of the machine's load and of the schedule [SLP-02]."""
PATIENCE_HOURS = 6.0
"""Hours after which sleep begins although the machine is busy."""
HEAVY_EVERY_DAYS = 7
"""How often the weekly phases run for a user; each user has a fixed day [SLP-05]."""


def last_time(cron: str, now: datetime, zone: tzinfo | None = None) -> datetime:
    """The latest moment up to now that a schedule of five fields names, in the local time zone."""
    try:
        moment = next(CronSim(cron, now.astimezone(zone), reverse=True))
    except (CronSimError, StopIteration) as error:
        raise InvalidSettings(
            f"{cron!r} is no schedule: {error}. Five fields are needed, such as '0 2 * * *'"
        ) from error
    return moment.astimezone(now.tzinfo)


def is_time(now: datetime, settings: SleepSettings, idle: bool, zone: tzinfo | None = None) -> bool:
    """True if the run that the schedule named last may begin.

    That is when the machine is idle, or was busy for longer than `PATIENCE_HOURS`.
    """
    if idle or not settings.require_idle:
        return True
    return now - last_time(settings.cron, now, zone) >= timedelta(hours=PATIENCE_HOURS)


def due_users(resources: Resources, since: datetime) -> Sequence[str]:
    """Users who were not consolidated since a moment, the longest waiting first.

    Those for whom something changed since their last run, or whose weekly phases are due.
    """
    now, waiting = resources.clock.now(), []
    for user in resources.store.tallied(STATE, RUN):
        state: Mapping[str, Any] = user.tally.value if user.tally else {}
        changed = state.get("run") or user.seq != state.get("seq")
        due = changed or _is_heavy_due(user.user_id, state, now)
        if due and not slept_since(state, since, now):
            waiting.append((state.get("last") or "", user.user_id))
    return [user_id for _, user_id in sorted(waiting)]


def is_heavy_due(workspace: Workspace) -> bool:
    """Whether a user's weekly phases are due."""
    state, _ = read_state(workspace)
    return _is_heavy_due(workspace.user_id, state, workspace.clock.now())


def _is_heavy_due(user_id: str, state: Mapping[str, Any], now: datetime) -> bool:
    """True on the user's day of the week, if that was missed, or the clock went back [SLP-05]."""
    last, days = state.get("last_heavy"), HEAVY_EVERY_DAYS
    if last is None:
        return True
    gap = now - datetime.fromisoformat(last)
    own_day = int(position(user_id, "sleep") * days) == now.date().toordinal() % days
    missed = not timedelta() <= gap < timedelta(days=days)
    return missed or (own_day and gap >= timedelta(days=1))


class IdleMonitor:
    """Samples the CPU load; idle once it was low for long enough without a break."""

    def __init__(self, percent: Callable[[], float], settings: SleepSettings) -> None:
        self._percent = percent
        self._settings = settings
        self._since: datetime | None = None
        self._last: datetime | None = None

    def check(self, now: datetime) -> bool:
        """Sample the load; True if the machine is idle.

        The count restarts after a check that comes much too late, or if the clock goes back: the
        load in between is unknown.
        """
        longest_gap = timedelta(seconds=3 * CHECK_S)
        if self._last is not None and not timedelta() <= now - self._last <= longest_gap:
            self._since = None
        self._last = now
        if self._percent() >= self._settings.idle_cpu_percent:
            self._since = None
            return False
        self._since = self._since or now
        return now - self._since >= timedelta(seconds=self._settings.idle_s)


def cpu_percent() -> Callable[[], float]:
    """A function that returns the share of CPU in use, in percent, since its last call."""
    import psutil

    psutil.cpu_percent(interval=None)  # the first call only begins to measure
    return lambda: float(psutil.cpu_percent(interval=None))
