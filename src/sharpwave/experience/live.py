"""Interactions that are still open, stored step by step so that any process may go on [LOG-05].

Each step is one short transaction: what was acknowledged survives a power cut. It costs less than a
tenth of logging an action by itself, since nothing is learned before the interaction is complete.
Without the user's consent every step is accepted and none is stored.

Stored as tallies, one topic for each interaction; all of it is redacted:

    open/ID           head      number of steps, and time of the last
                      said      query, context and interpretation
                      step/N    one row for each step
    open/interactions ID        empty; lists the open interactions

Every write increments the head, whose version detects concurrent writes: no step is lost between
two processes, and none is added after completion.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sharpwave import checks
from sharpwave.errors import Conflict, InvalidInput, NotFound, Overtaken, UsageError
from sharpwave.experience import flow, intake
from sharpwave.experience.intake import InteractionDraft
from sharpwave.experience.matching import feedback_type
from sharpwave.temporal.clock import new_id
from sharpwave.types.experience import Action, FeedbackType, Logged
from sharpwave.types.storing import OPEN, Change, NewTally, Tally
from sharpwave.workspace import Workspace

MAX_OPEN = 1000
"""Most open interactions of one user [LOG-05]."""
ABANDONED_DAYS = 1.0
"""An open interaction without a step for longer is completed as it stands [LOG-05]."""
LISTED = f"{OPEN}interactions"
_HEAD, _OPENING, _STEP = "head", "said", "step/"
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
    """Start an interaction and return its id. With `durable` its start is also a record."""
    now = workspace.clock.now()
    id_ = new_id(now)
    draft = InteractionDraft(query, session, now, context, id_)
    opening, record = intake.opening(workspace, draft), None
    if durable:
        record = intake.started(workspace, draft)
        opening["start_id"] = record.id
    if workspace.consents.may_remember:
        _require_free_place(workspace)
        rows = (
            NewTally(LISTED, id_, {}, 0),
            NewTally(topic_of(id_), _HEAD, {"steps": 0, "touched_at": now.isoformat()}, 0),
            NewTally(topic_of(id_), _OPENING, opening, 0),
        )
        change = Change("log", now, () if record is None else (record,), tallies=rows)
        workspace.store.commit(workspace.with_vectors(change))
    return id_


def interpret(workspace: Workspace, id_: str, interpretation: Mapping[str, object]) -> None:
    """Record how the query was understood, and what is planned."""
    more = intake.cleaned(workspace, interpretation)

    def add(workspace: Workspace, steps: int) -> tuple[int, NewTally]:
        opening = workspace.store.tallies(topic_of(id_), [_OPENING]).get(_OPENING)
        if opening is None:
            raise Overtaken("it was completed meanwhile")
        return steps, NewTally(topic_of(id_), _OPENING, {**opening.value, **more}, opening.version)

    _update(workspace, id_, add)


def act(workspace: Workspace, id_: str, action: Action) -> None:
    """Record one action."""
    step = intake.cleaned(workspace, intake.plain_action(action, workspace.clock.now()))

    def add(workspace: Workspace, steps: int) -> tuple[int, NewTally]:
        intake.require_few(steps + 1)
        return steps + 1, NewTally(topic_of(id_), f"{_STEP}{steps + 1:06}", step, 0)

    _update(workspace, id_, add)


def _update(
    workspace: Workspace, id_: str, add: Callable[[Workspace, int], tuple[int, NewTally]]
) -> None:
    """Write a row of an open interaction, and its number of steps; retry after another write."""
    checks.name(id_, "the interaction")
    if not workspace.consents.may_remember:
        return
    while True:
        current = head(workspace, id_)
        if current is None:
            raise _not_open(id_)
        with suppress(Overtaken):
            steps, row = add(workspace, steps_of(current))
            now = workspace.clock.now()
            value = {"steps": steps, "touched_at": now.isoformat()}
            head_row = NewTally(topic_of(id_), _HEAD, value, current.version)
            return _commit(workspace, now, head_row, row)
        workspace = workspace.fresh()


def finish(
    workspace: Workspace, id_: str, ending: Ending, abandoned: "OpenRows | None" = None
) -> Logged:
    """Complete an interaction: its record, what it teaches and the end of its rows in one commit.

    An `abandoned` interaction ended with its last step; Overtaken if it was continued meanwhile.
    """
    if ending.kind is None:
        kind = feedback_type(ending.feedback)
    else:
        kind = checks.choice(FeedbackType, ending.kind, "feedback_type")
    while True:
        rows = read(workspace, id_)
        if not workspace.consents.may_remember:
            if rows is not None and not drop(workspace, rows):
                workspace = workspace.fresh()
                continue
            return Logged(id_, flow.WITHDRAWN, kind, intake.success_of(ending.success, kind))
        if rows is None:
            raise _not_open(id_)
        if abandoned is not None and rows.version != abandoned.version:
            raise Overtaken(f"somebody goes on with {id_!r}")
        draft = rows.draft()
        draft.feedback, draft.feedback_kind = ending.feedback, kind
        draft.success, draft.tokens = ending.success, ending.tokens
        draft.completed_at = abandoned.touched_at if abandoned else workspace.clock.now()
        record = intake.interaction(workspace, draft)
        try:
            return flow.log(workspace, [record], rows.start_id, rows.deletions())[0]
        except Conflict:  # Overtaken, or there is a record of this id already
            current = head(workspace, id_)
            if current is not None and current.version == rows.version:
                raise  # the conflict was with other learning for this user
            workspace = workspace.fresh()


def close_abandoned(workspace: Workspace) -> int:
    """Complete abandoned interactions as they stand; returns how many.

    Their outcome is unknown. One without any step is dropped.
    """
    limit = timedelta(days=ABANDONED_DAYS)
    now, closed = workspace.clock.now(), 0
    for id_ in open_ids(workspace):
        rows = outline(workspace, id_)
        if rows is None:
            unlist(workspace, [id_], now)
        elif now - rows.touched_at > limit:
            closed += _closed(workspace, rows)
    return closed


def _closed(workspace: Workspace, rows: "OpenRows") -> bool:
    if not rows.has_steps:
        return drop(workspace, rows)
    try:
        finish(workspace, rows.id, Ending(), rows)
    except (Conflict, NotFound):  # it was continued or completed meanwhile
        return False
    except UsageError as error:  # the settings became stricter; the others are closed all the same
        _LOG.warning("an abandoned interaction cannot be completed: %s", error.code)
        return False
    return True


def _require_free_place(workspace: Workspace) -> None:
    if len(open_ids(workspace)) >= MAX_OPEN:
        close_abandoned(workspace)
        if len(open_ids(workspace)) >= MAX_OPEN:
            raise InvalidInput(
                f"{MAX_OPEN} interactions of this user are open; complete some of them"
            )


def _not_open(id_: str) -> NotFound:
    return NotFound(f"no open interaction {id_!r}: it is complete, or was never started")


@dataclass(frozen=True, slots=True)
class OpenRows:
    """The rows of an open interaction, as they were read."""

    id: str
    rows: Mapping[str, Tally]

    @property
    def version(self) -> int:
        """Number of writes so far."""
        return self.rows[_HEAD].version

    @property
    def touched_at(self) -> datetime:
        """Time of its start or its last step."""
        return datetime.fromisoformat(str(self.rows[_HEAD].value["touched_at"]))

    @property
    def has_steps(self) -> bool:
        """Whether it has any step."""
        return steps_of(self.rows[_HEAD]) > 0

    @property
    def session(self) -> object:
        """The session it belongs to, if any."""
        return self.rows[_OPENING].value.get("session")

    @property
    def start_id(self) -> str | None:
        """Id of the record of its start, if there is one."""
        id_ = self.rows[_OPENING].value.get("start_id")
        return None if id_ is None else str(id_)

    def draft(self) -> InteractionDraft:
        """The interaction so far."""
        opening: dict[str, Any] = dict(self.rows[_OPENING].value)
        opening["started_at"] = datetime.fromisoformat(opening["started_at"])
        steps = [row.value for name, row in self.rows.items() if name.startswith(_STEP)]
        actions = [_action(dict(step)) for step in steps]
        return InteractionDraft(**opening, id=self.id, actions=actions)

    def deletions(self) -> tuple[NewTally, ...]:
        """Changes that delete all its rows."""
        rows = [
            NewTally(topic_of(self.id), name, None, row.version) for name, row in self.rows.items()
        ]
        return (*rows, NewTally(LISTED, self.id, None, 1))


def head(workspace: Workspace, id_: str) -> Tally | None:
    """The head of an interaction; None if it is not open."""
    return workspace.store.tallies(topic_of(id_), [_HEAD]).get(_HEAD)


def read(workspace: Workspace, id_: str) -> OpenRows | None:
    """All rows of an interaction; None if it is not open."""
    rows = workspace.store.tallies(topic_of(id_))
    return OpenRows(id_, rows) if _HEAD in rows else None


def outline(workspace: Workspace, id_: str) -> OpenRows | None:
    """Its rows without the steps, which may be many; None if it is not open."""
    rows = workspace.store.tallies(topic_of(id_), [_HEAD, _OPENING])
    return OpenRows(id_, rows) if _HEAD in rows else None


def open_ids(workspace: Workspace) -> list[str]:
    """Ids of open interactions, the oldest first; some may be complete by now."""
    return list(workspace.store.tallies(LISTED))


def drop(workspace: Workspace, rows: OpenRows) -> bool:
    """Delete an open interaction; False after a concurrent write."""
    try:
        _commit(workspace, workspace.clock.now(), *rows.deletions())
    except Overtaken:
        return False
    return True


def unlist(workspace: Workspace, ids: Sequence[str], now: datetime) -> None:
    """Remove forgotten interactions from the list of open ones."""
    for id_ in ids:
        with suppress(Overtaken):  # already removed
            _commit(workspace, now, NewTally(LISTED, id_, None, 1))


def topic_of(id_: str) -> str:
    """The topic that holds the rows of an interaction."""
    return f"{OPEN}{id_}"


def steps_of(head: Tally) -> int:
    """Number of steps, as a head says."""
    return int(str(head.value["steps"]))


def _commit(workspace: Workspace, now: datetime, *rows: NewTally) -> None:
    workspace.store.commit(Change("log", now, (), tallies=rows))


def _action(step: dict[str, Any]) -> Action:
    at = step.pop("at", None)
    return Action(**step, at=None if at is None else datetime.fromisoformat(at))
