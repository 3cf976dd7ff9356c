"""What agents' work taught: tools, patterns and insights."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from nicegui import html
from nicegui.events import ValueChangeEventArguments

from sharpwave.interfaces.web.parts import badges, fields, layout
from sharpwave.interfaces.web.parts.actions import button, done
from sharpwave.interfaces.web.parts.badges import Tone
from sharpwave.interfaces.web.parts.bars import meter
from sharpwave.interfaces.web.parts.later import later
from sharpwave.interfaces.web.parts.paging import Paged, of_call, of_list, table
from sharpwave.interfaces.web.shown import experience as shown
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.experience import Insight, LearnedPattern, ToolRecord

TITLE = "Tools & patterns"
ICON = "construction"
PATH = "/experience"
_AT_ONCE = 8


async def show(visit: Visit) -> None:
    """Draw the page."""
    later(partial(_all, visit))


async def _all(visit: Visit) -> None:
    metrics = await visit.ask(visit.memory.experience_metrics)
    if metrics.tasks or metrics.steps:
        with layout.card(), html.div().classes("sw-numbers"):
            for value, words in shown.numbers(metrics):
                layout.number(value, words)
    await _tools(visit)
    await _patterns(visit)
    await _insights(visit)


async def _tools(visit: Visit) -> None:
    with layout.card("Tools", "How each did so far, and what to do about its errors."):
        listed = Paged(of_call(partial(visit.ask, visit.memory.tools)), _table, _no_tools, _AT_ONCE)
    await listed.show()


def _table(found: Sequence[ToolRecord]) -> None:
    rows = [
        (
            one.name,
            one.uses,
            partial(_rate, one),
            one.speed,
            partial(_lines, (*one.errors, *one.advice) or ("—",)),
        )
        for one in map(shown.tool, found)
    ]
    table(("Tool", "Uses", "Ended well", "p95", "Errors and advice"), rows)


def _rate(one: shown.Tool) -> None:
    html.div(shown.percent(one.rate)).classes("sw-small")
    meter(one.rate, f"{one.name} ended well")


def _lines(words: Sequence[str]) -> None:
    for line in words:
        html.div(line).classes("sw-small sw-words")


async def _patterns(visit: Visit) -> None:
    chosen = ""

    async def found() -> list[LearnedPattern]:
        return await visit.ask(visit.memory.patterns, chosen or None)

    async def choose(event: ValueChangeEventArguments[Any]) -> None:
        nonlocal chosen
        chosen = event.value or ""
        await listed.show()

    with layout.card("Patterns", "What recurs more often than chance explains."):
        kinds = {"": "all", **{kind.value: words for kind, words in shown.PATTERNS.items()}}
        fields.choice("Kind", kinds, "", choose).classes("sw-choice")
        listed = Paged(of_list(found), _pattern_list, _no_patterns, _AT_ONCE)
    await listed.show()


def _pattern_list(found: Sequence[LearnedPattern]) -> None:
    with html.ul().classes("sw-list"):
        for one in found:
            with html.li().classes("sw-column sw-tight"):
                html.div(shown.steps(one)).classes("sw-words sw-strong")
                with layout.row():
                    badges.badge(shown.PATTERNS[one.type], Tone.ACCENT)
                    html.span(shown.seen(one)).classes("sw-soft sw-small")
                    html.span(f"{one.confidence:.0%} sure").classes("sw-soft sw-small")
                helped = [words for words in one.solutions if words != shown.steps(one)]
                _lines([f"What helped: {words}" for words in helped])


async def _insights(visit: Visit) -> None:
    def draw(found: Sequence[Insight]) -> None:
        with html.ul().classes("sw-list"):
            for one in found:
                with html.li().classes("sw-column sw-tight"):
                    _insight(one, partial(told, one) if visit.may_write else None)

    async def told(one: Insight, helped: bool) -> None:
        await visit.ask(visit.memory.outcome, one.id, helped, "user")
        done("Noted; confidence follows.")
        await listed.show(again=True)

    with layout.card("Insights", "Lessons drawn from all of it, each with its evidence."):
        listed = Paged(
            of_list(partial(visit.ask, visit.memory.insights)), draw, _no_insights, _AT_ONCE
        )
    await listed.show()


def _insight(one: Insight, told: Callable[[bool], Awaitable[None]] | None) -> None:
    html.div(one.text).classes("sw-words sw-strong")
    with layout.row():
        badges.badge(one.type.value.replace("_", " "), Tone.ACCENT)
        html.span(shown.origin(one)).classes("sw-soft sw-small")
        html.span(f"{one.confidence:.0%} sure").classes("sw-soft sw-small")
    if told is not None:
        with layout.row():
            for words, helped in (("It helped", True), ("It did not", False)):
                made = button(words, partial(told, helped))
                made.props["aria-label"] = f"{words}: {one.text}"


def _no_tools() -> None:
    layout.empty(
        "construction",
        "No tools yet",
        "Agents that tell what they did, by `observe` or `log_action`, fill this table. A log of "
        "theirs can be imported: `sharpwave import-log FILE`.",
    )


def _no_patterns() -> None:
    layout.empty(
        "timeline",
        "No patterns yet",
        "A sequence of steps that recurs becomes a pattern once chance no longer explains it.",
    )


def _no_insights() -> None:
    layout.empty(
        "lightbulb",
        "No insights yet",
        "Sleep looks at tools and patterns together and writes down what it learns from them.",
    )
