"""The pages, in the order of the menu. A page is a module of `pages` and its place here."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from sharpwave.interfaces.web.pages import (
    ask,
    behaviors,
    chat,
    conflicts,
    experience,
    graph,
    memories,
    privacy,
    profile,
    quality,
    skills,
    sleep,
    today,
)
from sharpwave.interfaces.web.sessions import Viewer


class Page(Protocol):
    """What a module of `pages` has."""

    TITLE: str
    ICON: str
    """A name of a Material icon."""
    PATH: str
    """Below /ui, such as `/ask`."""

    async def show(self, viewer: Viewer) -> None:
        """Draw it into the frame."""


GROUPS: Mapping[str, tuple[Page, ...]] = {
    "": (today, ask, chat),
    "What is known": (memories, profile, graph, conflicts),
    "What was learned": (behaviors, skills, experience),
    "Care": (sleep, quality, privacy),
}
"""Pages by group, each under its title."""


def every() -> Iterator[Page]:
    """All pages."""
    for pages in GROUPS.values():
        yield from pages
