"""What is known of the user, each fact with its timeline, on any day."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from nicegui import html, ui
from nicegui.events import GenericEventArguments

from sharpwave.interfaces.web import records
from sharpwave.interfaces.web.components import card, empty, line_button, meter, row
from sharpwave.interfaces.web.pages import memories
from sharpwave.interfaces.web.records import PagedList, page_of
from sharpwave.interfaces.web.sessions import PAGE_SIZE, Viewer
from sharpwave.types.known import Evolution, Fact
from sharpwave.types.records import USER, State, Trust

Redraw = Callable[[], Awaitable[None]]
_DAY = timedelta(days=1)


@dataclass(slots=True)
class AsOf:
    """The selected day."""

    today: datetime
    days_back: int = 0
    """Days before today."""
    known_then: bool = False
    """Show only facts that were known on that day."""

    @property
    def moment(self) -> datetime:
        """The day, as a moment."""
        return self.today - self.days_back * _DAY


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    first_day = await viewer.ask(viewer.memory.facts.known_since)
    if first_day is None:
        with card():
            empty(
                "person_outline",
                "Nothing is known of you yet",
                "Say something about yourself on the page Chat: “I live in Lisbon and work as a "
                "hydrologist.” Each fact then shows since when it holds, and how it changed.",
            )
        return
    name_history = await viewer.ask(viewer.memory.facts.history, USER, "name")
    as_of = AsOf(name_history.at)  # now, by the clock of the memory
    _slider(first_day, as_of, lambda: listed.show())
    with card("What is known of you"):
        listed: PagedList[Fact] = PagedList(
            partial(_facts, viewer, as_of),
            partial(_draw, viewer, lambda: listed.show(same_page=True)),
            lambda: empty("history", "Nothing", "On that day, nothing was known of you."),
            PAGE_SIZE,
        )
    await listed.show()


async def _facts(
    viewer: Viewer, as_of: AsOf, begin: int | None, size: int
) -> tuple[Sequence[Fact], int | None]:
    count = (begin or 0) + size + 1
    if not as_of.days_back and not as_of.known_then:
        return page_of(await viewer.ask(viewer.memory.facts.profile, count), begin, size)
    known_at = as_of.moment if as_of.known_then else None
    state = await viewer.ask(
        viewer.memory.facts.at, as_of.moment, known_at=known_at, subject=USER, limit=count
    )
    return page_of(state.facts, begin, size)


def _slider(first_day: datetime, as_of: AsOf, redraw: Redraw) -> None:
    """A slider from the first known day to today."""
    days = max((as_of.today - first_day) // _DAY, 1)
    with card("As of", "Go back to a day: what was true then, by all that is known today."):
        with row():
            shown = html.span("Today").classes("sw-strong sw-day")
            known_then = ui.checkbox("only what was already known then")
        slider = ui.element("input").props(f"type=range min=0 max={days} value={days}")
        slider.classes("sw-range").props["aria-label"] = "Day"
        with row().classes("sw-small sw-soft"):
            html.span(records.day(first_day))
            html.span("today").classes("sw-end")

    async def move(event: GenericEventArguments) -> None:
        slider.props["value"] = int(event.args)  # otherwise it jumps back on redraw
        as_of.days_back = days - int(event.args)
        await apply()

    async def apply() -> None:
        as_of.known_then = known_then.value
        shown._text = records.day(as_of.moment) if as_of.days_back else "Today"
        shown.update()
        await redraw()

    slider.on("change", move, js_handler="(event) => emit(event.target.value)")
    known_then.on_value_change(apply)


def _draw(viewer: Viewer, redraw: Redraw, facts: Sequence[Fact]) -> None:
    with html.div().classes("sw-list"):
        for fact in facts:
            fact_line(viewer, fact, redraw)


def fact_line(viewer: Viewer, fact: Fact, redraw: Redraw) -> None:
    """A fact in a line; its timeline is fetched on demand."""

    async def show() -> None:
        await memories.open_memory(viewer, fact.id, redraw)

    timeline: ui.element | None = None

    async def toggle_timeline() -> None:
        nonlocal timeline
        if timeline is None:
            history = await viewer.ask(viewer.memory.facts.history, fact.subject, fact.predicate)
            if timeline is not None:
                return  # after a second click
            with line, html.div().classes("sw-timeline") as timeline:
                _versions(versions_of(fact, history), history.at)
        else:
            timeline.delete()
            timeline = None
        toggle.props["aria-expanded"] = str(timeline is not None).lower()
        toggle.update()

    with html.div() as line, html.div().classes("sw-record"):
        with html.div().classes("sw-record-words"):
            html.div(fact.text).classes("sw-words")
            _marks(fact)
        toggle = line_button("Timeline", toggle_timeline, fact.text)
        toggle.props["aria-expanded"] = "false"
        line_button("Open", show, fact.text)


def _marks(fact: Fact) -> None:
    with row().classes("sw-small sw-soft"):
        records.badge(fact.type, records.Tone.ACCENT)
        if fact.trust is not Trust.USER:
            records.trust_badge(fact.trust)
        if fact.state is not State.ACTIVE:
            records.state_badge(fact.state)
        records.since(fact.valid_from)
        meter(fact.confidence, f"{fact.confidence:.0%} sure")
        html.span(f"{fact.confidence:.0%} sure")


def versions_of(fact: Fact, history: Evolution) -> Sequence[Fact]:
    """The versions of one fact; if several values hold at once, only its own chain."""
    versions = history.versions
    if sum(version.valid_to is None for version in versions) <= 1:
        return versions
    successors = {version.id: version.superseded_by for version in versions}
    chain, newest = {fact.id}, successors.get(fact.id)
    while newest is not None and newest not in chain:
        chain.add(newest)
        newest = successors.get(newest)
    for version in reversed(versions):
        if version.superseded_by in chain:
            chain.add(version.id)
    return [version for version in versions if version.id in chain]


def _versions(versions: Sequence[Fact], now: datetime) -> None:
    """Each version as a bar on a time axis, with its valid and recorded times."""
    if not versions:
        html.p("It was forgotten meanwhile.").classes("sw-soft sw-small")
        return
    begin = min(version.valid_from for version in versions)
    length = max((now - begin).total_seconds(), 1.0)

    def share(when: datetime) -> float:
        return min(max((when - begin).total_seconds() / length, 0.0), 1.0)

    for version in versions:
        start, end = share(version.valid_from), share(version.valid_to or now)
        with html.div().classes("sw-version"):
            html.div(version.text).classes(
                "sw-words" if version.valid_to is None else "sw-words sw-soft"
            )
            with html.div().classes("sw-track"):
                ui.element("div").style(
                    f"margin-left: {min(start, 0.99):.1%}; width: {max(end - start, 0.01):.1%}"
                )
            with row().classes("sw-small sw-soft"):
                with html.span():
                    html.span("true ")
                    records.moment(version.valid_from, day_only=True)
                    html.span(" to ")
                    if version.valid_to is None:
                        html.span("today")
                    else:
                        records.moment(version.valid_to, day_only=True)
                with html.span():
                    html.span("learned ")
                    records.moment(version.recorded_at)
