"""Does queued work in the background: one thread of this process, or as many processes as you like.

A job is leased, done and finished; if its worker dies, the lease runs out and another takes it.
What a model cannot do now is tried again later, what it cannot do at all is kept with its error.
After a model did not answer, the other jobs wait a while instead of each finding out by itself.
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

_LOG = logging.getLogger(__name__)
_ERROR_CHARS = 300
_LATELY = 100
_MOST_DOUBLINGS = 30  # no number of seconds needs more


class Done(NamedTuple):
    """What became of one job."""

    learned: tuple[Outcome, ...] = ()
    away: bool = False
    """True if the model did not answer: the next job would wait as long for it."""


def run_next(resources: Resources, number: int | None = None) -> Done | None:
    """Do the next job that is due, or the one asked for; None if there is none.

    Never raises because of what a job does: its fate is written down beside it.
    """
    if resources.llm is None:
        return None  # whoever has a model will do it
    lease = timedelta(seconds=resources.settings.jobs.lease_s)
    job = resources.store.jobs.lease(resources.clock.now(), lease, number)
    if job is None:
        return None
    try:
        learned = _do(job, resources)
    except SharpwaveError as error:
        _set_back(job, error, resources)
        return Done(away=_is_away(error))
    except Exception as error:  # noqa: BLE001 - one job's bug must not stop the others
        _LOG.exception("job %s failed", job.number)
        resources.store.jobs.finish(
            job, resources.clock.now(), f"{type(error).__name__}: a bug, see log"
        )
        return Done()
    resources.store.jobs.finish(job, resources.clock.now())
    return Done(learned)


def _do(job: Job, resources: Resources) -> tuple[Outcome, ...]:
    from sharpwave.behavior import flow as reflecting
    from sharpwave.remember import flow as writing

    if job.kind == reflecting.REFLECT:
        learned = reflecting.work(job, resources.for_user(job.user_id))
        return tuple(Outcome(one.verdict, one.rule, one.id) for one in learned)
    return writing.work(job, resources.for_user(job.user_id))


def run_all(resources: Resources) -> int:
    """Do every job that is due, until a model does not answer; returns how many."""
    count = 0
    while done := run_next(resources):
        count += 1
        if done.away:
            break
    return count


def wait_for(receipt: Receipt, workspace: Workspace) -> Receipt:
    """Do the jobs that a receipt's turns asked for, and add what was learned to it."""
    turns = set(receipt.ids)
    waiting = [job for job in workspace.store.jobs(_LATELY) if turns & set(job.ids)]
    for job in sorted(waiting, key=lambda job: job.number):
        done = run_next(workspace.shared, job.number)
        receipt = replace(receipt, learned=receipt.learned + (done.learned if done else ()))
        if done and done.away:
            break
    states = {job.number: job for job in workspace.store.jobs(_LATELY)}
    late = [states[job.number] for job in waiting if job.number in states]
    notes = tuple(
        f"the model has not read this yet: {job.error or 'another worker is at it'}"
        for job in late
        if job.error or job.state is JobState.RUNNING
    )
    return replace(receipt, notes=receipt.notes + notes)


def _set_back(job: Job, error: SharpwaveError, resources: Resources) -> None:
    """Try again later what may then succeed; keep the error of what will not.

    A model that is away, or whose key or address is wrong, is waited for however long it takes:
    somebody will mend it. One that read the words and cannot do it costs as much the next time.
    """
    now, told = resources.clock.now(), f"{error.code}: {error}"[:_ERROR_CHARS]
    tried = job.attempts >= resources.settings.jobs.attempts and not isinstance(
        error, ProviderError
    )
    if isinstance(error, BudgetSpent):
        resources.store.jobs.postpone(job, _tomorrow(now), told)
    elif tried or isinstance(error, AnswerUnfit):
        resources.store.jobs.finish(job, now, told)
    else:
        failures = min(job.attempts, _MOST_DOUBLINGS)
        wait = backoff_s(failures, resources.settings.jobs.backoff_s, random.random())
        wait = min(wait, resources.settings.jobs.longest_wait_s)
        resources.store.jobs.postpone(job, now + timedelta(seconds=wait), told)


def _is_away(error: SharpwaveError) -> bool:
    return isinstance(error, ProviderUnavailable) and not isinstance(error, BudgetSpent)


def _tomorrow(now: datetime) -> datetime:
    return (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)


class Worker:
    """A thread that does queued jobs; it starts with the first one and ends with `close`."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._settings = resources.settings
        self._awake = threading.Event()
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._turn = threading.Lock()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the thread finish what it is at, and take on nothing else meanwhile."""
        with self._turn:
            yield

    def wake(self) -> None:
        """There may be something to do."""
        with self._lock:
            if self._thread is None and not self._closed.is_set():
                self._thread = threading.Thread(
                    target=self._run, name="sharpwave-worker", daemon=True
                )
                self._thread.start()
        self._awake.set()

    def close(self) -> None:
        """Finish the job at hand, if that does not take too long, and stop.

        What is queued stays queued; a job that is left is done again once its lease has run out.
        """
        self._closed.set()
        self._awake.set()
        with self._lock:
            if self._thread is not None:
                self._thread.join(self._settings.jobs.close_s)
                if self._thread.is_alive():
                    _LOG.warning("a job was left: it is done again when its lease has run out")

    def _run(self) -> None:
        hearing = self._resources.store.jobs.listen(self._awake.set)
        while not self._closed.is_set():
            self._awake.clear()
            try:
                while not self._closed.is_set() and self._run_one():
                    continue
            except SharpwaveError:  # the store is busy or full: look again later
                if self._closed.is_set():
                    break  # nobody waited for this job, so there is nowhere to write it down
                _LOG.warning("cannot look for jobs now", exc_info=True)
            self._awake.wait(self._settings.jobs.poll_s)
        hearing.end()

    def _run_one(self) -> bool:
        with self._turn:
            done = run_next(self._resources)
        if done is not None and done.away:
            self._closed.wait(self._settings.jobs.backoff_s)
        return done is not None
