"""The pages, in the order of the menu. A page is a module of `pages` and its place here."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import NamedTuple

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
    tasks,
    today,
)
from sharpwave.interfaces.web.sessions import Viewer


class Page(NamedTuple):
    """A page in the menu."""

    title: str
    icon: str
    """A name of a Material icon."""
    path: str
    """Below /ui, such as `/ask`."""
    show: Callable[[Viewer], Awaitable[None]]
    """Draws it inside the layout."""


GROUPS: Mapping[str, tuple[Page, ...]] = {
    "": (
        Page("Today", "wb_sunny", "/", today.show),
        Page("Ask", "search", "/ask", ask.show),
        Page("Chat", "chat_bubble_outline", "/chat", chat.show),
    ),
    "What is known": (
        Page("Memories", "inventory_2", "/memories", memories.show),
        Page("Profile", "person_outline", "/profile", profile.show),
        Page("Tasks", "task_alt", "/tasks", tasks.show),
        Page("Graph", "hub", "/graph", graph.show),
        Page("Conflicts", "call_split", "/conflicts", conflicts.show),
    ),
    "What was learned": (
        Page("Behaviors", "rule", "/behaviors", behaviors.show),
        Page("Skills & style", "tune", "/skills", skills.show),
        Page("Tools & patterns", "construction", "/experience", experience.show),
    ),
    "Care": (
        Page("Sleep", "bedtime", "/sleep", sleep.show),
        Page("Quality", "insights", "/quality", quality.show),
        Page("Privacy", "shield", "/privacy", privacy.show),
    ),
}
"""Pages by group, each under its title."""


def every() -> Iterator[Page]:
    """All pages."""
    for pages in GROUPS.values():
        yield from pages
