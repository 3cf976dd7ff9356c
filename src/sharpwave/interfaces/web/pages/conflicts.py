"""What cannot both be true, and which of it is."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import html

from sharpwave.errors import NotFound
from sharpwave.interfaces.web.parts import badges, layout, times
from sharpwave.interfaces.web.parts.actions import Look, button, done
from sharpwave.interfaces.web.parts.bars import Bar, bars
from sharpwave.interfaces.web.parts.paging import Paged, of_call
from sharpwave.interfaces.web.shown import conflicts as shown
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.known import Contradiction, Explanation

TITLE = "Conflicts"
ICON = "call_split"
PATH = "/conflicts"
_AT_ONCE = 5
"""Conflicts on a page: each comes with the words behind both sides."""

Pair = tuple[Contradiction, tuple[shown.Side, shown.Side]]


async def show(visit: Visit) -> None:
    """Draw the page."""
    html.p("While nobody says which is right, both are held back and told with a doubt.").classes(
        "sw-soft"
    )

    listing = of_call(partial(visit.ask, visit.memory.conflicts))

    async def load(begin: Any, size: int) -> tuple[Sequence[Pair], Any]:
        found, after = await listing(begin, size)
        return [await _sides(visit, one) for one in found], after

    def draw(found: Sequence[Pair]) -> None:
        for conflict, sides in found:
            _conflict(visit, conflict, sides, keep)

    async def keep(conflict: str, side: shown.Side) -> None:
        await visit.ask(visit.memory.resolve, conflict, side.keep)
        done(f"Settled: {side.fact.text}. The other is kept as history.")
        await listed.show(again=True)

    listed: Paged[Pair] = Paged(load, draw, _nothing, _AT_ONCE)
    await listed.show()


async def _sides(visit: Visit, one: Contradiction) -> Pair:
    older, newer = await _why(visit, one.older.id), await _why(visit, one.newer.id)
    return one, shown.sides(one, older, newer)


async def _why(visit: Visit, id: str) -> Explanation | None:
    try:
        return await visit.ask(visit.memory.explain, id)
    except NotFound:  # forgotten since the list was made
        return None


def _conflict(
    visit: Visit, conflict: Contradiction, sides: Sequence[shown.Side], keep: Any
) -> None:
    with layout.card(conflict.question), html.div().classes("sw-sides"):
        for side in sides:
            with html.div().classes("sw-side-of"):
                _side(side)
                if visit.may_write:
                    answer = button("This is right", partial(keep, conflict.id, side), Look.PRIMARY)
                    answer.props["aria-label"] = f"This is right: {side.fact.text}"


def _side(side: shown.Side) -> None:
    with layout.row():
        html.span(side.title).classes("sw-soft sw-small")
        badges.trust(side.fact.trust)
    html.div(side.fact.text).classes("sw-strong sw-words")
    times.told(side.said, side.fact.last_seen)
    bars([Bar("How sure", side.fact.confidence)])
    for words in side.evidence:
        html.blockquote(words).classes("sw-quote")
    if side.more:
        html.span(f"and {side.more} more").classes("sw-soft sw-small")


def _nothing() -> None:
    with layout.card():
        layout.empty(
            "check_circle",
            "No contradictions",
            "When two things cannot both be true, such as “I live in Berlin” and “I "
            "don't live in Berlin”, both are shown here with the words behind them, and you say "
            "which one is right.",
        )
