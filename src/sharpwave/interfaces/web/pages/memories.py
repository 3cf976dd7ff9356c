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
    one.value: said for one, said in records.KINDS.items()
}
_TIMES = {"": "any time", "1": "the last day", "7": "the last week", "30": "the last month",
          "365": "the last year"}  # fmt: skip
_TRUSTS = {"": "any", "user": "said by you", "verified": "verified", "inferred": "inferred",
           "untrusted": "untrusted"}  # fmt: skip


@dataclass(slots=True)
class MemoryFilter:
    """What is looked for; empty means anything."""

    words: str = ""
    kind: str = _MAIN
    stage: str = _ANY
    source: str = _ANY
    trust: str = _ANY
    days: str = _ANY

    @property
    def anything(self) -> bool:
        """Whether nothing narrows it down."""
        return self in (MemoryFilter(), MemoryFilter(kind=_ANY))


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    sought = MemoryFilter()

    async def again() -> None:
        await listed.show(again=True)

    async def open_(record: Record) -> None:
        await open_memory(viewer, record.id, again)

    with components.card():
        _filters(sought, lambda: listed.show())
    with components.card():
        listed: PagedList[Record] = PagedList(
            partial(_load, viewer, sought),
            partial(records.record_list, show=open_),
            partial(_nothing, sought),
            PAGE_SIZE,
        )
    await listed.show()
    if wanted := viewer.query.get("id"):
        await open_memory(viewer, wanted, again)


def _filters(sought: MemoryFilter, again: Any) -> None:
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
                label, options, getattr(sought, name), partial(_set, sought, name, again)
            )

    async def search() -> None:
        sought.words = (words.value or "").strip()
        await again()

    form.on("submit.prevent", search)


async def _set(sought: MemoryFilter, name: str, again: Any, event: Any) -> None:
    setattr(sought, name, event.value)
    await again()


def _words(kind: Any) -> dict[str, str]:
    return {_ANY: "any", **{one.value: one.value.replace("_", " ") for one in kind}}


async def _load(
    viewer: Viewer, sought: MemoryFilter, begin: Any, size: int
) -> tuple[Sequence[Record], Any]:
    """By search, or all that is kept from the newest on."""
    since = None
    if sought.days:
        history = await viewer.ask(viewer.memory.facts.history, "user", "name")
        since = history.at - timedelta(days=int(sought.days))
    named = [Kind(sought.kind)] if sought.kind not in (_ANY, _MAIN) else []
    kinds = _MAIN_KINDS if sought.kind == _MAIN else named
    if sought.words:
        return page_of(await _search(viewer, sought, kinds or tuple(Kind), since), begin, size)
    while True:
        page = await viewer.ask(
            viewer.memory.admin.memories,
            kinds=kinds,
            stages=[sought.stage] if sought.stage else [],
            sources=[sought.source] if sought.source else [],
            trusts=[sought.trust] if sought.trust else [],
            since=since,
            before=begin,
            limit=size,
        )
        if page.items or page.before is None:  # what fits may lie far back
            return page.items, page.before
        begin = page.before


async def _search(
    viewer: Viewer, sought: MemoryFilter, kinds: Sequence[Kind], since: datetime | None
) -> list[Record]:
    """What is found; messages apart, since recall hides what only repeats a better item."""
    found: list[Recalled] = []
    for group in ({Kind.TURN} & {*kinds}, {*kinds} - {Kind.TURN}):
        if group:
            recall = viewer.memory.recall
            found += (await viewer.ask(recall, sought.words, k=_FOUND, kinds=group)).items
    found.sort(key=lambda item: -item.score)
    return [item.record for item in found if _fits(item.record, sought, since)]


def _fits(record: Record, sought: MemoryFilter, since: datetime | None) -> bool:
    compared = (
        (sought.stage, record.standing.stage.value),
        (sought.source, record.provenance.source.value),
        (sought.trust, record.provenance.trust.name.lower()),
    )
    wanted = all(not want or want == have for want, have in compared)
    return wanted and (since is None or record.recorded_at >= since)


def _nothing(sought: MemoryFilter) -> None:
    if sought.anything:
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


Again = Callable[[], Awaitable[None]]
AfterChange = Callable[[str], Awaitable[None]]


async def open_memory(viewer: Viewer, id: str, again: Again) -> None:
    """Show a memory over the page; `again` draws the page anew after a change."""
    explanation = await viewer.ask(viewer.memory.explain, id)
    with (
        components.dialog_on_page("A memory") as dialog,
        ui.card().classes("sw-dialog sw-dialog-wide"),
    ):
        dialog.on("hide", dialog.delete)
        _head(explanation.record, dialog)
        _about(explanation.record)
        _chain(viewer, explanation, dialog, again)
        if viewer.may_write:
            _acts(viewer, explanation.record, dialog, again)
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


def _chain(viewer: Viewer, explanation: Explanation, dialog: ui.dialog, again: Again) -> None:
    """What it rests on, and what rests on it; each can be opened in turn."""

    async def show(record: Record) -> None:
        dialog.close()
        await open_memory(viewer, record.id, again)

    for title, others in (("Rests on", explanation.rests_on), ("Led to", explanation.supports)):
        if others:
            html.h3(title).classes("sw-subtitle")
            records.record_list(others, show)


def _acts(viewer: Viewer, record: Record, dialog: ui.dialog, again: Again) -> None:
    """What can be done about it, by what it is."""

    async def done(words: str) -> None:
        dialog.close()
        components.notify_done(words)
        await again()

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
            _judge(viewer, record, done)
        if record.kind is Kind.TASK and record.standing.state is not State.DONE:
            components.button("Done", finish)
        components.button("Forget", forget, components.ButtonStyle.DANGER)


def _judge(viewer: Viewer, record: Record, done: AfterChange) -> None:
    """Say that a fact is right, wrong, or over."""

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
    """Say it as it is, in your own words: they take the place of the fact.

    The field begins with the fact, since a single word put in its place would say little.
    """
    with html.form().classes("sw-row") as form:
        words = components.text_field("Say how it really is", record.text).classes("sw-grow")
        components.button("Correct it", None, components.ButtonStyle.PRIMARY).props("type=submit")

    async def correct() -> None:
        if (words.value or "").strip() in ("", record.text):
            return
        author = viewer.principal.key_name
        said = Message(words.value, channel=Channel.DASHBOARD, author=author, corrects=record.id)
        receipt = await viewer.ask(viewer.memory.remember, said)
        await done(outcome(receipt))

    form.on("submit.prevent", correct)


def outcome(receipt: Receipt) -> str:
    """What became of something that was said."""
    found = (*receipt.learned, *receipt.rules)
    return " ".join(f"{one.text}: {one.verdict.value}." for one in found)


def forgotten(gone: Forgotten) -> str:
    """The receipt of an erasure, in words."""
    rest = f", {gone.derived} of them because they rested on nothing else" if gone.derived else ""
    traces = "no trace is left" if gone.traces_cleared else "run `sharpwave scrub` to clear traces"
    both = f"{records.count(gone.memories, 'memory', 'memories')} and "
    both += records.count(gone.vectors, "vector")
    return f"{both} are gone{rest}; {traces}."
