"""What each step of a run changed: for its report, and to undo it.

Journal rows hold ids and standings, never text: they keep nothing alive that was forgotten since.
Undoing removes what a run made and restores what it changed. What changed again since is left as
it is, and named. What was undone is not done again from the same evidence: a comment is not read
again, and a lesson not drawn again before twice as much speaks for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from sharpwave.errors import NotFound
from sharpwave.experience import publish
from sharpwave.ports import UserStore
from sharpwave.temporal.clock import digest, time_part
from sharpwave.types.records import Kind, Record, Stage, Standing, Temperature
from sharpwave.types.sleep import Phase, Report, ReportEntry, Undone
from sharpwave.types.storing import TAKEN_BACK, Change, Move, NewTally, Revision, Selection
from sharpwave.workspace import Workspace

JOURNAL, REPORTS, UNDONE = "sleep/journal", "sleep/reports", "sleep/undone"
_REPEATABLE = frozenset({Phase.REPLAY.value, Phase.FADE.value, Phase.DISTIL.value})
"""Undone items of these phases are done again when they are due. What `distil` learned is
remembered record by record instead, since it is learned from all there is."""
_UNDO = "undo sleep"
_STANDING, _REPORT = TypeAdapter(Standing), TypeAdapter(Report)
_MAX_REMEMBERED = 1000
"""Undone items that are remembered, of each phase."""


class StageChange(NamedTuple):
    """A record that gets another stage or temperature."""

    record: Record
    stage: Stage
    temperature: Temperature


class Revised(NamedTuple):
    """A record whose standing changes."""

    record: Record
    standing: Standing
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of a phase decided; written in one transaction, or not at all."""

    records: tuple[Record, ...] = ()
    moved: tuple[StageChange, ...] = ()
    revised: tuple[Revised, ...] = ()
    entries: tuple[ReportEntry, ...] = ()
    notes: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    """Ids of records that a learner has already written itself."""
    tallies: tuple[NewTally, ...] = ()
    seen: dict[str, int] = field(default_factory=dict)


# ---- rows


def entry(
    run: str, number: int, phase: Phase, items: Sequence[str], step: Step
) -> tuple[NewTally, ...]:
    """The row that undoes a step; none if it changed nothing."""
    new = [*(record.id for record in step.records), *step.published]
    if not new and not step.moved and not step.revised:
        return ()
    value = {
        "phase": phase.value,
        "items": [digest(item) for item in items],
        "new": new,
        "moved": [
            [m.record.id, m.record.standing.stage, m.record.standing.temperature, m.stage]
            for m in step.moved
        ],
        "revised": [
            [r.record.id, _to_plain(r.record.standing, r.record.valid_to), _to_plain(*r[1:])]
            for r in step.revised
        ],
    }
    return (NewTally(JOURNAL, f"{run}/{number:06}", value, 0),)


def outdated(store: UserStore, began_before: datetime) -> tuple[NewTally, ...]:
    """Removals of the rows of runs that are too old to undo."""
    oldest = time_part(began_before)
    return tuple(
        NewTally(JOURNAL, name, None, tally.version)
        for name, tally in store.tallies(JOURNAL).items()
        if name < oldest
    )


def undone(store: UserStore, phase: str) -> tuple[list[str], int]:
    """Digests of the undone items of a phase, not to be done again; and the row's version."""
    row = store.tallies(UNDONE, [phase]).get(phase)
    if row is None:
        return [], 0
    value: Mapping[str, Any] = row.value
    return list(value["items"]), row.version


def _rows(store: UserStore, run: str) -> list[tuple[str, Mapping[str, Any], int]]:
    """The rows of a run, the last step first: name, content and version of each."""
    rows = [
        (name, tally.value, tally.version)
        for name, tally in store.tallies(JOURNAL).items()
        if name.startswith(f"{run}/")
    ]
    return rows[::-1]


def _to_plain(standing: Standing, valid_to: datetime | None) -> dict[str, Any]:
    plain = _STANDING.dump_python(standing, mode="json")
    return {**plain, "valid_to": valid_to.isoformat() if valid_to else None}


def _from_plain(id_: str, plain: Mapping[str, Any]) -> Revision:
    known = dict(plain)
    valid_to = known.pop("valid_to")
    standing = _STANDING.validate_python(known)
    return Revision(id_, standing, datetime.fromisoformat(valid_to) if valid_to else None)


# ---- reports


def row(report: Report) -> NewTally:
    """The row of a finished run's report."""
    return NewTally(REPORTS, report.run, _REPORT.dump_python(report, mode="json"), 0)


def to_report(user_id: str, state: Mapping[str, Any], ended: datetime | None) -> Report:
    """The report of a run from its state."""
    return Report(
        run=state["run"],
        user_id=user_id,
        started_at=datetime.fromisoformat(state["started"]),
        finished_at=ended,
        heavy=state["heavy"],
        counts=state["counts"],
        entries=tuple(ReportEntry(*values) for values in state["entries"]),
        notes=tuple(state["notes"]),
        cpu_s=round(state["cpu_s"], 3),
        tokens=state["tokens"],
    )


def reports(store: UserStore) -> list[Report]:
    """The reports of past runs, the newest first."""
    rows = reversed(store.tallies(REPORTS).values())
    return [_REPORT.validate_python(dict(tally.value)) for tally in rows]


# ---- undo


def undo(workspace: Workspace, run: str) -> Undone:
    """Undo a run, from its last step to its first.

    If it is interrupted, call it again: it continues from there.
    """
    store = workspace.store
    report = store.tallies(REPORTS, [run]).get(run)
    rows = _rows(store, run)
    if report is None or (not rows and report.value["undone"]):
        raise NotFound(f"no sleep run {run!r} to undo; `sharpwave sleep log` lists them")
    removed = restored = 0
    kept: list[str] = []
    for name, content, version in rows:
        restore = partial(_restore, name=name, content=content, version=version)
        made, back, left = workspace.retried(restore)
        if made:
            store.forget(Selection(ids=made), workspace.clock.now())
            gone = NewTally(JOURNAL, name, None, version + 1)
            store.commit(Change(_UNDO, workspace.clock.now(), (), tallies=(gone,)))
        removed, restored, kept = removed + len(made), restored + back, kept + left
    marked = NewTally(REPORTS, run, {**report.value, "undone": True}, report.version)
    change = Change(_UNDO, workspace.clock.now(), (), tallies=(marked,))
    workspace.fresh().store.commit(change)  # something may have been forgotten meanwhile
    return Undone(run, removed, restored, tuple(dict.fromkeys(kept)))


def _restore(
    workspace: Workspace, name: str, content: Mapping[str, Any], version: int
) -> tuple[tuple[str, ...], int, list[str]]:
    """Restore what stood before a step.

    Returns ids of what the step made, to be forgotten; how many records were restored; and ids of
    what changed since. What is to be forgotten stays in the journal until it is.
    """
    store = workspace.store
    touched = [*content["new"], *(revision[0] for revision in content["revised"])]
    slots = {record.slot for record in store.find(touched) if record.slot is not None}
    seen = store.slot_heads(sorted(slots))  # first: what changes after that is noticed
    made = store.find(content["new"])
    replaced = {record.id for record in made if record.standing.superseded_by}
    remaining = [record for record in made if record.id not in replaced]
    revisions, moves, left = _reversal(store, content, replaced)
    rest = {**content, "moved": [], "revised": []} if remaining else None
    tallies = (
        NewTally(JOURNAL, name, rest, version),
        *_remember_undone(store, content),
        *_remember_unlearned(store, remaining),
    )
    change = Change(_UNDO, workspace.clock.now(), (), seen=seen)
    store.commit(replace(change, revisions=revisions, moves=moves, tallies=tallies))
    ids = tuple(record.id for record in remaining)
    return ids, len(revisions) + len(moves), [*replaced, *left]


def _reversal(
    store: UserStore, content: Mapping[str, Any], replaced: set[str]
) -> tuple[tuple[Revision, ...], tuple[Move, ...], list[str]]:
    """The changes that undo a step, and ids of what changed since, which is left alone.

    So is a record superseded by one that changed since or was itself `replaced`.
    """
    ids = [item[0] for item in (*content["moved"], *content["revised"])]
    now = {record.id: record for record in store.find(ids)}
    revisions, moves, kept = [], [], []
    for id_, stage, temperature, after in content["moved"]:
        if id_ in now and now[id_].standing.stage == after:
            moves.append(Move(id_, Stage(stage), Temperature(temperature)))
        elif id_ in now:
            kept.append(id_)
    revised = [revision for revision in content["revised"] if revision[0] in now]
    changed = {id_ for id_, _, after in revised if not _is_same(now[id_], _from_plain(id_, after))}
    for id_, before, after in revised:
        if {id_, after["superseded_by"]} & (changed | replaced):
            kept.append(id_)
        else:
            revisions.append(_from_plain(id_, before))
    return tuple(revisions), tuple(moves), kept


def _is_same(record: Record, left: Revision) -> bool:
    """Whether a record still stands as a run left it, however often it was read since."""
    unread = {"access_count": 0, "accessed_at": None}
    now, then = (replace(standing, **unread) for standing in (record.standing, left.standing))  # type: ignore[arg-type]
    return now == then and record.valid_to == left.valid_to


def _remember_undone(store: UserStore, content: Mapping[str, Any]) -> tuple[NewTally, ...]:
    """The row of a phase's undone items, which are not to be done again."""
    if content["phase"] in _REPEATABLE:
        return ()
    before, version = undone(store, content["phase"])
    items = list(dict.fromkeys([*before, *content["items"]]))[-_MAX_REMEMBERED:]
    return (NewTally(UNDONE, content["phase"], {"items": items}, version),)


def _remember_unlearned(store: UserStore, made: Sequence[Record]) -> tuple[NewTally, ...]:
    """The rows of lessons that were undone, so that they are not drawn again."""
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
