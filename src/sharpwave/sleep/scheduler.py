"""Consolidates the users who are due: one round over all, a few at once [SLP-06, SLP-14].

Beside it run tasks with a schedule of their own, once for all users, by one worker: feedback is
learned from also for users who do not sleep, and expired requests go also for users without
memories. A task that was interrupted is repeated, which changes nothing for those it had reached.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from sharpwave.behavior.feedback import batches
from sharpwave.behavior.skills import population, state
from sharpwave.behavior.skills.state import FEEDBACK, TRAJECTORY
from sharpwave.errors import Busy, Overtaken, SharpwaveError
from sharpwave.settings.core import SleepSettings
from sharpwave.sleep import cycle, leases, maintenance, schedule
from sharpwave.sleep.leases import Lease
from sharpwave.sleep.run import MODEL_UNAVAILABLE, is_taken
from sharpwave.sleep.schedule import IdleMonitor
from sharpwave.types.sleep import Report
from sharpwave.workspace import Resources, Workspace

_LOG = logging.getLogger(__name__)
_CLOSING = "closing"


class Scheduler:
    """Checks periodically whether it is time, and consolidates the users who are due."""

    def __init__(self, resources: Resources, idle: IdleMonitor) -> None:
        self._resources = resources
        self._idle = idle

    def run(self, stop: threading.Event) -> None:
        """Check until `stop` is set; an interrupted run continues the next time."""
        while not stop.is_set():
            try:
                self.check(stop)
            except SharpwaveError:  # the store is busy or full: check again later
                _LOG.warning("cannot look who is due now", exc_info=True)
            stop.wait(schedule.CHECK_S)

    def check(self, stop: threading.Event) -> list[Report]:
        """Check once: run the tasks that are due, and consolidate users if it is time."""
        now, settings = self._resources.clock.now(), self._resources.settings.sleep
        idle = self._idle.check(now)
        if not settings.enabled:
            return []
        run_tasks(self._resources, stop)
        if not schedule.is_time(now, settings, idle):
            return []
        since = schedule.last_time(settings.cron, now)
        users = schedule.due_users(self._resources, since)
        return sleep_all(self._resources, users, stop, since=since) if users else []


# ---- a round over users


def sleep_all(
    resources: Resources,
    users: Sequence[str],
    stop: threading.Event,
    on_step: Callable[[str, str], None] | None = None,
    since: datetime | None = None,
) -> list[Report]:
    """Consolidate these users, at most `sleep.at_once` in parallel, until `sleep.max_minutes`.

    Users who were consolidated `since` are left out: other workers go through the same list. Users
    who were not reached stay due. `on_step` gets the user and the name of each step. In the end
    one worker maintains the store, and adds up what users who agreed to it liked, as a start for
    others [PV-12].
    """
    due = since or resources.clock.now()
    deadline = time.monotonic() + 60 * resources.settings.sleep.max_minutes

    def is_over() -> bool:
        return stop.is_set() or time.monotonic() > deadline

    def checkpoint(user_id: str, step: str) -> None:
        if is_over():
            raise cycle.Stop
        if on_step is not None:
            on_step(user_id, step)

    model_unavailable = (
        threading.Event()
    )  # set when a model did not answer: the others do not wait for it too

    def sleep(user_id: str) -> Report | None:
        if is_over() or is_taken(resources.for_user(user_id), due):
            return None
        report = cycle.sleep(
            (replace(resources, llm=None) if model_unavailable.is_set() else resources).for_user(
                user_id
            ),
            checkpoint=lambda step: checkpoint(user_id, step),
            since=due,
        )
        if MODEL_UNAVAILABLE in report.notes:
            model_unavailable.set()
        return report

    with ThreadPoolExecutor(resources.settings.sleep.at_once, "sharpwave-sleep") as pool:
        results = pool.map(lambda user_id: _try(sleep, user_id), users)
        reports = [report for report in results if report is not None]
    if reports:
        _close_round(resources)
    return reports


def _try(sleep: Callable[[str], Report | None], user_id: str) -> Report | None:
    try:
        return sleep(user_id)
    except (Busy, Overtaken):
        return None  # another worker holds the lease
    except SharpwaveError:
        _LOG.warning("sleep run failed; it will be retried", exc_info=True)
        return None


def _close_round(resources: Resources) -> None:
    """Do what is due once after a round, unless another worker holds the lease."""
    lease = leases.acquire(resources, _CLOSING, None)
    if lease is None:
        return
    population.update_rates(resources)
    for entry in maintenance.tidy_store(resources.store).entries:
        _LOG.info("%s: %s", entry.id, entry.why)
    with suppress(Overtaken):  # it took so long that another worker began anew
        lease.complete()


# ---- tasks with a schedule of their own


class ScheduledTask(NamedTuple):
    """Work for every user at an hour of its own."""

    name: str
    cron: Callable[[SleepSettings], str]
    users: Callable[[Resources], Iterable[str]]
    work: Callable[[Workspace], bool]
    """Returns whether there was anything to do."""


def _read_feedback(workspace: Workspace) -> bool:
    if not _can_learn(workspace):
        return False
    batches.read_comments(workspace)
    batches.infer_reactions(workspace)
    return True


def _recompute_odds(workspace: Workspace) -> bool:
    if not _can_learn(workspace):
        return False
    batches.recompute(workspace)
    return True


def _can_learn(workspace: Workspace) -> bool:
    """Whether the user agreed to it and gave any feedback."""
    return state.may_learn(workspace) and any(
        workspace.store.slot_numbers(prefix, 1) for prefix in (FEEDBACK, TRAJECTORY)
    )


def _sweep(workspace: Workspace) -> bool:
    return bool(maintenance.remove_expired(workspace))


SWEEPING = ScheduledTask("sweeping", lambda s: s.cron, maintenance.users_with_leftovers, _sweep)
TASKS = (
    ScheduledTask("feedback", lambda s: s.feedback_cron, lambda r: r.store.users(), _read_feedback),
    ScheduledTask("odds", lambda s: s.bandit_cron, lambda r: r.store.users(), _recompute_odds),
    SWEEPING,
)
"""[SCH-04]"""


def run_tasks(resources: Resources, stop: threading.Event) -> dict[str, int]:
    """Run the tasks that are due and that no other worker does.

    Returns, by name of those completed, for how many users there was something to do.
    """
    completed = {}
    for task in TASKS:
        since = schedule.last_time(task.cron(resources.settings.sleep), resources.clock.now())
        lease = leases.acquire(resources, task.name, since)
        if lease is None:
            continue
        with suppress(Overtaken):  # it took so long that another worker began anew
            count = _run_task(resources, task, lease, stop)
            if count is None:
                lease.release()
                break
            lease.complete()
            completed[task.name] = count
    return completed


def _run_task(
    resources: Resources, task: ScheduledTask, lease: Lease, stop: threading.Event
) -> int | None:
    """For how many users there was something to do; None if stopped before the end."""
    count = 0
    for user_id in task.users(resources):
        if stop.is_set():
            return None
        lease.renew()
        count += _try_task(resources.for_user(user_id), task)
    return count


def _try_task(workspace: Workspace, task: ScheduledTask) -> bool:
    try:
        return task.work(workspace)
    except SharpwaveError:
        _LOG.warning("%s of a user failed and is left for tomorrow", task.name, exc_info=True)
        return False


def sweep(resources: Resources) -> int:
    """Remove now what expired, of all users; returns of how many."""
    return sum(_try_task(resources.for_user(id_), SWEEPING) for id_ in SWEEPING.users(resources))
