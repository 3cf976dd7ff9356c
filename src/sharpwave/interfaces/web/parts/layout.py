"""Cards, empty places that teach, numbers and pairs.

Words of a user go into elements as text, never into `props("…")`, `classes("…")` or HTML.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from nicegui import html, ui


def card(title: str = "", about: str = "") -> ui.element:
    """A card; use it with `with`."""
    section: ui.element = html.section().classes("sw-card")
    with section:
        if title:
            html.h2(title).classes("sw-card-title")
        if about:
            html.p(about).classes("sw-card-about")
    return section


def grid() -> ui.element:
    """Cards beside each other where there is room."""
    made: ui.element = html.div().classes("sw-grid")
    return made


def row() -> ui.element:
    """Things beside each other, wrapped where there is no room."""
    made: ui.element = html.div().classes("sw-row")
    return made


def column() -> ui.element:
    """Things below each other."""
    made: ui.element = html.div().classes("sw-column")
    return made


def empty(icon: str, title: str, words: str) -> ui.element:
    """Says why there is nothing here, and how something comes here."""
    place: ui.element = html.div().classes("sw-empty")
    with place:
        ui.icon(icon).props["aria-hidden"] = "true"
        html.strong(title)
        told(words)
    return place


def told(words: str) -> ui.element:
    """A paragraph of ours; what stands between backticks is shown as code."""
    paragraph: ui.element = html.p()
    with paragraph:
        for place, part in enumerate(words.split("`")):
            html.code(part) if place % 2 else html.span(part)
    return paragraph


def number(value: object, label: str) -> None:
    """A number that matters, and what it counts."""
    with html.div().classes("sw-number"):
        html.b(f"{value:,}" if isinstance(value, int) else str(value))
        html.span(label)


def pairs(found: Mapping[str, object]) -> None:
    """Names and values; those without a value are left out."""
    with html.dl().classes("sw-key-value"):
        for name, value in found.items():
            if value not in (None, ""):
                html.dt(name)
                html.dd(str(value))


@contextmanager
def details(summary: str) -> Iterator[ui.element]:
    """Something that is shown when it is asked for; needs no server to open."""
    with html.details().classes("sw-details") as place:
        html.summary(summary)
        with html.div():
            yield place


def words(text: str, *, soft: bool = False) -> ui.element:
    """What somebody said, as it was said."""
    made: ui.element = html.div(text).classes("sw-words" + (" sw-soft" if soft else ""))
    return made
