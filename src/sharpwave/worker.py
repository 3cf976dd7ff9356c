"""Runs queued jobs in the background: in a thread of this process, or in any number of processes.

A job is leased, done and finished; if its worker dies, the lease expires and another takes it. What
a model cannot do now is retried later, what it cannot do at all is kept with its error. After a
model did not answer, the other jobs wait a while instead of each trying it too.
"""

import logging
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from sharpwave.errors import (
    AnswerUnfit,
    BudgetSpent,
    ProviderError,
    ProviderUnavailable,
    SharpwaveError,
)
from sharpwave.formulas.cost import backoff_s
from sharpwave.types.answers import Outcome, Receipt
from sharpwave.types.working import Job, JobState
from sharpwave.workspace import Resources, Workspace

LEASE_S = 600.0
"""Seconds after which a job of a silent worker is given to another."""
ATTEMPTS = 5
"""Maximum number of tries of a job; a model that is away is waited for as long as it takes."""
BACKOFF_S = 30.0
"""Seconds to wait before the second try; doubled for each further try."""
LONGEST_WAIT_S = 3600.0
"""Maximum number of seconds between tries of a model that is away."""
CLOSE_S = 30.0
"""Seconds for which `close` waits for the current job."""
POLL_S = 15.0
"""Seconds between checks for jobs that became due."""

_LOG = logging.getLogger(__name__)
_ERROR_CHARS = 300
_RECENT_JOBS = 100
_MAX_DOUBLINGS = 30  # no number of seconds needs more


class JobResult(NamedTuple):
    """The result of one job."""

    learned: tuple[Outcome, ...] = ()
    away: bool = False
    """True if the model did not answer: the next job would wait as long for it."""


def run_next(resources: Resources, number: int | None = None) -> JobResult | None:
    """Run the next job that is due, or the job of this number; None if there is none.

    Never raises because of what a job does: its error is stored with it.
    """
    if resources.llm is None:
        return None  # left to a worker with a model
    jobs, now = resources.store.jobs, resources.clock.now
    job = jobs.lease(now(), timedelta(seconds=LEASE_S), number)
    if job is None:
        return None
    from sharpwave.conversation import flow

    try:
        learned = flow.read(resources.for_user(job.user_id), job)
    except SharpwaveError as error:
        _retry_or_fail(resources, job, error)
        return JobResult(away=_is_away(error))
    except Exception as error:  # noqa: BLE001 - one job's bug must not stop the others
        _LOG.exception("job %s failed", job.number)
        jobs.finish(job, now(), f"{type(error).__name__}: a bug, see log")
        return JobResult()
    jobs.finish(job, now())
    return JobResult(learned)


def run_all(resources: Resources) -> int:
    """Run the jobs that are due or wait for a pause; returns how many. Stops if a model is away."""
    count = 0
    if resources.llm is not None:
        resources.store.jobs.hasten(resources.clock.now())
    while result := run_next(resources):
        count += 1
        if result.away:
            break
    return count


def wait_for(workspace: Workspace, receipt: Receipt) -> Receipt:
    """Run the jobs of a receipt's turns now, and add what was learned to the receipt."""
    turns = set(receipt.ids)
    jobs = [job for job in workspace.store.jobs(_RECENT_JOBS) if turns & set(job.ids)]
    for job in sorted(jobs, key=lambda job: job.number):
        workspace.shared.store.jobs.hasten(workspace.clock.now(), job.number)
        result = run_next(workspace.shared, job.number)
        receipt = replace(receipt, learned=receipt.learned + (result.learned if result else ()))
        if result and result.away:
            break
    after = {job.number: job for job in workspace.store.jobs(_RECENT_JOBS)}
    notes = tuple(
        f"the model has not read this yet: {job.error or 'another worker is at it'}"
        for job in (after[job.number] for job in jobs if job.number in after)
        if job.error or job.state is JobState.RUNNING
    )
    return replace(receipt, notes=receipt.notes + notes)


def _retry_or_fail(resources: Resources, job: Job, error: SharpwaveError) -> None:
    """Postpone a job that may succeed later; otherwise finish it with its error.

    A model that is away, or whose key or address is wrong, is waited for as long as it takes. One
    that read the text and cannot do it would cost as much the next time.
    """
    jobs, now, reason = resources.store.jobs, resources.clock.now(), f"{error.code}: {error}"
    reason = reason[:_ERROR_CHARS]
    exhausted = job.attempts >= ATTEMPTS and not isinstance(error, ProviderError)
    if isinstance(error, BudgetSpent):
        jobs.postpone(job, _tomorrow(now), reason)
    elif exhausted or isinstance(error, AnswerUnfit):
        jobs.finish(job, now, reason)
    else:
        wait = backoff_s(min(job.attempts, _MAX_DOUBLINGS), BACKOFF_S, random.random())
        jobs.postpone(job, now + timedelta(seconds=min(wait, LONGEST_WAIT_S)), reason)


def _is_away(error: SharpwaveError) -> bool:
    return isinstance(error, ProviderUnavailable) and not isinstance(error, BudgetSpent)


def _tomorrow(now: datetime) -> datetime:
    return (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)


class Worker:
    """A thread that runs queued jobs; it starts with the first and ends with `close`."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._awake = threading.Event()
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._busy = threading.Lock()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Wait for the current job, and let the thread begin no other meanwhile."""
        with self._busy:
            yield

    def wake(self) -> None:
        """Look for jobs now; starts the thread."""
        with self._lock:
            if self._thread is None and not self._closed.is_set():
                self._thread = threading.Thread(
                    target=self._loop, name="sharpwave-worker", daemon=True
                )
                self._thread.start()
        self._awake.set()

    def close(self) -> None:
        """Finish the current job, if that does not take too long, and stop.

        What is queued stays queued; a job that is left is run again once its lease has expired.
        """
        self._closed.set()
        self._awake.set()
        with self._lock:
            if self._thread is not None:
                self._thread.join(CLOSE_S)
                if self._thread.is_alive():
                    _LOG.warning("a job was left: it is done again when its lease has run out")

    def _loop(self) -> None:
        subscription = self._resources.store.jobs.listen(self._awake.set)
        while not self._closed.is_set():
            self._awake.clear()
            try:
                while not self._closed.is_set() and self._run_next():
                    continue
            except SharpwaveError:  # the store is busy or full: look again later
                if self._closed.is_set():
                    break  # the store may be closed by now
                _LOG.warning("cannot look for jobs now", exc_info=True)
            self._awake.wait(POLL_S)
        subscription.end()

    def _run_next(self) -> bool:
        with self._busy:
            result = run_next(self._resources)
        if result is not None and result.away:
            self._closed.wait(BACKOFF_S)
        return result is not None
