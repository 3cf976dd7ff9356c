"""How an interaction that is going on is kept: tallies, a topic of its own for each.

    open/ID           head      how many steps there are, and when the last came
                      said      what was asked and understood
                      step/N    one row a step
    open/interactions ID        that there is one; without a word of it

Every write counts on the head, whose version says whether somebody else wrote meanwhile: no step is
lost between two processes, and none is added once it is complete. All of it has been redacted.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from sharpwave import checks
from sharpwave.errors import Conflict, InvalidInput, NotFound, Overtaken, UsageError
from sharpwave.experience import flow, intake
from sharpwave.experience.intake import Draft, Ended, Rules
from sharpwave.experience.matching import feedback_type
from sharpwave.temporal.ids import new_id
from sharpwave.types.experience import Action, FeedbackType, Logged
from sharpwave.types.records import Record
from sharpwave.types.storing import OPEN, Change, NewTally, Tally
from sharpwave.workspace import Workspace

LISTED = f"{OPEN}interactions"
_HEAD, _SAID, _STEP = "head", "said", "step/"


@dataclass(frozen=True, slots=True)
class OpenRows:
    """An open interaction as it stood when it was read."""

    id: str
    rows: Mapping[str, Tally]

    @property
    def version(self) -> int:
        """How often it was written."""
        return self.rows[_HEAD].version

    @property
    def touched_at(self) -> datetime:
        """When it was begun, or went on last."""
        return datetime.fromisoformat(str(self.rows[_HEAD].value["touched_at"]))

    @property
    def has_steps(self) -> bool:
        """Whether anything was done."""
        return steps_of(self.rows[_HEAD]) > 0

    @property
    def session(self) -> object:
        """The session it belongs to, if any."""
        return self.rows[_SAID].value.get("session")

    @property
    def start_id(self) -> str | None:
        """The record of its start, if there is one."""
        found = self.rows[_SAID].value.get("start_id")
        return None if found is None else str(found)

    def draft(self) -> Draft:
        """All that was said of it so far."""
        said: dict[str, Any] = dict(self.rows[_SAID].value)
        steps = [row.value for name, row in self.rows.items() if name.startswith(_STEP)]
        return Draft(
            said["query"],
            said.get("session"),
            datetime.fromisoformat(said["started_at"]),
            said.get("context", {}),
            self.id,
            said.get("interpretation"),
            tuple(said.get("planned", ())),
            said.get("confidence"),
            said.get("role"),
            [_action(dict(step)) for step in steps],
            start_id=self.start_id,
        )

    def gone(self) -> tuple[NewTally, ...]:
        """What leaves nothing of it."""
        rows = [
            NewTally(topic_of(self.id), name, None, row.version) for name, row in self.rows.items()
        ]
        return (*rows, NewTally(LISTED, self.id, None, 1))


def _begun(id_: str, said: Mapping[str, object], now: datetime) -> tuple[NewTally, ...]:
    """The rows of an interaction that begins."""
    head = {"steps": 0, "touched_at": now.isoformat()}
    return (
        NewTally(LISTED, id_, {}, 0),
        NewTally(topic_of(id_), _HEAD, head, 0),
        NewTally(topic_of(id_), _SAID, said, 0),
    )


def head(workspace: Workspace, id_: str) -> Tally | None:
    """How far it is; None if it is not open."""
    return workspace.store.tallies(topic_of(id_), [_HEAD]).get(_HEAD)


def read(workspace: Workspace, id_: str) -> OpenRows | None:
    """All of it; None if it is not open."""
    rows = workspace.store.tallies(topic_of(id_))
    return OpenRows(id_, rows) if _HEAD in rows else None


def outline(workspace: Workspace, id_: str) -> OpenRows | None:
    """All of it but its steps, which may be many; None if it is not open."""
    rows = workspace.store.tallies(topic_of(id_), [_HEAD, _SAID])
    return OpenRows(id_, rows) if _HEAD in rows else None


def listed(workspace: Workspace) -> list[str]:
    """The ids of those that are open, the oldest first; some may be complete by now."""
    return list(workspace.store.tallies(LISTED))


def add_step(
    workspace: Workspace, id_: str, found: Tally, step: Mapping[str, object], now: datetime
) -> None:
    """One more step; Overtaken if somebody else wrote meanwhile."""
    number = steps_of(found) + 1
    new = NewTally(topic_of(id_), f"{_STEP}{number:06}", step, 0)
    _commit(workspace, now, _moved(id_, found, number, now), new)


def add_said(
    workspace: Workspace, id_: str, found: Tally, more: Mapping[str, object], now: datetime
) -> None:
    """What was understood; Overtaken if somebody else wrote meanwhile."""
    known = workspace.store.tallies(topic_of(id_), [_SAID]).get(_SAID)
    if known is None:
        raise Overtaken("it was completed meanwhile")
    new = NewTally(topic_of(id_), _SAID, {**known.value, **more}, known.version)
    _commit(workspace, now, _moved(id_, found, steps_of(found), now), new)


def drop(workspace: Workspace, kept: OpenRows, now: datetime) -> None:
    """Keep nothing of it; Overtaken if somebody else wrote meanwhile."""
    _commit(workspace, now, *kept.gone())


def unlist(workspace: Workspace, ids: Sequence[str], now: datetime) -> None:
    """They are not among those that are open any more: they were forgotten."""
    for id_ in ids:
        with suppress(Overtaken):  # somebody else noted it
            _commit(workspace, now, NewTally(LISTED, id_, None, 1))


def topic_of(id_: str) -> str:
    """Where it is kept."""
    return f"{OPEN}{id_}"


def steps_of(found: Tally) -> int:
    """How many steps there are, as its head says."""
    return int(str(found.value["steps"]))


def _moved(id_: str, found: Tally, steps: int, now: datetime) -> NewTally:
    value = {"steps": steps, "touched_at": now.isoformat()}
    return NewTally(topic_of(id_), _HEAD, value, found.version)


def _commit(workspace: Workspace, now: datetime, *rows: NewTally) -> None:
    workspace.store.commit(Change("log", now, (), tallies=rows))


def _action(told: dict[str, Any]) -> Action:
    at = told.pop("at", None)
    return Action(**told, at=None if at is None else datetime.fromisoformat(at))


_LOGGER = logging.getLogger(__name__)


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
    draft, rules = Draft(query, session, now, context, new_id(now)), intake.rules(workspace, now)
    said, record = intake.asked(draft, rules), None
    if durable:
        record = intake.started(draft, rules)
        said["start_id"] = record.id
    if workspace.consents.may_remember:
        _require_room(workspace)
        flow.keep(workspace, record, now, _begun(str(draft.id), said, now))
    return str(draft.id)


def interpret(workspace: Workspace, id_: str, understood: Mapping[str, object]) -> None:
    """Note what was understood, and what is planned."""
    said = intake.cleaned(understood, workspace.settings)
    _go_on(workspace, id_, lambda found, now: add_said(workspace, id_, found, said, now))


def act(workspace: Workspace, id_: str, action: Action) -> None:
    """Note one action."""
    limits = workspace.settings.experience.logging
    step = intake.cleaned(intake.told(action, limits), workspace.settings)

    def add(found: Tally, now: datetime) -> None:
        if steps_of(found) >= limits.max_actions:
            raise intake.too_many(limits.max_actions + 1, limits)
        add_step(workspace, id_, found, step, now)

    _go_on(workspace, id_, add)


def finish(
    workspace: Workspace, id_: str, ending: Ending, abandoned: OpenRows | None = None
) -> Logged:
    """Complete it: the record, what it teaches and the end of its steps are one transaction.

    One that seemed `abandoned` ended with its last step; Overtaken if somebody goes on with it.
    """
    kind = feedback_type(ending.feedback) if ending.kind is None else _feedback_kind(ending.kind)
    while True:
        found = read(workspace, id_)
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
            if (now := head(workspace, id_)) is not None and now.version == found.version:
                raise  # not this one: others learn for the same user all the time


def close_abandoned(workspace: Workspace) -> int:
    """Complete as they stand those that nobody goes on with; returns how many.

    How they ended is not known. Where nothing was done there is nothing to keep.
    """
    limit = timedelta(days=workspace.settings.retention.open_interactions_days)
    now, closed = workspace.clock.now(), 0
    for id_ in listed(workspace):
        found = outline(workspace, id_)
        if found is None:
            unlist(workspace, [id_], now)
        elif now - found.touched_at > limit:
            closed += _closed(workspace, found)
    return closed


def _closed(workspace: Workspace, found: OpenRows) -> bool:
    """Whether it is over now."""
    if not found.has_steps:
        return _dropped(workspace, found)
    try:
        finish(workspace, found.id, Ending(), found)
    except (Conflict, NotFound):  # somebody goes on with it, or has just completed it
        return False
    except UsageError as error:  # the settings became stricter; the others are closed all the same
        _LOGGER.warning("an abandoned interaction cannot be completed: %s", error.code)
        return False
    return True


def _dropped(workspace: Workspace, found: OpenRows) -> bool:
    """Keep nothing of it; False if somebody else wrote meanwhile."""
    try:
        drop(workspace, found, workspace.clock.now())
    except Overtaken:
        return False
    return True


def _go_on(workspace: Workspace, id_: str, write: Callable[[Tally, datetime], None]) -> None:
    """Write to an open interaction, again if somebody else was faster."""
    checks.name(id_, "the interaction", workspace.settings.remember.max_name_chars)
    if not workspace.consents.may_remember:
        return
    while True:
        found = head(workspace, id_)
        if found is None:
            raise _not_open(id_)
        with suppress(Overtaken):
            write(found, workspace.clock.now())
            return


def _records(draft: Draft, rules: Rules) -> list[Record]:
    return [intake.interaction(draft, rules)]


def _require_room(workspace: Workspace) -> None:
    most = workspace.settings.experience.logging.max_open
    if len(listed(workspace)) >= most:
        close_abandoned(workspace)
        if len(listed(workspace)) >= most:
            raise InvalidInput(f"{most} interactions of this user are open; complete some of them")


def _not_open(id_: str) -> NotFound:
    return NotFound(f"no open interaction {id_!r}: it is complete, or was never started")


def _feedback_kind(value: FeedbackType | str) -> FeedbackType:
    try:
        return FeedbackType(value)
    except ValueError:
        known = ", ".join(FeedbackType)
        raise InvalidInput(f"feedback_type must be one of {known}, not {value!r}") from None
