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
from sharpwave.experience import drafts, flow, intake
from sharpwave.experience.drafts import Draft, Ended, Rules
from sharpwave.experience.live import kept
from sharpwave.experience.live.kept import Kept
from sharpwave.experience.matching.words import feedback_type
from sharpwave.temporal.ids import new_id
from sharpwave.types.experience import Action, FeedbackType, Logged
from sharpwave.types.records import Record
from sharpwave.types.storing import Tally
from sharpwave.workspace import Workspace

_LOG = logging.getLogger(__name__)


class Ending(NamedTuple):
    """How an interaction ended."""

    feedback: str | None = None
    success: bool | None = None
    tokens: int = 0
    kind: FeedbackType | str | None = None


def start(
    workspace: Workspace,
    query: str,
    session: str | None,
    context: Mapping[str, object],
    durable: bool,
) -> str:
    """Begin one; returns its id. With `durable` its start is a record of its own."""
    now = workspace.clock.now()
    draft, rules = Draft(query, session, now, context, new_id(now)), drafts.rules(workspace, now)
    said, record = intake.asked(draft, rules), None
    if durable:
        record = intake.started(draft, rules)
        said["start_id"] = record.id
    if workspace.consents.may_remember:
        _require_room(workspace)
        flow.keep(workspace, record, now, kept.begun(str(draft.id), said, now))
    return str(draft.id)


def interpret(workspace: Workspace, id_: str, understood: Mapping[str, object]) -> None:
    """Note what was understood, and what is planned."""
    said = intake.cleaned(understood, workspace.settings)
    _go_on(workspace, id_, lambda found, now: kept.add_said(workspace, id_, found, said, now))


def act(workspace: Workspace, id_: str, action: Action) -> None:
    """Note one action."""
    limits = workspace.settings.experience.logging
    step = intake.cleaned(intake.told(action, limits), workspace.settings)

    def add(found: Tally, now: datetime) -> None:
        if kept.steps_of(found) >= limits.max_actions:
            raise intake.too_many(limits.max_actions + 1, limits)
        kept.add_step(workspace, id_, found, step, now)

    _go_on(workspace, id_, add)


def finish(workspace: Workspace, id_: str, ending: Ending, abandoned: Kept | None = None) -> Logged:
    """Complete it: the record, what it teaches and the end of its steps are one transaction.

    One that seemed `abandoned` ended with its last step; Overtaken if somebody goes on with it.
    """
    kind = feedback_type(ending.feedback) if ending.kind is None else _kind(ending.kind)
    while True:
        found = kept.read(workspace, id_)
        if not workspace.consents.may_remember:
            if found is not None and not _dropped(workspace, found):
                continue
            return Logged(id_, flow.WITHDRAWN, kind, intake.success_of(ending.success, kind))
        if found is None:
            raise _not_open(id_)
        if abandoned is not None and found.version != abandoned.version:
            raise Overtaken(f"somebody goes on with {id_!r}")
        draft = found.draft()
        draft.feedback, draft.feedback_kind = ending.feedback, kind
        draft.success, draft.tokens = ending.success, ending.tokens
        draft.completed_at = abandoned.touched_at if abandoned else workspace.clock.now()
        try:
            ended = Ended(found.start_id, found.gone())
            return flow.log(workspace, partial(_records, draft), ended)[0]
        except Conflict:  # Overtaken, or there is a record of this id already
            if (now := kept.head(workspace, id_)) is not None and now.version == found.version:
                raise  # not this one: others learn for the same user all the time


def close_abandoned(workspace: Workspace) -> int:
    """Complete as they stand those that nobody goes on with; returns how many.

    How they ended is not known. Where nothing was done there is nothing to keep.
    """
    limit = timedelta(days=workspace.settings.retention.open_interactions_days)
    now, closed = workspace.clock.now(), 0
    for id_ in kept.listed(workspace):
        found = kept.outline(workspace, id_)
        if found is None:
            kept.unlist(workspace, [id_], now)
        elif now - found.touched_at > limit:
            closed += _closed(workspace, found)
    return closed


def _closed(workspace: Workspace, found: Kept) -> bool:
    """Whether it is over now."""
    if not found.has_steps:
        return _dropped(workspace, found)
    try:
        finish(workspace, found.id, Ending(), found)
    except (Conflict, NotFound):  # somebody goes on with it, or has just completed it
        return False
    except UsageError as error:  # the settings became stricter; the others are closed all the same
        _LOG.warning("an abandoned interaction cannot be completed: %s", error.code)
        return False
    return True


def _dropped(workspace: Workspace, found: Kept) -> bool:
    """Keep nothing of it; False if somebody else wrote meanwhile."""
    try:
        kept.drop(workspace, found, workspace.clock.now())
    except Overtaken:
        return False
    return True


def _go_on(workspace: Workspace, id_: str, write: Callable[[Tally, datetime], None]) -> None:
    """Write to an open interaction, again if somebody else was faster."""
    checks.name(id_, "the interaction")
    if not workspace.consents.may_remember:
        return
    while True:
        found = kept.head(workspace, id_)
        if found is None:
            raise _not_open(id_)
        with suppress(Overtaken):
            write(found, workspace.clock.now())
            return


def _records(draft: Draft, rules: Rules) -> list[Record]:
    return [intake.interaction(draft, rules)]


def _require_room(workspace: Workspace) -> None:
    most = workspace.settings.experience.logging.max_open
    if len(kept.listed(workspace)) >= most:
        close_abandoned(workspace)
        if len(kept.listed(workspace)) >= most:
            raise InvalidInput(f"{most} interactions of this user are open; complete some of them")


def _not_open(id_: str) -> NotFound:
    return NotFound(f"no open interaction {id_!r}: it is complete, or was never started")


def _kind(value: FeedbackType | str) -> FeedbackType:
    try:
        return FeedbackType(value)
    except ValueError:
        known = ", ".join(FeedbackType)
        raise InvalidInput(f"feedback_type must be one of {known}, not {value!r}") from None
