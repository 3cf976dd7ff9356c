"""One memory: all of it, where it comes from, and what can be done about it."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from nicegui import html, ui

from sharpwave import Said
from sharpwave.interfaces.web.parts import badges, records, times
from sharpwave.interfaces.web.parts.actions import (
    Look,
    button,
    confirmed,
    dialog_on_page,
    done,
    icon_button,
)
from sharpwave.interfaces.web.parts.fields import text_field
from sharpwave.interfaces.web.parts.layout import details, pairs, row
from sharpwave.interfaces.web.shown import counts
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.answers import Forgotten, Receipt
from sharpwave.types.known import Explanation
from sharpwave.types.records import Channel, Kind, Record, State

Again = Callable[[], Awaitable[None]]
Told = Callable[[str], Awaitable[None]]


async def open_(visit: Visit, id: str, again: Again) -> None:
    """Show a memory over the page; `again` draws the page anew after a change."""
    found = await visit.ask(visit.memory.explain, id)
    with dialog_on_page("A memory") as dialog, ui.card().classes("sw-dialog sw-dialog-wide"):
        dialog.on("hide", dialog.delete)
        _head(found.record, dialog)
        _about(found.record)
        _chain(visit, found, dialog, again)
        if visit.may_write:
            _acts(visit, found.record, dialog, again)
    dialog.open()


def _head(record: Record, dialog: ui.dialog) -> None:
    with html.div().classes("sw-record sw-heading"):
        with html.div().classes("sw-record-words"):
            html.h2(records.KINDS[record.kind].capitalize()).classes("sw-card-title")
            html.div(record.text).classes("sw-words")
        icon_button("close", "Close", dialog.close)


def _about(record: Record) -> None:
    provenance, standing = record.provenance, record.standing
    with row():
        badges.trust(provenance.trust)
        badges.state(standing.state)
        badges.badge(standing.stage.value)
    with html.dl().classes("sw-key-value"):
        for name, moment in (
            ("holds since", record.valid_from),
            ("held until", record.valid_to),
            ("recorded", record.recorded_at),
            ("due", record.due),
        ):
            if moment is not None:
                html.dt(name)
                with html.dd():
                    times.moment(moment)
    with details("More"):
        pairs(
            {
                "id": record.id,
                "came from": provenance.source.value.replace("_", " "),
                "by way of": provenance.channel.value,
                "written by": provenance.author,
                "speaker": record.speaker,
                "session": record.session_id,
                "scope": record.scope,
                "tags": ", ".join(record.tags),
                "confidence": f"{standing.confidence:.0%}",
                "importance": f"{standing.importance:.0%}",
                "seen": counts.times(standing.seen_count),
                "recalled": counts.times(standing.access_count),
                "temperature": standing.temperature.value,
            }
        )


def _chain(visit: Visit, found: Explanation, dialog: ui.dialog, again: Again) -> None:
    """What it rests on, and what rests on it; each can be opened in turn."""

    async def show(one: Record) -> None:
        dialog.close()
        await open_(visit, one.id, again)

    for title, others in (("Rests on", found.rests_on), ("Led to", found.supports)):
        if others:
            html.h3(title).classes("sw-subtitle")
            _others(others, show)


def _others(found: Sequence[Record], show: Callable[[Record], Awaitable[None]]) -> None:
    with html.div().classes("sw-list"):
        for one in found:
            records.line(one, show)


def _acts(visit: Visit, record: Record, dialog: ui.dialog, again: Again) -> None:
    """What can be done about it, by what it is."""

    async def told(words: str) -> None:
        dialog.close()
        done(words)
        await again()

    async def finish() -> None:
        await visit.ask(visit.memory.set_task, record.id, "done")
        await told("Done.")

    async def forget() -> None:
        erased = "It is erased from the file with all that rests on nothing else, for good."
        if await confirmed("Forget this?", erased, "Forget it"):
            gone = await visit.ask(visit.memory.forget, record.id)
            await told(forgotten(gone))

    if record.kind is Kind.FACT:
        _correct(visit, told)
    with html.div().classes("sw-row sw-dialog-buttons"):
        if record.kind is Kind.FACT:
            _judge(visit, record, told)
        if record.kind is Kind.TASK and record.standing.state is not State.DONE:
            button("Done", finish)
        button("Forget", forget, Look.DANGER)


def _judge(visit: Visit, record: Record, told: Told) -> None:
    """Say that a fact is right, wrong, or over."""

    async def judge(right: bool) -> None:
        receipt = await visit.ask(visit.memory.confirm, record.id, right)
        await told(outcome(receipt) or ("Now it is your own word." if right else "Noted."))

    async def end() -> None:
        await visit.ask(visit.memory.end_fact, record.id)
        await told("From now on it holds no longer; it stays in the history.")

    button("It is right", partial(judge, True))
    button("It is wrong", partial(judge, False))
    if record.standing.state is State.ACTIVE and record.valid_to is None:
        button("Over now", end)


def _correct(visit: Visit, told: Told) -> None:
    """Say it as it is, in your own words: the newer takes the place of the older."""
    with html.form().classes("sw-row") as form:
        words = text_field("Say how it really is: “I live in Lisbon.”").classes("sw-grow")
        button("Correct it", None, Look.PRIMARY).props("type=submit")

    async def correct() -> None:
        if not (words.value or "").strip():
            return
        said = Said(words.value, channel=Channel.DASHBOARD, author=visit.principal.key_name)
        receipt = await visit.ask(visit.memory.remember, said)
        await told(outcome(receipt) or "Remembered; no fact was found in it.")

    form.on("submit.prevent", correct)


def outcome(receipt: Receipt) -> str:
    """What became of something that was said."""
    found = (*receipt.learned, *receipt.rules)
    return " ".join(f"{one.text}: {one.verdict.value}." for one in found)


def forgotten(gone: Forgotten) -> str:
    """The receipt of an erasure, in words."""
    rest = f", {gone.derived} of them because they rested on nothing else" if gone.derived else ""
    traces = "no trace is left" if gone.traces_cleared else "run `sharpwave scrub` to clear traces"
    both = f"{counts.count(gone.memories, 'memory', 'memories')} and "
    both += counts.count(gone.vectors, "vector")
    return f"{both} are gone{rest}; {traces}."
