"""Contradictions: which are open, what to ask, and what the answer does [CON-04]."""

from dataclasses import replace
from datetime import datetime

from sharpwave import predicates
from sharpwave.errors import InvalidInput, NotFound
from sharpwave.knowledge.draft import statement_of
from sharpwave.knowledge.slots import slot
from sharpwave.knowledge.sureness import Fading
from sharpwave.ports import Ports
from sharpwave.review import views
from sharpwave.types.known import Contradiction
from sharpwave.types.records import Kind, Record, State, Trust
from sharpwave.types.storing import Change, Revision, Stated

_OPEN = Stated(kinds=frozenset({Kind.FACT}), states=frozenset({State.UNCERTAIN}))
_ACTIVE = frozenset({State.ACTIVE})


def open_ones(user_id: str, ports: Ports, fading: Fading) -> list[Contradiction]:
    """What nobody has answered yet, the most important first."""
    doubted = {record.id: record for record in ports.store.stated(user_id, _OPEN)}
    pairs = [
        (doubted[record.standing.rival], record)
        for record in doubted.values()
        if record.standing.rival in doubted and _is_newer(record, doubted[record.standing.rival])
    ]
    pairs += _variants([one for one in doubted.values() if one.standing.rival is None], ports)
    pairs.sort(key=lambda pair: -max(record.standing.importance for record in pair))
    return [_contradiction(older, newer, fading) for older, newer in pairs]


def _variants(doubted: list[Record], ports: Ports) -> list[tuple[Record, Record]]:
    """What holds by a better word, beside each that a weaker source says instead."""
    if not doubted:
        return []
    slots = tuple({slot for one in doubted for slot in _against(one)})
    held = ports.store.stated(doubted[0].user_id, Stated(slots=slots, states=_ACTIVE))
    return [
        (known, one)
        for one in doubted
        for known in held
        if str(known.slot) in _against(one)
        and known.provenance.trust > one.provenance.trust > Trust.UNTRUSTED
    ]


def _against(one: Record) -> list[str]:
    """The slots in which something can hold that contradicts it."""
    said = statement_of(one)
    excluded = predicates.predicate(said.predicate).excludes
    others = [slot(said._replace(predicate=name)) for name in excluded]
    return [str(one.slot), *others]


def resolve(user_id: str, ports: Ports, fading: Fading, conflict: str, keep: str) -> Contradiction:
    """Let one of the two hold; the other is closed and kept as history."""
    every = open_ones(user_id, ports, fading)
    found = [one for one in every if conflict in (one.older.id, one.newer.id)]
    if not found:
        raise NotFound(f"no open conflict {conflict!r}; `conflicts` lists them")
    sides = {"older": found[0].older.id, "newer": found[0].newer.id}
    right = sides.get(keep, keep)
    if right not in sides.values():
        raise InvalidInput(
            f"keep must be 'older', 'newer' or the id of one of the two, not {keep!r}"
        )
    (wrong,) = set(sides.values()) - {right}
    slots = tuple({str(one.slot) for one in ports.store.find(user_id, [right, wrong])})
    heads = ports.store.slot_heads(user_id, slots)  # first: what changes after that is noticed
    known = {record.id: record for record in ports.store.stated(user_id, Stated(slots=slots))}
    if right not in known or wrong not in known or not _is_open(known[right], known[wrong]):
        raise NotFound(f"the conflict {conflict!r} was settled meanwhile")
    kept, closed = known[right], known[wrong]
    now = ports.clock.now()
    was_true = closed.valid_from < kept.valid_from and right == sides["newer"]
    state = State.SUPERSEDED if was_true else State.INVALIDATED
    ends = max(kept.valid_from, closed.valid_from)
    past = replace(closed.standing, state=state, superseded_by=kept.id, rival=None)
    settled = replace(kept.standing, state=State.ACTIVE, rival=None, last_seen_at=now)
    revisions = (
        Revision(kept.id, settled, kept.valid_to),
        Revision(closed.id, past, ends),
        *(_outdated(other, kept) for other in known.values() if _is_replaced(other, kept, now)),
    )
    ports.store.commit(Change(user_id, "resolve", now, (), revisions=revisions, seen=heads))
    return found[0]


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


def _outdated(other: Record, kept: Record) -> Revision:
    standing = replace(other.standing, state=State.SUPERSEDED, superseded_by=kept.id)
    return Revision(other.id, standing, max(kept.valid_from, other.valid_from))


def _is_newer(record: Record, other: Record) -> bool:
    return record.number > other.number


def _contradiction(older: Record, newer: Record, fading: Fading) -> Contradiction:
    old, new = statement_of(older), statement_of(newer)
    same = old.predicate == new.predicate and older.negated == newer.negated
    question = (
        predicates.question(new.subject, new.predicate, old.object, new.object)
        if same
        else predicates.contradiction(older.text, newer.text)
    )
    sides = (views.fact(one, fading) for one in (older, newer))
    return Contradiction(newer.id, question, *sides)
