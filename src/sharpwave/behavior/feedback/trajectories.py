"""The turns that were logged: to look at, to hint from, and how long they are kept."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache

from sharpwave.behavior.feedback.records import session_slot
from sharpwave.behavior.skills import learned
from sharpwave.behavior.skills.learned import FEEDBACK, TRAJECTORY
from sharpwave.behavior.skills.learning import RATING
from sharpwave.types.records import Kind, Record, Role, Standing, State
from sharpwave.types.skills import Trajectory
from sharpwave.types.storing import Change, Revision, Selection, Stated
from sharpwave.workspace import Workspace

_AROUND = 200
_TURNS = frozenset({Kind.TRAJECTORY})
Latest = Callable[[str, int], Sequence[Record]]


def listed(workspace: Workspace, limit: int, session: str | None = None) -> list[Trajectory]:
    """The last turns, the newest first, with what was said and how it was taken."""
    store = workspace.store
    if session is None:
        end = store.head().seq + 1
        chosen = store.fetch(store.newest(_TURNS, end, limit))
    else:
        wanted = Stated(within=(session_slot(session),), kinds=_TURNS)
        chosen = sorted(store.stated(wanted), key=lambda one: -one.number)[:limit]
    slots = tuple(f"{FEEDBACK}{record.id}" for record in chosen)
    given = Stated(slots=slots, kinds=frozenset({Kind.FEEDBACK}), states=frozenset({State.ACTIVE}))
    rewards = dict(map(_reward, store.stated(given))) if slots else {}
    latest = cache(store.latest)
    return [_view(workspace, record, rewards.get(record.id), latest) for record in chosen]


def rewards_of(workspace: Workspace, reactions: bool = True) -> dict[str, float]:
    """What was thought of each turn, by its id; only those with feedback."""
    given = learned.teaching(workspace, FEEDBACK)
    return dict(_reward(one) for one in given if reactions or one.metadata["form"] == RATING)


def exchange(
    workspace: Workspace, record: Record, latest: Latest | None = None
) -> tuple[str | None, str | None, str | None]:
    """What the person said, what was answered, and what the person said next, if it is stored.

    `latest` reads the last turns of a session: whoever asks of several turns reads them once.
    """
    store = workspace.store
    latest = latest or store.latest
    turns: Sequence[Record] = store.find(record.provenance.parents)
    asked = turns[0].text if turns else record.metadata.get("user_input")
    answer = next_words = None
    if record.session_id is not None:
        later = [turn for turn in latest(record.session_id, _AROUND) if turn.number > record.number]
        answer = _first(later, Role.ASSISTANT)
        next_words = _first(later, Role.USER)
    return (None if asked is None else str(asked)), answer, next_words


def overdue(workspace: Workspace) -> tuple[list[Record], list[Record]]:
    """Old turns without feedback: those to set aside, and those to erase [TRJ-04…06].

    What a turn with feedback taught is kept, and so is the turn.
    """
    now, kept = workspace.clock.now(), workspace.settings.retention
    rated = rewards_of(workspace, reactions=False)
    silent = [one for one in learned.teaching(workspace, TRAJECTORY) if one.id not in rated]
    oldest = now - timedelta(days=kept.trajectories_erased_days)
    gone = [one for one in silent if one.valid_from < oldest]
    older = now - timedelta(days=kept.trajectories_days)
    aside = [
        one
        for one in silent
        if one.standing.state is State.ACTIVE and oldest <= one.valid_from < older
    ]
    return aside, gone


def keep_tidy(workspace: Workspace) -> tuple[int, int]:
    """Set old turns aside and erase very old ones; returns how many of each."""
    now = workspace.clock.now()
    aside, gone = overdue(workspace)
    if aside:
        revisions = tuple(Revision(one.id, set_aside(one), now) for one in aside)
        workspace.store.commit(Change("archive", now, (), revisions=revisions))
    if gone:
        ids = tuple(one.id for one in gone)
        workspace.store.forget(Selection(ids=ids), now)
        learned.known(workspace)
    return len(aside), len(gone)


def set_aside(record: Record) -> Standing:
    """How a turn stands that is no longer looked at."""
    return replace(record.standing, state=State.SUPERSEDED)


def _reward(record: Record) -> tuple[str, float]:
    """Which turn somebody judged, and how."""
    return str(record.metadata["about"]), float(str(record.metadata["reward"]))


def _view(workspace: Workspace, record: Record, reward: float | None, latest: Latest) -> Trajectory:
    said = record.metadata
    asked, answer, _ = exchange(workspace, record, latest)
    return Trajectory(
        id=record.id,
        message_id=str(said["message_id"]),
        session=record.session_id,
        turn_number=int(str(said["turn_number"])),
        skill=str(said["skill"]),
        context=str(said["context"]),
        bucket=int(str(said["bucket"])),
        is_exploration=bool(said["is_exploration"]),
        at=record.valid_from,
        user_input=asked or "",
        response=answer,
        reward=reward,
        archived=record.standing.state is not State.ACTIVE,
    )


def _first(turns: Sequence[Record], role: Role) -> str | None:
    return next((turn.text for turn in turns if turn.role is role), None)
