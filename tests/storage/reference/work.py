"""Jobs, costs, consents and API keys in dictionaries."""

import hashlib
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from sharpwave.errors import Busy, Conflict
from sharpwave.storage.notifications import NoNotifications
from sharpwave.types.access import ApiKey
from sharpwave.types.storing import NewJob
from sharpwave.types.working import Job, JobState, Purpose, Spending


class InMemoryJobs:
    """A queue for as long as the process lives."""

    def __init__(self) -> None:
        self._jobs: dict[int, Job] = {}
        self._leased_until: dict[int, datetime] = {}
        self._last = 0
        self._lock = threading.Lock()

    def add(self, user_id: str, jobs: Sequence[NewJob], at: datetime) -> None:
        """Queue jobs, with the change that asks for them."""
        with self._lock:
            for job in jobs:
                due = job.not_before or at
                known = self._jobs.get(job.extends or 0)
                if known and known.user_id == user_id and known.state is JobState.WAITING:
                    payload = job.onto(known.payload)
                    self._jobs[known.number] = replace(known, payload=payload, not_before=due)
                    continue
                self._last += 1
                waiting = (job.kind, job.payload, JobState.WAITING, 0, 0, due, at)
                self._jobs[self._last] = Job(self._last, user_id, *waiting)

    def hasten(self, at: datetime, number: int | None = None) -> None:
        """Make the given job due now; without a number, all that wait and were never tried."""
        with self._lock:
            for job in list(self._jobs.values()):
                meant = job.number == number if number else not job.attempts
                if meant and job.state is JobState.WAITING:
                    self._jobs[job.number] = replace(job, not_before=min(at, job.not_before))

    def require_held(self, job: Job) -> None:
        """Busy if another worker holds the job, or has done it."""
        with self._lock:
            known = self._jobs.get(job.number)
            if known is None or known.lease != job.lease or known.state is not JobState.RUNNING:
                raise Busy(f"another worker holds the job {job.number}, or has done it")

    def forget(self, user_id: str) -> None:
        """Drop the jobs of a user who is erased."""
        with self._lock:
            self._jobs = {n: job for n, job in self._jobs.items() if job.user_id != user_id}

    def forget_errors(self, user_id: str) -> None:
        """Drop what providers answered, which may quote the user."""
        with self._lock:
            for job in self._jobs.values():
                if job.user_id == user_id:
                    self._jobs[job.number] = replace(job, error=None)

    def lease(self, now: datetime, for_: timedelta, number: int | None = None) -> Job | None:
        """Lease the next job that is due, or the given one; None if there is none."""
        with self._lock:
            busy = {job.user_id for job in self._jobs.values() if self._is_running(job, now)}
            due = [job for job in self._jobs.values() if self._is_due(job, now, number)]
            due = [job for job in due if job.user_id not in busy]
            if not due:
                return None
            oldest = {job.user_id: job for job in sorted(due, key=lambda job: -job.number)}
            job = min(oldest.values(), key=lambda job: (job.not_before, job.number))
            tries, lease = job.attempts + 1, job.lease + 1
            leased = replace(job, state=JobState.RUNNING, attempts=tries, lease=lease)
            self._jobs[job.number] = leased
            self._leased_until[job.number] = now + for_
            return leased

    def listen(self, hear: Callable[[], None]) -> NoNotifications:
        """There is one process, and it knows what it queues."""
        return NoNotifications()

    def finish(self, job: Job, at: datetime, error: str | None = None) -> bool:
        """Mark a job done, or failed for good; False if another worker holds it by now."""
        state = JobState.DONE if error is None else JobState.FAILED
        return self._change(job, lambda known: replace(known, state=state, finished_at=at), error)

    def postpone(self, job: Job, until: datetime, error: str) -> bool:
        """Retry a job later; False if another worker holds it by now."""
        waiting = JobState.WAITING
        return self._change(job, lambda k: replace(k, state=waiting, not_before=until), error)

    def retry(self, user_id: str, at: datetime) -> int:
        """Queue a user's failed jobs again, as if they were new; returns how many."""
        with self._lock:
            failed = [
                job
                for job in self._jobs.values()
                if job.user_id == user_id and job.state is JobState.FAILED
            ]
            for job in failed:
                self._jobs[job.number] = replace(
                    job, state=JobState.WAITING, attempts=0, not_before=at, finished_at=None
                )
            return len(failed)

    def of_user(self, user_id: str, limit: int) -> list[Job]:
        """A user's jobs, the newest first."""
        with self._lock:
            mine = [job for job in self._jobs.values() if job.user_id == user_id]
        return sorted(mine, key=lambda job: -job.number)[:limit]

    def _is_due(self, job: Job, now: datetime, number: int | None) -> bool:
        if number is not None and job.number != number:
            return False
        if job.state is JobState.WAITING:
            return job.not_before <= now
        return job.state is JobState.RUNNING and not self._is_running(job, now)

    def _is_running(self, job: Job, now: datetime) -> bool:
        return job.state is JobState.RUNNING and self._leased_until[job.number] > now

    def _change(self, job: Job, made: Callable[[Job], Job], error: str | None) -> bool:
        with self._lock:
            known = self._jobs.get(job.number)
            if known is None or known.lease != job.lease or known.state is not JobState.RUNNING:
                return False
            self._jobs[job.number] = replace(made(known), error=error)
            return True


class InMemoryLedger:
    """Costs and consents for as long as the process lives."""

    def __init__(self) -> None:
        self._spent: dict[tuple[str, date], Spending] = {}
        self._consents: dict[str, dict[Purpose, bool]] = {}
        self._withdrawn: dict[bytes, set[Purpose]] = {}
        self._salt = secrets.token_bytes(32)
        self._lock = threading.Lock()

    def forget(self, user_id: str) -> None:
        """Drop what is known of a user who is erased, but for what was withdrawn."""
        with self._lock:
            given = self._consents.pop(user_id, {})
            earlier = self._withdrawn.pop(self._digest(user_id), set()) - given.keys()
            withdrawn = {purpose for purpose, granted in given.items() if not granted}
            self._withdrawn[self._digest(user_id)] = earlier | withdrawn
            self._spent = {key: spent for key, spent in self._spent.items() if key[0] != user_id}

    def charge(self, user_id: str, day: date, spent: Spending) -> None:
        """Add to what models cost a user on a day."""
        with self._lock:
            known = self._spent.get((user_id, day), Spending())
            self._spent[user_id, day] = Spending(
                known.calls + spent.calls,
                known.input_tokens + spent.input_tokens,
                known.output_tokens + spent.output_tokens,
                known.cost + spent.cost,
            )

    def spent(self, user_id: str, day: date) -> Spending:
        """What models cost a user on a day."""
        return self._spent.get((user_id, day), Spending())

    def consents(self, user_id: str) -> dict[Purpose, bool]:
        """What a user agreed to, or not; nothing about purposes never asked for."""
        withdrawn = self._withdrawn.get(self._digest(user_id), ())
        return dict.fromkeys(withdrawn, False) | self._consents.get(user_id, {})

    def consent(self, user_id: str, purpose: Purpose, granted: bool) -> None:
        """A user agrees to something, or no longer."""
        with self._lock:
            self._consents.setdefault(user_id, {})[purpose] = granted
            self._withdrawn.get(self._digest(user_id), set()).discard(purpose)

    def _digest(self, user_id: str) -> bytes:
        name = user_id.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(name, key=self._salt, digest_size=16).digest()


class InMemoryKeys:
    """Keys for as long as the process lives."""

    def __init__(self) -> None:
        self._keys: dict[bytes, ApiKey] = {}
        self._lock = threading.Lock()

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Store a new key; Conflict if the name was ever used."""
        with self._lock:
            if any(known.name == key.name for known in self._keys.values()):
                raise Conflict(f"there is, or was, a key {key.name!r}; choose another name")
            self._keys[digest] = key

    def find(self, digest: bytes) -> ApiKey | None:
        """The key whose secret has this digest, revoked or not."""
        return self._keys.get(digest)

    def all(self) -> list[ApiKey]:
        """Every key, revoked ones too, by name."""
        with self._lock:
            return sorted(self._keys.values(), key=lambda key: key.name)

    def revoke(self, name: str, at: datetime) -> bool:
        """Revoke a key; False if no active key has that name."""
        with self._lock:
            for digest, key in self._keys.items():
                if key.name == name and key.revoked_at is None:
                    self._keys[digest] = replace(key, revoked_at=at)
                    return True
        return False

    def used(self, name: str, at: datetime) -> None:
        """Record that a key was used."""
        with self._lock:
            for digest, key in self._keys.items():
                if key.name == name:
                    latest = at if key.used_at is None else max(at, key.used_at)
                    self._keys[digest] = replace(key, used_at=latest)
