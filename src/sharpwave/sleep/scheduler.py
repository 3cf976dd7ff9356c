"""Lets users sleep by themselves: one round over whoever is due, a few at once [SLP-06, SLP-14]."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from sharpwave.behavior import population
from sharpwave.behavior.feedback import batches
from sharpwave.behavior.skills import learned
from sharpwave.behavior.skills.learned import FEEDBACK, TRAJECTORY
from sharpwave.errors import Busy, Overtaken, SharpwaveError
from sharpwave.settings.sleep import ScheduleSettings
from sharpwave.sleep import asking, cycle, leases, maintenance, schedule
from sharpwave.sleep.leases import Lease
from sharpwave.sleep.run import is_taken
from sharpwave.sleep.schedule import IdleMonitor
from sharpwave.tallies.requests import ASKED
from sharpwave.types.sleep import Report
from sharpwave.types.storing import OPEN
from sharpwave.workspace import Resources, Workspace

_LOG = logging.getLogger(__name__)
_CLOSING = "closing"


def sleep_all(
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
        if is_over() or is_taken(resources.for_user(user_id), due):
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
    claim = leases.acquire(_CLOSING, resources, None, resources.settings.sleep.schedule.lease_s)
    if claim is None:
        return
    population.add_up(resources)
    for entry in maintenance.tidy_store(resources.store).entries:
        _LOG.info("%s: %s", entry.id, entry.why)
    with suppress(Overtaken):  # it took so long that another began anew
        claim.done()


class Scheduler:
    """Looks now and then whether it is time, and lets whoever is due sleep."""

    def __init__(self, resources: Resources, idle: IdleMonitor) -> None:
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
        run_due(self._resources, stop)
        sweep_due(self._resources, stop)
        if not schedule.is_time(now, sleep, idle):
            return []
        since = schedule.last_time(sleep.schedule.cron, now)
        users = schedule.due_users(self._resources, sleep, since)
        if not users:
            return []
        return sleep_all(users, self._resources, stop, since=since)


class Batch(NamedTuple):
    """Something that is learned at an hour of its own."""

    name: str
    cron: Callable[[ScheduleSettings], str]
    learn: Callable[[Workspace], object]


def _read(workspace: Workspace) -> None:
    batches.read_comments(workspace)
    batches.notice_reactions(workspace)


BATCHES = (
    Batch("feedback", lambda schedule: schedule.feedback_cron, _read),
    Batch("odds", lambda schedule: schedule.bandit_cron, batches.recompute),
)


def run_due(resources: Resources, stop: threading.Event) -> list[str]:
    """Do what is due and nobody else is at; returns its names."""
    when, done = resources.settings.sleep.schedule, []
    for batch in BATCHES:
        since = schedule.last_time(batch.cron(when), resources.clock.now())
        claim = leases.acquire(batch.name, resources, since, when.lease_s)
        if claim is None:
            continue
        with suppress(Overtaken):  # it took so long that another began anew
            if not _learn(batch, resources, stop, claim):
                claim.let_go()
                break
            claim.done()
            done.append(batch.name)
    return done


def _learn(batch: Batch, resources: Resources, stop: threading.Event, claim: Lease) -> bool:
    """For everybody there is something to learn from; False if told to stop before the end."""
    for user_id in resources.store.users():
        if stop.is_set():
            return False
        claim.keep()
        workspace = resources.for_user(user_id)
        if not learned.may_learn(workspace) or not _has_any(workspace):
            continue
        try:
            batch.learn(workspace)
        except SharpwaveError:
            _LOG.warning("learning from feedback failed and is left for tomorrow", exc_info=True)
    return True


def _has_any(workspace: Workspace) -> bool:
    return any(workspace.store.slot_numbers(begin, 1) for begin in (FEEDBACK, TRAJECTORY))


_NAME = "sweeping"


def sweep_due(resources: Resources, stop: threading.Event) -> int:
    """Sweep if it is time and nobody else is at it; returns of how many users something went."""
    when = resources.settings.sleep.schedule
    since = schedule.last_time(when.cron, resources.clock.now())
    claim = leases.acquire(_NAME, resources, since, when.lease_s)
    if claim is None:
        return 0
    count = 0
    with suppress(Overtaken):  # it took so long that another began anew
        for user_id in _users(resources):
            if stop.is_set():
                claim.let_go()
                return count
            claim.keep()
            count += sweep_user(resources.for_user(user_id))
        claim.done()
    return count


def sweep(resources: Resources) -> int:
    """Sweep now; returns of how many users something went."""
    return sum(sweep_user(resources.for_user(user_id)) for user_id in _users(resources))


def sweep_user(workspace: Workspace) -> bool:
    """Let go of what is over its time; True if there was anything. It can wait for tomorrow."""
    try:
        return bool(maintenance.remove_expired(workspace))
    except SharpwaveError:
        _LOG.warning("what is over its time is left for tomorrow", exc_info=True)
        return False


def _users(resources: Resources) -> list[str]:
    return sorted({*resources.store.users_with(ASKED), *resources.store.users_with(OPEN)})
