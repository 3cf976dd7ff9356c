"""The list of memories with filters, and one memory in detail."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from nicegui import html, ui

from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.records import PagedList, page_of
from sharpwave.interfaces.web.sessions import PAGE_SIZE, Viewer
from sharpwave.types.answers import Forgotten, Recalled, Receipt
from sharpwave.types.known import Explanation
from sharpwave.types.message import Message
from sharpwave.types.records import Channel, Kind, Record, Source, Stage, State

_FOUND = 100
_ANY = ""
_MAIN = "main"
_MAIN_KINDS = tuple(map(Kind, "turn fact task note episode behavior insight".split()))
_KINDS = {_MAIN: "words and knowledge", _ANY: "everything"} | {
    kind.value: name for kind, name in records.KINDS.items()
}
_TIMES = {"": "any time", "1": "the last day", "7": "the last week", "30": "the last month",
          "365": "the last year"}  # fmt: skip
_TRUSTS = {"": "any", "user": "said by you", "verified": "verified", "inferred": "inferred",
           "untrusted": "untrusted"}  # fmt: skip


@dataclass(slots=True)
class MemoryFilter:
    """Filter of the list; an empty value matches anything."""

    words: str = ""
    kind: str = _MAIN
    stage: str = _ANY
    source: str = _ANY
    trust: str = _ANY
    days: str = _ANY

    @property
    def anything(self) -> bool:
        """True if the filter excludes nothing."""
        return self in (MemoryFilter(), MemoryFilter(kind=_ANY))


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    memory_filter = MemoryFilter()

    async def redraw() -> None:
        await listed.show(same_page=True)

    async def open_(record: Record) -> None:
        await open_memory(viewer, record.id, redraw)

    with components.card():
        _filters(memory_filter, lambda: listed.show())
    with components.card():
        listed: PagedList[Record] = PagedList(
            partial(_load, viewer, memory_filter),
            partial(records.record_list, show=open_),
            partial(_nothing, memory_filter),
            PAGE_SIZE,
        )
    await listed.show()
    if id_ := viewer.query.get("id"):
        await open_memory(viewer, id_, redraw)


def _filters(memory_filter: MemoryFilter, redraw: Any) -> None:
    with html.form().classes("sw-row") as form:
        words = components.text_field("Search").classes("sw-grow")
        components.button("Search", None, components.ButtonStyle.PRIMARY).props("type=submit")
    with html.div().classes("sw-filters"):
        for name, label, options in (
            ("kind", "Kind", _KINDS),
            ("stage", "Stage", _words(Stage)),
            ("source", "Source", _words(Source)),
            ("trust", "Trust", _TRUSTS),
            ("days", "Recorded", _TIMES),
        ):
            components.choice(
                label,
                options,
                getattr(memory_filter, name),
                partial(_set, memory_filter, name, redraw),
            )

    async def search() -> None:
        memory_filter.words = (words.value or "").strip()
        await redraw()

    form.on("submit.prevent", search)


async def _set(memory_filter: MemoryFilter, name: str, redraw: Any, event: Any) -> None:
    setattr(memory_filter, name, event.value)
    await redraw()


def _words(kind: Any) -> dict[str, str]:
    return {_ANY: "any", **{member.value: member.value.replace("_", " ") for member in kind}}


async def _load(
    viewer: Viewer, memory_filter: MemoryFilter, begin: Any, size: int
) -> tuple[Sequence[Record], Any]:
    """One page of search results, or of all memories, the newest first."""
    since = None
    if memory_filter.days:
        history = await viewer.ask(viewer.memory.facts.history, "user", "name")
        since = history.at - timedelta(days=int(memory_filter.days))
    chosen = [Kind(memory_filter.kind)] if memory_filter.kind not in (_ANY, _MAIN) else []
    kinds = _MAIN_KINDS if memory_filter.kind == _MAIN else chosen
    if memory_filter.words:
        return page_of(
            await _search(viewer, memory_filter, kinds or tuple(Kind), since), begin, size
        )
    while True:
        page = await viewer.ask(
            viewer.memory.admin.memories,
            kinds=kinds,
            stages=[memory_filter.stage] if memory_filter.stage else [],
            sources=[memory_filter.source] if memory_filter.source else [],
            trusts=[memory_filter.trust] if memory_filter.trust else [],
            since=since,
            before=begin,
            limit=size,
        )
        if page.items or page.before is None:  # matches may be several pages back
            return page.items, page.before
        begin = page.before


async def _search(
    viewer: Viewer, memory_filter: MemoryFilter, kinds: Sequence[Kind], since: datetime | None
) -> list[Record]:
    """Search results; turns are searched separately, since recall hides near-duplicates."""
    found: list[Recalled] = []
    for group in ({Kind.TURN} & {*kinds}, {*kinds} - {Kind.TURN}):
        if group:
            recall = viewer.memory.recall
            found += (await viewer.ask(recall, memory_filter.words, k=_FOUND, kinds=group)).items
    found.sort(key=lambda item: -item.score)
    return [item.record for item in found if _fits(item.record, memory_filter, since)]


def _fits(record: Record, memory_filter: MemoryFilter, since: datetime | None) -> bool:
    compared = (
        (memory_filter.stage, record.standing.stage.value),
        (memory_filter.source, record.provenance.source.value),
        (memory_filter.trust, record.provenance.trust.name.lower()),
    )
    fits = all(not expected or expected == actual for expected, actual in compared)
    return fits and (since is None or record.recorded_at >= since)


def _nothing(memory_filter: MemoryFilter) -> None:
    if memory_filter.anything:
        components.empty(
            "inventory_2",
            "Nothing is kept yet",
            "Everything that is said, and everything learned from it, is listed here, and can be "
            "corrected or forgotten. Begin on the page Chat.",
        )
    else:
        components.empty(
            "search_off", "Nothing fits", "Search with fewer words, or let a filter be “any”."
        )


Redraw = Callable[[], Awaitable[None]]
AfterChange = Callable[[str], Awaitable[None]]


async def open_memory(viewer: Viewer, id: str, redraw: Redraw) -> None:
    """Show a memory over the page; `redraw` updates the page after a change."""
    explanation = await viewer.ask(viewer.memory.explain, id)
    with (
        components.dialog_on_page("A memory") as dialog,
        ui.card().classes("sw-dialog sw-dialog-wide"),
    ):
        dialog.on("hide", dialog.delete)
        _head(explanation.record, dialog)
        _about(explanation.record)
        _chain(viewer, explanation, dialog, redraw)
        if viewer.may_write:
            _action_buttons(viewer, explanation.record, dialog, redraw)
    dialog.open()


def _head(record: Record, dialog: ui.dialog) -> None:
    with html.div().classes("sw-record sw-heading"):
        with html.div().classes("sw-record-words"):
            html.h2(records.KINDS[record.kind].capitalize()).classes("sw-card-title")
            html.div(record.text).classes("sw-words")
        components.icon_button("close", "Close", dialog.close)


def _about(record: Record) -> None:
    provenance, standing = record.provenance, record.standing
    with components.row():
        records.trust_badge(provenance.trust)
        records.state_badge(standing.state)
        records.badge(standing.stage.value)
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
                    records.moment(moment)
    with components.details("More"):
        components.pairs(
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
                "seen": records.times(standing.seen_count),
                "recalled": records.times(standing.access_count),
                "temperature": standing.temperature.value,
            }
        )


def _chain(viewer: Viewer, explanation: Explanation, dialog: ui.dialog, redraw: Redraw) -> None:
    """The records it is based on, and those based on it; each can be opened."""

    async def show(record: Record) -> None:
        dialog.close()
        await open_memory(viewer, record.id, redraw)

    for title, related in (("Rests on", explanation.rests_on), ("Led to", explanation.supports)):
        if related:
            html.h3(title).classes("sw-subtitle")
            records.record_list(related, show)


def _action_buttons(viewer: Viewer, record: Record, dialog: ui.dialog, redraw: Redraw) -> None:
    """Buttons for the actions that its kind allows."""

    async def done(words: str) -> None:
        dialog.close()
        components.notify_done(words)
        await redraw()

    async def finish() -> None:
        await viewer.ask(viewer.memory.tasks.set_status, record.id, "done")
        await done("Done.")

    async def forget() -> None:
        erased = "It is erased from the file with all that rests on nothing else, for good."
        if record.kind is not Kind.TURN and record.provenance.parents:
            erased += " What was said stays: open it under “Rests on” to forget the words too."
        if await components.confirm("Forget this?", erased, "Forget it"):
            await done(forgotten(await viewer.ask(viewer.memory.forget, record.id)))

    if record.kind is Kind.FACT:
        _correct(viewer, record, done)
    with html.div().classes("sw-row sw-dialog-buttons"):
        if record.kind is Kind.FACT:
            _judgement_buttons(viewer, record, done)
        if record.kind is Kind.TASK and record.standing.state is not State.DONE:
            components.button("Done", finish)
        components.button("Forget", forget, components.ButtonStyle.DANGER)


def _judgement_buttons(viewer: Viewer, record: Record, done: AfterChange) -> None:
    """Buttons to confirm, deny or end a fact."""

    async def judge(right: bool) -> None:
        receipt = await viewer.ask(viewer.memory.facts.confirm, record.id, right)
        await done(outcome(receipt) or ("Now it is your own word." if right else "Noted."))

    async def end() -> None:
        await viewer.ask(viewer.memory.facts.end, record.id)
        await done("From now on it holds no longer; it stays in the history.")

    components.button("It is right", partial(judge, True))
    components.button("It is wrong", partial(judge, False))
    if record.standing.state is State.ACTIVE and record.valid_to is None:
        components.button("Over now", end)


def _correct(viewer: Viewer, record: Record, done: AfterChange) -> None:
    """A field for a correction in the user's own words, which replaces the fact.

    It is prefilled with the fact, since a single word as a correction would say little.
    """
    with html.form().classes("sw-row") as form:
        words = components.text_field("Say how it really is", record.text).classes("sw-grow")
        components.button("Correct it", None, components.ButtonStyle.PRIMARY).props("type=submit")

    async def correct() -> None:
        if (words.value or "").strip() in ("", record.text):
            return
        author = viewer.principal.key_name
        message = Message(words.value, channel=Channel.DASHBOARD, author=author, corrects=record.id)
        receipt = await viewer.ask(viewer.memory.remember, message)
        await done(outcome(receipt))

    form.on("submit.prevent", correct)


def outcome(receipt: Receipt) -> str:
    """The outcomes of a receipt, in words."""
    found = (*receipt.learned, *receipt.rules)
    return " ".join(f"{item.text}: {item.verdict.value}." for item in found)


def forgotten(receipt: Forgotten) -> str:
    """The receipt of an erasure, in words."""
    rest = (
        f", {receipt.derived} of them because they rested on nothing else"
        if receipt.derived
        else ""
    )
    traces = (
        "no trace is left" if receipt.traces_cleared else "run `sharpwave scrub` to clear traces"
    )
    counts = f"{records.count(receipt.memories, 'memory', 'memories')} and "
    counts += records.count(receipt.vectors, "vector")
    return f"{counts} are gone{rest}; {traces}."
