"""What takes a moment is drawn once the rest of the page is there."""

from collections.abc import Awaitable, Callable

from nicegui import html, ui


def later(draw: Callable[[], Awaitable[None]], place: ui.element | None = None) -> None:
    """Draw into a place as soon as the page is shown; until then it says that something comes."""
    held = html.div().classes("sw-page") if place is None else place
    with held:
        soon = html.p("One moment …").classes("sw-soft sw-later").props("role=status")

    async def begin() -> None:
        try:
            with held:
                await draw()
        finally:
            if not soon.is_deleted:
                soon.delete()

    ui.timer(0, begin, once=True)
