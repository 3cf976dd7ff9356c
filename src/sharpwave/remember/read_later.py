"""Step 3, later: which turns a language model reads together, in the background.

The turns of a session are grouped in stretches. A stretch is read when the session pauses, or as
soon as it has a set number of turns of the user; a waiting job takes on the turns that follow.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sharpwave.ports import UserStore
from sharpwave.types.records import Record, Role, Trust
from sharpwave.types.storing import NewJob
from sharpwave.types.working import Job, JobState

READ = "read_again"  # the kind of a job
PAUSE_S = 60.0
"""Seconds without a turn after which a session counts as paused."""
MAX_TURNS_PER_USER_TURN = 6
"""Maximum number of turns of a stretch, per turn of the user that it may have."""
_RECENT_JOBS = 20


def jobs(
    turns: Sequence[Record], store: UserStore, now: datetime, max_user_turns: int
) -> tuple[NewJob, ...]:
    """The jobs of new, trusted turns, each for up to `max_user_turns` turns of the user."""
    sessions: dict[str | None, list[Record]] = {}
    for turn in turns:
        if turn.provenance.trust > Trust.UNTRUSTED:
            sessions.setdefault(turn.session_id, []).append(turn)
    if not sessions:
        return ()
    waiting = _waiting(store, sessions)
    return tuple(
        job
        for session, turns_of_session in sessions.items()
        for job in _stretches(turns_of_session, waiting.get(session), now, max_user_turns)
    )


def waiting_for_pause(session: str, store: UserStore) -> int | None:
    """Number of the job that waits for a session to pause, if there is one."""
    found = _waiting(store, [session]).get(session)
    return found[0].number if found and not found[0].attempts else None


def _stretches(
    turns: Sequence[Record], waiting: tuple[Job, int] | None, now: datetime, max_user_turns: int
) -> list[NewJob]:
    """The turns as jobs; the first continues a job that waits for more turns."""
    number, count, size, first = None, 0, 0, now
    if waiting and waiting[0].attempts:
        first = max(now, waiting[0].not_before)
    if (
        waiting
        and waiting[1] < max_user_turns
        and len(waiting[0].ids) < MAX_TURNS_PER_USER_TURN * max_user_turns
    ):
        number, count, size = waiting[0].number, waiting[1], len(waiting[0].ids)
    new_jobs: list[NewJob] = []
    ids: list[str] = []
    for turn in turns:
        ids.append(turn.id)
        count += turn.role is Role.USER
        if count >= max_user_turns or (
            count and size + len(ids) >= MAX_TURNS_PER_USER_TURN * max_user_turns
        ):
            new_jobs.append(NewJob(READ, {"ids": ids}, first, number))
            ids, number, count, size = [], None, 0, 0
    if ids and count:  # an assistant's words alone are no reason to read
        pause = now + timedelta(seconds=PAUSE_S)
        new_jobs.append(NewJob(READ, {"ids": ids}, max(first, pause), number))
    return new_jobs


def _waiting(
    store: UserStore, sessions: Collection[str | None]
) -> dict[str | None, tuple[Job, int]]:
    """By session, the last waiting job, and how many turns of the user it has.

    It waits for a pause, or for a model that is away: later turns are not read before it.
    """
    recent = store.jobs(_RECENT_JOBS)
    by_turn = {
        job.ids[-1]: job
        for job in recent
        if job.kind == READ and job.state is JobState.WAITING and job.ids
    }
    found: dict[str | None, tuple[Job, int]] = {}
    for last_turn in store.find(list(by_turn)) if by_turn else ():
        session, job = last_turn.session_id, by_turn[last_turn.id]
        if session in sessions and session not in found:
            user_turns = sum(turn.role is Role.USER for turn in store.find(job.ids))
            found[session] = (job, user_turns)
    return found
