"""Who and what is known, as a drawing and as a list."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from math import sqrt
from typing import Any, NamedTuple

from sharpwave.interfaces.web.shown import counts
from sharpwave.types.known import Entity, Graph, Relation
from sharpwave.types.records import USER
from sharpwave.types.statements import EntityKind

MOST = 80
"""Entities that are drawn at once: more is a tangle."""
_COLOURS = {
    EntityKind.PERSON: "var(--accent)",
    EntityKind.PLACE: "var(--good)",
    EntityKind.ORGANISATION: "var(--warn)",
    EntityKind.EVENT: "var(--bad)",
    EntityKind.ANIMAL: "var(--soft)",
    EntityKind.THING: "var(--line-strong)",
}
_SMALLEST, _LARGEST = 10.0, 42.0
_FEW, _REPULSION = 10, 12_000
"""Few names keep so much distance that they fill the drawing; more keep less."""
_NARROW, _CLOSER = 520, 2
"""On a drawing of so many pixels they keep half of it, or they would stand outside."""
_LABELLED = 40
"""So many entities have their names written beside them; the others when one points at them."""


class Line(NamedTuple):
    """An entity in the list: what it is, and how it is related."""

    name: str
    shown: str
    kind: str
    about: str
    relations: tuple[str, ...]


def shown_name(name: str) -> str:
    """A name as a page says it.

    >>> shown_name("user"), shown_name("Ana")
    ('You', 'Ana')
    """
    return "You" if name == USER else name


def at_end_of(day: str) -> datetime | None:
    """The last moment of a day that was typed; None for now.

    >>> at_end_of("2026-05-01").isoformat(), at_end_of("soon"), at_end_of("")
    ('2026-05-01T23:59:59.999999+00:00', None, None)
    """
    try:
        return datetime.combine(date.fromisoformat(day), time.max, UTC)
    except ValueError:
        return None


def told(graph: Graph, around: str | None) -> str:
    """How much of everything this is."""
    if not graph.entities:
        return ""
    count = len(graph.entities)
    if graph.whole:
        relations = counts.count(len(graph.relations), "relation")
        return f"{counts.count(count, 'name')}, {relations}. That is everything."
    which = f"nearest to {shown_name(around)}" if around else "that come up most"
    return f"The {count} names {which}; there are more. Search to see others."


def drawing(graph: Graph) -> Mapping[str, Any]:
    """The options of a chart: the more often something comes up, the larger it is."""
    kinds = list(dict.fromkeys(each.kind for each in graph.entities))
    repulsion = _REPULSION / max(len(graph.entities), _FEW)
    closer = {
        "force": {"repulsion": repulsion / _CLOSER, "edgeLength": [80, 110]},
        "label": {"position": "bottom"},
    }
    return {
        "media": [{"query": {"maxWidth": _NARROW}, "option": {"series": [closer]}}],
        "legend": {
            "data": [{"name": kind.value} for kind in kinds],
            "textStyle": {"color": "var(--soft)"},
            "bottom": 0,
            "icon": "circle",
            "itemGap": 20,
        },
        "series": [_series(graph, kinds, repulsion)],
    }


def _series(graph: Graph, kinds: Sequence[EntityKind], repulsion: float) -> Mapping[str, Any]:
    most = max((each.records for each in graph.entities), default=1) or 1
    return {
        "type": "graph",
        "layout": "force",
        "top": 8,
        "bottom": 44,
        "zoom": 0.9,
        "roam": True,
        "draggable": True,
        "scaleLimit": {"min": 0.4, "max": 4},
        "force": {
            "repulsion": repulsion,
            "edgeLength": [90, 170],
            "gravity": 0.2,
            "layoutAnimation": False,
        },
        "categories": [
            {"name": kind.value, "itemStyle": {"color": _COLOURS[kind]}} for kind in kinds
        ],
        "data": [
            _node(each, most, kinds.index(each.kind), n < _LABELLED)
            for n, each in enumerate(graph.entities)
        ],
        "edges": _edges(graph),
        "lineStyle": {"color": "var(--line-strong)", "opacity": 0.6, "curveness": 0.05},
        "edgeLabel": {
            "show": len(graph.relations) <= _LABELLED,
            "formatter": "{c}",
            "fontSize": 11,
            "color": "var(--soft)",
        },
        "label": {"position": "right", "color": "var(--ink)", "fontSize": 12},
        "emphasis": {"focus": "adjacency", "label": {"show": True}},
    }


def lines(graph: Graph) -> Sequence[Line]:
    """The same as a list, for keyboards and screen readers."""
    related = defaultdict[str, list[str]](list)
    for each in graph.relations:
        related[each.one].append(each.fact.text)
        related[each.other].append(each.fact.text)
    return [
        Line(
            each.name,
            shown_name(each.name),
            each.kind.value,
            _about(each),
            tuple(dict.fromkeys(related[each.name])),
        )
        for each in graph.entities
    ]


def relation_words(relation: Relation) -> str:
    """What a line between two names says."""
    return relation.predicate.replace("_", " ")


def _about(entity: Entity) -> str:
    told = [f"came up {counts.times(entity.records)}"] if entity.records else []
    told += [f"also {', '.join(entity.aliases)}"] if entity.aliases else []
    return ", ".join(told)


def _node(entity: Entity, most: int, category: int, labelled: bool) -> dict[str, Any]:
    size = _SMALLEST + (_LARGEST - _SMALLEST) * sqrt(entity.records / most)
    return {
        "id": entity.name,
        "name": shown_name(entity.name),
        "value": entity.records,
        "symbolSize": round(_LARGEST if entity.name == USER else size, 1),
        "category": category,
        "label": {"show": labelled},
    }


def _edges(graph: Graph) -> list[dict[str, Any]]:
    """One line for each pair of names, with all that it stands for."""
    between = defaultdict[tuple[str, str], list[str]](list)
    for each in graph.relations:
        between[each.one, each.other].append(relation_words(each))
    return [
        {"source": one, "target": other, "value": ", ".join(dict.fromkeys(words))}
        for (one, other), words in between.items()
    ]
