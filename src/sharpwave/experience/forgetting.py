"""Forgetting what agents did: nothing that was learned from it may stay."""

from dataclasses import replace

from sharpwave.experience import learning, publish, rebuild
from sharpwave.experience.insight import insights
from sharpwave.experience.room import Room
from sharpwave.tallies.sheet import Sheet, stored
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import EXPERIENCE, LEARNED_FROM, Change, Selection


def forget(room: Room, selection: Selection) -> Forgotten:
    """Erase records; if something was learned from them, learn anew from what is left.

    The store drops what was learned in the same transaction. If this is interrupted afterwards,
    whoever asks next finds it missing and learns anew first.
    """
    store, now = room.ports.store, room.ports.clock.now()
    had_learned = _has_learned(room)
    starts = [
        str(record.metadata["start_id"])
        for record in store.find(room.user_id, selection.ids)
        if "start_id" in record.metadata
    ]
    known = [record.id for record in store.find(room.user_id, starts)]
    receipt = store.forget(room.user_id, replace(selection, ids=(*selection.ids, *known)), now)
    if selection.everything or not had_learned or _has_learned(room):
        return receipt
    more = rebuild.forget_published(room.user_id, room.ports)
    if room.may_learn():  # otherwise it waits until the user agrees again
        rebuild.rebuild(room.user_id, room.ports, room.settings.experience)
        if more.memories:
            insights.learn(room)
    return replace(
        receipt,
        memories=receipt.memories + more.memories,
        vectors=receipt.vectors + more.vectors,
        derived=receipt.derived + more.memories,
        traces_cleared=receipt.traces_cleared and more.traces_cleared,
    )


def learned_ids(room: Room) -> list[str]:
    """All that was learned from the work of agents, and the logs from which it would come back."""
    ids: list[str] = []
    after, size = 0, room.settings.experience.logging.rebuild_batch
    while found := room.ports.store.scan(room.user_id, after, size):
        ids += [record.id for record in found if record.kind in _OPERATIONAL]
        after = found[-1].number
    return ids


def drop_tallies(room: Room) -> int:
    """Erase every count; returns how many rows there were."""
    store = room.ports.store
    gone = Sheet.blank(EXPERIENCE).instead_of(
        stored(store, room.user_id, EXPERIENCE, rebuild.TOPICS)
    )
    if gone:
        now = room.ports.clock.now()
        store.commit(Change(room.user_id, "forget", now, (), tallies=gone))
    return len(gone)


_OPERATIONAL = frozenset({*LEARNED_FROM, *publish.SUBJECTS})


def _has_learned(room: Room) -> bool:
    return bool(room.sheet().row(learning.STATE, learning.DONE))
