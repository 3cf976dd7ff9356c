"""Feedback at its own hours: comments are read at one, odds are counted anew at another [SCH-04].

A night does both too; so whoever did not sleep, or was rated since, is learned from all the same.
Done for everybody once, by one worker of all (`claims`): a round that was interrupted is repeated,
which changes nothing for those it had reached.
"""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from sharpwave.behavior.feedback import batches
from sharpwave.behavior.skills import state
from sharpwave.behavior.skills.state import FEEDBACK, TRAJECTORY
from sharpwave.errors import Overtaken, SharpwaveError
from sharpwave.settings.sleep import ScheduleSettings
from sharpwave.sleep.when import claims, schedule
from sharpwave.sleep.when.claims import Claim
from sharpwave.workspace import Resources, Workspace

_LOG = logging.getLogger(__name__)


class Batch(NamedTuple):
    """Something that is learned at an hour of its own."""

    name: str
    cron: Callable[[ScheduleSettings], str]
    learn: Callable[[Workspace], object]


def _read(workspace: Workspace) -> None:
    batches.read_comments(workspace)
    batches.infer_reactions(workspace)


BATCHES = (
    Batch("feedback", lambda schedule: schedule.feedback_cron, _read),
    Batch("odds", lambda schedule: schedule.bandit_cron, batches.recompute),
)


def look(resources: Resources, stop: threading.Event) -> list[str]:
    """Do what is due and nobody else is at; returns its names."""
    when, done = resources.settings.sleep.schedule, []
    for batch in BATCHES:
        since = schedule.last_time(batch.cron(when), resources.clock.now())
        claim = claims.take(batch.name, resources, since, when.lease_s)
        if claim is None:
            continue
        with suppress(Overtaken):  # it took so long that another began anew
            if not _learn(batch, resources, stop, claim):
                claim.let_go()
                break
            claim.done()
            done.append(batch.name)
    return done


def _learn(batch: Batch, resources: Resources, stop: threading.Event, claim: Claim) -> bool:
    """For everybody there is something to learn from; False if told to stop before the end."""
    for user_id in resources.store.users():
        if stop.is_set():
            return False
        claim.keep()
        workspace = resources.for_user(user_id)
        if not state.may_learn(workspace) or not _has_any(workspace):
            continue
        try:
            batch.learn(workspace)
        except SharpwaveError:
            _LOG.warning("learning from feedback failed and is left for tomorrow", exc_info=True)
    return True


def _has_any(workspace: Workspace) -> bool:
    return any(workspace.store.slot_numbers(begin, 1) for begin in (FEEDBACK, TRAJECTORY))
