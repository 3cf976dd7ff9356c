"""What one types into and chooses from; everything has a label."""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui


def text_field(
    label: str, value: str = "", *, long: bool = False, most: int | None = None
) -> ui.input | ui.textarea:
    """A line to type into; several if `long`."""
    made = (ui.textarea if long else ui.input)(label, value=value).props("outlined dense")
    if long:
        made.props("autogrow")
    if most is not None:
        made.props["maxlength"] = most
        made.props("counter")
    return made


def choice(
    label: str,
    options: Mapping[Any, str],
    value: Any,
    on_change: Callable[..., Any] | None = None,
) -> ui.select:
    """One of several."""
    made = ui.select(dict(options), label=label, value=value, on_change=on_change)
    return made.props("outlined dense options-dense")
