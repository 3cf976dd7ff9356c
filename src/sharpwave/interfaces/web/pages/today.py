"""What was learned lately, what to answer, what is due."""

from nicegui import html

from sharpwave.interfaces.web.visit import Visit

TITLE = "Today"
ICON = "wb_sunny"
PATH = "/"


async def show(visit: Visit) -> None:
    """Draw the page."""
    stats = await visit.ask(visit.memory.stats)
    with html.section().classes("sw-card"):
        html.h2("Remembered").classes("sw-card-title")
        html.p(f"{stats.memories} memories")
