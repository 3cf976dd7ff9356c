"""Feedback at its own hours: comments are read at one, odds are counted anew at another [SCH-04].

A night does both too; so whoever did not sleep, or was rated since, is learned from all the same.
Done for everybody once and noted in one row: a round that was interrupted is repeated, which
changes nothing for those it had reached.
"""

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from sharpwave.behavior.feedback import batches
from sharpwave.behavior.skills.room import FEEDBACK, TRAJECTORY, Room
from sharpwave.errors import Overtaken, SharpwaveError
from sharpwave.ports import Ports
from sharpwave.settings import Settings
from sharpwave.sleep.when import schedule
from sharpwave.tunables.sleep import ScheduleSettings
from sharpwave.types.storing import Change, NewTally

EVERYBODY = "*schedule*"
"""The name under which it is noted; nobody's records are."""
_TOPIC = "schedule"
_LOG = logging.getLogger(__name__)


class Batch(NamedTuple):
    """Something that is learned at an hour of its own."""

    name: str
    cron: Callable[[ScheduleSettings], str]
    learn: Callable[[Room], object]


def _read(room: Room) -> None:
    batches.read_comments(room)
    batches.notice_reactions(room)


BATCHES = (
    Batch("feedback", lambda schedule: schedule.feedback_cron, _read),
    Batch("odds", lambda schedule: schedule.bandit_cron, batches.recompute),
)


def look(ports: Ports, settings: Settings, stop: threading.Event) -> list[str]:
    """Do what is due; returns its names. The first time only the hour is noted."""
    now = ports.clock.now()
    known = ports.store.tallies(EVERYBODY, _TOPIC)
    done = []
    for batch in BATCHES:
        row = known.get(batch.name)
        since = schedule.last_time(batch.cron(settings.sleep.schedule), now)
        if row is not None and datetime.fromisoformat(str(row.value["last"])) >= since:
            continue
        if row is not None and not _learn(batch, ports, settings, stop):
            break
        noted = NewTally(_TOPIC, batch.name, {"last": now.isoformat()}, row.version if row else 0)
        try:
            ports.store.commit(Change(EVERYBODY, "schedule", now, (), tallies=(noted,)))
        except Overtaken:
            continue  # somebody else has just done it
        if row is not None:
            done.append(batch.name)
    return done


def _learn(batch: Batch, ports: Ports, settings: Settings, stop: threading.Event) -> bool:
    """For everybody there is something to learn from; False if told to stop before the end."""
    for user_id in ports.store.users():
        if stop.is_set():
            return False
        room = Room(user_id, ports, settings)
        if not room.may_learn() or not _has_any(user_id, ports):
            continue
        try:
            batch.learn(room)
        except SharpwaveError:
            _LOG.warning("learning from feedback failed and is left for tomorrow", exc_info=True)
    return True


def _has_any(user_id: str, ports: Ports) -> bool:
    return any(ports.store.slot_numbers(user_id, begin, 1) for begin in (FEEDBACK, TRAJECTORY))
