"""Everything known about a person or thing, under all of its names."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from sharpwave.knowledge import conflicts, tasks, views
from sharpwave.knowledge import names as naming
from sharpwave.knowledge.confidence import confidence as current_confidence
from sharpwave.knowledge.draft import slot_of, statement_of
from sharpwave.knowledge.names import Names, is_naming, settled
from sharpwave.knowledge.predicates import NOTED, Objects, known, normal_name, predicate
from sharpwave.ports import UserStore
from sharpwave.temporal.clock import from_microseconds
from sharpwave.temporal.validity import held_at
from sharpwave.types.known import About, Connection, Entity, Graph, Relation
from sharpwave.types.records import ACTIVE, EVER_TRUE, FACTS, USER, Record, Role
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import EntityCount, Order, Stated
from sharpwave.workspace import Workspace

_MOST_MENTIONS = 1_000_000


def about(workspace: Workspace, name: str, at: datetime | None) -> About:
    """Facts, relations, tasks, notes and mentions, now or as of a moment."""
    now = workspace.clock.now()
    moment = at or now
    names = naming.of(workspace.store, name)
    stated = _stated(workspace.store, names, [f"{key}|" for key in sorted(names.keys)])
    counting = [record for record in stated if record.standing.state in EVER_TRUE]
    own = [record for record in counting if normal_name(statement_of(record).subject) in names.keys]
    held, replaced = settled([record for record in own if held_at(record, moment)])
    ended = [record for record in own if record.valid_to is not None and record.valid_to <= moment]
    mentioned_at = _mention_times(workspace.store, names, stated, moment)
    noted = _noted(workspace.store, names, moment)
    facts = [*(record for record in held if not is_naming(record)), *noted]
    facts.sort(key=lambda r: (-r.standing.importance, -current_confidence(r, now)))
    former = [*replaced, *ended]
    former.sort(key=lambda r: (r.valid_to or r.valid_from, r.number), reverse=True)
    return About(
        name=names.shown,
        aliases=naming.aliases(names),
        kind=kind_of(workspace.store, names),
        at=moment,
        facts=tuple(views.fact(record, now) for record in facts),
        formerly=tuple(views.fact(record, now) for record in former),
        relations=tuple(
            relation(record, now)
            for record in counting
            if is_edge(record, moment) and record not in replaced
        ),
        tasks=tuple(
            task for task in tasks.with_status(workspace, None) if _mentions_name(task.title, names)
        ),
        notes=tuple(note for note in tasks.notes(workspace) if _mentions_name(note.text, names)),
        conflicts=tuple(
            conflict
            for conflict in conflicts.unresolved(workspace)
            if {normal_name(side.subject) for side in (conflict.older, conflict.newer)} & names.keys
        ),
        mentions=len(mentioned_at),
        first_mentioned=min(mentioned_at, default=None),
        last_mentioned=max(mentioned_at, default=None),
    )


def _stated(store: UserStore, names: Names, within: Iterable[str]) -> list[Record]:
    """Every fact in these slots or with one of the names as its object, in order."""
    wanted = Stated(within=tuple(within), about=tuple(sorted(names.keys)), kinds=FACTS)
    found = {record.number: record for record in store.stated(wanted)}
    return [found[number] for number in sorted(found)]


def _mention_times(
    store: UserStore, names: Names, stated: Sequence[Record], moment: datetime
) -> list[datetime]:
    """The times of the turns that mention one of the names."""
    turns = sorted(_mentioned(store, names) - {record.number for record in stated})
    times = [from_microseconds(turn.valid_from_us) for turn in store.spoken_texts(turns)]
    return [time for time in times if time <= moment]


_PRONOUN = re.compile(r"\b(?:he|she|him|his|hers?|they|their|my)\b", re.IGNORECASE)


def _noted(store: UserStore, names: Names, moment: datetime) -> list[Record]:
    """The user's free statements about one of the names, or from a turn that mentions it."""
    if USER in names.keys:
        return []
    turns = {record.id for record in store.fetch(sorted(_mentioned(store, names)))}
    wanted = Stated(within=(slot_of(USER, NOTED),), kinds=FACTS, states=ACTIVE)
    return [
        record
        for record in store.stated(wanted)
        if held_at(record, moment)
        and (
            _mentions_name(record.text, names)
            or (not turns.isdisjoint(record.provenance.parents) and _PRONOUN.search(record.text))
        )
    ]


def _mentions_name(text: str, names: Names) -> bool:
    """True if a text contains one of the names as whole words."""
    spelt = [names.spelt.get(key, key) for key in names.keys - {USER}]
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in spelt)


_NEWEST_MENTIONS = 16
"""Number of newest mentions that decide the kind of an entity."""
_MIN_MENTIONS = 2
"""Minimum mentions by the user before a thing without facts is drawn."""
_MOST_PATHS = 10
"""Maximum number of paths shown between two names."""
_MOST_DRAWN = 2_000
"""Maximum number of facts read for the relations of a drawing."""
_RELATING = frozenset(name for name, row in known().items() if row.object is Objects.ENTITY)
_MOST_STEPS = 2_000
"""Maximum number of partial paths examined in a path search."""


def entities(workspace: Workspace, limit: int) -> list[Entity]:
    """Mentioned entities, the most frequent first; the names of one entity count together."""
    counted = {count.key: count for count in workspace.store.entities(limit)}
    found, look = list[Entity](), naming.cached_lookup(workspace.store)
    while counted:
        first = next(iter(counted))
        names = naming.resolve(first, look)
        own = [counted.pop(key) for key in list(counted) if key in names.keys]
        found.append(_entity(workspace.store, names, own[0]))
    return sorted(found, key=lambda entity: (-entity.records, entity.name))


def related(workspace: Workspace, name: str, hops: int, at: datetime | None) -> list[Relation]:
    """Relations up to `hops` steps away from a name, now or at a moment."""
    now = workspace.clock.now()
    graph = _Graph(workspace.store, at or now)
    found: dict[str, Record] = {}
    reached, front = set[str](), [graph.node(name)]
    for _ in range(hops):
        touching = [edge for node in front for edge in graph.edges(node)]
        found |= {edge.id: edge for edge in touching}
        reached.update(front)
        ends = {graph.node(end) for edge in touching for end in _ends(edge)}
        front = sorted(ends - reached)
    return [relation(edge, now) for edge in found.values()]


def paths(
    workspace: Workspace, ends: tuple[str, str], hops: int, at: datetime | None
) -> list[Connection]:
    """Paths of at most `hops` relations between two names, the shortest first."""
    now = workspace.clock.now()
    graph = _Graph(workspace.store, at or now)
    start, goal = (graph.node(name) for name in ends)
    found: list[Connection] = []
    waiting: deque[tuple[tuple[str, ...], tuple[Record, ...]]] = deque([((start,), ())])
    for _ in range(_MOST_STEPS):
        if not waiting or len(found) == _MOST_PATHS:
            break
        nodes, edges = waiting.popleft()
        if nodes[-1] == goal and edges:
            steps = tuple(relation(edge, now) for edge in edges)
            found.append(Connection(tuple(map(graph.shown, nodes)), steps))
        elif len(edges) < hops:
            waiting.extend(
                ((*nodes, node), (*edges, edge))
                for edge in graph.edges(nodes[-1])
                for node in sorted({graph.node(end) for end in _ends(edge)} - set(nodes))
            )
    return found


def drawn(workspace: Workspace, limit: int, at: datetime | None, around: str | None) -> Graph:
    """The most mentioned entities, or those nearest to a name, and the relations between them."""
    store, now = workspace.store, workspace.clock.now()
    moment = at or now
    graph = _Graph(store, moment)
    if around is None:
        counted = {count.key: count for count in store.entities(limit + 1)}
        named = (count.name for count in counted.values() if not naming.is_unnamed(count.name))
        names = map(graph.node, named)
        nodes = dict.fromkeys([graph.node(USER), *names])
    else:
        counted = {}
        nodes = dict.fromkeys(graph.near(around, limit + 1))
    shown = list(nodes)[:limit]
    relations = [
        replace(relation(edge, now), one=graph.shown(start), other=graph.shown(end))
        for edge, start, end in graph.between(shown)
    ]
    related_ends = {end for edge in relations for end in (edge.one, edge.other)}
    entities = {node: graph.entity(node, counted.get(node)) for node in shown}
    connected = [
        entity
        for node, entity in entities.items()
        if entity.name in related_ends or (entity.records and graph.is_worth_drawing(node))
    ]
    return Graph(moment, tuple(connected), tuple(relations), len(nodes) <= limit)


def touching(store: UserStore, names: Names) -> list[Record]:
    """Facts with one of the names at either end, in order; of the user's own, only relations."""
    within = [f"{key}|" for key in sorted(names.keys - {USER})]
    if USER in names.keys:
        within += [slot_of(USER, name) for name in sorted(_RELATING)]
    return _stated(store, names, within)


def is_edge(record: Record, at: datetime) -> bool:
    """True for a fact that relates two entities at that moment."""
    row = predicate(statement_of(record).predicate)
    counts = record.standing.state in EVER_TRUE
    relates = row.object is Objects.ENTITY and not is_naming(record)
    return relates and counts and not record.negated and held_at(record, at)


def relation(record: Record, now: datetime) -> Relation:
    """A fact as an edge."""
    statement, fact = statement_of(record), views.fact(record, now)
    return Relation(statement.subject, statement.predicate, statement.object, fact)


class _Graph:
    """One user's graph at a moment, read lazily."""

    def __init__(self, store: UserStore, at: datetime) -> None:
        self._store = store
        self._at = at
        self._look = naming.cached_lookup(store)
        self._names: dict[str, Names] = {}
        self._edges: dict[str, list[Record]] = {}

    def node(self, name: str) -> str:
        """The node of a name: the alphabetically first of the entity's normalized names."""
        key = normal_name(naming.resolved_name(name))
        if key not in self._names:
            names = naming.resolve(name, self._look)
            self._names |= dict.fromkeys(names.keys, names)
        return min(self._names[key].keys)

    def shown(self, node: str) -> str:
        """The name shown for an entity."""
        return self._names[node].shown

    def entity(self, node: str, counted: EntityCount | None) -> Entity:
        """The entity with its kind and the number of records that mention it."""
        return replace(_entity(self._store, self._names[node], counted), name=self.shown(node))

    def is_worth_drawing(self, node: str) -> bool:
        """Whether the user mentioned the entity, and it is more than a capitalized word."""
        names = self._names[node]
        kind, own = _kind_and_mentions(self._store, names)
        if not naming.may_be_person(names) or (kind is EntityKind.THING and names.shown.isupper()):
            return False
        return own >= (_MIN_MENTIONS if kind is EntityKind.THING else 1)

    def near(self, name: str, most: int) -> list[str]:
        """The node of a name, then related nodes in breadth-first order, at most `most`."""
        found, waiting = dict.fromkeys([self.node(name)]), deque([self.node(name)])
        while waiting and len(found) < most:
            for edge in self.edges(waiting.popleft()):
                for node in map(self.node, _ends(edge)):
                    if node not in found and len(found) < most:
                        found[node] = None
                        waiting.append(node)
        return list(found)

    def between(self, nodes: Sequence[str]) -> list[tuple[Record, str, str]]:
        """Facts that relate two of these entities, with both nodes; the most important first."""
        keys = {key: node for node in nodes for key in self._names[node].keys}
        wanted = Stated(
            among=tuple(sorted(keys)),
            kinds=FACTS,
            states=EVER_TRUE,
            predicates=_RELATING,
            begun_by=self._at,
            beyond=self._at,
            order=Order.FOREMOST,
            limit=_MOST_DRAWN,
        )
        found = []
        for record in self._store.stated(wanted):
            start, end = (keys.get(normal_name(end)) for end in _ends(record))
            if start and end and start != end and is_edge(record, self._at):
                found.append((record, start, end))
        return found

    def edges(self, node: str) -> list[Record]:
        """The facts that relate an entity to others."""
        if node not in self._edges:
            found = touching(self._store, self._names[node])
            self._edges[node] = [record for record in found if is_edge(record, self._at)]
        return self._edges[node]


def kind_of(store: UserStore, names: Names) -> EntityKind:
    """The kind of an entity: by its facts, else by the majority of its newest mentions."""
    return _kind_and_mentions(store, names)[0]


def _kind_and_mentions(store: UserStore, names: Names) -> tuple[EntityKind, int]:
    """The kind of an entity, and how many of its newest mentions are not the assistant's."""
    if USER in names.keys:
        return EntityKind.PERSON, 1
    newest = sorted(
        (n for key in names.keys for n in store.mentioned(key, _NEWEST_MENTIONS)), reverse=True
    )
    records = {record.id: record for record in store.fetch(newest[:_NEWEST_MENTIONS])}
    stated, spoken = list[EntityKind](), list[EntityKind]()
    for id_, mentions in store.mentions(list(records)).items():
        own = stated if records[id_].kind in FACTS else spoken
        own += [mention.kind for mention in mentions if mention.key in names.keys]
    for kinds in (stated, spoken):
        if telling := [kind for kind in kinds if kind is not EntityKind.THING]:
            break
    own_turns = sum(record.role is not Role.ASSISTANT for record in records.values())
    return (Counter(telling).most_common(1)[0][0] if telling else EntityKind.THING), own_turns


def _entity(store: UserStore, names: Names, counted: EntityCount | None) -> Entity:
    if counted is not None and len(names.keys) == 1:
        return Entity(counted.name, kind_of(store, names), counted.records)
    aliases = tuple(alias.name for alias in naming.aliases(names))
    return Entity(names.shown, kind_of(store, names), len(_mentioned(store, names)), aliases)


def _mentioned(store: UserStore, names: Names) -> set[int]:
    """Numbers of the records that mention one of the names."""
    return {number for key in names.keys for number in store.mentioned(key, _MOST_MENTIONS)}


def _ends(record: Record) -> tuple[str, str]:
    statement = statement_of(record)
    return statement.subject, statement.object
