"""What was learned from agents' work: tools, patterns and insights."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from nicegui import html
from nicegui.events import ValueChangeEventArguments

from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.components import button, draw_after_load, meter, notify_done
from sharpwave.interfaces.web.records import PagedList, Tone, of_call, of_list, table, times
from sharpwave.interfaces.web.sessions import Viewer
from sharpwave.types.experience import Insight, LearnedPattern, PatternType, ToolRecord

PATTERNS = {kind: kind.removesuffix("_pattern") for kind in PatternType} | {
    PatternType.FILE_ACCESS: "files",
    PatternType.ACTION_SEQUENCE: "steps",
    PatternType.TOOL_SEQUENCE: "tools",
}
_SHOWN_ERRORS = 3


def milliseconds(value: float | None) -> str:
    """A duration in ms or s, formatted for display.

    >>> milliseconds(None), milliseconds(0.42), milliseconds(38.6), milliseconds(2500)
    ('—', '0.42 ms', '39 ms', '2.5 s')
    """
    if value is None:
        return "—"
    if value >= 1000:
        return f"{value / 1000:.1f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.2g} ms"


def percent(value: float | None) -> str:
    """A share as a percentage.

    >>> percent(None), percent(0.734)
    ('—', '73%')
    """
    return "—" if value is None else f"{value:.0%}"


def tool_notes(record: ToolRecord) -> list[str]:
    """The most frequent errors of a tool with their solutions, and recommendations."""
    errors = [
        f"{entry.error} ({times(entry.count)})"
        + (f"; then worked: {', '.join(entry.solutions)}" if entry.solutions else "")
        for entry in record.errors[:_SHOWN_ERRORS]
    ]
    return errors + [entry.message for entry in record.recommendations[:_SHOWN_ERRORS]]


def step_words(pattern: LearnedPattern) -> str:
    """The steps of a pattern in order; its description for an error or without steps."""
    if pattern.type is PatternType.ERROR or not pattern.steps:
        return pattern.description or pattern.name
    return " → ".join(pattern.steps)


_AT_ONCE = 8
_NO_TOOLS = (
    "construction",
    "No tools yet",
    "Agents that tell what they did, by `observe` or `log_action`, fill this table. A log of "
    "theirs can be imported: `sharpwave import-log FILE`.",
)
_NO_PATTERNS = (
    "timeline",
    "No patterns yet",
    "A sequence of steps that recurs becomes a pattern once chance no longer explains it.",
)
_NO_INSIGHTS = (
    "lightbulb",
    "No insights yet",
    "Sleep looks at tools and patterns together and writes down what it learns from them.",
)


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    draw_after_load(partial(_all, viewer))


async def _all(viewer: Viewer) -> None:
    await metrics_card(viewer)
    await _tools(viewer)
    await _patterns(viewer)
    await _insights(viewer)


async def metrics_card(viewer: Viewer, title: str = "") -> None:
    """Metrics of experience, if there are any [MET-09]."""
    metrics = await viewer.ask(viewer.memory.agents.metrics)
    if metrics.tasks or metrics.steps:
        shown = (
            (f"{metrics.tasks}", "tasks observed"),
            (percent(metrics.pattern_reuse_rate), "used a known sequence"),
            (percent(metrics.tool_selection_accuracy), "steps foreseen"),
            (percent(metrics.error_rate), "errors lately"),
            (percent(metrics.error_reduction), "fewer errors than at first"),
        )
        with components.card(title):
            components.numbers(shown)


async def _tools(viewer: Viewer) -> None:
    with components.card("Tools", "How each did so far, and what to do about its errors."):
        load = of_call(partial(viewer.ask, viewer.memory.agents.tools))
        listed = PagedList(load, _table, _NO_TOOLS, _AT_ONCE)
    await listed.show()


def _table(tools: Sequence[ToolRecord]) -> None:
    rows = [
        (
            tool.name,
            f"{tool.executions:,}",
            partial(_rate, tool),
            milliseconds(tool.p95_ms),
            partial(_lines, tool_notes(tool) or ("—",)),
        )
        for tool in tools
    ]
    table(("Tool", "Uses", "Ended well", "p95", "Errors and advice"), rows)


def _rate(tool: ToolRecord) -> None:
    html.div(percent(tool.success_rate)).classes("sw-small")
    meter(tool.success_rate, f"{tool.name} ended well")


def _lines(words: Sequence[str]) -> None:
    for line in words:
        html.div(line).classes("sw-small sw-words")


async def _patterns(viewer: Viewer) -> None:
    chosen = ""

    async def load_patterns() -> list[LearnedPattern]:
        return await viewer.ask(viewer.memory.agents.patterns, chosen or None)

    async def choose(event: ValueChangeEventArguments[Any]) -> None:
        nonlocal chosen
        chosen = event.value or ""
        await listed.show()

    with components.card("Patterns", "What recurs more often than chance explains."):
        kinds = {"": "all", **{kind.value: words for kind, words in PATTERNS.items()}}
        components.choice("Kind", kinds, "", choose).classes("sw-choice")
        listed = PagedList(of_list(load_patterns), _pattern_list, _NO_PATTERNS, _AT_ONCE)
    await listed.show()


def _pattern_list(patterns: Sequence[LearnedPattern]) -> None:
    with html.ul().classes("sw-list"):
        for pattern in patterns:
            with html.li().classes("sw-column sw-tight"):
                html.div(step_words(pattern)).classes("sw-words sw-strong")
                with components.row():
                    records.badge(PATTERNS[pattern.type], Tone.ACCENT)
                    rate = pattern.success_rate
                    ended = "" if rate is None else f", {percent(rate)} ended well"
                    html.span(f"seen {pattern.support} times{ended}").classes("sw-soft sw-small")
                    html.span(f"{pattern.confidence:.0%} sure").classes("sw-soft sw-small")
                helped = [words for words in pattern.solutions if words != step_words(pattern)]
                _lines([f"What helped: {words}" for words in helped])


async def _insights(viewer: Viewer) -> None:
    def draw(insights: Sequence[Insight]) -> None:
        with html.ul().classes("sw-list"):
            for insight in insights:
                with html.li().classes("sw-column sw-tight"):
                    _insight(insight, partial(rate, insight) if viewer.may_write else None)

    async def rate(insight: Insight, helped: bool) -> None:
        await viewer.ask(viewer.memory.agents.rate, insight.id, helped, "user")
        notify_done("Noted; confidence follows.")
        await listed.show(same_page=True)

    with components.card("Insights", "Lessons drawn from all of it, each with its evidence."):
        load = of_list(partial(viewer.ask, viewer.memory.agents.insights))
        listed = PagedList(load, draw, _NO_INSIGHTS, _AT_ONCE)
    await listed.show()


def _insight(insight: Insight, rate: Callable[[bool], Awaitable[None]] | None) -> None:
    html.div(insight.text).classes("sw-words sw-strong")
    with components.row():
        records.badge(insight.type.value.replace("_", " "), Tone.ACCENT)
        origin = "found in the data" if insight.generated else "stored by somebody"
        checked = ", validated" if insight.validated else ""
        evidence = f"{origin}, {len(insight.evidence)} pieces of evidence{checked}"
        html.span(evidence).classes("sw-soft sw-small")
        html.span(f"{insight.confidence:.0%} sure").classes("sw-soft sw-small")
    if rate is not None:
        with components.row():
            for words, helped in (("It helped", True), ("It did not", False)):
                button(words, partial(rate, helped), about=insight.text)
