"""Quarantine of turns by source, with everything learned from them, and its release."""

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

_QUARANTINED = State.QUARANTINED


@dataclass(frozen=True, slots=True)
class Suspect:
    """The filter for turns to quarantine or release."""

    source: Source | None = None
    author: str | None = None
    session: str | None = None
    since: datetime | None = None

    def covers(self, turn: Record) -> bool:
        """True if a turn matches."""
        provenance = turn.provenance
        return (
            self.source in (None, provenance.source)
            and self.author in (None, provenance.author)
            and self.session in (None, turn.session_id)
            and (self.since is None or turn.recorded_at >= self.since)
        )


def suspect(
    source: str | None, author: str | None, session: str | None, since: datetime | None
) -> Suspect:
    """The validated filter of a caller; raises InvalidInput."""
    if all(part is None for part in (source, author, session, since)):
        raise InvalidInput("say what to quarantine: a source, an author, a session or a time")
    kind = None if source is None else checks.choice(Source, source, "source")
    return Suspect(kind, author, session, checks.moment(since, "since") if since else None)


def quarantine(workspace: Workspace, suspect: Suspect) -> Quarantined:
    """Take turns out of recall, with every fact that has no other evidence.

    Facts that those had replaced or put in doubt are active again. Nothing is deleted: `release`
    undoes it exactly.
    """

    def plan(workspace: Workspace) -> tuple[list[Record], Quarantined]:
        store = workspace.store
        turns = list(filter(suspect.covers, _turns(workspace, State.ACTIVE)))
        if not turns:
            return [], Quarantined(0, 0, 0)
        derived = _derived_from(store, turns, lambda r: r.standing.state is not _QUARANTINED)
        quarantined = {record.id: record for record in [*turns, *derived]}
        changed = [_with_standing(record, state=_QUARANTINED) for record in quarantined.values()]
        stated = [r for r in store.stated(Stated()) if r.standing.state is not _QUARANTINED]
        remaining = [r for r in stated if r.id not in quarantined]
        reopened = [restored for r in remaining if (restored := _without(r, quarantined)) is not r]
        held = [record for record in reopened if record.standing.state is State.ACTIVE]
        return changed + reopened, Quarantined(len(turns), len(derived), len(held))

    return _write(workspace, "quarantine", plan)


def release(workspace: Workspace, suspect: Suspect) -> Quarantined:
    """Restore turns, with what was learned from them and their effect on other facts.

    Turns and facts that are still quarantined keep having no effect.
    """

    def plan(workspace: Workspace) -> tuple[list[Record], Quarantined]:
        store, quarantined = workspace.store, _turns(workspace, _QUARANTINED)
        turns = list(filter(suspect.covers, quarantined))
        if not turns:
            return [], Quarantined(0, 0, 0)
        derived = _derived_from(
            store, turns, lambda r: r.standing.state is _QUARANTINED, needs_all=False
        )
        released = {record.id for record in [*turns, *derived]}
        remaining = [r for r in store.stated(Stated()) if r.id not in released]
        still_quarantined = {
            record.id: _restored(record)
            for record in [*quarantined, *remaining]
            if record.standing.state is _QUARANTINED and record.id not in released
        }
        concerned = released | still_quarantined.keys()
        affected = [
            r
            for r in remaining
            if r.id not in still_quarantined
            and _is_unchanged(r)
            and concerned & set(_before(r).values())
        ]
        closed = {record.id: _without(_restored(record), still_quarantined) for record in affected}
        now = [closed.get(record.id, record) for record in remaining]
        changed = [
            _superseded_meanwhile(_without(_restored(record), still_quarantined), now)
            for record in [*turns, *derived]
        ]
        return [*changed, *closed.values()], Quarantined(len(turns), len(derived), 0)

    return _write(workspace, "release", plan)


def _turns(workspace: Workspace, state: State) -> list[Record]:
    turns = (record for record in workspace.records() if record.kind is Kind.TURN)
    return [turn for turn in turns if turn.standing.state is state]


def _derived_from(
    store: UserStore,
    turns: Sequence[Record],
    wanted: Callable[[Record], bool],
    needs_all: bool = True,
) -> list[Record]:
    """Records with all (or any) of their evidence among these turns, transitively."""
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
            if (set(parents[child]) <= reached if needs_all else set(parents[child]) & reached)
        }
        records = [record for record in store.find(sorted(front)) if wanted(record)]
        found |= {record.id: record for record in records}
        front &= set(found)
    return list(found.values())


def _without(record: Record, removed: Mapping[str, Record]) -> Record:
    """The record without the effect of removed ones; itself if they do not concern it."""
    if record.standing.superseded_by in removed:
        return _reopened(record, removed)
    if record.standing.rival in removed:
        return _with_standing(record, state=State.ACTIVE, rival=None)
    return record


def _reopened(record: Record, removed: Mapping[str, Record]) -> Record:
    """The record without its removed successors: active again, or superseded by the next one left.

    A fact from another source than the user that was never accepted is uncertain again.
    """
    last = removed[str(record.standing.superseded_by)]
    while last.standing.superseded_by in removed:
        last = removed[str(last.standing.superseded_by)]
    successor = last.standing.superseded_by
    if successor is not None and record.standing.state is State.SUPERSEDED:
        return _with_standing(record, superseded_by=successor, valid_to=last.valid_to)
    accepted = record.standing.stage is Stage.SEMANTIC or record.provenance.trust >= Trust.USER
    doubted = record.standing.state is State.INVALIDATED and not accepted
    state = State.UNCERTAIN if doubted else State.ACTIVE
    return _with_standing(record, state=state, superseded_by=None, valid_to=None)


def _with_standing(record: Record, **changes: Any) -> Record:
    """A changed copy of a record that keeps its standing from before the first quarantine."""
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
    """True for a record that a quarantine changed and nothing else has changed since."""
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


def _superseded_meanwhile(record: Record, known: Sequence[Record]) -> Record:
    """A restored record, superseded by a newer single-valued fact stored in the meantime."""
    statement = record.statement
    if statement is None or record.negated or predicate(statement.predicate).many:
        return record
    newer = [
        candidate
        for candidate in known
        if candidate.slot == record.slot
        and not candidate.negated
        and candidate.standing.state is record.standing.state is State.ACTIVE
        and (candidate.valid_to is None or candidate.valid_to > record.valid_from)
    ]
    if not newer or record.kind is not Kind.FACT:
        return record
    successor = min(newer, key=lambda candidate: candidate.valid_from)
    standing = replace(record.standing, state=State.SUPERSEDED, superseded_by=successor.id)
    return replace(record, standing=standing, valid_to=max(successor.valid_from, record.valid_from))


def _write(
    workspace: Workspace, action: str, plan: Callable[[Workspace], tuple[list[Record], Quarantined]]
) -> Quarantined:
    """Write the plan; if another writer changes the same facts meanwhile, plan again."""

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
