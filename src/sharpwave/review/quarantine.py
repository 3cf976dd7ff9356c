"""Taking back what a source said, and what was learned from it; and undoing that."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from sharpwave import checks
from sharpwave.errors import InvalidInput
from sharpwave.ports import Ports, Store
from sharpwave.types.known import Quarantined
from sharpwave.types.records import Kind, Record, Source, State
from sharpwave.types.storing import Change, Revision, Stated

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Suspect:
    """Which turns are not to be believed."""

    source: Source | None = None
    author: str | None = None
    session: str | None = None
    since: datetime | None = None

    def covers(self, record: Record) -> bool:
        """True if a turn is among them."""
        said = record.provenance
        return (
            record.kind is Kind.TURN
            and self.source in (None, said.source)
            and self.author in (None, said.author)
            and self.session in (None, record.session_id)
            and (self.since is None or record.recorded_at >= self.since)
        )


def suspect(
    source: str | None, author: str | None, session: str | None, since: datetime | None
) -> Suspect:
    """What a caller wants to quarantine, checked."""
    if all(part is None for part in (source, author, session, since)):
        raise InvalidInput("say what to quarantine: a source, an author, a session or a time")
    try:
        kind = None if source is None else Source(source)
    except ValueError:
        known = ", ".join(Source)
        raise InvalidInput(f"source must be one of {known}, not {source!r}") from None
    return Suspect(kind, author, session, checks.moment(since, "since") if since else None)


def quarantine(user_id: str, ports: Ports, suspect: Suspect) -> Quarantined:
    """Take turns out of recall, with every fact that rests on nothing else.

    What those facts had replaced holds again. Nothing is deleted: `release` undoes it.
    """
    turns = [r for r in _turns(user_id, ports.store, suspect) if r.standing.state is State.ACTIVE]
    gone = {record.id for record in turns}
    fallen = _resting_on(user_id, ports.store, gone, lambda r: r.standing.state is not _OUT)
    doomed = gone | {record.id for record in fallen}
    back = [record for record in _superseded_by(user_id, ports.store, doomed)]
    revisions = [_as(record, _OUT) for record in [*turns, *fallen]]
    revisions += [_as(r, State.ACTIVE, open_again=True) for r in back if r.id not in doomed]
    _write(user_id, ports, "quarantine", revisions)
    return Quarantined(len(turns), len(fallen), len(revisions) - len(turns) - len(fallen))


def release(user_id: str, ports: Ports, suspect: Suspect) -> Quarantined:
    """Believe the turns again, with what was learned from them and what that had replaced."""
    turns = [r for r in _turns(user_id, ports.store, suspect) if r.standing.state is _OUT]
    freed = {record.id for record in turns}
    risen = _resting_on(user_id, ports.store, freed, lambda r: r.standing.state is _OUT, all_=False)
    by_id = {record.id: record for record in risen}
    closed = [r for r in _superseded_by(user_id, ports.store, set(by_id)) if r.id not in by_id]
    revisions = [_as(record, State.ACTIVE) for record in turns]
    revisions += [_as(record, _former(record)) for record in risen]
    revisions += [
        Revision(
            record.id,
            replace(record.standing, state=State.SUPERSEDED),
            max(by_id[str(record.standing.superseded_by)].valid_from, record.valid_from),
        )
        for record in closed
    ]
    _write(user_id, ports, "release", revisions)
    return Quarantined(len(turns), len(risen), 0)


_OUT = State.QUARANTINED


def _turns(user_id: str, store: Store, suspect: Suspect) -> Iterator[Record]:
    after = 0
    while records := store.scan(user_id, after, _PAGE):
        yield from (record for record in records if suspect.covers(record))
        after = records[-1].number


def _resting_on(
    user_id: str,
    store: Store,
    ids: set[str],
    wanted: Callable[[Record], bool],
    all_: bool = True,
) -> list[Record]:
    """Derived records of which all the evidence (or any) is among these, and so on upwards."""
    found: dict[str, Record] = {}
    front = set(ids)
    while front:
        children = store.derived(user_id, sorted(front))
        new = {child for group in children.values() for child in group} - set(found)
        parents = store.evidence(user_id, sorted(new))
        reached = set(ids) | set(found)
        front = {
            child
            for child in new
            if (set(parents[child]) <= reached if all_ else set(parents[child]) & reached)
        }
        records = [record for record in store.find(user_id, sorted(front)) if wanted(record)]
        found |= {record.id: record for record in records}
        front &= set(found)
    return list(found.values())


def _superseded_by(user_id: str, store: Store, ids: set[str]) -> list[Record]:
    return [r for r in store.stated(user_id, Stated()) if r.standing.superseded_by in ids]


def _as(record: Record, state: State, open_again: bool = False) -> Revision:
    standing = replace(record.standing, state=state)
    return Revision(record.id, standing, None if open_again else record.valid_to)


def _former(record: Record) -> State:
    """How a fact stood before it was quarantined, as its links tell."""
    if record.standing.rival is not None:
        return State.UNCERTAIN
    return State.ACTIVE if record.standing.superseded_by is None else State.SUPERSEDED


def _write(user_id: str, ports: Ports, action: str, revisions: list[Revision]) -> None:
    if revisions:
        now = ports.clock.now()
        ports.store.commit(Change(user_id, action, now, (), revisions=tuple(revisions)))
