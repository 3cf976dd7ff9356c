"""Who and what is known, and how they are related, on any day."""

from collections.abc import Sequence
from functools import partial

from nicegui import html, ui
from nicegui.events import EChartPointClickEventArguments

from sharpwave.interfaces.web.parts import fields, layout
from sharpwave.interfaces.web.parts.actions import Look, button, line_button
from sharpwave.interfaces.web.parts.charts import chart
from sharpwave.interfaces.web.parts.later import later
from sharpwave.interfaces.web.parts.paging import Paged, of_list
from sharpwave.interfaces.web.shown import counts
from sharpwave.interfaces.web.shown import graph as shown
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.known import About, Graph

TITLE = "Graph"
ICON = "hub"
PATH = "/graph"
_LISTED = 8
_FACTS = 8


async def show(visit: Visit) -> None:
    """Draw the page."""
    _Page(visit)


class _Page:
    """The search, the drawing, the list beside it, and what is known of the one chosen."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._around: str | None = None
        with html.form().classes("sw-row").on("submit.prevent", self._search):
            self._name = fields.text_field("Begin with a name").classes("sw-grow")
            self._day = fields.text_field("As of").props("type=date stack-label clearable")
            button("Show", look=Look.PRIMARY).props("type=submit")
            self._all = button("Show all", self._show_all, Look.PLAIN)
        self._place = layout.column()
        later(self.build, self._place)

    async def build(self) -> None:
        """Draw what is asked for."""
        at = shown.at_end_of(str(self._day.value or ""))
        ask, graph = self._visit.ask, self._visit.memory.graph
        found = await ask(graph, shown.MOST, at=at, around=self._around)
        self._all.set_visibility(self._around is not None)
        self._place.clear()
        with self._place:
            if found.entities:
                await self._draw(found)
            else:
                _nothing(self._around, at is not None)

    async def _draw(self, found: Graph) -> None:
        html.p(shown.told(found, self._around)).classes("sw-soft").props("role=status")
        with html.div().classes("sw-graph"):
            with layout.card():
                words = "Names and how they are related; the list beside it says the same."
                chart(shown.drawing(found), words, height=520, on_point=self._point)
            with layout.card("Names"):
                every = shown.lines(found)

                async def listed() -> list[shown.Line]:
                    return list(every)

                await Paged(of_list(listed), self._lines, _no_names, _LISTED).show()
        self._about = html.div(id="about", tabindex="-1")

    def _lines(self, found: Sequence[shown.Line]) -> None:
        with html.ul().classes("sw-list"):
            for line in found:
                with html.li():
                    with layout.row():
                        line_button(line.shown, partial(self._open, line.name), line.kind)
                        html.span(line.kind).classes("sw-badge")
                    if line.about:
                        html.div(line.about).classes("sw-soft sw-small")
                    if line.relations:
                        with layout.details(f"How it is related ({len(line.relations)})"):
                            for words in line.relations:
                                html.div(words).classes("sw-small sw-words")

    async def _search(self) -> None:
        self._around = str(self._name.value or "").strip() or None
        await self.build()

    async def _show_all(self) -> None:
        self._around = None
        self._name.value = ""
        await self.build()

    async def _point(self, event: EChartPointClickEventArguments) -> None:
        if event.data_type == "node" and isinstance(event.data, dict):
            await self._open(str(event.data["id"]))

    async def _open(self, name: str) -> None:
        at = shown.at_end_of(str(self._day.value or ""))
        found = await self._visit.ask(self._visit.memory.about, name, at=at)
        self._about.clear()
        with self._about:
            self._tell(found)
        ui.run_javascript("document.getElementById('about')?.focus()")

    def _tell(self, found: About) -> None:
        with layout.card(shown.shown_name(found.name)):
            layout.pairs(
                {
                    "Kind": found.kind.value,
                    "Also": ", ".join(each.name for each in found.aliases),
                    "Mentioned": counts.times(found.mentions),
                }
            )
            if not found.facts and not found.formerly:
                html.p("Nothing is known beyond the name.").classes("sw-soft")
            with html.ul().classes("sw-column"):
                for fact in found.facts[:_FACTS]:
                    html.li(fact.text)
            if found.formerly:
                with layout.details("What held before"), html.ul().classes("sw-column"):
                    for fact in found.formerly[:_FACTS]:
                        html.li(fact.text).classes("sw-soft")
            with layout.row():
                button("Draw from here", partial(self._from, found.name))

    async def _from(self, name: str) -> None:
        self._around = name
        self._name.value = shown.shown_name(name)
        await self.build()


def _nothing(around: str | None, past: bool) -> None:
    with layout.card():
        if around:
            layout.empty(
                "search_off",
                "Nothing is related to that name",
                "Try another spelling, or leave the name empty to see what comes up most.",
            )
        elif past:
            layout.empty("history", "Nothing was known by that day", "Choose a later day.")
        else:
            layout.empty(
                "hub",
                "No names yet",
                "Names, places and companies appear here as they come up: tell the assistant "
                "“My sister Ana lives in Porto”, and Ana and Porto are drawn with a line "
                "between them.",
            )


def _no_names() -> None:
    html.p("No names.").classes("sw-soft")
