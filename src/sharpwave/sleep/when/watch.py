"""Lets users sleep by themselves: one round over whoever is due, a few at once [SLP-06, SLP-14]."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from sharpwave.behavior.skills import population
from sharpwave.errors import Busy, Overtaken, SharpwaveError
from sharpwave.sleep import asking, cycle, tidying
from sharpwave.sleep.night import is_anothers
from sharpwave.sleep.when import batches, claims, schedule, sweeping
from sharpwave.sleep.when.idle import IdleWatch
from sharpwave.types.sleep import Report
from sharpwave.workspace import Resources

_LOG = logging.getLogger(__name__)
_CLOSING = "closing"


def round_of(
    users: Sequence[str],
    resources: Resources,
    stop: threading.Event,
    tell: Callable[[str, str], None] | None = None,
    since: datetime | None = None,
) -> list[Report]:
    """Let these users sleep, at most so many at once, until all did or time is out.

    Whoever has slept `since` is left out: other workers go through the same users. Whoever was not
    reached stays due. `tell` hears each step of each user. In the end one worker puts the store in
    order, and adds up what those who agreed to it liked, as a start for others [PV-12].
    """
    due = since or resources.clock.now()
    deadline = time.monotonic() + 60 * resources.settings.sleep.schedule.max_minutes

    def is_over() -> bool:
        return stop.is_set() or time.monotonic() > deadline

    def checkpoint(user_id: str, step: str) -> None:
        if is_over():
            raise cycle.Stop
        if tell is not None:
            tell(user_id, step)

    away = threading.Event()  # set when a model did not answer: the others do not wait for it too

    def night(user_id: str) -> Report | None:
        if is_over() or is_anothers(resources.for_user(user_id), due):
            return None
        report = cycle.sleep(
            (replace(resources, llm=None) if away.is_set() else resources).for_user(user_id),
            checkpoint=lambda step: checkpoint(user_id, step),
            since=due,
        )
        if asking.AWAY in report.notes:
            away.set()
        return report

    with ThreadPoolExecutor(resources.settings.sleep.schedule.at_once, "sharpwave-sleep") as pool:
        slept = pool.map(lambda user_id: _tried(night, user_id), users)
        reports = [report for report in slept if report is not None]
    if reports:
        _close(resources)
    return reports


def _tried(night: Callable[[str], Report | None], user_id: str) -> Report | None:
    try:
        return night(user_id)
    except (Busy, Overtaken):
        return None  # somebody else is at it
    except SharpwaveError:
        _LOG.warning("a night failed and will be tried again", exc_info=True)
        return None


def _close(resources: Resources) -> None:
    """What is done for all of them after a round, unless another worker is at it."""
    claim = claims.take(_CLOSING, resources, None, resources.settings.sleep.schedule.lease_s)
    if claim is None:
        return
    population.update_rates(resources)
    for entry in tidying.of_all(resources.store).entries:
        _LOG.info("%s: %s", entry.id, entry.why)
    with suppress(Overtaken):  # it took so long that another began anew
        claim.done()


class Nightwatch:
    """Looks now and then whether it is time, and lets whoever is due sleep."""

    def __init__(self, resources: Resources, idle: IdleWatch) -> None:
        self._resources = resources
        self._settings = resources.settings
        self._idle = idle

    def run(self, stop: threading.Event) -> None:
        """Look until told to stop; a night that is interrupted goes on next time."""
        while not stop.is_set():
            try:
                self.look(stop)
            except SharpwaveError:  # the store is busy or full: look again later
                _LOG.warning("cannot look who is due now", exc_info=True)
            stop.wait(self._settings.sleep.schedule.check_s)

    def look(self, stop: threading.Event) -> list[Report]:
        """Look once: whoever is due sleeps, if it is time."""
        now, sleep = self._resources.clock.now(), self._settings.sleep
        idle = self._idle.look(now)
        if not sleep.schedule.enabled:
            return []
        batches.look(self._resources, stop)
        sweeping.look(self._resources, stop)
        if not schedule.is_time(now, sleep, idle):
            return []
        since = schedule.last_time(sleep.schedule.cron, now)
        users = schedule.due_users(self._resources, sleep, since)
        if not users:
            return []
        return round_of(users, self._resources, stop, since=since)
