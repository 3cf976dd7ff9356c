"""Contradictions: which are open, the question to ask, and what the answer changes [CON-04]."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.knowledge import predicates, views
from sharpwave.knowledge.draft import slot_of_statement, statement_of
from sharpwave.knowledge.listing import part
from sharpwave.ports import UserStore
from sharpwave.types.known import Contradiction
from sharpwave.types.records import ACTIVE, FACTS, Kind, Record, State, Trust
from sharpwave.types.storing import WHOLE, Change, Order, Revision, Stated, Window
from sharpwave.workspace import Workspace

_UNCERTAIN = Stated(kinds=FACTS, states={State.UNCERTAIN}, order=Order.FOREMOST)

Pair = tuple[Record, Record]


def unresolved(workspace: Workspace, window: Window = WHOLE) -> list[Contradiction]:
    """Contradictions that are not resolved yet, the most important first."""

    def read(limit: int | None) -> list[Record]:
        return workspace.store.stated(replace(_UNCERTAIN, limit=limit))

    found = part(read, lambda doubted: _pairs(workspace.store, doubted), window)
    now = workspace.clock.now()
    return [_contradiction(older, newer, now) for older, newer in found]


def _pairs(store: UserStore, doubted: Sequence[Record]) -> list[Pair]:
    """Each uncertain record paired with what it contradicts, older first, in the given order."""
    rivals = _rivals(store, doubted)
    against = _better_sourced(
        store, [record for record in doubted if record.standing.rival is None]
    )
    found: dict[tuple[str, str], Pair] = {}
    for doubt in doubted:
        rival = rivals.get(doubt.standing.rival or "")
        pairs = [(known, doubt) for known in against.get(doubt.id, ())]
        if rival is not None:
            older, newer = sorted((doubt, rival), key=lambda record: record.number)
            pairs = [(older, newer)] if newer.standing.rival == older.id else []
        found |= {(older.id, newer.id): (older, newer) for older, newer in pairs}
    return list(found.values())


def _rivals(store: UserStore, doubted: Sequence[Record]) -> dict[str, Record]:
    """Uncertain records among the doubted and their rivals, by id."""
    known = {record.id: record for record in doubted}
    missing = {record.standing.rival for record in doubted if record.standing.rival} - known.keys()
    known |= {record.id: record for record in store.find(sorted(missing))}
    return {
        id_: record for id_, record in known.items() if record.standing.state is State.UNCERTAIN
    }


def _better_sourced(store: UserStore, doubted: Sequence[Record]) -> dict[str, list[Record]]:
    """Active facts of better sources that contradict each doubted one, by its id."""
    if not doubted:
        return {}
    slots = tuple(
        dict.fromkeys(slot for record in doubted for slot in _contradicting_slots(record))
    )
    held = store.stated(Stated(slots=slots, states=ACTIVE))
    return {
        doubt.id: [
            known
            for known in held
            if str(known.slot) in _contradicting_slots(doubt)
            and known.provenance.trust > doubt.provenance.trust > Trust.UNTRUSTED
            and (not doubt.negated or _is_denied(known, doubt))
        ]
        for doubt in doubted
    }


def _is_denied(known: Record, denial: Record) -> bool:
    """True if a denial is about exactly this value."""
    (_, name, value), denied = statement_of(known), statement_of(denial).object
    return not known.negated and predicates.same_object(name, value, denied)


def _contradicting_slots(record: Record) -> list[str]:
    """The slots that may hold a contradicting record."""
    statement = statement_of(record)
    excluded = predicates.predicate(statement.predicate).excludes
    opposites = [slot_of_statement(statement._replace(predicate=name)) for name in excluded]
    return [str(record.slot), *opposites]


def resolve(workspace: Workspace, conflict: str, keep: str) -> Contradiction:
    """Keep one of the two facts; the other is closed and kept as history."""
    now = workspace.clock.now()
    found = _contradiction(*_pair(workspace.store, conflict), now)
    sides = {"older": found.older.id, "newer": found.newer.id}
    right = sides.get(keep, keep)
    if right not in sides.values():
        raise InvalidInput(
            f"keep must be 'older', 'newer' or the id of one of the two, not {keep!r}"
        )
    (wrong,) = set(sides.values()) - {right}
    slots = tuple({str(record.slot) for record in workspace.store.find([right, wrong])})
    heads = workspace.store.slot_heads(slots)  # read first, to detect later changes
    known = {record.id: record for record in workspace.store.stated(Stated(slots=slots))}
    if right not in known or wrong not in known or not _is_open(known[right], known[wrong]):
        raise NotFound(f"the conflict {conflict!r} was settled meanwhile")
    kept, closed = known[right], known[wrong]
    was_true = closed.valid_from < kept.valid_from and right == sides["newer"]
    state = State.SUPERSEDED if was_true else State.INVALIDATED
    ends = max(kept.valid_from, closed.valid_from)
    past = replace(closed.standing, state=state, superseded_by=kept.id, rival=None)
    settled = replace(kept.standing, state=State.ACTIVE, rival=None, last_seen_at=now)
    revisions = (
        Revision(kept.id, settled, kept.valid_to),
        Revision(closed.id, past, ends),
        *(
            Revision.closing(record, State.SUPERSEDED, kept.valid_from, kept.id)
            for record in known.values()
            if _is_replaced(record, kept, now)
        ),
    )
    workspace.store.commit(Change("resolve", now, (), revisions=revisions, seen=heads))
    return found


def _pair(store: UserStore, conflict: str) -> Pair:
    """The two sides of a conflict, found by the id of either."""
    known = [record for record in store.find([conflict]) if record.kind is Kind.FACT]
    slots = tuple(dict.fromkeys(slot for record in known for slot in _contradicting_slots(record)))
    doubted = [record for record in known if record.standing.state is State.UNCERTAIN]
    if slots:
        doubted += store.stated(replace(_UNCERTAIN, slots=slots))
    for pair in _pairs(store, doubted):
        if conflict in (pair[0].id, pair[1].id):
            return pair
    raise NotFound(f"no open conflict {conflict!r}; `conflicts` lists them")


def _is_open(first: Record, second: Record) -> bool:
    """True while both are uncertain, or one is and has no rival of its own."""
    if first.standing.rival or second.standing.rival:
        return first.standing.rival == second.id
    return {first.standing.state, second.standing.state} == {State.UNCERTAIN, State.ACTIVE}


def _is_replaced(candidate: Record, kept: Record, now: datetime) -> bool:
    """True for a different current value where only one value can hold."""
    return (
        not predicates.predicate(statement_of(kept).predicate).many
        and candidate.slot == kept.slot
        and candidate.id != kept.id
        and not candidate.negated
        and not kept.negated
        and candidate.standing.state is State.ACTIVE
        and (candidate.valid_to is None or candidate.valid_to > now)
    )


def _contradiction(older: Record, newer: Record, now: datetime) -> Contradiction:
    old, new = statement_of(older), statement_of(newer)
    same = old.predicate == new.predicate and older.negated == newer.negated
    question = (
        predicates.question(new.subject, new.predicate, old.object, new.object)
        if same
        else predicates.contradiction(older.text, newer.text)
    )
    sides = (views.fact(record, now) for record in (older, newer))
    return Contradiction(newer.id, question, *sides)
