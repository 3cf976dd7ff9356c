"""Moments, as people read them. `static/times.js` puts them into the time zone of the reader."""

from datetime import UTC, date, datetime, time

from nicegui import html, ui

_MIDNIGHT = time(tzinfo=UTC)
"""Who names a day and no hour means the day."""


def moment(when: datetime, *, day_only: bool = False) -> ui.element:
    """A moment; in full where one points at it."""
    day_only = day_only or when.timetz() == _MIDNIGHT
    shape = "%-d %b %Y" if day_only else "%-d %b %Y, %H:%M UTC"
    made: ui.element = html.time(format(when, shape), datetime=when.isoformat()).classes("sw-time")
    if not day_only:
        made.props["data-local"] = "yes"
    return made


def told(words: str, when: datetime, *, day_only: bool = False) -> None:
    """What happened then, in small soft words."""
    with html.span().classes("sw-soft sw-small"):
        html.span(f"{words} ")
        moment(when, day_only=day_only)


def since(when: datetime) -> ui.element:
    """Since which day."""
    made: ui.element = html.time(f"since {day(when)}", datetime=when.isoformat())
    return made.classes("sw-time")


def day(when: date) -> str:
    """A day in words, for sentences."""
    return f"{when.day} {when:%b %Y}"
