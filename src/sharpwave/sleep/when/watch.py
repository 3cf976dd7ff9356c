"""Lets users sleep by themselves: one round over whoever is due, a few at once [SLP-06, SLP-14]."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from sharpwave.behavior import population
from sharpwave.errors import Busy, Overtaken, SharpwaveError
from sharpwave.ports import Ports
from sharpwave.settings.tree import Settings
from sharpwave.sleep import asking, cycle, tidying
from sharpwave.sleep.night import is_anothers
from sharpwave.sleep.when import batches, claims, schedule, sweeping
from sharpwave.sleep.when.idle import IdleWatch
from sharpwave.types.sleep import Report

_LOG = logging.getLogger(__name__)
_CLOSING = "closing"


def round_of(
    users: Sequence[str],
    ports: Ports,
    settings: Settings,
    stop: threading.Event,
    tell: Callable[[str, str], None] | None = None,
    since: datetime | None = None,
) -> list[Report]:
    """Let these users sleep, at most so many at once, until all did or time is out.

    Whoever has slept `since` is left out: other workers go through the same users. Whoever was not
    reached stays due. `tell` hears each step of each user. In the end one worker puts the store in
    order, and adds up what those who agreed to it liked, as a start for others [PV-12].
    """
    due = since or ports.clock.now()
    deadline = time.monotonic() + 60 * settings.sleep.schedule.max_minutes

    def is_over() -> bool:
        return stop.is_set() or time.monotonic() > deadline

    def checkpoint(user_id: str, step: str) -> None:
        if is_over():
            raise cycle.Stop
        if tell is not None:
            tell(user_id, step)

    away = threading.Event()  # set when a model did not answer: the others do not wait for it too

    def night(user_id: str) -> Report | None:
        if is_over() or is_anothers(user_id, ports, settings, due):
            return None
        report = cycle.sleep(
            user_id,
            replace(ports, llm=None) if away.is_set() else ports,
            settings,
            checkpoint=lambda step: checkpoint(user_id, step),
            since=due,
        )
        if asking.AWAY in report.notes:
            away.set()
        return report

    with ThreadPoolExecutor(settings.sleep.schedule.at_once, "sharpwave-sleep") as pool:
        slept = pool.map(lambda user_id: _tried(night, user_id), users)
        reports = [report for report in slept if report is not None]
    if reports:
        _close(ports, settings)
    return reports


def _tried(night: Callable[[str], Report | None], user_id: str) -> Report | None:
    try:
        return night(user_id)
    except (Busy, Overtaken):
        return None  # somebody else is at it
    except SharpwaveError:
        _LOG.warning("a night failed and will be tried again", exc_info=True)
        return None


def _close(ports: Ports, settings: Settings) -> None:
    """What is done for all of them after a round, unless another worker is at it."""
    claim = claims.take(_CLOSING, ports, None, settings.sleep.schedule.lease_s)
    if claim is None:
        return
    population.add_up(ports, settings)
    for entry in tidying.of_all(ports.store).entries:
        _LOG.info("%s: %s", entry.id, entry.why)
    with suppress(Overtaken):  # it took so long that another began anew
        claim.done()


class Nightwatch:
    """Looks now and then whether it is time, and lets whoever is due sleep."""

    def __init__(self, ports: Ports, settings: Settings, idle: IdleWatch) -> None:
        self._ports = ports
        self._settings = settings
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
        now, sleep = self._ports.clock.now(), self._settings.sleep
        idle = self._idle.look(now)
        if not sleep.schedule.enabled:
            return []
        batches.look(self._ports, self._settings, stop)
        sweeping.look(self._ports, self._settings, stop)
        if not schedule.is_time(now, sleep, idle):
            return []
        since = schedule.last_time(sleep.schedule.cron, now)
        users = schedule.due_users(self._ports, sleep, since)
        if not users:
            return []
        return round_of(users, self._ports, self._settings, stop, since=since)
