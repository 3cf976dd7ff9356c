"""Taking back a night: what it made goes, what it changed stands as before.

What changed again since is left as it is, and named. What was taken back is not done again from the
same: a comment is not read again, and a lesson not drawn again before twice as much speaks for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sharpwave.errors import NotFound
from sharpwave.experience import publish
from sharpwave.ports import Ports, Store
from sharpwave.sleep import journal
from sharpwave.temporal.ids import digest
from sharpwave.types.records import Kind, Record, Stage, Temperature
from sharpwave.types.storing import TAKEN_BACK, Change, Move, NewTally, Revision, Selection
from sharpwave.types.work.sleep import Phase, Undone

_AGAIN = frozenset({Phase.REPLAY.value, Phase.FADE.value, Phase.DISTIL.value})
"""Time goes on: what these phases do is done again when it is due. What was learned is remembered
one by one instead, since it is learned from whatever there is."""
_REMEMBERED = 1000
"""Things taken back that are remembered, of each phase."""


def undo(run: str, user_id: str, ports: Ports) -> Undone:
    """Take back what a night did, from its last step to its first."""
    store = ports.store
    report = store.tallies(user_id, journal.REPORTS, [run]).get(run)
    rows = journal.rows(run, user_id, store)
    if report is None or (not rows and report.value["undone"]):
        raise NotFound(f"there is no night {run!r} to undo; `sleep log` lists them")
    removed = restored = 0
    kept: list[str] = []
    for name, row, version in rows:
        made = store.find(user_id, row["new"])
        replaced = {record.id for record in made if record.standing.superseded_by}
        revisions, moves, left = _back(row, replaced, user_id, store)
        kept += [*replaced, *left]
        restored += len(revisions) + len(moves)
        there = [record for record in made if record.id not in replaced]
        tallies = (
            NewTally(journal.JOURNAL, name, None, version),
            *_undone(row, user_id, store),
            *_unlearned(there, user_id, store),
        )
        change = Change(user_id, "undo sleep", ports.clock.now(), ())
        store.commit(replace(change, revisions=revisions, moves=moves, tallies=tallies))
        if there:
            ids = tuple(record.id for record in there)
            store.forget(user_id, Selection(ids=ids), ports.clock.now())
        removed += len(there)
    said = NewTally(journal.REPORTS, run, {**report.value, "undone": True}, report.version)
    store.commit(Change(user_id, "undo sleep", ports.clock.now(), (), tallies=(said,)))
    return Undone(run, removed, restored, tuple(dict.fromkeys(kept)))


def _back(
    row: Mapping[str, Any], replaced: set[str], user_id: str, store: Store
) -> tuple[tuple[Revision, ...], tuple[Move, ...], list[str]]:
    """How to make undone what a step did; and what changed since, which is left alone.

    What gave way to something that was itself `replaced` since has changed too.
    """
    ids = [each[0] for each in (*row["moved"], *row["revised"])]
    now = {record.id: record for record in store.find(user_id, ids)}
    revisions, moves, kept = [], [], []
    for id_, stage, temperature, after in row["moved"]:
        if id_ in now and now[id_].standing.stage == after:
            moves.append(Move(id_, Stage(stage), Temperature(temperature)))
        elif id_ in now:
            kept.append(id_)
    for id_, was, became in row["revised"]:
        untouched = became["superseded_by"] not in replaced
        if id_ in now and untouched and _stands_so(now[id_], journal.before(became)):
            revisions.append(Revision(id_, *journal.before(was)))
        elif id_ in now:
            kept.append(id_)
    return tuple(revisions), tuple(moves), kept


def _stands_so(record: Record, stood: journal.Stood) -> bool:
    """Whether a record still stands as a night left it, however often it was read since."""
    read = {"access_count": 0, "accessed_at": None}
    now, then = (replace(one, **read) for one in (record.standing, stood.standing))  # type: ignore[arg-type]
    return now == then and record.valid_to == stood.valid_to


def _undone(row: Mapping[str, Any], user_id: str, store: Store) -> tuple[NewTally, ...]:
    if row["phase"] in _AGAIN:
        return ()
    before, version = journal.undone(user_id, store, row["phase"])
    items = list(dict.fromkeys([*before, *row["items"]]))[-_REMEMBERED:]
    return (NewTally(journal.UNDONE, row["phase"], {"items": items}, version),)


def _unlearned(made: Sequence[Record], user_id: str, store: Store) -> tuple[NewTally, ...]:
    """What is noted of lessons that are taken back, so that they are not drawn again."""
    support: dict[str, int] = {}
    for record in made:
        if record.kind is Kind.FEEDBACK:
            support |= dict.fromkeys(record.provenance.parents, 0)
        elif record.kind in publish.SUBJECTS:
            support[digest(str(record.slot))] = int(str(record.metadata["support"]))
        elif record.kind is Kind.NOTE:
            support[record.id] = 0
    known = store.tallies(user_id, TAKEN_BACK, list(support))
    return tuple(
        NewTally(TAKEN_BACK, name, {"support": count}, known[name].version if name in known else 0)
        for name, count in support.items()
    )
