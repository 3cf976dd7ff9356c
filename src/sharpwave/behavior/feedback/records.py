"""Trajectories, ratings and decisions as records: learned from, listed, never recalled."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

from sharpwave.behavior.skills import learning, state
from sharpwave.behavior.user_records import derived, new_record
from sharpwave.types.records import Kind, Record, Role, State
from sharpwave.types.skills import Skill, SkillType, Trajectory
from sharpwave.types.storing import Change, Revision, Selection, Stated
from sharpwave.workspace import Workspace

_TURNS_BACK = 200
_TRAJECTORIES = frozenset({Kind.TRAJECTORY})
ReadLatest = Callable[..., Sequence[Record]]


def key_of(message_id: str) -> str:
    """The idempotency key of the trajectory for a message."""
    return f"trajectory:{message_id}"


def session_slot(session: str | None) -> str:
    """Prefix of the slots of a session's trajectories."""
    digest = hashlib.blake2b((session or "").encode(), digest_size=8).hexdigest()
    return f"{state.TRAJECTORY}{digest}|"


def style_of(skill: Skill) -> dict[str, object]:
    """The style to store with a skill that may change or be deleted; empty for base skills."""
    if skill.type is SkillType.BASE:
        return {}
    return {"dimensions": list(skill.dimensions), "learned_dimensions": skill.learned_dimensions}


def selected(record: Record, *names: str) -> dict[str, object]:
    """The metadata of these names, where the record has them."""
    return {name: record.metadata[name] for name in names if name in record.metadata}


def trajectory(
    workspace: Workspace,
    session: str | None,
    parents: tuple[str, ...],
    data: Mapping[str, object],
    now: datetime,
) -> Record:
    """The record of a turn: which skill, in which context."""
    text = f"{data['skill']} for {data['context']}"
    record = new_record(workspace, Kind.TRAJECTORY, text, session_slot(session), data, now)
    provenance = replace(
        record.provenance, parents=parents, idempotency_key=key_of(str(data["message_id"]))
    )
    return replace(record, provenance=provenance, session_id=session)


def rating(
    workspace: Workspace,
    text: str,
    about: Record | None,
    data: Mapping[str, object],
    now: datetime,
) -> Record:
    """The record of a rating or reaction."""
    slot = f"{state.FEEDBACK}{data['about']}"
    record = new_record(workspace, Kind.FEEDBACK, text, slot, data, now)
    return _derived_from(record, about) if about else record


def reading(
    workspace: Workspace, rated: Record, data: Mapping[str, object], now: datetime
) -> Record:
    """The record of how a comment was classified; it is forgotten with the comment."""
    about = selected(rated, "skill", "context", "bucket", "dimensions", "learned_dimensions")
    whole = {"form": learning.READING, "feedback_id": rated.id, **about, **data}
    slot = f"{state.READING}{rated.id}"
    record = new_record(workspace, Kind.FEEDBACK, "a comment was read", slot, whole, now)
    return _derived_from(record, rated)


def decision(workspace: Workspace, form: str, data: Mapping[str, object], now: datetime) -> Record:
    """The record of a decision of the user: set, reset, archive, restore or explore."""
    values = {name: value for name, value in data.items() if value is not None}
    text = f"{form} {', '.join(sorted(map(str, values)))}".strip()
    slot = f"{state.DECISION}{form}"
    return new_record(workspace, Kind.FEEDBACK, text, slot, {"form": form, **values}, now)


def _derived_from(record: Record, parent: Record) -> Record:
    return replace(derived(record, (parent.id,)), session_id=parent.session_id)


# ---- trajectories


def list_trajectories(
    workspace: Workspace, limit: int, session: str | None = None
) -> list[Trajectory]:
    """The latest trajectories, newest first, with the exchange and its reward."""
    store = workspace.store
    if session is None:
        end = store.head().seq + 1
        records = store.fetch(store.newest(_TRAJECTORIES, end, limit))
    else:
        query = Stated(within=(session_slot(session),), kinds=_TRAJECTORIES)
        records = sorted(store.stated(query), key=lambda record: -record.number)[:limit]
    slots = tuple(f"{state.FEEDBACK}{record.id}" for record in records)
    active = Stated(slots=slots, kinds={Kind.FEEDBACK}, states={State.ACTIVE})
    rewards = dict(map(_reward, store.stated(active))) if slots else {}
    latest = cache(store.latest)
    return [_view(workspace, record, rewards.get(record.id), latest) for record in records]


def rewards_of(workspace: Workspace, reactions: bool = True) -> dict[str, float]:
    """The reward of each trajectory with feedback, by its id."""
    ratings = state.lesson_records(workspace, state.FEEDBACK)
    return dict(
        _reward(record)
        for record in ratings
        if reactions or record.metadata["form"] == learning.RATING
    )


def exchange(
    workspace: Workspace, record: Record, latest: ReadLatest | None = None
) -> tuple[str | None, str | None, str | None]:
    """The user's message of a trajectory, the answer, and the user's next message, where stored.

    `latest` reads the last turns of a session; pass a cached one for several trajectories.
    """
    store = workspace.store
    latest = latest or store.latest
    turns: Sequence[Record] = store.find(record.provenance.parents)
    message = turns[0].text if turns else record.metadata.get("user_input")
    answer = reply = None
    if record.session_id is not None:
        turns = latest(record.session_id, _TURNS_BACK)
        if len(turns) == _TURNS_BACK and turns[0].number > record.number:  # a long session
            turns = latest(record.session_id, _TURNS_BACK, record.number + _TURNS_BACK)
        after = iter([turn for turn in turns if turn.number > record.number])
        answer, reply = _first(after, Role.ASSISTANT), _first(after, Role.USER)  # in this order
    return (None if message is None else str(message)), answer, reply


def overdue(workspace: Workspace) -> tuple[list[Record], list[Record]]:
    """Old trajectories without a rating: those to archive, and those to erase [TRJ-04…06].

    A rated trajectory is kept, with what was learned from it.
    """
    now, retention = workspace.clock.now(), workspace.settings.retention
    rated = rewards_of(workspace, reactions=False)
    every = state.lesson_records(workspace, state.TRAJECTORY)
    unrated = [record for record in every if record.id not in rated]
    erased_before = now - timedelta(days=retention.trajectories_erased_days)
    archived_before = now - timedelta(days=retention.trajectories_days)
    erased = [record for record in unrated if record.valid_from < erased_before]
    archived = [
        record
        for record in unrated
        if record.standing.state is State.ACTIVE
        and erased_before <= record.valid_from < archived_before
    ]
    return archived, erased


def expire(workspace: Workspace) -> tuple[int, int]:
    """Archive old trajectories and erase very old ones; returns how many of each."""
    now = workspace.clock.now()
    archived, erased = overdue(workspace)
    if archived:
        revisions = tuple(
            Revision(record.id, replace(record.standing, state=State.SUPERSEDED), now)
            for record in archived
        )
        workspace.store.commit(Change("archive", now, (), revisions=revisions))
    if erased:
        ids = tuple(record.id for record in erased)
        workspace.store.forget(Selection(ids=ids), now)
        state.load(workspace)
    return len(archived), len(erased)


def _reward(rating: Record) -> tuple[str, float]:
    """The id of the rated trajectory, and the reward."""
    return str(rating.metadata["about"]), float(str(rating.metadata["reward"]))


def _view(
    workspace: Workspace, record: Record, reward: float | None, latest: ReadLatest
) -> Trajectory:
    data = record.metadata
    message, answer, _ = exchange(workspace, record, latest)
    return Trajectory(
        id=record.id,
        message_id=str(data["message_id"]),
        session=record.session_id,
        turn_number=int(str(data["turn_number"])),
        skill=str(data["skill"]),
        context=str(data["context"]),
        bucket=int(str(data["bucket"])),
        is_exploration=bool(data["is_exploration"]),
        at=record.valid_from,
        user_input=message or "",
        response=answer,
        reward=reward,
        archived=record.standing.state is not State.ACTIVE,
    )


def _first(turns: Iterator[Record], role: Role) -> str | None:
    return next((turn.text for turn in turns if turn.role is role), None)
