"""When sleep is due: by the calendar, caught up if missed, never twice [SLP-03...05, SCH]."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Any

from cronsim import CronSim, CronSimError

from sharpwave.errors import InvalidSettings
from sharpwave.settings.sleep import SleepSettings
from sharpwave.sleep import cycle
from sharpwave.sleep.night import RUN, STATE, is_rested
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
        rested = is_rested(state, since, now, settings.schedule.lease_s)
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
