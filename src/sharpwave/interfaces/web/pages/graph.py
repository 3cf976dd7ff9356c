"""Known people and things and their relations, on any day."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from functools import partial
from math import sqrt
from typing import Any, NamedTuple

from nicegui import html, ui
from nicegui.events import EChartPointClickEventArguments

from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.records import PagedList, page_of
from sharpwave.interfaces.web.sessions import Viewer
from sharpwave.types.known import About, Entity, Graph
from sharpwave.types.records import USER
from sharpwave.types.statements import EntityKind

MOST = 80
"""Maximum number of entities drawn at once: more are unreadable."""
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
"""Up to this number of nodes the repulsion fills the drawing; with more nodes it is lower."""
_NARROW, _CLOSER = 520, 2
"""Below this width in pixels the repulsion is divided by this, to keep nodes inside."""
_OF_USER = f"{USER}'s "
_LABELLED = 40
"""Number of entities with visible labels; the others show theirs on hover."""


class EntityLine(NamedTuple):
    """An entity in the list: how it is related."""

    entity: Entity
    relations: tuple[str, ...]


def shown_name(name: str) -> str:
    """A name as shown on a page.

    >>> shown_name("user"), shown_name("Ana"), shown_name("user's best friend")
    ('You', 'Ana', 'Your best friend')
    """
    if name == USER:
        return "You"
    return f"Your {name.removeprefix(_OF_USER)}" if name.startswith(_OF_USER) else name


def typed_name(words: str) -> str:
    """The stored name for a name as shown on a page.

    >>> typed_name("you"), typed_name("Ana"), typed_name("Your best friend")
    ('user', 'Ana', "user's best friend")
    """
    first, _, rest = words.partition(" ")
    if first.casefold() == "your" and rest:
        return f"{_OF_USER}{rest}"
    return USER if words.casefold() == "you" else words


def at_end_of(day: str) -> datetime | None:
    """The last moment of a typed day; None for now.

    >>> at_end_of("2026-05-01").isoformat(), at_end_of("soon"), at_end_of("")
    ('2026-05-01T23:59:59.999999+00:00', None, None)
    """
    try:
        return datetime.combine(date.fromisoformat(day), time.max, UTC)
    except ValueError:
        return None


def extent_words(graph: Graph, around: str | None) -> str:
    """How much of the whole graph is shown."""
    if not graph.entities:
        return ""
    count = len(graph.entities)
    if graph.whole:
        relations = records.count(len(graph.relations), "relation")
        where = f" around {shown_name(around)}" if around else ""
        return f"{records.count(count, 'name')}, {relations}. That is everything{where}."
    which = f"nearest to {shown_name(around)}" if around else "that come up most"
    return f"The {count} names {which}; there are more. Search to see others."


def drawing(graph: Graph) -> Mapping[str, Any]:
    """The options of a chart with larger nodes for more frequent entities."""
    kinds = list(dict.fromkeys(entity.kind for entity in graph.entities))
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
    max_records = max((entity.records for entity in graph.entities), default=1) or 1
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
            _node(entity, max_records, kinds.index(entity.kind), rank < _LABELLED)
            for rank, entity in enumerate(graph.entities)
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


def entity_lines(graph: Graph) -> Sequence[EntityLine]:
    """The graph as a list, for keyboards and screen readers."""
    related = defaultdict[str, list[str]](list)
    for relation in graph.relations:
        related[relation.one].append(relation.fact.text)
        related[relation.other].append(relation.fact.text)
    return [
        EntityLine(entity, tuple(dict.fromkeys(related[entity.name]))) for entity in graph.entities
    ]


def _about(entity: Entity) -> str:
    parts = [f"came up {records.times(entity.records)}"] if entity.records else []
    parts += [f"also {', '.join(entity.aliases)}"] if entity.aliases else []
    return ", ".join(parts)


def _node(entity: Entity, max_records: int, category: int, labelled: bool) -> dict[str, Any]:
    size = _SMALLEST + (_LARGEST - _SMALLEST) * sqrt(entity.records / max_records)
    return {
        "id": entity.name,
        "name": shown_name(entity.name),
        "value": entity.records,
        "symbolSize": round(_LARGEST if entity.name == USER else size, 1),
        "category": category,
        "label": {"show": labelled},
    }


def _edges(graph: Graph) -> list[dict[str, Any]]:
    """One edge for each pair of names, labelled with all its predicates."""
    predicates = defaultdict[tuple[str, str], list[str]](list)
    for relation in graph.relations:
        predicates[relation.one, relation.other].append(relation.predicate.replace("_", " "))
    return [
        {"source": source, "target": target, "value": ", ".join(dict.fromkeys(labels))}
        for (source, target), labels in predicates.items()
    ]


_LISTED = 8
_FACTS = 8


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    _GraphPage(viewer)


class _GraphPage:
    """The search, the drawing, the list beside it, and details of the chosen entity."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._around: str | None = None
        with html.form().classes("sw-row").on("submit.prevent", self._search):
            self._name = components.text_field("Begin with a name").classes("sw-grow")
            self._day = components.text_field("As of").props("type=date stack-label clearable")
            components.button("Show", look=components.ButtonStyle.PRIMARY).props("type=submit")
            self._all = components.button("Show all", self._show_all, components.ButtonStyle.PLAIN)
        self._place = components.column()
        components.draw_after_load(self.build, self._place)

    async def build(self) -> None:
        """Draw the chosen part of the graph."""
        at = at_end_of(str(self._day.value or ""))
        ask, view = self._viewer.ask, self._viewer.memory.graph.view
        graph = await ask(view, MOST, at=at, around=self._around)
        self._all.set_visibility(self._around is not None)
        self._place.clear()
        with self._place:
            if graph.entities:
                await self._draw(graph)
            else:
                _nothing(self._around, at is not None)

    async def _draw(self, graph: Graph) -> None:
        html.p(extent_words(graph, self._around)).classes("sw-soft").props("role=status")
        with html.div().classes("sw-graph"):
            with components.card():
                words = "Names and how they are related; the list beside it says the same."
                components.chart(drawing(graph), words, self._point)
            with components.card("Names"):
                lines = entity_lines(graph)

                async def load(begin: Any, size: int) -> tuple[Sequence[EntityLine], Any]:
                    return page_of(lines, begin, size)

                await PagedList(load, self._lines, "No names.", _LISTED).show()
        self._about = html.div(id="about", tabindex="-1")

    def _lines(self, lines: Sequence[EntityLine]) -> None:
        with html.ul().classes("sw-list"):
            for entity, relations in lines:
                kind = entity.kind.value
                with html.li():
                    with components.row():
                        components.line_button(
                            shown_name(entity.name), partial(self._open, entity.name), kind
                        )
                        html.span(kind).classes("sw-badge")
                    if about := _about(entity):
                        html.div(about).classes("sw-soft sw-small")
                    if relations:
                        with components.details(f"How it is related ({len(relations)})"):
                            for words in relations:
                                html.div(words).classes("sw-small sw-words")

    async def _search(self) -> None:
        self._around = typed_name(str(self._name.value or "").strip()) or None
        await self.build()

    async def _show_all(self) -> None:
        self._around = None
        self._name.value = ""
        await self.build()

    async def _point(self, event: EChartPointClickEventArguments) -> None:
        if event.data_type == "node" and isinstance(event.data, dict):
            await self._open(str(event.data["id"]))

    async def _open(self, name: str) -> None:
        at = at_end_of(str(self._day.value or ""))
        entity = await self._viewer.ask(self._viewer.memory.graph.about, name, at=at)
        self._about.clear()
        with self._about:
            self._draw_entity(entity)
        ui.run_javascript("document.getElementById('about')?.focus()")

    def _draw_entity(self, about: About) -> None:
        with components.card(shown_name(about.name)):
            components.pairs(
                {
                    "Kind": about.kind.value,
                    "Also": ", ".join(alias.name for alias in about.aliases),
                    "Mentioned": records.times(about.mentions),
                }
            )
            if not about.facts and not about.formerly:
                html.p("Nothing is known beyond the name.").classes("sw-soft")
            with html.ul().classes("sw-column"):
                for fact in about.facts[:_FACTS]:
                    html.li(fact.text)
            if about.formerly:
                with components.details("What held before"), html.ul().classes("sw-column"):
                    for fact in about.formerly[:_FACTS]:
                        html.li(fact.text).classes("sw-soft")
            with components.row():
                components.button("Draw from here", partial(self._draw_from, about.name))

    async def _draw_from(self, name: str) -> None:
        self._around = name
        self._name.value = shown_name(name)
        await self.build()


def _nothing(around: str | None, past: bool) -> None:
    with components.card():
        if around:
            components.empty(
                "search_off",
                "Nothing is related to that name",
                "Try another spelling, or leave the name empty to see what comes up most.",
            )
        elif past:
            components.empty("history", "Nothing was known by that day", "Choose a later day.")
        else:
            components.empty(
                "hub",
                "No names yet",
                "Names, places and companies appear here as they come up: tell the assistant "
                "“My sister Ana lives in Porto”, and Ana and Porto are drawn with a line "
                "between them.",
            )
