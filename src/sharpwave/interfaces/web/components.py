"""Building blocks of pages: cards, buttons, fields, bars, charts.

Words of a user go into elements as text, never into `props("…")`, `classes("…")` or HTML.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, NamedTuple

from nicegui import html, ui


def card(title: str = "", about: str = "") -> ui.element:
    """A card; use it with `with`."""
    with ui.element("section").classes("sw-card") as section:
        if title:
            html.h2(title).classes("sw-card-title")
        if about:
            html.p(about).classes("sw-card-about")
    return section


def grid() -> ui.element:
    """A grid of cards, as many per row as fit."""
    return ui.element("div").classes("sw-grid")


def row() -> ui.element:
    """Elements in a row that wraps."""
    return ui.element("div").classes("sw-row")


def column() -> ui.element:
    """Elements in a column."""
    return ui.element("div").classes("sw-column")


Nothing = str | tuple[str, str, str] | Callable[[], object]
"""Shown in place of an empty list: a text, the arguments of `empty`, or a drawing function."""


def draw_nothing(nothing: Nothing) -> None:
    """Draw the replacement of an empty list."""
    if isinstance(nothing, str):
        html.p(nothing).classes("sw-soft")
    elif isinstance(nothing, tuple):
        empty(*nothing)
    else:
        nothing()


def empty(icon: str, title: str, words: str) -> ui.element:
    """An empty state: why there is nothing here, and how to change that."""
    with ui.element("div").classes("sw-empty") as place:
        ui.icon(icon).props["aria-hidden"] = "true"
        html.strong(title)
        paragraph(words)
    return place


def paragraph(words: str) -> ui.element:
    """A paragraph; text between backticks is shown as code."""
    with ui.element("p") as paragraph:
        for place, part in enumerate(words.split("`")):
            html.code(part) if place % 2 else html.span(part)
    return paragraph


def numbers(items: Iterable[tuple[object, str]]) -> None:
    """Large numbers with their labels."""
    with html.div().classes("sw-numbers"):
        for value, label in items:
            with html.div().classes("sw-number"):
                html.b(f"{value:,}" if isinstance(value, int) else str(value))
                html.span(label)


def pairs(items: Mapping[str, object]) -> None:
    """Names and values; empty values are left out."""
    with html.dl().classes("sw-key-value"):
        for name, value in items.items():
            if value not in (None, ""):
                html.dt(name)
                html.dd(str(value))


@contextmanager
def details(summary: str) -> Iterator[ui.element]:
    """Collapsible content, shown without a request."""
    with html.details().classes("sw-details") as place:
        html.summary(summary)
        with html.div():
            yield place


_MOST_LABEL = 80


class ButtonStyle(StrEnum):
    """How prominent a button is."""

    PRIMARY = "sw-primary"
    QUIET = "sw-quiet"
    PLAIN = "sw-plain"
    DANGER = "sw-danger"


def button(
    words: str,
    action: Callable[..., Any] | None = None,
    look: ButtonStyle = ButtonStyle.QUIET,
    icon: str = "",
    about: str = "",
) -> ui.button:
    """A button with a label; errors of `action` are shown on the page.

    `about` adds context for screen readers.
    """
    element = ui.button(words, on_click=action, color=None, icon=icon or None)
    if about:
        element.props["aria-label"] = f"{words}: {about}"
    return element.props("unelevated no-caps").classes(look.value)


def line_button(words: str, action: Callable[..., Any], about: str) -> ui.element:
    """A button in a list row: a quarter of the cost of `button`, since there are many.

    `about` adds context for screen readers; their label begins with the visible words.
    """
    element: ui.element = html.button(words, type="button").classes("sw-line-button")
    element.props["aria-label"] = f"{words}: {about[:_MOST_LABEL]}"
    return element.on("click", action)


def icon_button(icon: str, label: str, action: Callable[..., Any] | None = None) -> ui.button:
    """A button with an icon; the label is its tooltip and for screen readers."""
    element = ui.button(on_click=action, color=None, icon=icon).props("flat round dense")
    element.props["aria-label"] = element.props["title"] = label
    return element


def link(words: str, path: str) -> None:
    """A link to a page of the dashboard, such as `/ask`."""
    html.a(words, href=f"/ui{path}")


def dialog_on_page(title: str) -> ui.dialog:
    """A dialog attached to the page, so that it outlives the element that opened it."""
    with ui.context.client:
        dialog = ui.dialog()
    dialog.props["aria-label"] = title
    return dialog


@contextmanager
def form_on_page(title: str) -> Iterator[ui.dialog]:
    """A dialog with its title in a card; fill it in the block, then await it."""
    with dialog_on_page(title) as dialog, ui.card().classes("sw-dialog"):
        html.h2(title).classes("sw-card-title")
        yield dialog


async def confirm(title: str, words: str, yes: str) -> bool:
    """Ask before something that cannot be undone."""
    with form_on_page(title) as dialog:
        html.p(words).classes("sw-soft")
        submit_buttons(dialog, yes, ButtonStyle.DANGER)
    answer = await dialog
    dialog.delete()
    return bool(answer)


def submit_buttons(
    dialog: ui.dialog, yes: str, look: ButtonStyle = ButtonStyle.PRIMARY
) -> ui.button:
    """Cancel and confirm buttons of a dialog; returns the confirm button."""
    with html.div().classes("sw-row sw-dialog-buttons"):
        button("Cancel", lambda: dialog.submit(False))
        return button(yes, lambda: dialog.submit(True), look)


def notify_done(words: str) -> None:
    """Show a success message."""
    ui.notify(words, type="positive", multi_line=True, timeout=4000)


def text_field(
    label: str, value: str = "", *, long: bool = False, max_chars: int | None = None
) -> ui.input | ui.textarea:
    """A text input; multi-line if `long`."""
    field = (ui.textarea if long else ui.input)(label, value=value).props("outlined dense")
    if long:
        field.props("autogrow")
    if max_chars is not None:
        field.props["maxlength"] = max_chars
        field.props("counter")
    return field


def switch(
    label: str, value: bool, change: Callable[[bool], Awaitable[None]], *, enabled: bool
) -> ui.switch:
    """A toggle that reverts if `change` fails, so that it always shows the actual state."""
    current = value

    async def changed() -> None:
        nonlocal current
        new_value = bool(control.value)
        if new_value == current:
            return
        try:
            await change(new_value)
        except BaseException:  # raised again and shown on the page; only the switch is reverted
            control.value = current
            raise
        current = new_value

    control = ui.switch(value=value, on_change=changed)
    control.props["aria-label"] = label
    control.set_enabled(enabled)
    return control


def choice(
    label: str, options: Mapping[Any, str], value: Any, on_change: Callable[..., Any] | None = None
) -> ui.select:
    """A select field."""
    select = ui.select(dict(options), label=label, value=value, on_change=on_change)
    return select.props("outlined dense options-dense")


def draw_after_load(draw: Callable[[], Awaitable[None]], place: ui.element | None = None) -> None:
    """Draw a slow part after the page is shown, with a placeholder until then."""
    area = html.div().classes("sw-page") if place is None else place
    with area:
        placeholder = html.p("One moment …").classes("sw-soft sw-later").props("role=status")

    async def begin() -> None:
        try:
            with area:
                await draw()
        finally:
            if not placeholder.is_deleted:
                placeholder.delete()

    ui.timer(0, begin, once=True)


class Bar(NamedTuple):
    """A bar with its label and its formatted value."""

    label: str
    share: float
    """From 0 to 1."""
    shown: str = ""
    tone: str = ""
    """CSS class "soft" or "bad", or empty."""


def bars(items: Iterable[Bar]) -> None:
    """A column of bars."""
    with html.div().classes("sw-bars"):
        for bar in items:
            html.span(bar.label).classes("sw-soft")
            meter(bar.share, bar.label, bar.tone)
            html.span(bar.shown or f"{bar.share:.0%}").classes("sw-figure-of")


def meter(share: float, label: str, tone: str = "") -> None:
    """A single bar."""
    bounded = min(max(share, 0.0), 1.0)
    html.div(
        role="meter",
        **{
            "aria-label": label,
            "aria-valuenow": f"{bounded:.2f}",
            "aria-valuemin": "0",
            "aria-valuemax": "1",
        },
    ).classes(f"sw-bar {tone}").style(f"--share: {bounded:.1%}")


def chart(options: Mapping[str, Any], words: str, on_point: Callable[..., Any]) -> None:
    """A chart; `words` describe it, and `on_point` is called when a part is clicked."""
    with html.figure(role="img", **{"aria-label": words}).classes("sw-figure"):
        echart = ui.echart({**_PLAIN, **options}, on_point, renderer="svg")
        echart.classes("sw-chart").style("height: 520px")


_PLAIN: Mapping[str, Any] = {
    "animation": False,
    "textStyle": {"fontFamily": "system-ui, sans-serif", "color": "var(--ink)"},
    "tooltip": {
        "renderMode": "richText",  # words of users are never read as HTML
        "backgroundColor": "var(--card)",
        "borderColor": "var(--line)",
        "textStyle": {"color": "var(--ink)", "fontSize": 13},
    },
}
