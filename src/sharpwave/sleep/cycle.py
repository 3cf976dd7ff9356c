"""One user's night. Each phase is one file in `phases`; `parts` lists them, in this order.

    1 replay         memories of the day    -> on their way, the important ones first
    2 reconsolidate  facts and variants     -> the surest holds (weekly)
    3 promote        what came up again     -> lasting
    4 summarise      talks that are over    -> a few sentences each
    5 evolve         the last weeks         -> what comes up more, or changed (weekly)
    6 distil         what agents did        -> patterns, tools, insights
    7 fade           what is old            -> colder, or dropped (weekly)

In the end the index and the store are put in order (`tidying`).

A phase has two functions. `find` makes the plan, which is kept; `work` decides on a few items of
it. A phase never writes: `Night.write` does, in one short transaction a step. Between any two steps
the night can be stopped, killed or taken over, and ends the same.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sharpwave.errors import Overtaken
from sharpwave.formulas.bandit import position
from sharpwave.settings.sleep import SleepSettings
from sharpwave.sleep import tidying
from sharpwave.sleep.night import Night, Rehearsal, note_visit, read_state
from sharpwave.sleep.parts import PARTS, Part
from sharpwave.sleep.step import Step
from sharpwave.types.sleep import Report
from sharpwave.types.storing import Tallied
from sharpwave.workspace import Workspace

OUT_OF_TIME = "out of time: the next run goes on from here"
STOPPED = "stopped: the next run goes on from here"
WITHDRAWN = "this user does not agree to being remembered: nothing was done"
_TRIES = 5
"""How often a step is decided again because somebody wrote meanwhile."""


class Stop(Exception):
    """Raised by a checkpoint: end the night here, in good order."""


def sleep(
    workspace: Workspace,
    heavy: bool | None = None,
    dry_run: bool = False,
    checkpoint: Callable[[str], None] = lambda name: None,
    since: datetime | None = None,
) -> Report:
    """Consolidate what one user's memory holds; raises Busy if somebody else is at it.

    Of whoever does not agree to being remembered nothing is touched but what doors noted of
    requests, which goes when it is old; the report says so.
    `checkpoint` is called with a name before every step; it may raise `Stop`. In a round over many
    `since` says when it was due: Busy too if this user has slept since, and the store is left to be
    put in order after all of them.
    """
    if not workspace.consents.may_remember:
        return _leave_alone(workspace, dry_run, since is not None)
    weekly = is_heavy_due(workspace, workspace.settings.sleep) if heavy is None else heavy
    night = (Rehearsal if dry_run else Night).begin(workspace, weekly, since)
    deadline = time.monotonic() + 60 * workspace.settings.sleep.schedule.user_minutes
    try:
        for part in PARTS:
            if night.is_past(part.phase) or (part.weekly and not night.heavy):
                continue
            if dry_run and not part.rehearsed:
                continue
            if not _phase(part, night, deadline, checkpoint):
                return night.pause(OUT_OF_TIME)
        checkpoint("finish")
        if not dry_run:
            night.add(tidying.work(night, alone=since is None))
        return night.finish()
    except Stop:
        return night.pause(STOPPED)


def _leave_alone(workspace: Workspace, dry_run: bool, in_round: bool) -> Report:
    """Only what is left over goes; a round notes that it was here, or it came back at once."""
    now = workspace.clock.now()
    if not dry_run:
        tidying.left_over(workspace)
    if in_round and not dry_run:
        note_visit(workspace)
    return Report("", workspace.user_id, now, now, False, {}, (), (WITHDRAWN,))


def is_heavy_due(workspace: Workspace, settings: SleepSettings) -> bool:
    """Whether a user's weekly work is due."""
    return _is_heavy(workspace.user_id, read_state(workspace)[0], workspace.clock.now(), settings)


def is_due(one: Tallied, now: datetime, settings: SleepSettings) -> bool:
    """True if something happened since the last night, or weekly work is due."""
    state: Mapping[str, Any] = one.tally.value if one.tally else {}
    active = state.get("run") or one.seq != state.get("seq")
    return bool(active) or _is_heavy(one.user_id, state, now, settings)


def _is_heavy(
    user_id: str, state: Mapping[str, Any], now: datetime, settings: SleepSettings
) -> bool:
    """True on the user's day of the week, if that was missed, or the clock went back [SLP-05]."""
    last, shards = state.get("last_heavy"), settings.schedule.shards
    if last is None:
        return True
    gap = now - datetime.fromisoformat(last)
    own_day = int(position(user_id, "sleep") * shards) == now.date().toordinal() % shards
    missed = not timedelta() <= gap < timedelta(days=shards)
    return missed or (own_day and gap >= timedelta(days=1))


def _phase(part: Part, night: Night, deadline: float, checkpoint: Callable[[str], None]) -> bool:
    """Work through one phase; False if time ran out first."""
    checkpoint(f"{part.phase.value}.plan")
    items = night.plan(part.phase, part.find)
    size = part.at_once(night.workspace.settings.sleep)
    for start in range(0, len(items), size):
        if time.monotonic() > deadline:
            return False
        checkpoint(f"{part.phase.value}.{start}")
        _step(part, items[start : start + size], night)
    return True


def _step(part: Part, items: Sequence[str], night: Night) -> None:
    """Decide and write; again if somebody wrote about the same things meanwhile."""
    for tries_left in reversed(range(_TRIES)):
        began = time.process_time()
        step = part.work(items, night)
        night.spend(time.process_time() - began)
        try:
            return night.write(items, step)
        except Overtaken:
            if not night.is_mine:
                raise
            if not tries_left:
                night.write(items, Step(notes=(f"{part.phase.value}: too busy, left for later",)))
