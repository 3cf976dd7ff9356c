"""Entities and how they are related: facts read as edges [KG-01, KG-07]."""

from datetime import datetime

from sharpwave.knowledge.draft import statement_of
from sharpwave.ports import Ports
from sharpwave.predicates import Objects, normal_name, predicate
from sharpwave.review import views
from sharpwave.temporal.validity import held_at
from sharpwave.types.known import Entity, Relation
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.storing import Stated

_ACTIVE = Stated(kinds=frozenset({Kind.FACT}), states=frozenset({State.ACTIVE}))
_EVERY = Stated(kinds=frozenset({Kind.FACT}))


def entities(user_id: str, ports: Ports, limit: int) -> list[Entity]:
    """Who and what was mentioned, the most often first."""
    found = ports.store.entities(user_id, limit)
    return [Entity(each.name, each.kind, each.records) for each in found]


def related(
    user_id: str, ports: Ports, name: str, hops: int, at: datetime | None
) -> list[Relation]:
    """How a name is related to others, up to so many steps away, now or at a moment."""
    wanted = _ACTIVE if at is None else _EVERY
    moment = at or ports.clock.now()
    edges = [r for r in ports.store.stated(user_id, wanted) if _is_edge(r) and held_at(r, moment)]
    reached: set[str] = set()
    found: dict[str, Record] = {}
    front = {normal_name(name)}
    for _ in range(hops):
        touching = [edge for edge in edges if _ends(edge) & front and edge.id not in found]
        found |= {edge.id: edge for edge in touching}
        reached |= front
        front = {end for edge in touching for end in _ends(edge)} - reached
    return [_relation(edge) for edge in found.values()]


def _is_edge(record: Record) -> bool:
    known = predicate(statement_of(record).predicate)
    return known.object is Objects.ENTITY and not record.negated


def _ends(record: Record) -> set[str]:
    statement = statement_of(record)
    return {normal_name(statement.subject), normal_name(statement.object)}


def _relation(record: Record) -> Relation:
    statement = statement_of(record)
    return Relation(statement.subject, statement.predicate, statement.object, views.fact(record))
