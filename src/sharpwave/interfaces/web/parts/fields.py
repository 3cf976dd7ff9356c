"""What one types into and chooses from; everything has a label."""

from collections.abc import Awaitable, Callable, Mapping
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


def switch(
    label: str, value: bool, turn: Callable[[bool], Awaitable[None]], *, enabled: bool
) -> ui.switch:
    """On or off. What cannot be turned goes back, so that it never says what is not so."""
    held = value

    async def changed() -> None:
        nonlocal held
        wanted = bool(made.value)
        if wanted == held:
            return
        try:
            await turn(wanted)
        except BaseException:  # passed on, and told on the page; only the switch goes back
            made.value = held
            raise
        held = wanted

    made = ui.switch(value=value, on_change=changed)
    made.props["aria-label"] = label
    made.set_enabled(enabled)
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
