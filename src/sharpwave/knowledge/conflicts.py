"""Contradictions: which are open, what to ask, and what the answer does [CON-04]."""

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
    """What is in doubt beside what it contradicts, the older first, in the order of the doubts."""
    rivals = _rivals(store, doubted)
    against = _better(store, [one for one in doubted if one.standing.rival is None])
    found: dict[tuple[str, str], Pair] = {}
    for one in doubted:
        rival = rivals.get(one.standing.rival or "")
        pairs = [(known, one) for known in against.get(one.id, ())]
        if rival is not None:
            older, newer = sorted((one, rival), key=lambda record: record.number)
            pairs = [(older, newer)] if newer.standing.rival == older.id else []
        found |= {(older.id, newer.id): (older, newer) for older, newer in pairs}
    return list(found.values())


def _rivals(store: UserStore, doubted: Sequence[Record]) -> dict[str, Record]:
    """What the doubted contradict and is itself in doubt, by id."""
    known = {one.id: one for one in doubted}
    others = {one.standing.rival for one in doubted if one.standing.rival} - known.keys()
    known |= {one.id: one for one in store.find(sorted(others))}
    return {id_: one for id_, one in known.items() if one.standing.state is State.UNCERTAIN}


def _better(store: UserStore, doubted: Sequence[Record]) -> dict[str, list[Record]]:
    """Active facts of better sources that contradict each doubted one, by its id."""
    if not doubted:
        return {}
    slots = tuple(dict.fromkeys(slot for one in doubted for slot in _against(one)))
    held = store.stated(Stated(slots=slots, states=ACTIVE))
    return {
        one.id: [
            known
            for known in held
            if str(known.slot) in _against(one)
            and known.provenance.trust > one.provenance.trust > Trust.UNTRUSTED
            and (not one.negated or _is_denied(known, one))
        ]
        for one in doubted
    }


def _is_denied(known: Record, denial: Record) -> bool:
    """True if a denial is about this very value."""
    (_, name, value), denied = statement_of(known), statement_of(denial).object
    return not known.negated and predicates.same_object(name, value, denied)


def _against(one: Record) -> list[str]:
    """The slots in which something can hold that contradicts it."""
    said = statement_of(one)
    excluded = predicates.predicate(said.predicate).excludes
    others = [slot_of_statement(said._replace(predicate=name)) for name in excluded]
    return [str(one.slot), *others]


def resolve(workspace: Workspace, conflict: str, keep: str) -> Contradiction:
    """Let one of the two hold; the other is closed and kept as history."""
    now = workspace.clock.now()
    found = _contradiction(*_pair(workspace.store, conflict), now)
    sides = {"older": found.older.id, "newer": found.newer.id}
    right = sides.get(keep, keep)
    if right not in sides.values():
        raise InvalidInput(
            f"keep must be 'older', 'newer' or the id of one of the two, not {keep!r}"
        )
    (wrong,) = set(sides.values()) - {right}
    slots = tuple({str(one.slot) for one in workspace.store.find([right, wrong])})
    heads = workspace.store.slot_heads(slots)  # first: what changes after that is noticed
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
            Revision.closing(other, State.SUPERSEDED, kept.valid_from, kept.id)
            for other in known.values()
            if _is_replaced(other, kept, now)
        ),
    )
    workspace.store.commit(Change("resolve", now, (), revisions=revisions, seen=heads))
    return found


def _pair(store: UserStore, conflict: str) -> Pair:
    """The two sides of a conflict that the id of either names."""
    known = [one for one in store.find([conflict]) if one.kind is Kind.FACT]
    slots = tuple(dict.fromkeys(slot for one in known for slot in _against(one)))
    doubted = [one for one in known if one.standing.state is State.UNCERTAIN]
    if slots:
        doubted += store.stated(replace(_UNCERTAIN, slots=slots))
    for pair in _pairs(store, doubted):
        if conflict in (pair[0].id, pair[1].id):
            return pair
    raise NotFound(f"no open conflict {conflict!r}; `conflicts` lists them")


def _is_open(one: Record, other: Record) -> bool:
    """True while both are in doubt, or one is and has no rival of its own."""
    if one.standing.rival or other.standing.rival:
        return one.standing.rival == other.id
    return {one.standing.state, other.standing.state} == {State.UNCERTAIN, State.ACTIVE}


def _is_replaced(other: Record, kept: Record, now: datetime) -> bool:
    """True for another value that holds where only one can."""
    return (
        not predicates.predicate(statement_of(kept).predicate).many
        and other.slot == kept.slot
        and other.id != kept.id
        and not other.negated
        and not kept.negated
        and other.standing.state is State.ACTIVE
        and (other.valid_to is None or other.valid_to > now)
    )


def _contradiction(older: Record, newer: Record, now: datetime) -> Contradiction:
    old, new = statement_of(older), statement_of(newer)
    same = old.predicate == new.predicate and older.negated == newer.negated
    question = (
        predicates.question(new.subject, new.predicate, old.object, new.object)
        if same
        else predicates.contradiction(older.text, newer.text)
    )
    sides = (views.fact(one, now) for one in (older, newer))
    return Contradiction(newer.id, question, *sides)
