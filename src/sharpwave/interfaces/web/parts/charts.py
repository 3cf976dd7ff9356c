"""Charts in the colours of the page, dark or light; each has words for whoever cannot see it."""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import html, ui

INK, LINE, CARD = "var(--ink)", "var(--line)", "var(--card)"


def chart(
    options: Mapping[str, Any],
    words: str,
    *,
    height: int = 280,
    on_point: Callable[..., Any] | None = None,
) -> ui.echart:
    """A chart; `words` say what it shows."""
    with html.figure(role="img", **{"aria-label": words}).classes("sw-figure"):
        made = ui.echart({**_PLAIN, **options}, on_point, renderer="svg")
        made.classes("sw-chart").style(f"height: {height}px")
    return made


_PLAIN: Mapping[str, Any] = {
    "animation": False,
    "textStyle": {"fontFamily": "system-ui, sans-serif", "color": INK},
    "tooltip": {
        "renderMode": "richText",  # words of users are never read as HTML
        "backgroundColor": CARD,
        "borderColor": LINE,
        "textStyle": {"color": INK, "fontSize": 13},
    },
}
