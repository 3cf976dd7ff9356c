"""What is known of the user, each fact with its timeline, and a way back in time."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from nicegui import html, ui
from nicegui.events import GenericEventArguments

from sharpwave.interfaces.web.pages.profile import timeline
from sharpwave.interfaces.web.parts import times
from sharpwave.interfaces.web.parts.layout import card, empty, row
from sharpwave.interfaces.web.parts.paging import Paged
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.known import Fact
from sharpwave.types.records import USER

TITLE = "Profile"
ICON = "person_outline"
PATH = "/profile"
_DAY = timedelta(days=1)


class AsOf:
    """The day one looks at."""

    def __init__(self, today: datetime) -> None:
        self.today = today
        self.back = 0
        """How many days ago it was."""
        self.known_then = False
        """Whether only what was known on that day counts."""

    @property
    def moment(self) -> datetime:
        """The day, as a moment."""
        return self.today - self.back * _DAY


async def show(visit: Visit) -> None:
    """Draw the page."""
    first = await visit.ask(visit.memory.known_since)
    if first is None:
        with card():
            _nobody()
        return
    called = await visit.ask(visit.memory.history, USER, "name")
    chosen = AsOf(called.at)  # now, by the clock of the memory
    _slider(first, chosen, lambda: listed.show())
    with card("What is known of you"):
        listed: Paged[Fact] = Paged(
            partial(_facts, visit, chosen),
            partial(_draw, visit, lambda: listed.show(again=True)),
            lambda: empty("history", "Nothing", "On that day, nothing was known of you."),
            visit.limits.page_size,
        )
    await listed.show()


def _nobody() -> None:
    empty(
        "person_outline",
        "Nothing is known of you yet",
        "Say something about yourself on the page Chat: “I live in Lisbon and work as a "
        "hydrologist.” Each fact then shows since when it holds, and how it changed.",
    )


async def _facts(
    visit: Visit, chosen: AsOf, begin: int | None, size: int
) -> tuple[Sequence[Fact], int | None]:
    start = begin or 0
    end = start + size
    found: Sequence[Fact]
    if not chosen.back and not chosen.known_then:
        found = await visit.ask(visit.memory.profile, end + 1)
    else:
        known_at = chosen.moment if chosen.known_then else None
        state = await visit.ask(
            visit.memory.at, chosen.moment, known_at=known_at, subject=USER, limit=end + 1
        )
        found = state.facts
    return found[start:end], end if end < len(found) else None


def _slider(first: datetime, chosen: AsOf, again: timeline.Again) -> None:
    """Days from the first that is known to today."""
    days = max((chosen.today - first) // _DAY, 1)
    with card("As of", "Go back to a day: what was true then, by all that is known today."):
        with row():
            shown = html.span("Today").classes("sw-strong sw-day")
            then = ui.checkbox("only what was already known then")
        slider = ui.element("input").props(f"type=range min=0 max={days} value={days}")
        slider.classes("sw-range").props["aria-label"] = "Day"
        with row().classes("sw-small sw-soft"):
            html.span(times.day(first))
            html.span("today").classes("sw-end")

    async def travel(event: GenericEventArguments) -> None:
        chosen.back = days - int(event.args)
        await look()

    async def look() -> None:
        chosen.known_then = then.value
        shown._text = times.day(chosen.moment) if chosen.back else "Today"
        shown.update()
        await again()

    slider.on("change", travel, js_handler="(event) => emit(event.target.value)")
    then.on_value_change(look)


def _draw(visit: Visit, again: timeline.Again, found: Sequence[Fact]) -> None:
    with html.div().classes("sw-list"):
        for fact in found:
            timeline.fact(visit, fact, again)
