"""Numbers from 0 to 1 as bars: how sure, and why."""

from collections.abc import Iterable
from typing import NamedTuple

from nicegui import html


class Bar(NamedTuple):
    """One bar with its name, and the number as people read it."""

    label: str
    share: float
    """From 0 to 1."""
    shown: str = ""
    tone: str = ""
    """"soft" or "bad", if it is not what counts most."""


def bars(found: Iterable[Bar]) -> None:
    """Bars below each other."""
    with html.div().classes("sw-bars"):
        for one in found:
            html.span(one.label).classes("sw-soft")
            meter(one.share, one.label, one.tone)
            html.span(one.shown or f"{one.share:.0%}").classes("sw-figure-of")


def meter(share: float, label: str, tone: str = "") -> None:
    """One bar alone."""
    held = min(max(share, 0.0), 1.0)
    html.div(
        role="meter",
        **{
            "aria-label": label,
            "aria-valuenow": f"{held:.2f}",
            "aria-valuemin": "0",
            "aria-valuemax": "1",
        },
    ).classes(f"sw-bar {tone}").style(f"--share: {held:.1%}")
