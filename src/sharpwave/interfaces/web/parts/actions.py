"""Buttons, questions before something is done, and words that it was."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from nicegui import html, ui

_MOST_LABEL = 80


class Look(StrEnum):
    """How much a button asks to be pressed."""

    PRIMARY = "sw-primary"
    QUIET = "sw-quiet"
    PLAIN = "sw-plain"
    DANGER = "sw-danger"


def button(
    words: str, do: Callable[..., Any] | None = None, look: Look = Look.QUIET, icon: str = ""
) -> ui.button:
    """A button with words; what `do` raises is told on the page."""
    made = ui.button(words, on_click=do, color=None, icon=icon or None)
    return made.props("unelevated no-caps").classes(look.value)


def line_button(words: str, do: Callable[..., Any], about: str) -> ui.element:
    """A button in a line of a list, of which there are many: it costs a fourth of the other.

    `about` says what it is for; the label for those who do not see the line begins with the words.
    """
    made: ui.element = html.button(words, type="button").classes("sw-line-button")
    made.props["aria-label"] = f"{words}: {about[:_MOST_LABEL]}"
    return made.on("click", do)


def icon_button(icon: str, label: str, do: Callable[..., Any] | None = None) -> ui.button:
    """A button with a picture; the label is for those who do not see it."""
    made = ui.button(on_click=do, color=None, icon=icon).props("flat round dense")
    made.props["aria-label"] = made.props["title"] = label
    return made


def link(words: str, path: str) -> None:
    """A link to a page of ours, such as `/ask`."""
    html.a(words, href=f"/ui{path}")


def dialog_on_page(title: str) -> ui.dialog:
    """A dialog that belongs to the page, so that it outlives what opened it."""
    with ui.context.client:
        dialog = ui.dialog()
    dialog.props["aria-label"] = title
    return dialog


async def confirmed(title: str, words: str, yes: str = "Yes", look: Look = Look.DANGER) -> bool:
    """Ask before something that cannot be undone."""
    with dialog_on_page(title) as dialog, ui.card().classes("sw-dialog"):
        html.h2(title).classes("sw-card-title")
        html.p(words).classes("sw-soft")
        with html.div().classes("sw-row sw-dialog-buttons"):
            button("Cancel", lambda: dialog.submit(False))
            button(yes, lambda: dialog.submit(True), look)
    answer = await dialog
    dialog.delete()
    return bool(answer)


def done(words: str) -> None:
    """Say that it was done."""
    ui.notify(words, type="positive", multi_line=True, timeout=4000)
