"""Entities and how they are related: facts read as edges [KG-01, KG-07]."""

from datetime import datetime

from sharpwave.knowledge.draft import slot_of, statement_of
from sharpwave.ports import Ports, Store
from sharpwave.predicates import Objects, known, normal_name, predicate
from sharpwave.review import views
from sharpwave.temporal.validity import held_at
from sharpwave.types.known import Entity, Relation
from sharpwave.types.records import USER, Kind, Record, State
from sharpwave.types.storing import Stated

_FACTS = frozenset({Kind.FACT})
_MOST = 1000
"""Facts read of one entity."""


def entities(user_id: str, ports: Ports, limit: int) -> list[Entity]:
    """Who and what was mentioned, the most often first."""
    found = ports.store.entities(user_id, limit)
    return [Entity(each.name, each.kind, each.records) for each in found]


def related(
    user_id: str, ports: Ports, name: str, hops: int, at: datetime | None
) -> list[Relation]:
    """How a name is related to others, up to so many steps away, now or at a moment."""
    moment = at or ports.clock.now()
    reached: set[str] = set()
    found: dict[str, Record] = {}
    front = {normal_name(name)}
    for _ in range(hops):
        touching = [
            edge
            for entity in sorted(front)
            for edge in _touching(user_id, ports.store, entity)
            if _is_edge(edge) and held_at(edge, moment)
        ]
        found |= {edge.id: edge for edge in touching}
        reached |= front
        front = {end for edge in touching for end in _ends(edge)} - reached
    return [_relation(edge) for edge in found.values()]


def _touching(user_id: str, store: Store, entity: str) -> list[Record]:
    """Facts with an entity at either end; the user's own are found by what they relate."""
    if entity == USER:
        names = [name for name, row in known().items() if row.object is Objects.ENTITY]
        within = tuple(slot_of(USER, name) for name in sorted(names))
        return store.stated(user_id, Stated(within=within, kinds=_FACTS))
    numbers = store.mentioned(user_id, entity, _MOST)
    records = store.fetch(user_id, numbers)
    return [record for record in records if record.kind is Kind.FACT]


def _is_edge(record: Record) -> bool:
    row = predicate(statement_of(record).predicate)
    counts = record.standing.state in (State.ACTIVE, State.SUPERSEDED)
    return row.object is Objects.ENTITY and not record.negated and counts


def _ends(record: Record) -> set[str]:
    statement = statement_of(record)
    return {normal_name(statement.subject), normal_name(statement.object)}


def _relation(record: Record) -> Relation:
    statement = statement_of(record)
    return Relation(statement.subject, statement.predicate, statement.object, views.fact(record))
