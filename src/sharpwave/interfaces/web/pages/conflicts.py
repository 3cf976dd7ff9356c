"""Contradicting facts side by side, and which of them holds."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import html

from sharpwave.errors import NotFound
from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.components import Bar, ButtonStyle, bars, button, notify_done
from sharpwave.interfaces.web.records import PagedList, of_call
from sharpwave.interfaces.web.sessions import Viewer
from sharpwave.types.known import Contradiction, Fact
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
"""Maximum number of turns quoted for each side."""


_AT_ONCE = 5
"""Conflicts per page: each is shown with the turns behind both sides."""

Pair = tuple[Contradiction, list[str], list[str]]
"""A conflict, and the turns behind the older and the newer side."""


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    html.p("While nobody says which is right, both are held back and told with a doubt.").classes(
        "sw-soft"
    )

    listing = of_call(partial(viewer.ask, viewer.memory.facts.conflicts))

    async def load(begin: Any, size: int) -> tuple[Sequence[Pair], Any]:
        conflicts, after = await listing(begin, size)
        pairs = [
            (conflict, await _words(viewer, conflict.older), await _words(viewer, conflict.newer))
            for conflict in conflicts
        ]
        return pairs, after

    def draw(pairs: Sequence[Pair]) -> None:
        for conflict, older, newer in pairs:
            with components.card(conflict.question), html.div().classes("sw-sides"):
                for side, title, fact, words in (
                    ("older", "Said first", conflict.older, older),
                    ("newer", "Said later", conflict.newer, newer),
                ):
                    with html.div().classes("sw-side-of"):
                        _side(title, fact, words)
                        if viewer.may_write:
                            choose = partial(keep, conflict.id, side, fact)
                            button("This is right", choose, ButtonStyle.PRIMARY, about=fact.text)

    async def keep(conflict: str, side: str, fact: Fact) -> None:
        await viewer.ask(viewer.memory.facts.resolve, conflict, side)
        notify_done(f"Settled: {fact.text}. The other is kept as history.")
        await paged_list.show(same_page=True)

    paged_list: PagedList[Pair] = PagedList(load, draw, _nothing, _AT_ONCE)
    await paged_list.show()


async def _words(viewer: Viewer, fact: Fact) -> list[str]:
    """The turns that support a fact."""
    try:
        explanation = await viewer.ask(viewer.memory.explain, fact.id)
    except NotFound:  # forgotten since the list was made
        return []
    return [record.text for record in explanation.rests_on]


def _side(title: str, fact: Fact, words: Sequence[str]) -> None:
    with components.row():
        html.span(title).classes("sw-soft sw-small")
        records.trust_badge(fact.trust)
    html.div(fact.text).classes("sw-strong sw-words")
    often = "" if fact.seen_count <= 1 else f"{records.times(fact.seen_count)}, last "
    records.happened(f"{_SOURCES[fact.source]}, {often}".rstrip(), fact.last_seen)
    bars([Bar("How sure", fact.confidence)])
    for quoted in words[:MOST_WORDS]:
        html.blockquote(quoted).classes("sw-quote")
    if len(words) > MOST_WORDS:
        html.span(f"and {len(words) - MOST_WORDS} more").classes("sw-soft sw-small")


def _nothing() -> None:
    with components.card():
        components.empty(
            "check_circle",
            "No contradictions",
            "When two things cannot both be true, such as “I live in Berlin” and “I "
            "don't live in Berlin”, both are shown here with the words behind them, and you say "
            "which one is right.",
        )
