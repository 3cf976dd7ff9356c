"""The list of memories, with what narrows it down."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from nicegui import html

from sharpwave.interfaces.web.pages.memories import detail
from sharpwave.interfaces.web.parts import records
from sharpwave.interfaces.web.parts.actions import Look, button
from sharpwave.interfaces.web.parts.fields import choice, text_field
from sharpwave.interfaces.web.parts.layout import card, empty
from sharpwave.interfaces.web.parts.paging import Paged, cut
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.records import Kind, Record, Source, Stage

TITLE = "Memories"
ICON = "inventory_2"
PATH = "/memories"
_FOUND = 100
_ANY = ""
_MAIN = "main"
_MAIN_KINDS = (
    Kind.TURN,
    Kind.FACT,
    Kind.TASK,
    Kind.NOTE,
    Kind.EPISODE,
    Kind.BEHAVIOR,
    Kind.INSIGHT,
)
_KINDS = {_MAIN: "words and knowledge", _ANY: "everything"} | {
    one.value: said for one, said in records.KINDS.items()
}
_TIMES = {"": "any time", "1": "the last day", "7": "the last week", "30": "the last month",
          "365": "the last year"}  # fmt: skip
_TRUSTS = {"": "any", "user": "said by you", "verified": "verified", "inferred": "inferred",
           "untrusted": "untrusted"}  # fmt: skip


@dataclass(slots=True)
class Sought:
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
        return self in (Sought(), Sought(kind=_ANY))


async def show(visit: Visit) -> None:
    """Draw the page."""
    sought = Sought()
    with card():
        _filters(sought, lambda: listed.show())
    with card():
        listed: Paged[Record] = Paged(
            partial(_load, visit, sought),
            partial(_draw, visit, lambda: listed.show(again=True)),
            partial(_nothing, sought),
            visit.limits.page_size,
        )
    await listed.show()
    if wanted := visit.query.get("id"):
        await detail.open_(visit, wanted, lambda: listed.show(again=True))


def _filters(sought: Sought, again: Any) -> None:
    with html.form().classes("sw-row") as form:
        words = text_field("Search").classes("sw-grow")
        button("Search", None, Look.PRIMARY).props("type=submit")
    with html.div().classes("sw-filters"):
        for name, label, options in (
            ("kind", "Kind", _KINDS),
            ("stage", "Stage", _words(Stage)),
            ("source", "Source", _words(Source)),
            ("trust", "Trust", _TRUSTS),
            ("days", "Recorded", _TIMES),
        ):
            choice(label, options, getattr(sought, name), partial(_set, sought, name, again))

    async def search() -> None:
        sought.words = (words.value or "").strip()
        await again()

    form.on("submit.prevent", search)


async def _set(sought: Sought, name: str, again: Any, event: Any) -> None:
    setattr(sought, name, event.value)
    await again()


def _words(kind: Any) -> dict[str, str]:
    return {_ANY: "any", **{one.value: one.value.replace("_", " ") for one in kind}}


async def _load(
    visit: Visit, sought: Sought, begin: Any, size: int
) -> tuple[Sequence[Record], Any]:
    """By search, or all that is kept from the newest on."""
    since = None
    if sought.days:
        since = await _now(visit) - timedelta(days=int(sought.days))
    named = [Kind(sought.kind)] if sought.kind not in (_ANY, _MAIN) else []
    kinds = _MAIN_KINDS if sought.kind == _MAIN else named
    if sought.words:
        found = await visit.ask(visit.memory.recall, sought.words, k=_FOUND, kinds=kinds)
        fitting = [one.record for one in found.items if _fits(one.record, sought, since)]
        return cut(fitting, begin, size)
    while True:
        page = await visit.ask(
            visit.memory.memories,
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


def _fits(record: Record, sought: Sought, since: datetime | None) -> bool:
    pairs = (
        (sought.stage, record.standing.stage.value),
        (sought.source, record.provenance.source.value),
        (sought.trust, record.provenance.trust.name.lower()),
    )
    wanted = all(not want or want == have for want, have in pairs)
    return wanted and (since is None or record.recorded_at >= since)


async def _now(visit: Visit) -> datetime:
    """The moment at which the memory is asked."""
    return (await visit.ask(visit.memory.history, "user", "name")).at


def _draw(visit: Visit, again: Any, found: Sequence[Record]) -> None:
    with html.div().classes("sw-list"):
        for record in found:
            records.line(record, lambda one: detail.open_(visit, one.id, again))


def _nothing(sought: Sought) -> None:
    if sought.anything:
        empty(
            "inventory_2",
            "Nothing is kept yet",
            "Everything that is said, and everything learned from it, is listed here, and can be "
            "corrected or forgotten. Begin on the page Chat, or load the demo data on Today.",
        )
    else:
        empty("search_off", "Nothing fits", "Search with fewer words, or let a filter be “any”.")
