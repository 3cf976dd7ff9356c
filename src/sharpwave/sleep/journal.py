"""What one step of a phase decided, before it is written."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from sharpwave.errors import NotFound, Overtaken
from sharpwave.experience import publish
from sharpwave.ports import UserStore
from sharpwave.temporal.ids import digest, time_part
from sharpwave.types.records import Kind, Record, Stage, Standing, State, Temperature
from sharpwave.types.sleep import Entry, Phase, Report, Undone
from sharpwave.types.storing import TAKEN_BACK, Change, Move, NewTally, Revision, Selection
from sharpwave.workspace import Workspace


class Moved(NamedTuple):
    """A record that is to stand elsewhere."""

    record: Record
    stage: Stage
    temperature: Temperature


class Revised(NamedTuple):
    """A record whose standing is to change."""

    record: Record
    standing: Standing
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of a phase decided; written in one transaction, or not at all."""

    records: tuple[Record, ...] = ()
    moved: tuple[Moved, ...] = ()
    revised: tuple[Revised, ...] = ()
    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    """Ids of records that a learner has already written itself."""
    tallies: tuple[NewTally, ...] = ()
    seen: dict[str, int] = field(default_factory=dict)
    needs: tuple[str, ...] = ()


JOURNAL, REPORTS, UNDONE = "sleep/journal", "sleep/reports", "sleep/undone"


class Stood(NamedTuple):
    """How a record stood at a moment."""

    standing: Standing
    valid_to: datetime | None


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
            [r.record.id, _stood(r.record.standing, r.record.valid_to), _stood(*r[1:])]
            for r in step.revised
        ],
    }
    return (NewTally(JOURNAL, f"{run}/{number:06}", value, 0),)


def rows(run: str, store: UserStore) -> list[tuple[str, Mapping[str, Any], int]]:
    """What a night wrote, the last step first: name, content and version of each row."""
    found = store.tallies(JOURNAL)
    own = [(name, tally) for name, tally in found.items() if name.startswith(f"{run}/")]
    return [(name, tally.value, tally.version) for name, tally in reversed(own)]


def outdated(store: UserStore, began_before: datetime) -> tuple[NewTally, ...]:
    """The rows of nights so long ago that they can no longer be undone, to be removed."""
    oldest = time_part(began_before)
    return tuple(
        NewTally(JOURNAL, name, None, tally.version)
        for name, tally in store.tallies(JOURNAL).items()
        if name < oldest
    )


def before(stood: Mapping[str, Any]) -> Stood:
    """How a record stood, from a row."""
    known = dict(stood)
    valid_to = known.pop("valid_to")
    for name in ("last_seen_at", "accessed_at"):
        known[name] = datetime.fromisoformat(known[name]) if known[name] else None
    known["stage"], known["state"] = Stage(known["stage"]), State(known["state"])
    known["temperature"] = Temperature(known["temperature"])
    return Stood(Standing(**known), datetime.fromisoformat(valid_to) if valid_to else None)


def _stood(standing: Standing, valid_to: datetime | None) -> dict[str, Any]:
    plain = asdict(standing)
    for name in ("last_seen_at", "accessed_at"):
        plain[name] = plain[name].isoformat() if plain[name] else None
    return {**plain, "valid_to": valid_to.isoformat() if valid_to else None}


def undone(store: UserStore, phase: str) -> tuple[list[str], int]:
    """Digests of what was taken back in a phase, not to be done again; and the row's version."""
    found = store.tallies(UNDONE, [phase]).get(phase)
    if found is None:
        return [], 0
    row: Mapping[str, Any] = found.value
    return list(row["items"]), found.version


# ---- reports


def keep(report: Report) -> NewTally:
    """The row of a finished night."""
    plain = asdict(report) | {"started_at": report.started_at.isoformat()}
    plain["finished_at"] = report.finished_at.isoformat() if report.finished_at else None
    return NewTally(REPORTS, report.run, plain, 0)


def to_report(user_id: str, state: Mapping[str, Any], ended: datetime | None) -> Report:
    """The report of a night from its state."""
    return Report(
        run=state["run"],
        user_id=user_id,
        started_at=datetime.fromisoformat(state["started"]),
        finished_at=ended,
        heavy=state["heavy"],
        counts=state["counts"],
        entries=tuple(Entry(*each) for each in state["entries"]),
        notes=tuple(state["notes"]),
        cpu_s=round(state["cpu_s"], 3),
        tokens=state["tokens"],
    )


def reports(store: UserStore) -> list[Report]:
    """The reports of past nights, the newest first."""
    return [_report(tally.value) for tally in reversed(store.tallies(REPORTS).values())]


def _report(value: Mapping[str, Any]) -> Report:
    plain = dict(value)
    for name in ("started_at", "finished_at"):
        plain[name] = datetime.fromisoformat(plain[name]) if plain[name] else None
    plain["entries"] = tuple(Entry(*each) for each in plain["entries"])
    plain["notes"] = tuple(plain["notes"])
    return Report(**plain)


_AGAIN = frozenset({Phase.REPLAY.value, Phase.FADE.value, Phase.DISTIL.value})
"""Time goes on: what these phases do is done again when it is due. What was learned is remembered
one by one instead, since it is learned from whatever there is."""
_WHY = "undo sleep"
_TRIES = 5
"""How often a step is put back again because somebody wrote meanwhile."""
_MAX_REMEMBERED = 1000
"""Things taken back that are remembered, of each phase."""


def undo(run: str, workspace: Workspace) -> Undone:
    """Take back what a night did, from its last step to its first.

    If it is interrupted, call it again: it goes on from there.
    """
    store = workspace.store
    report = store.tallies(REPORTS, [run]).get(run)
    steps = rows(run, store)
    if report is None or (not steps and report.value["undone"]):
        raise NotFound(f"there is no night {run!r} to undo; `sleep log` lists them")
    removed = restored = 0
    kept: list[str] = []
    for name, row, version in steps:
        made, back, left = _put_back(name, row, version, workspace)
        if made:
            store.forget(Selection(ids=made), workspace.clock.now())
            gone = NewTally(JOURNAL, name, None, version + 1)
            store.commit(Change(_WHY, workspace.clock.now(), (), tallies=(gone,)))
        removed, restored, kept = removed + len(made), restored + back, kept + left
    said = NewTally(REPORTS, run, {**report.value, "undone": True}, report.version)
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
    revisions, moves, left = _reversal(row, replaced, store)
    rest = {**row, "moved": [], "revised": []} if there else None
    tallies = (
        NewTally(JOURNAL, name, rest, version),
        *_remember_undone(row, store),
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


def _reversal(
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
    changed = {id_ for id_, _, became in revised if not _stands_so(now[id_], before(became))}
    for id_, was, became in revised:
        if {id_, became["superseded_by"]} & (changed | replaced):
            kept.append(id_)
        else:
            revisions.append(Revision(id_, *before(was)))
    return tuple(revisions), tuple(moves), kept


def _stands_so(record: Record, stood: Stood) -> bool:
    """Whether a record still stands as a night left it, however often it was read since."""
    read = {"access_count": 0, "accessed_at": None}
    now, then = (replace(one, **read) for one in (record.standing, stood.standing))  # type: ignore[arg-type]
    return now == then and record.valid_to == stood.valid_to


def _remember_undone(row: Mapping[str, Any], store: UserStore) -> tuple[NewTally, ...]:
    if row["phase"] in _AGAIN:
        return ()
    before, version = undone(store, row["phase"])
    items = list(dict.fromkeys([*before, *row["items"]]))[-_MAX_REMEMBERED:]
    return (NewTally(UNDONE, row["phase"], {"items": items}, version),)


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
