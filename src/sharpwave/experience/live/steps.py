"""An interaction from its start to its end, in steps that any process may take [LOG-05].

Each step is one short transaction: what was acknowledged survives a power cut, and an agent whose
next request reaches another process goes on all the same. That costs a step less than a tenth of
what logging it by itself does, since nothing is learned before the end.
Nothing is kept of whoever does not agree to it: then every step is taken and none is stored.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from sharpwave import checks
from sharpwave.errors import Conflict, InvalidInput, NotFound, Overtaken, UsageError
from sharpwave.experience import flow, intake
from sharpwave.experience.drafts import Draft, Ended, Rules
from sharpwave.experience.live import kept
from sharpwave.experience.live.kept import Kept
from sharpwave.experience.matching.words import feedback_type
from sharpwave.experience.room import Room
from sharpwave.temporal.clock import new_id
from sharpwave.types.experience import Action, FeedbackType, Logged
from sharpwave.types.records import Record
from sharpwave.types.storing import Tally

_LOG = logging.getLogger(__name__)


class Ending(NamedTuple):
    """How an interaction ended."""

    feedback: str | None = None
    success: bool | None = None
    tokens: int = 0
    kind: FeedbackType | str | None = None


def start(
    room: Room, query: str, session: str | None, context: Mapping[str, object], durable: bool
) -> str:
    """Begin one; returns its id. With `durable` its start is a record of its own."""
    now = room.ports.clock.now()
    draft, rules = Draft(query, session, now, context, new_id(now)), room.rules(now)
    said, record = intake.asked(draft, rules), None
    if durable:
        record = intake.started(draft, rules)
        said["start_id"] = record.id
    if room.may_remember():
        _require_room(room)
        flow.keep(room, record, now, kept.begun(str(draft.id), said, now))
    return str(draft.id)


def interpret(room: Room, id_: str, understood: Mapping[str, object]) -> None:
    """Note what was understood, and what is planned."""
    said = intake.cleaned(understood, room.settings)
    _go_on(room, id_, lambda found, now: kept.add_said(room, id_, found, said, now))


def act(room: Room, id_: str, action: Action) -> None:
    """Note one action."""
    limits = room.settings.experience.logging
    step = intake.cleaned(intake.told(action, limits), room.settings)

    def add(found: Tally, now: datetime) -> None:
        if kept.steps_of(found) >= limits.max_actions:
            raise intake.too_many(limits.max_actions + 1, limits)
        kept.add_step(room, id_, found, step, now)

    _go_on(room, id_, add)


def finish(room: Room, id_: str, ending: Ending, abandoned: Kept | None = None) -> Logged:
    """Complete it: the record, what it teaches and the end of its steps are one transaction.

    One that seemed `abandoned` ended with its last step; Overtaken if somebody goes on with it.
    """
    kind = feedback_type(ending.feedback) if ending.kind is None else _kind(ending.kind)
    while True:
        found = kept.read(room, id_)
        if not room.may_remember():
            if found is not None and not _dropped(room, found):
                continue
            return Logged(id_, flow.WITHDRAWN, kind, intake.success_of(ending.success, kind))
        if found is None:
            raise _not_open(id_)
        if abandoned is not None and found.version != abandoned.version:
            raise Overtaken(f"somebody goes on with {id_!r}")
        draft = found.draft()
        draft.feedback, draft.feedback_kind = ending.feedback, kind
        draft.success, draft.tokens = ending.success, ending.tokens
        draft.completed_at = abandoned.touched_at if abandoned else room.ports.clock.now()
        try:
            ended = Ended(found.start_id, found.gone())
            return flow.log(room, partial(_records, draft), ended)[0]
        except Conflict:  # Overtaken, or there is a record of this id already
            if (now := kept.head(room, id_)) is not None and now.version == found.version:
                raise  # not this one: others learn for the same user all the time


def close_abandoned(room: Room) -> int:
    """Complete as they stand those that nobody goes on with; returns how many.

    How they ended is not known. Where nothing was done there is nothing to keep.
    """
    limit = timedelta(days=room.settings.retention.open_interactions_days)
    now, closed = room.ports.clock.now(), 0
    for id_ in kept.listed(room):
        found = kept.outline(room, id_)
        if found is None:
            kept.unlist(room, [id_], now)
        elif now - found.touched_at > limit:
            closed += _closed(room, found)
    return closed


def _closed(room: Room, found: Kept) -> bool:
    """Whether it is over now."""
    if not found.has_steps:
        return _dropped(room, found)
    try:
        finish(room, found.id, Ending(), found)
    except (Conflict, NotFound):  # somebody goes on with it, or has just completed it
        return False
    except UsageError as error:  # the settings became stricter; the others are closed all the same
        _LOG.warning("an abandoned interaction cannot be completed: %s", error.code)
        return False
    return True


def _dropped(room: Room, found: Kept) -> bool:
    """Keep nothing of it; False if somebody else wrote meanwhile."""
    try:
        kept.drop(room, found, room.ports.clock.now())
    except Overtaken:
        return False
    return True


def _go_on(room: Room, id_: str, write: Callable[[Tally, datetime], None]) -> None:
    """Write to an open interaction, again if somebody else was faster."""
    checks.name(id_, "the interaction", room.settings.remember.max_name_chars)
    if not room.may_remember():
        return
    while True:
        found = kept.head(room, id_)
        if found is None:
            raise _not_open(id_)
        with suppress(Overtaken):
            write(found, room.ports.clock.now())
            return


def _records(draft: Draft, rules: Rules) -> list[Record]:
    return [intake.interaction(draft, rules)]


def _require_room(room: Room) -> None:
    most = room.settings.experience.logging.max_open
    if len(kept.listed(room)) >= most:
        close_abandoned(room)
        if len(kept.listed(room)) >= most:
            raise InvalidInput(f"{most} interactions of this user are open; complete some of them")


def _not_open(id_: str) -> NotFound:
    return NotFound(f"no open interaction {id_!r}: it is complete, or was never started")


def _kind(value: FeedbackType | str) -> FeedbackType:
    try:
        return FeedbackType(value)
    except ValueError:
        known = ", ".join(FeedbackType)
        raise InvalidInput(f"feedback_type must be one of {known}, not {value!r}") from None
