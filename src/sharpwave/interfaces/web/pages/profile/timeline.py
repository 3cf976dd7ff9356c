"""One fact, and how it came to be so: since when each version held, and when it was learned."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from nicegui import html, ui

from sharpwave.interfaces.web.pages.memories import detail
from sharpwave.interfaces.web.parts import badges, times
from sharpwave.interfaces.web.parts.actions import line_button
from sharpwave.interfaces.web.parts.bars import meter
from sharpwave.interfaces.web.parts.layout import row
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.known import Evolution, Fact
from sharpwave.types.records import State, Trust

Again = Callable[[], Awaitable[None]]


def fact(visit: Visit, found: Fact, again: Again) -> None:
    """A fact in a line; its timeline is fetched when it is asked for."""

    async def show() -> None:
        await detail.open_(visit, found.id, again)

    opened: ui.element | None = None

    async def turn() -> None:
        nonlocal opened
        if opened is None:
            history = await visit.ask(visit.memory.history, found.subject, found.predicate)
            with line, html.div().classes("sw-timeline") as opened:
                _versions(history)
        else:
            opened.delete()
            opened = None
        toggle.props["aria-expanded"] = str(opened is not None).lower()
        toggle.update()

    with html.div() as line, html.div().classes("sw-record"):
        with html.div().classes("sw-record-words"):
            html.div(found.text).classes("sw-words")
            _marks(found)
        toggle = line_button("Timeline", turn, found.text)
        toggle.props["aria-expanded"] = "false"
        line_button("Open", show, found.text)


def _marks(found: Fact) -> None:
    with row().classes("sw-small sw-soft"):
        badges.badge(found.type, badges.Tone.ACCENT)
        if found.trust is not Trust.USER:
            badges.trust(found.trust)
        if found.state is not State.ACTIVE:
            badges.state(found.state)
        times.since(found.valid_from)
        meter(found.confidence, f"{found.confidence:.0%} sure")
        html.span(f"{found.confidence:.0%} sure")


def _versions(found: Evolution) -> None:
    """Each version as a bar over the whole time, with both of its times in words."""
    begin = min(one.valid_from for one in found.versions)
    length = max((found.at - begin).total_seconds(), 1.0)

    def share(when: datetime) -> float:
        return min(max((when - begin).total_seconds() / length, 0.0), 1.0)

    for one in found.versions:
        start, end = share(one.valid_from), share(one.valid_to or found.at)
        with html.div().classes("sw-version"):
            html.div(one.text).classes("sw-words" if one.valid_to is None else "sw-words sw-soft")
            with html.div().classes("sw-track"):
                ui.element("div").style(
                    f"margin-left: {min(start, 0.99):.1%}; width: {max(end - start, 0.01):.1%}"
                )
            with row().classes("sw-small sw-soft"):
                with html.span():
                    html.span("true ")
                    times.moment(one.valid_from, day_only=True)
                    html.span(" to ")
                    if one.valid_to is None:
                        html.span("today")
                    else:
                        times.moment(one.valid_to, day_only=True)
                with html.span():
                    html.span("learned ")
                    times.moment(one.recorded_at)
