"""One user's consolidation. Each phase is one module of this folder; `PHASES` runs them in order.

    replay         turns of the day          -> older stages, the important ones first
    reconsolidate  facts and their variants  -> the surest holds; equal notes merge (weekly)
    doubt          facts close in meaning    -> contradictions that a model finds (weekly)
    promote        what came up repeatedly   -> lasting
    summarise      conversations that ended  -> a few sentences each
    evolve         the last weeks            -> trends and shifts (weekly)
    distil         what agents and users did -> patterns, insights, notes, skill statistics
    fade           what is old               -> colder, dropped or erased (weekly)
    maintenance    index and store           -> compact, without leftovers; nothing to undo

A phase has two functions: `plan` lists its items, and `process` decides on a few of them. A phase
never writes: `SleepRun.write` does, in one short transaction per step. Between any two steps a run
can be stopped, killed or taken over by another worker, and ends the same. To add a phase: its
module, its name in `types.sleep.Phase`, and its row in `PHASES`.
"""

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from sharpwave.errors import Overtaken
from sharpwave.sleep import (
    distil,
    doubt,
    evolve,
    fade,
    maintenance,
    promote,
    reconsolidate,
    replay,
    schedule,
    summarise,
)
from sharpwave.sleep.journal import Step
from sharpwave.sleep.run import DryRun, SleepRun, record_visit
from sharpwave.types.sleep import Phase, Report
from sharpwave.workspace import Workspace

OUT_OF_TIME = "out of time: the next run goes on from here"
STOPPED = "stopped: the next run goes on from here"
WITHDRAWN = "this user does not agree to being remembered: nothing was done"
USER_MINUTES = 10.0  # for one user; the next run continues [SLP-10]
BATCH = 100  # items processed in one transaction [SLP-08]
_ATTEMPTS = 5  # of a step, after concurrent writes


class PhaseWork(NamedTuple):
    """A phase, its two functions, and how many items are processed in one step."""

    phase: Phase
    plan: Callable[[SleepRun], list[str]]
    process: Callable[[SleepRun, Sequence[str]], Step]
    batch: int = 1
    weekly: bool = False
    in_dry_run: bool = True  # False if its effect is unknown without doing it


PHASES = (
    PhaseWork(Phase.REPLAY, replay.plan, replay.process, BATCH),
    PhaseWork(Phase.RECONSOLIDATE, reconsolidate.plan, reconsolidate.process, BATCH, weekly=True),
    PhaseWork(Phase.DOUBT, doubt.plan, doubt.process, weekly=True, in_dry_run=False),
    PhaseWork(Phase.PROMOTE, promote.plan, promote.process, BATCH),
    PhaseWork(Phase.SUMMARISE, summarise.plan, summarise.process),
    PhaseWork(Phase.EVOLVE, evolve.plan, evolve.process, weekly=True),
    PhaseWork(Phase.DISTIL, distil.plan, distil.process, in_dry_run=False),
    PhaseWork(Phase.FADE, fade.plan, fade.process, fade.BATCH, weekly=True),
)


class Stop(Exception):
    """Raised by a checkpoint to pause the run at this point."""


def sleep(
    workspace: Workspace,
    heavy: bool | None = None,
    dry_run: bool = False,
    checkpoint: Callable[[str], None] = lambda name: None,
    since: datetime | None = None,
) -> Report:
    """Consolidate one user's memory; raises Busy if another worker holds the lease.

    Without consent to being remembered only expired requests and abandoned interactions are
    removed, and the report says so. `checkpoint` is called with a name before every step and may
    raise `Stop`. In a round over many users `since` says when it was due: Busy too if this user
    was consolidated since, and the store is left to be maintained after the whole round.
    """
    if not workspace.consents.may_remember:
        return _remove_expired_only(workspace, dry_run, since is not None)
    weekly = schedule.is_heavy_due(workspace) if heavy is None else heavy
    run = (DryRun if dry_run else SleepRun).begin(workspace, weekly, since)
    deadline = time.monotonic() + 60 * USER_MINUTES
    try:
        for work in PHASES:
            if run.is_past(work.phase) or (work.weekly and not run.heavy):
                continue
            if dry_run and not work.in_dry_run:
                continue
            if not _phase(run, work, deadline, checkpoint):
                return run.pause(OUT_OF_TIME)
        checkpoint("finish")
        if not dry_run:
            run.refresh()
            run.report(maintenance.tidy(run.workspace, with_store=since is None))
        return run.finish()
    except Stop:
        return run.pause(STOPPED)


def _remove_expired_only(workspace: Workspace, dry_run: bool, in_round: bool) -> Report:
    """Remove only what expired; record the visit of a round, or it would come back at once."""
    now = workspace.clock.now()
    if not dry_run:
        maintenance.remove_expired(workspace)
        if in_round:
            record_visit(workspace)
    return Report("", workspace.user_id, now, now, False, {}, (), (WITHDRAWN,))


def _phase(
    run: SleepRun, work: PhaseWork, deadline: float, checkpoint: Callable[[str], None]
) -> bool:
    """Process all items of a phase; False if time ran out first."""
    checkpoint(f"{work.phase.value}.plan")
    items = run.plan(work.phase, work.plan)
    for start in range(0, len(items), work.batch):
        if time.monotonic() > deadline:
            return False
        checkpoint(f"{work.phase.value}.{start}")
        _step(run, work, items[start : start + work.batch])
    return True


def _step(run: SleepRun, work: PhaseWork, items: Sequence[str]) -> None:
    """Decide and write; decide again after a concurrent write to the same records."""
    for _ in range(_ATTEMPTS):
        run.refresh()
        began = time.process_time()
        try:
            step = work.process(run, items)
            run.spend(time.process_time() - began)
            return run.write(items, step)
        except Overtaken:
            run.refresh()
            if not run.holds_lease:
                raise
    run.postpone(items, f"{work.phase.value}: too busy, left for later")
