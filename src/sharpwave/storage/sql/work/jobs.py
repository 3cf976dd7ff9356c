"""Work for later, in the same database: what a change asks for is queued with the change itself."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sharpwave.ports import Hearing
from sharpwave.storage import bells
from sharpwave.storage.sql import rows
from sharpwave.storage.sql.session import Database, Session
from sharpwave.temporal.clock import from_microseconds, to_microseconds
from sharpwave.types.storing import NewJob
from sharpwave.types.working import Job, JobState

_KEEP = 1000  # done jobs, for whoever looks


def add(db: Session, user_no: int, job: NewJob, at: datetime) -> int:
    """Queue a job inside the transaction that asks for it; returns its number."""
    row = {"user_no": user_no, "kind": job.kind, "payload": rows.to_json(job.payload)}
    found = db.row("add_job", {**row, "at": to_microseconds(at)})
    number = int(found[0])
    db.change("prune_jobs", {"user_no": user_no, "upto": number - _KEEP})
    return number


class SqlJobs:
    """The queue of one database, for any number of workers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def lease(self, now: datetime, for_: timedelta, number: int | None = None) -> Job | None:
        """Take on the next job that is due, or the one asked for; None if there is none."""

        def work(db: Session) -> Job | None:
            while found := db.row("next_job", query):
                job_no, user_no = found
                db.row("hold_jobs", {"user_no": user_no})  # whoever was faster is seen from here on
                if db.change("lease_job", {**query, **until, "job_no": job_no}):
                    return to_job(db.row("job", {"job_no": job_no}))
            return None

        query = {"now": to_microseconds(now), "job_no": number}
        until = {"until": to_microseconds(now + for_)}
        with self._database.borrow() as db:  # most often there is nothing to do: do not write then
            if db.row("due_job", query) is None:
                return None
        return self._database.run(work)

    def listen(self, hear: Callable[[], None]) -> Hearing:
        """Call `hear` as soon as there may be a job, if the database can tell."""
        return self._database.listen(bells.JOBS, hear)

    def finish(self, job: Job, at: datetime, error: str | None = None) -> bool:
        """The job is done, or has failed for good; False if another worker took it over."""
        state = JobState.DONE if error is None else JobState.FAILED
        row = {"job_no": job.number, "lease": job.lease, "state": state.value, "error": error}
        return self._change("finish_job", {**row, "at": to_microseconds(at)})

    def postpone(self, job: Job, until: datetime, error: str) -> bool:
        """Try the job again later; False if another worker took it over."""
        row = {"job_no": job.number, "lease": job.lease, "error": error}
        return self._change("postpone_job", {**row, "not_before": to_microseconds(until)})

    def _change(self, name: str, bindings: dict[str, Any]) -> bool:
        def work(db: Session) -> bool:
            return db.change(name, bindings) > 0

        return self._database.run(work)


def to_job(row: Any) -> Job:
    """The job of a row."""
    (number, user_id, kind, payload, state, attempts, lease, not_before, *times, error) = row
    created_at, finished_at = times
    return Job(
        number=number,
        user_id=user_id,
        kind=kind,
        payload=rows.from_json(payload),
        state=JobState(state),
        attempts=attempts,
        lease=lease,
        not_before=from_microseconds(not_before),
        created_at=from_microseconds(created_at),
        finished_at=None if finished_at is None else from_microseconds(finished_at),
        error=error,
    )
