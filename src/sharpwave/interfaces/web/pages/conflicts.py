"""Contradicting facts side by side, and which of them holds."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from nicegui import html

from sharpwave.errors import NotFound
from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.components import Bar, ButtonStyle, bars, button, notify_done
from sharpwave.interfaces.web.records import PagedList, of_call
from sharpwave.interfaces.web.sessions import Viewer
from sharpwave.types.known import Contradiction, Explanation, Fact
from sharpwave.types.records import Source

_SOURCES = {
    Source.USER_MESSAGE: "in your words",
    Source.TOOL: "a tool reported it",
    Source.SYSTEM: "the system stated it",
    Source.INFERRED: "concluded from other things",
    Source.WEB: "from a web page",
    Source.IMPORT: "from an import",
}
MOST_WORDS = 3
"""Turns that are quoted for each side."""


class Side(NamedTuple):
    """One of the two, and what speaks for it."""

    keep: str
    """What `resolve` calls it."""
    title: str
    fact: Fact
    said: str
    """Where it comes from, and how often it came."""
    evidence: tuple[str, ...]
    more: int
    """Turns that are not quoted."""


def side_of(keep: str, title: str, fact: Fact, why: Explanation | None) -> Side:
    """One of two facts, with the words that speak for it."""
    turns: Sequence[str] = [record.text for record in why.rests_on] if why else []
    often = "" if fact.seen_count <= 1 else f"{records.times(fact.seen_count)}, last "
    said = f"{_SOURCES[fact.source]}, {often}".rstrip()
    quoted = tuple(turns[:MOST_WORDS])
    return Side(keep, title, fact, said, quoted, max(0, len(turns) - MOST_WORDS))


_AT_ONCE = 5
"""Conflicts on a page: each comes with the words behind both sides."""

Pair = tuple[Contradiction, tuple[Side, Side]]


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    html.p("While nobody says which is right, both are held back and told with a doubt.").classes(
        "sw-soft"
    )

    listing = of_call(partial(viewer.ask, viewer.memory.facts.conflicts))

    async def load(begin: Any, size: int) -> tuple[Sequence[Pair], Any]:
        found, after = await listing(begin, size)
        return [await _sides(viewer, one) for one in found], after

    def draw(pairs: Sequence[Pair]) -> None:
        for conflict, sides in pairs:
            with components.card(conflict.question), html.div().classes("sw-sides"):
                for side in sides:
                    with html.div().classes("sw-side-of"):
                        _side(side)
                        if viewer.may_write:
                            choose, fact = partial(keep, conflict.id, side), side.fact.text
                            button("This is right", choose, ButtonStyle.PRIMARY, about=fact)

    async def keep(conflict: str, side: Side) -> None:
        await viewer.ask(viewer.memory.facts.resolve, conflict, side.keep)
        notify_done(f"Settled: {side.fact.text}. The other is kept as history.")
        await listed.show(again=True)

    listed: PagedList[Pair] = PagedList(load, draw, _nothing, _AT_ONCE)
    await listed.show()


async def _sides(viewer: Viewer, conflict: Contradiction) -> Pair:
    older, newer = await _why(viewer, conflict.older.id), await _why(viewer, conflict.newer.id)
    first = side_of("older", "Said first", conflict.older, older)
    return conflict, (first, side_of("newer", "Said later", conflict.newer, newer))


async def _why(viewer: Viewer, id: str) -> Explanation | None:
    try:
        return await viewer.ask(viewer.memory.explain, id)
    except NotFound:  # forgotten since the list was made
        return None


def _side(side: Side) -> None:
    with components.row():
        html.span(side.title).classes("sw-soft sw-small")
        records.trust_badge(side.fact.trust)
    html.div(side.fact.text).classes("sw-strong sw-words")
    records.happened(side.said, side.fact.last_seen)
    bars([Bar("How sure", side.fact.confidence)])
    for words in side.evidence:
        html.blockquote(words).classes("sw-quote")
    if side.more:
        html.span(f"and {side.more} more").classes("sw-soft sw-small")


def _nothing() -> None:
    with components.card():
        components.empty(
            "check_circle",
            "No contradictions",
            "When two things cannot both be true, such as “I live in Berlin” and “I "
            "don't live in Berlin”, both are shown here with the words behind them, and you say "
            "which one is right.",
        )
