"""Where memories come from: what each rests on, and the sessions in which they were said."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sharpwave.errors import NotFound
from sharpwave.knowledge.listing import part
from sharpwave.ports import UserStore
from sharpwave.settings.recall import MAX_RECALLED
from sharpwave.types.answers import Recollection
from sharpwave.types.known import Explanation
from sharpwave.types.records import CURRENT, Kind, Record, State
from sharpwave.types.sleep import EPISODE
from sharpwave.types.storing import Links, Session, Stated, Window
from sharpwave.workspace import Workspace

_TALKED_OF = 2


def links(store: UserStore, records: Sequence[Record]) -> dict[str, Links]:
    """What ties each record to those that were recorded before it, and whom it mentions."""
    ids = [record.id for record in records]
    below, above = store.evidence(ids), store.derived(ids)
    mentions = store.mentions(ids)
    others = {other for group in (*below.values(), *above.values()) for other in group}
    numbers = {one.id: one.number for one in store.find(sorted(others))}
    return {
        record.id: Links(
            _earlier(set(below[record.id]) - set(record.provenance.parents), record, numbers),
            _earlier(set(above[record.id]), record, numbers),
            mentions[record.id],
        )
        for record in records
    }


def _earlier(ids: set[str], record: Record, numbers: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(sorted(one for one in ids if one in numbers and numbers[one] < record.number))


def explain(workspace: Workspace, memory_id: str) -> Explanation:
    """A record with those that support it, and those that it supports."""
    store = workspace.store
    found = store.find([memory_id])
    if not found:
        raise NotFound(f"no memory {memory_id!r}")
    below = store.evidence([memory_id])[memory_id]
    above = store.derived([memory_id])[memory_id]
    return Explanation(found[0], tuple(store.find(below)), tuple(store.find(above)))


def enough_for(most: int) -> int:
    """How many to recall so that `elsewhere` still finds that many: what is talked of now is near.

    >>> enough_for(48), enough_for(900)
    (96, 1000)
    """
    return max(most, min(_TALKED_OF * most, MAX_RECALLED))


def elsewhere(found: Recollection, session: str, most: int) -> Recollection:
    """The best of what was recalled, without what was said in one session."""
    kept = [item for item in found.items if item.record.session_id != session]
    return replace(found, items=tuple(kept[:most]))


class Turns(NamedTuple):
    """Which of the last turns are wanted."""

    limit: int
    session: str | None = None
    within: str | None = None
    """How the names of their sessions begin."""
    before: int | None = None
    """The number of a turn, to go further back."""


def turns(store: UserStore, wanted: Turns) -> list[Record]:
    """The last turns that count, oldest first."""
    if wanted.within and wanted.session is None:
        return store.latest_within(wanted.within, wanted.limit, wanted.before)

    def read(limit: int | None) -> list[Record]:
        return store.latest(wanted.session, limit or wanted.limit, wanted.before)[::-1]

    def keep(found: Sequence[Record]) -> list[Record]:
        return [turn for turn in found if turn.standing.state in CURRENT]

    return part(read, keep, Window(limit=wanted.limit))[::-1]


def sessions(workspace: Workspace, limit: int) -> list[Session]:
    """The last sessions, the newest first."""
    found = workspace.store.sessions(limit)
    if not found:
        return []
    wanted = Stated(
        slots=tuple(EPISODE + one.id for one in found),
        kinds=frozenset({Kind.EPISODE}),
        states=frozenset({State.ACTIVE}),
    )
    told = {one.slot: one.text for one in workspace.store.stated(wanted)}
    return [replace(one, summary=told.get(EPISODE + one.id)) for one in found]
