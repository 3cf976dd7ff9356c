"""Taking back what a source said, and what was learned from it; and undoing that."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sharpwave import checks, strict_json
from sharpwave.errors import InvalidInput, Overtaken
from sharpwave.knowledge.predicates import predicate
from sharpwave.ports import UserStore
from sharpwave.types.known import Quarantined
from sharpwave.types.records import Kind, Record, Source, Stage, State, Trust
from sharpwave.types.storing import Change, Revision, Stated
from sharpwave.workspace import Workspace

_OUT = State.QUARANTINED


@dataclass(frozen=True, slots=True)
class Suspect:
    """Which turns are not to be believed."""

    source: Source | None = None
    author: str | None = None
    session: str | None = None
    since: datetime | None = None

    def covers(self, turn: Record) -> bool:
        """True if a turn is among them."""
        said = turn.provenance
        return (
            self.source in (None, said.source)
            and self.author in (None, said.author)
            and self.session in (None, turn.session_id)
            and (self.since is None or turn.recorded_at >= self.since)
        )


def suspect(
    source: str | None, author: str | None, session: str | None, since: datetime | None
) -> Suspect:
    """What a caller wants to quarantine, checked."""
    if all(part is None for part in (source, author, session, since)):
        raise InvalidInput("say what to quarantine: a source, an author, a session or a time")
    kind = None if source is None else checks.choice(Source, source, "source")
    return Suspect(kind, author, session, checks.moment(since, "since") if since else None)


def quarantine(workspace: Workspace, suspect: Suspect) -> Quarantined:
    """Take turns out of recall, with every fact that rests on nothing else.

    What those facts had replaced or put in doubt holds again. Nothing is deleted: `release` undoes
    it exactly.
    """

    def plan(workspace: Workspace) -> tuple[list[Record], Quarantined]:
        store = workspace.store
        turns = list(filter(suspect.covers, _turns(workspace, State.ACTIVE)))
        if not turns:
            return [], Quarantined(0, 0, 0)
        fallen = _resting_on(store, turns, lambda r: r.standing.state is not _OUT)
        doomed = {record.id: record for record in [*turns, *fallen]}
        changed = [_as(record, state=_OUT) for record in doomed.values()]
        stated = [r for r in store.stated(Stated()) if r.standing.state is not _OUT]
        others = [r for r in stated if r.id not in doomed]
        back = [new for r in others if (new := _without(r, doomed)) is not r]
        held = [record for record in back if record.standing.state is State.ACTIVE]
        return changed + back, Quarantined(len(turns), len(fallen), len(held))

    return _write(workspace, "quarantine", plan)


def release(workspace: Workspace, suspect: Suspect) -> Quarantined:
    """Believe the turns again, with what was learned from them and what that had replaced.

    What others, still in quarantine, say stays without effect.
    """

    def plan(workspace: Workspace) -> tuple[list[Record], Quarantined]:
        store, hidden = workspace.store, _turns(workspace, _OUT)
        turns = list(filter(suspect.covers, hidden))
        if not turns:
            return [], Quarantined(0, 0, 0)
        risen = _resting_on(store, turns, lambda r: r.standing.state is _OUT, all_=False)
        freed = {record.id for record in [*turns, *risen]}
        others = [r for r in store.stated(Stated()) if r.id not in freed]
        out = {
            record.id: _restored(record)
            for record in [*hidden, *others]
            if record.standing.state is _OUT and record.id not in freed
        }
        concerned = freed | out.keys()
        back = [
            r
            for r in others
            if r.id not in out and _is_unchanged(r) and concerned & set(_before(r).values())
        ]
        closed = {record.id: _without(_restored(record), out) for record in back}
        now = [closed.get(record.id, record) for record in others]
        changed = [_among(_without(_restored(record), out), now) for record in [*turns, *risen]]
        return [*changed, *closed.values()], Quarantined(len(turns), len(risen), 0)

    return _write(workspace, "release", plan)


def _turns(workspace: Workspace, state: State) -> list[Record]:
    turns = (record for record in workspace.records() if record.kind is Kind.TURN)
    return [turn for turn in turns if turn.standing.state is state]


def _resting_on(
    store: UserStore, turns: Sequence[Record], wanted: Callable[[Record], bool], all_: bool = True
) -> list[Record]:
    """Derived records of which all the evidence (or any) is among these, and so on upwards."""
    ids = {turn.id for turn in turns}
    found: dict[str, Record] = {}
    front = set(ids)
    while front:
        children = store.derived(sorted(front))
        new = {child for group in children.values() for child in group} - set(found)
        parents = store.evidence(sorted(new))
        reached = ids | set(found)
        front = {
            child
            for child in new
            if (set(parents[child]) <= reached if all_ else set(parents[child]) & reached)
        }
        records = [record for record in store.find(sorted(front)) if wanted(record)]
        found |= {record.id: record for record in records}
        front &= set(found)
    return list(found.values())


def _without(record: Record, doomed: Mapping[str, Record]) -> Record:
    """How a record stands without these: itself if they do not concern it."""
    if record.standing.superseded_by in doomed:
        return _freed(record, doomed)
    if record.standing.rival in doomed:
        return _as(record, state=State.ACTIVE, rival=None)
    return record


def _freed(record: Record, doomed: Mapping[str, Record]) -> Record:
    """How a record stands without what took its place: again, or followed by what came then.

    What others than the user reported and nobody accepted is in doubt again.
    """
    last = doomed[str(record.standing.superseded_by)]
    while last.standing.superseded_by in doomed:
        last = doomed[str(last.standing.superseded_by)]
    heir = last.standing.superseded_by
    if heir is not None and record.standing.state is State.SUPERSEDED:
        return _as(record, superseded_by=heir, valid_to=last.valid_to)
    accepted = record.standing.stage is Stage.SEMANTIC or record.provenance.trust >= Trust.USER
    doubted = record.standing.state is State.INVALIDATED and not accepted
    state = State.UNCERTAIN if doubted else State.ACTIVE
    return _as(record, state=state, superseded_by=None, valid_to=None)


def _as(record: Record, **changes: Any) -> Record:
    """The record as it is to stand, which keeps how it stood before the first quarantine."""
    valid_to = changes.pop("valid_to", record.valid_to)
    changed = replace(record, valid_to=valid_to, standing=replace(record.standing, **changes))
    known = strict_json.loads(record.standing.former) if record.standing.former else {}
    former = json.dumps({"was": known.get("was", _links(record)), "is": _links(changed)})
    return replace(changed, standing=replace(changed.standing, former=former))


def _links(record: Record) -> dict[str, str | None]:
    """The part of a record's standing that a quarantine changes."""
    standing = record.standing
    return {
        "state": standing.state.value,
        "superseded_by": standing.superseded_by,
        "rival": standing.rival,
        "valid_to": record.valid_to.isoformat() if record.valid_to else None,
    }


def _before(record: Record) -> dict[str, str | None]:
    before: dict[str, str | None] = strict_json.loads(str(record.standing.former))["was"]
    return before


def _is_unchanged(record: Record) -> bool:
    """True for what a quarantine changed, and nothing else since then."""
    former = record.standing.former
    return former is not None and strict_json.loads(former)["is"] == _links(record)


def _restored(record: Record) -> Record:
    before = _before(record)
    standing = replace(
        record.standing,
        state=State(str(before["state"])),
        superseded_by=before["superseded_by"],
        rival=before["rival"],
        former=None,
    )
    ended = before["valid_to"]
    return replace(
        record, standing=standing, valid_to=datetime.fromisoformat(ended) if ended else None
    )


def _among(record: Record, others: Sequence[Record]) -> Record:
    """What is believed again, but gives way to what was said meanwhile where one value can hold."""
    statement = record.statement
    if statement is None or record.negated or predicate(statement.predicate).many:
        return record
    newer = [
        other
        for other in others
        if other.slot == record.slot
        and not other.negated
        and other.standing.state is record.standing.state is State.ACTIVE
        and (other.valid_to is None or other.valid_to > record.valid_from)
    ]
    if not newer or record.kind is not Kind.FACT:
        return record
    heir = min(newer, key=lambda other: other.valid_from)
    standing = replace(record.standing, state=State.SUPERSEDED, superseded_by=heir.id)
    return replace(record, standing=standing, valid_to=max(heir.valid_from, record.valid_from))


def _write(
    workspace: Workspace, action: str, plan: Callable[[Workspace], tuple[list[Record], Quarantined]]
) -> Quarantined:
    """Write what is planned, unless another writer changes it meanwhile; then plan again."""

    def attempt(fresh: Workspace) -> Quarantined:
        store = fresh.store
        slots = {record.slot for record in plan(fresh)[0]} - {None}
        heads = store.slot_heads(sorted(map(str, slots)))
        changed, done = plan(fresh)
        if not changed:
            return done
        if not {record.slot for record in changed} - {None} <= set(heads):
            raise Overtaken("others kept changing the same facts; try again")
        revisions = tuple(Revision(r.id, r.standing, r.valid_to) for r in changed)
        store.commit(Change(action, fresh.clock.now(), (), revisions=revisions, seen=heads))
        return done

    return workspace.retried(attempt)
