"""Forgetting what agents did: nothing that was learned from it may stay."""

from dataclasses import replace

from sharpwave.experience import insights, learning, live, publish
from sharpwave.experience.live import OpenRows
from sharpwave.tallies import Sheet, stored
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import EXPERIENCE, LEARNED_FROM, Change, Selection
from sharpwave.workspace import Workspace


def forget(workspace: Workspace, selection: Selection) -> Forgotten:
    """Erase records; if something was learned from them, learn anew from what is left.

    The store drops what was learned in the same transaction. If this is interrupted afterwards,
    whoever asks next finds it missing and learns anew first.
    """
    store, now = workspace.store, workspace.clock.now()
    had_learned = _has_learned(workspace)
    opened = [] if selection.everything else _opened(workspace, selection)
    ids = tuple(id_ for id_ in selection.ids if id_ not in {one.id for one in opened})
    starts = [one.start_id for one in opened if one.start_id]
    starts += [
        str(record.metadata["start_id"])
        for record in store.find(ids)
        if "start_id" in record.metadata
    ]
    known = [record.id for record in store.find(starts)]
    topics = tuple(live.topic_of(one.id) for one in opened)
    wanted = replace(selection, ids=(*ids, *known), unfinished=topics)
    receipt = store.forget(wanted, now)
    live.unlist(workspace, [one.id for one in opened], now)
    if late := [record.id for record in store.find([one.id for one in opened])]:
        # somebody completed it at the last moment
        receipt = _together(receipt, forget(workspace, Selection(ids=tuple(late))))
    if selection.everything or not had_learned or _has_learned(workspace):
        return receipt
    more = learning.forget_published(workspace)
    if workspace.consents.may_learn:  # otherwise it waits until the user agrees again
        learning.rebuild(workspace, workspace.settings.experience)
        if more.memories:
            insights.learn(workspace)
    return _together(receipt, replace(more, derived=more.memories))


def _opened(workspace: Workspace, selection: Selection) -> list[OpenRows]:
    """What is still going on and is meant: by its id, that of its start, or its session."""
    found = [one for id_ in live.listed(workspace) if (one := live.outline(workspace, id_))]
    return [
        one
        for one in found
        if {one.id, one.start_id} & set(selection.ids)
        or (selection.session is not None and one.session == selection.session)
    ]


def _together(one: Forgotten, more: Forgotten) -> Forgotten:
    return replace(
        one,
        memories=one.memories + more.memories,
        vectors=one.vectors + more.vectors,
        derived=one.derived + more.derived,
        traces_cleared=one.traces_cleared and more.traces_cleared,
    )


def learned_ids(workspace: Workspace) -> list[str]:
    """All that was learned from the work of agents, and the logs from which it would come back."""
    ids: list[str] = []
    after, size = 0, workspace.settings.experience.logging.rebuild_batch
    while found := workspace.store.scan(after, size):
        ids += [record.id for record in found if record.kind in _OPERATIONAL]
        after = found[-1].number
    return ids


def unfinished(workspace: Workspace) -> tuple[str, ...]:
    """Where that is kept which agents are still at: it would teach, too."""
    return tuple(map(live.topic_of, live.listed(workspace)))


def drop_tallies(workspace: Workspace) -> int:
    """Erase every count; returns how many rows there were."""
    store = workspace.store
    gone = Sheet.blank(EXPERIENCE).instead_of(stored(store, EXPERIENCE, learning.TOPICS))
    if gone:
        now = workspace.clock.now()
        store.commit(Change("forget", now, (), tallies=gone))
    return len(gone)


_OPERATIONAL = frozenset({*LEARNED_FROM, *publish.SUBJECTS})


def _has_learned(workspace: Workspace) -> bool:
    return bool(Sheet.of(workspace.store, EXPERIENCE).row(learning.STATE, learning.DONE))
