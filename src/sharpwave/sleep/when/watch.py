"""Lets users sleep by themselves: one round over whoever is due, a few at once [SLP-06, SLP-14]."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from sharpwave.errors import Busy, Overtaken, SharpwaveError
from sharpwave.ports import Ports
from sharpwave.settings import Settings
from sharpwave.sleep import cycle
from sharpwave.sleep.when import schedule
from sharpwave.sleep.when.idle import IdleWatch
from sharpwave.types.work.sleep import Report

_LOG = logging.getLogger(__name__)


def round_of(
    users: Sequence[str],
    ports: Ports,
    settings: Settings,
    stop: threading.Event,
    tell: Callable[[str, str], None] = lambda user_id, step: None,
) -> list[Report]:
    """Let these users sleep, at most so many at once, until all did or time is out.

    Whoever was not reached stays due. `tell` hears each step of each user.
    """
    deadline = time.monotonic() + 60 * settings.sleep.schedule.max_minutes

    def checkpoint(user_id: str, step: str) -> None:
        if stop.is_set() or time.monotonic() > deadline:
            raise cycle.Stop
        tell(user_id, step)

    def one(user_id: str) -> Report | None:
        if stop.is_set() or time.monotonic() > deadline:
            return None
        try:
            return cycle.sleep(
                user_id, ports, settings, checkpoint=lambda step: checkpoint(user_id, step)
            )
        except (Busy, Overtaken):
            return None  # somebody else is at it
        except SharpwaveError:
            _LOG.warning("a night failed and will be tried again", exc_info=True)
            return None

    with ThreadPoolExecutor(settings.sleep.schedule.at_once, "sharpwave-sleep") as pool:
        return [report for report in pool.map(one, users) if report is not None]


class Nightwatch:
    """A thread that looks now and then whether it is time, and lets whoever is due sleep."""

    def __init__(self, ports: Ports, settings: Settings, idle: IdleWatch) -> None:
        self._ports = ports
        self._settings = settings
        self._idle = idle
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sharpwave-nightwatch", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Stop after the step at hand; a night that was interrupted goes on next time."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self) -> list[Report]:
        """Look once: sleep if it is time."""
        now, sleep = self._ports.clock.now(), self._settings.sleep
        idle = self._idle.look(now)
        if not sleep.schedule.enabled or not schedule.is_time(now, sleep, idle):
            return []
        since = schedule.last_time(sleep.schedule.cron, now)
        users = schedule.due_users(self._ports, sleep, since)
        return round_of(users, self._ports, self._settings, self._stop) if users else []

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.look()
            except SharpwaveError:  # the store is busy or full: look again later
                _LOG.warning("cannot look who is due now", exc_info=True)
            self._stop.wait(self._settings.sleep.schedule.check_s)
