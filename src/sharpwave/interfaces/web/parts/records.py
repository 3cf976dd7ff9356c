"""A memory of any kind, in a line of a list."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from nicegui import html

from sharpwave.interfaces.web.parts import badges, times
from sharpwave.interfaces.web.parts.actions import line_button
from sharpwave.types.records import Kind, Record, State, Trust

KINDS: Mapping[Kind, str] = {
    Kind.TURN: "said",
    Kind.FACT: "fact",
    Kind.TASK: "task",
    Kind.NOTE: "note",
    Kind.EPISODE: "summary",
    Kind.BEHAVIOR: "rule",
    Kind.SKILL: "skill",
    Kind.PATTERN: "pattern",
    Kind.TOOL_RECORD: "tool record",
    Kind.INSIGHT: "insight",
    Kind.INTERACTION: "interaction",
    Kind.OBSERVATION: "observed task",
    Kind.TRAJECTORY: "chosen skill",
    Kind.FEEDBACK: "rating",
}
"""What people call each kind."""


def line(record: Record, show: Callable[[Record], Any] | None = None) -> None:
    """The words of a record, what it is, and a button that shows all of it."""
    with html.div().classes("sw-record"):
        with html.div().classes("sw-record-words"):
            html.div(record.text).classes("sw-words sw-clamp")
            marks(record)
        if show is not None:
            line_button("Open", partial(show, record), record.text)


def marks(record: Record) -> None:
    """What it is, how far it can be trusted, and since when we know it."""
    with html.div().classes("sw-row sw-small sw-soft"):
        badges.badge(KINDS[record.kind], badges.Tone.ACCENT)
        if record.provenance.trust is not Trust.USER:
            badges.trust(record.provenance.trust)
        if record.standing.state is not State.ACTIVE:
            badges.state(record.standing.state)
        if record.kind is Kind.TURN:
            html.span(record.speaker or (record.role or ""))
        times.moment(record.valid_from if record.kind is Kind.TURN else record.recorded_at)
