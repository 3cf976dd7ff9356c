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

Again = Callable[[], Awaitable[None]]
_DAY = timedelta(days=1)


@dataclass(slots=True)
class AsOf:
    """The day one looks at."""

    today: datetime
    back: int = 0
    """How many days ago it was."""
    known_then: bool = False
    """Whether only what was known on that day counts."""

    @property
    def moment(self) -> datetime:
        """The day, as a moment."""
        return self.today - self.back * _DAY


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    first = await viewer.ask(viewer.memory.facts.known_since)
    if first is None:
        with card():
            empty(
                "person_outline",
                "Nothing is known of you yet",
                "Say something about yourself on the page Chat: “I live in Lisbon and work as a "
                "hydrologist.” Each fact then shows since when it holds, and how it changed.",
            )
        return
    called = await viewer.ask(viewer.memory.facts.history, USER, "name")
    chosen = AsOf(called.at)  # now, by the clock of the memory
    _slider(first, chosen, lambda: listed.show())
    with card("What is known of you"):
        listed: PagedList[Fact] = PagedList(
            partial(_facts, viewer, chosen),
            partial(_draw, viewer, lambda: listed.show(again=True)),
            lambda: empty("history", "Nothing", "On that day, nothing was known of you."),
            PAGE_SIZE,
        )
    await listed.show()


async def _facts(
    viewer: Viewer, chosen: AsOf, begin: int | None, size: int
) -> tuple[Sequence[Fact], int | None]:
    most = (begin or 0) + size + 1
    if not chosen.back and not chosen.known_then:
        return page_of(await viewer.ask(viewer.memory.facts.profile, most), begin, size)
    known_at = chosen.moment if chosen.known_then else None
    state = await viewer.ask(
        viewer.memory.facts.at, chosen.moment, known_at=known_at, subject=USER, limit=most
    )
    return page_of(state.facts, begin, size)


def _slider(first: datetime, chosen: AsOf, again: Again) -> None:
    """Days from the first that is known to today."""
    days = max((chosen.today - first) // _DAY, 1)
    with card("As of", "Go back to a day: what was true then, by all that is known today."):
        with row():
            shown = html.span("Today").classes("sw-strong sw-day")
            then = ui.checkbox("only what was already known then")
        slider = ui.element("input").props(f"type=range min=0 max={days} value={days}")
        slider.classes("sw-range").props["aria-label"] = "Day"
        with row().classes("sw-small sw-soft"):
            html.span(records.day(first))
            html.span("today").classes("sw-end")

    async def travel(event: GenericEventArguments) -> None:
        slider.props["value"] = int(event.args)  # or it springs back when it is drawn again
        chosen.back = days - int(event.args)
        await look()

    async def look() -> None:
        chosen.known_then = then.value
        shown._text = records.day(chosen.moment) if chosen.back else "Today"
        shown.update()
        await again()

    slider.on("change", travel, js_handler="(event) => emit(event.target.value)")
    then.on_value_change(look)


def _draw(viewer: Viewer, again: Again, facts: Sequence[Fact]) -> None:
    with html.div().classes("sw-list"):
        for fact in facts:
            fact_line(viewer, fact, again)


def fact_line(viewer: Viewer, fact: Fact, again: Again) -> None:
    """A fact in a line; its timeline is fetched on demand."""

    async def show() -> None:
        await memories.open_memory(viewer, fact.id, again)

    opened: ui.element | None = None

    async def turn() -> None:
        nonlocal opened
        if opened is None:
            history = await viewer.ask(viewer.memory.facts.history, fact.subject, fact.predicate)
            if opened is not None:
                return  # by a second click
            with line, html.div().classes("sw-timeline") as opened:
                _versions(versions_of(fact, history), history.at)
        else:
            opened.delete()
            opened = None
        toggle.props["aria-expanded"] = str(opened is not None).lower()
        toggle.update()

    with html.div() as line, html.div().classes("sw-record"):
        with html.div().classes("sw-record-words"):
            html.div(fact.text).classes("sw-words")
            _marks(fact)
        toggle = line_button("Timeline", turn, fact.text)
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
    """The versions of one fact; where several hold at once, only what it replaced and became."""
    every = history.versions
    if sum(one.valid_to is None for one in every) <= 1:
        return every
    after = {one.id: one.superseded_by for one in every}
    chain, newest = {fact.id}, after.get(fact.id)
    while newest is not None and newest not in chain:
        chain.add(newest)
        newest = after.get(newest)
    for one in reversed(every):
        if one.superseded_by in chain:
            chain.add(one.id)
    return [one for one in every if one.id in chain]


def _versions(versions: Sequence[Fact], now: datetime) -> None:
    """Each version as a bar over the whole time, with both of its times in words."""
    if not versions:
        html.p("It was forgotten meanwhile.").classes("sw-soft sw-small")
        return
    begin = min(one.valid_from for one in versions)
    length = max((now - begin).total_seconds(), 1.0)

    def share(when: datetime) -> float:
        return min(max((when - begin).total_seconds() / length, 0.0), 1.0)

    for one in versions:
        start, end = share(one.valid_from), share(one.valid_to or now)
        with html.div().classes("sw-version"):
            html.div(one.text).classes("sw-words" if one.valid_to is None else "sw-words sw-soft")
            with html.div().classes("sw-track"):
                ui.element("div").style(
                    f"margin-left: {min(start, 0.99):.1%}; width: {max(end - start, 0.01):.1%}"
                )
            with row().classes("sw-small sw-soft"):
                with html.span():
                    html.span("true ")
                    records.moment(one.valid_from, day_only=True)
                    html.span(" to ")
                    if one.valid_to is None:
                        html.span("today")
                    else:
                        records.moment(one.valid_to, day_only=True)
                with html.span():
                    html.span("learned ")
                    records.moment(one.recorded_at)
