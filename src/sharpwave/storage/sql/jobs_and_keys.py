"""Background jobs, queued with the change that asks for them, and API keys; of all users."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sharpwave.errors import Busy, Conflict
from sharpwave.ports import CommitSubscription
from sharpwave.storage import notifications
from sharpwave.storage.sql import rows
from sharpwave.storage.sql.session import Database, SqlSession
from sharpwave.temporal.clock import from_microseconds, to_microseconds
from sharpwave.types.access import ApiKey, Scope
from sharpwave.types.storing import NewJob
from sharpwave.types.working import Job, JobState

_KEEP_DONE = 1000  # done jobs, to be listed


def add_job(db: SqlSession, user_no: int, job: NewJob, at: datetime) -> int:
    """Queue a job inside the transaction that asks for it; returns its number."""
    due = {"not_before": to_microseconds(job.not_before or at)}
    if job.extends is not None and _extend(db, user_no, job, due):
        return job.extends
    row = {"user_no": user_no, "kind": job.kind, "payload": rows.to_json(job.payload)}
    number = int(db.row("add_job", {**row, **due, "at": to_microseconds(at)})[0])
    db.change("prune_jobs", {"user_no": user_no, "upto": number - _KEEP_DONE})
    return number


def _extend(db: SqlSession, user_no: int, job: NewJob, due: dict[str, int]) -> bool:
    row = {"user_no": user_no, "job_no": job.extends}
    found = db.row("waiting_job", row)
    if found is None:
        return False
    payload = job.onto(rows.from_json(found[0]))
    return db.change("extend_job", {**row, **due, "payload": rows.to_json(payload)}) > 0


class SqlJobs:
    """See `ports.JobQueue`; for any number of workers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def lease(self, now: datetime, for_: timedelta, number: int | None = None) -> Job | None:
        def work(db: SqlSession) -> Job | None:
            while found := db.row("next_job", query):
                job_no, user_no = found
                db.row("hold_jobs", {"user_no": user_no})  # a faster worker is seen from here on
                if db.change("lease_job", {**query, **until, "job_no": job_no}):
                    return to_job(db.row("job", {"job_no": job_no}))
            return None

        query = {"now": to_microseconds(now), "job_no": number}
        until = {"until": to_microseconds(now + for_)}
        with self._database.borrow() as db:  # most often there is nothing to do: do not write then
            if db.row("due_job", query) is None:
                return None
        return self._database.run(work)

    def listen(self, notify: Callable[[], None]) -> CommitSubscription:
        return self._database.listen(notifications.JOBS, notify)

    def finish(self, job: Job, at: datetime, error: str | None = None) -> bool:
        return self._change("finish_job", _finished(job, at, error))

    def postpone(self, job: Job, until: datetime, error: str) -> bool:
        row = {"job_no": job.number, "lease": job.lease, "error": error}
        return self._change("postpone_job", {**row, "not_before": to_microseconds(until)})

    def hasten(self, at: datetime, number: int | None = None) -> None:
        name = "hasten_jobs" if number is None else "hasten_job"
        self._change(name, {"at": to_microseconds(at), "job_no": number})

    def _change(self, name: str, bindings: dict[str, Any]) -> bool:
        return self._database.run(lambda db: db.change(name, bindings) > 0)


def finish_with(db: SqlSession, job: Job, at: datetime) -> None:
    """Mark a job done inside the transaction of its result; Busy if another worker has it."""
    if not db.change("finish_job", _finished(job, at, None)):
        raise Busy(f"another worker holds the job {job.number}, or has done it")


def _finished(job: Job, at: datetime, error: str | None) -> dict[str, Any]:
    state = JobState.DONE if error is None else JobState.FAILED
    row = {"job_no": job.number, "lease": job.lease, "state": state.value, "error": error}
    return {**row, "at": to_microseconds(at)}


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


class SqlKeys:
    """See `ports.KeyRing`; only a digest of each secret is stored."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, key: ApiKey, digest: bytes) -> None:
        row = {
            "digest": digest,
            "name": key.name,
            "user_id": key.user_id,
            "scopes": " ".join(sorted(key.scopes)),
            "at": to_microseconds(key.created_at),
        }
        if not self._database.run(lambda db: db.change("add_api_key", row)):
            raise Conflict(f"there is, or was, a key {key.name!r}; choose another name")

    def find(self, digest: bytes) -> ApiKey | None:
        with self._database.borrow() as db:
            found = db.row("api_key", {"digest": digest})
        return _key(found) if found else None

    def all(self) -> list[ApiKey]:
        with self._database.borrow() as db:
            return [_key(found) for found in db.rows("api_keys", {})]

    def revoke(self, name: str, at: datetime) -> bool:
        return self._change("revoke_api_key", name, at)

    def used(self, name: str, at: datetime) -> None:
        self._change("use_api_key", name, at)

    def _change(self, statement: str, name: str, at: datetime) -> bool:
        row = {"name": name, "at": to_microseconds(at)}
        return self._database.run(lambda db: db.change(statement, row) > 0)


def _key(row: Any) -> ApiKey:
    name, user_id, scopes, created_at, used_at, revoked_at = row
    return ApiKey(
        name=name,
        user_id=user_id,
        scopes=frozenset(map(Scope, scopes.split())),
        created_at=from_microseconds(created_at),
        used_at=None if used_at is None else from_microseconds(used_at),
        revoked_at=None if revoked_at is None else from_microseconds(revoked_at),
    )
