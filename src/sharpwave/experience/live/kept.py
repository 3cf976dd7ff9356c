"""How an interaction that is going on is kept: tallies, a topic of its own for each.

    open/ID           head      how many steps there are, and when the last came
                      said      what was asked and understood
                      step/N    one row a step
    open/interactions ID        that there is one; without a word of it

Every write counts on the head, whose version says whether somebody else wrote meanwhile: no step is
lost between two processes, and none is added once it is complete. All of it has been redacted.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sharpwave.errors import Overtaken
from sharpwave.experience.drafts import Draft
from sharpwave.types.experience import Action
from sharpwave.types.storing import OPEN, Change, NewTally, Tally
from sharpwave.workspace import Workspace

LISTED = f"{OPEN}interactions"
_HEAD, _SAID, _STEP = "head", "said", "step/"


@dataclass(frozen=True, slots=True)
class Kept:
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


def begun(id_: str, said: Mapping[str, object], now: datetime) -> tuple[NewTally, ...]:
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


def read(workspace: Workspace, id_: str) -> Kept | None:
    """All of it; None if it is not open."""
    rows = workspace.store.tallies(topic_of(id_))
    return Kept(id_, rows) if _HEAD in rows else None


def outline(workspace: Workspace, id_: str) -> Kept | None:
    """All of it but its steps, which may be many; None if it is not open."""
    rows = workspace.store.tallies(topic_of(id_), [_HEAD, _SAID])
    return Kept(id_, rows) if _HEAD in rows else None


def listed(workspace: Workspace) -> list[str]:
    """The ids of those that are open, the oldest first; some may be complete by now."""
    return list(workspace.store.tallies(LISTED))


def add_step(
    workspace: Workspace, id_: str, found: Tally, step: Mapping[str, object], now: datetime
) -> None:
    """One more step; Overtaken if somebody else wrote meanwhile."""
    number = steps_of(found) + 1
    new = NewTally(topic_of(id_), f"{_STEP}{number:06}", step, 0)
    _write(workspace, now, _moved(id_, found, number, now), new)


def add_said(
    workspace: Workspace, id_: str, found: Tally, more: Mapping[str, object], now: datetime
) -> None:
    """What was understood; Overtaken if somebody else wrote meanwhile."""
    known = workspace.store.tallies(topic_of(id_), [_SAID]).get(_SAID)
    if known is None:
        raise Overtaken("it was completed meanwhile")
    new = NewTally(topic_of(id_), _SAID, {**known.value, **more}, known.version)
    _write(workspace, now, _moved(id_, found, steps_of(found), now), new)


def drop(workspace: Workspace, kept: Kept, now: datetime) -> None:
    """Keep nothing of it; Overtaken if somebody else wrote meanwhile."""
    _write(workspace, now, *kept.gone())


def unlist(workspace: Workspace, ids: Sequence[str], now: datetime) -> None:
    """They are not among those that are open any more: they were forgotten."""
    for id_ in ids:
        with suppress(Overtaken):  # somebody else noted it
            _write(workspace, now, NewTally(LISTED, id_, None, 1))


def topic_of(id_: str) -> str:
    """Where it is kept."""
    return f"{OPEN}{id_}"


def steps_of(found: Tally) -> int:
    """How many steps there are, as its head says."""
    return int(str(found.value["steps"]))


def _moved(id_: str, found: Tally, steps: int, now: datetime) -> NewTally:
    value = {"steps": steps, "touched_at": now.isoformat()}
    return NewTally(topic_of(id_), _HEAD, value, found.version)


def _write(workspace: Workspace, now: datetime, *rows: NewTally) -> None:
    workspace.store.commit(Change("log", now, (), tallies=rows))


def _action(told: dict[str, Any]) -> Action:
    at = told.pop("at", None)
    return Action(**told, at=None if at is None else datetime.fromisoformat(at))
