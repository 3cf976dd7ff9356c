"""Taking back a night: what it made goes, what it changed stands as before.

What changed again since is left as it is, and named. What was taken back is not done again from the
same: a comment is not read again, and a lesson not drawn again before twice as much speaks for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sharpwave.errors import NotFound, Overtaken
from sharpwave.experience import publish
from sharpwave.ports import UserStore
from sharpwave.sleep import journal
from sharpwave.temporal.clock import digest
from sharpwave.types.records import Kind, Record, Stage, Temperature
from sharpwave.types.sleep import Phase, Undone
from sharpwave.types.storing import TAKEN_BACK, Change, Move, NewTally, Revision, Selection
from sharpwave.workspace import Workspace

_AGAIN = frozenset({Phase.REPLAY.value, Phase.FADE.value, Phase.DISTIL.value})
"""Time goes on: what these phases do is done again when it is due. What was learned is remembered
one by one instead, since it is learned from whatever there is."""
_WHY = "undo sleep"
_TRIES = 5
"""How often a step is put back again because somebody wrote meanwhile."""
_REMEMBERED = 1000
"""Things taken back that are remembered, of each phase."""


def undo(run: str, workspace: Workspace) -> Undone:
    """Take back what a night did, from its last step to its first.

    If it is interrupted, call it again: it goes on from there.
    """
    store = workspace.store
    report = store.tallies(journal.REPORTS, [run]).get(run)
    rows = journal.rows(run, store)
    if report is None or (not rows and report.value["undone"]):
        raise NotFound(f"there is no night {run!r} to undo; `sleep log` lists them")
    removed = restored = 0
    kept: list[str] = []
    for name, row, version in rows:
        made, back, left = _put_back(name, row, version, workspace)
        if made:
            store.forget(Selection(ids=made), workspace.clock.now())
            gone = NewTally(journal.JOURNAL, name, None, version + 1)
            store.commit(Change(_WHY, workspace.clock.now(), (), tallies=(gone,)))
        removed, restored, kept = removed + len(made), restored + back, kept + left
    said = NewTally(journal.REPORTS, run, {**report.value, "undone": True}, report.version)
    store.commit(Change(_WHY, workspace.clock.now(), (), tallies=(said,)))
    return Undone(run, removed, restored, tuple(dict.fromkeys(kept)))


def _put_back(
    name: str, row: Mapping[str, Any], version: int, workspace: Workspace, tries: int = _TRIES
) -> tuple[tuple[str, ...], int, list[str]]:
    """Let all stand as before a step; again if somebody wrote meanwhile.

    Returns ids of what the step made, to be forgotten, how much stands as before, and what changed
    since. What is to be forgotten stays in the journal until it is.
    """
    store = workspace.store
    touched = [*row["new"], *(each[0] for each in row["revised"])]
    slots = {one.slot for one in store.find(touched) if one.slot is not None}
    seen = store.slot_heads(sorted(slots))  # first: what changes after that is noticed
    made = store.find(row["new"])
    replaced = {record.id for record in made if record.standing.superseded_by}
    there = [record for record in made if record.id not in replaced]
    revisions, moves, left = _back(row, replaced, store)
    rest = {**row, "moved": [], "revised": []} if there else None
    tallies = (
        NewTally(journal.JOURNAL, name, rest, version),
        *_undone(row, store),
        *_unlearned(there, store),
    )
    change = Change(_WHY, workspace.clock.now(), (), seen=seen)
    try:
        store.commit(replace(change, revisions=revisions, moves=moves, tallies=tallies))
    except Overtaken:
        if tries == 1:
            raise
        return _put_back(name, row, version, workspace, tries - 1)
    ids = tuple(record.id for record in there)
    return ids, len(revisions) + len(moves), [*replaced, *left]


def _back(
    row: Mapping[str, Any], replaced: set[str], store: UserStore
) -> tuple[tuple[Revision, ...], tuple[Move, ...], list[str]]:
    """How to make undone what a step did; and what changed since, which is left alone.

    What gave way to something that changed since, or was itself `replaced`, is left alone too.
    """
    ids = [each[0] for each in (*row["moved"], *row["revised"])]
    now = {record.id: record for record in store.find(ids)}
    revisions, moves, kept = [], [], []
    for id_, stage, temperature, after in row["moved"]:
        if id_ in now and now[id_].standing.stage == after:
            moves.append(Move(id_, Stage(stage), Temperature(temperature)))
        elif id_ in now:
            kept.append(id_)
    revised = [each for each in row["revised"] if each[0] in now]
    changed = {
        id_ for id_, _, became in revised if not _stands_so(now[id_], journal.before(became))
    }
    for id_, was, became in revised:
        if {id_, became["superseded_by"]} & (changed | replaced):
            kept.append(id_)
        else:
            revisions.append(Revision(id_, *journal.before(was)))
    return tuple(revisions), tuple(moves), kept


def _stands_so(record: Record, stood: journal.Stood) -> bool:
    """Whether a record still stands as a night left it, however often it was read since."""
    read = {"access_count": 0, "accessed_at": None}
    now, then = (replace(one, **read) for one in (record.standing, stood.standing))  # type: ignore[arg-type]
    return now == then and record.valid_to == stood.valid_to


def _undone(row: Mapping[str, Any], store: UserStore) -> tuple[NewTally, ...]:
    if row["phase"] in _AGAIN:
        return ()
    before, version = journal.undone(store, row["phase"])
    items = list(dict.fromkeys([*before, *row["items"]]))[-_REMEMBERED:]
    return (NewTally(journal.UNDONE, row["phase"], {"items": items}, version),)


def _unlearned(made: Sequence[Record], store: UserStore) -> tuple[NewTally, ...]:
    """What is noted of lessons that are taken back, so that they are not drawn again."""
    support: dict[str, int] = {}
    for record in made:
        if record.kind is Kind.FEEDBACK:
            support |= dict.fromkeys(record.provenance.parents, 0)
        elif record.kind in publish.SUBJECTS:
            support[digest(str(record.slot))] = int(str(record.metadata["support"]))
        elif record.kind is Kind.NOTE:
            support[record.id] = 0
    known = store.tallies(TAKEN_BACK, list(support))
    return tuple(
        NewTally(TAKEN_BACK, name, {"support": count}, known[name].version if name in known else 0)
        for name, count in support.items()
    )
