"""Forgets what agents did, and everything that was learned from it."""

from contextlib import suppress
from dataclasses import replace

from sharpwave.errors import Overtaken, StorageError
from sharpwave.experience import insights, learning, live, publish, rebuild
from sharpwave.tallies import Sheet, stored
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import EXPERIENCE, LEARNED_FROM, Change, Selection
from sharpwave.workspace import Workspace

_OPERATIONAL = frozenset({*LEARNED_FROM, *publish.SUBJECTS})


def forget(workspace: Workspace, selection: Selection) -> Forgotten:
    """Erase records; if something was learned from them, learn again from those left.

    The store drops what was learned in the same transaction. If this is interrupted afterwards,
    the next call that needs it finds it missing and learns anew first.
    """
    store, now = workspace.store, workspace.clock.now()
    had_learned = _has_learned(workspace)
    opened = [] if selection.everything else _selected(workspace, selection)
    open_ids = [rows.id for rows in opened]
    ids = tuple(id_ for id_ in selection.ids if id_ not in open_ids)
    selected = [record.metadata.get("start_id") for record in store.find(ids)]
    starts = [str(id_) for id_ in (*(rows.start_id for rows in opened), *selected) if id_]
    known = [record.id for record in store.find(starts)]
    topics = tuple(map(live.topic_of, open_ids))
    receipt = store.forget(replace(selection, ids=(*ids, *known), unfinished=topics), now)
    if selection.everything:
        with suppress(StorageError):  # the next search drops it
            workspace.index.tidy()
        return receipt
    live.unlist(workspace, open_ids, now)
    completed = tuple(record.id for record in store.find(open_ids))
    if completed:  # meanwhile, by a concurrent call
        receipt = _sum(receipt, forget(workspace, Selection(ids=completed)))
    if not had_learned or _has_learned(workspace):
        return receipt
    more = rebuild.forget_published(workspace)
    if workspace.consents.may_learn:  # otherwise it waits until the user agrees again
        with suppress(Overtaken):  # likewise
            workspace.fresh().retried(lambda fresh: _learn_anew(fresh, bool(more.memories)))
    return _sum(receipt, replace(more, derived=more.memories))


def _learn_anew(workspace: Workspace, with_insights: bool) -> None:
    rebuild.rebuild(workspace)
    if with_insights:
        insights.learn(workspace)


def _selected(workspace: Workspace, selection: Selection) -> list[live.OpenRows]:
    """Open interactions that are selected by id, by the id of their start, or by session."""
    outlines = [live.outline(workspace, id_) for id_ in live.open_ids(workspace)]
    return [
        rows
        for rows in outlines
        if rows is not None
        and (
            {rows.id, rows.start_id} & set(selection.ids)
            or (selection.session is not None and rows.session == selection.session)
        )
    ]


def _sum(first: Forgotten, second: Forgotten) -> Forgotten:
    return replace(
        first,
        memories=first.memories + second.memories,
        vectors=first.vectors + second.vectors,
        derived=first.derived + second.derived,
        traces_cleared=first.traces_cleared and second.traces_cleared,
        copies=first.copies + second.copies,
        copies_left=max(first.copies_left, second.copies_left),
    )


def learned_ids(workspace: Workspace) -> list[str]:
    """Ids of all records of agents' work, and of all that was learned from it."""
    return [record.id for record in workspace.records() if record.kind in _OPERATIONAL]


def unfinished(workspace: Workspace) -> tuple[str, ...]:
    """Topics of open interactions, which would be learned from too."""
    return tuple(map(live.topic_of, live.open_ids(workspace)))


def drop_tallies(workspace: Workspace) -> int:
    """Erase every count; returns the number of rows."""
    store = workspace.store
    gone = Sheet.blank(EXPERIENCE).instead_of(stored(store, EXPERIENCE))
    if gone:
        store.commit(Change("forget", workspace.clock.now(), (), tallies=gone))
    return len(gone)


def _has_learned(workspace: Workspace) -> bool:
    return bool(Sheet.of(workspace.store, EXPERIENCE).row(learning.STATE, learning.DONE))
