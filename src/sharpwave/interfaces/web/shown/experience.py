"""What agents' work taught: tools, patterns, insights, as rows and words."""

from collections.abc import Sequence
from typing import NamedTuple

from sharpwave.interfaces.web.shown.counts import times
from sharpwave.types.experience import (
    ExperienceMetrics,
    Insight,
    LearnedPattern,
    PatternType,
    ToolRecord,
)

PATTERNS = {
    PatternType.FILE_ACCESS: "files",
    PatternType.ACTION_SEQUENCE: "steps",
    PatternType.WORKFLOW: "workflow",
    PatternType.ERROR: "error",
    PatternType.INTENT: "intent",
    PatternType.SUCCESS: "success",
    PatternType.CORRECTION: "correction",
    PatternType.QUERY: "query",
    PatternType.PLAN: "plan",
    PatternType.TOOL_SEQUENCE: "tools",
}
_SHOWN_ERRORS = 3


class Tool(NamedTuple):
    """A tool's track record."""

    name: str
    uses: str
    rate: float
    speed: str
    errors: tuple[str, ...]
    advice: tuple[str, ...]


def milliseconds(value: float | None) -> str:
    """A duration as people read it.

    >>> milliseconds(None), milliseconds(0.42), milliseconds(38.6), milliseconds(2500)
    ('—', '0.42 ms', '39 ms', '2.5 s')
    """
    if value is None:
        return "—"
    if value >= 1000:
        return f"{value / 1000:.1f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.2g} ms"


def percent(value: float | None) -> str:
    """A share as people read it.

    >>> percent(None), percent(0.734)
    ('—', '73%')
    """
    return "—" if value is None else f"{value:.0%}"


def tool(record: ToolRecord) -> Tool:
    """One row of the table of tools."""
    return Tool(
        record.name,
        f"{record.executions:,}",
        record.success_rate,
        milliseconds(record.p95_ms),
        tuple(
            f"{one.error} ({times(one.count)})"
            + (f"; then worked: {', '.join(one.solutions)}" if one.solutions else "")
            for one in record.errors[:_SHOWN_ERRORS]
        ),
        tuple(one.message for one in record.recommendations[:_SHOWN_ERRORS]),
    )


def steps(pattern: LearnedPattern) -> str:
    """What happens in order; of an error, and where there are no steps, what it is."""
    if pattern.type is PatternType.ERROR or not pattern.steps:
        return pattern.description or pattern.name
    return " → ".join(pattern.steps)


def seen(pattern: LearnedPattern) -> str:
    """How often, and how it ended."""
    rate = pattern.success_rate
    ended = "" if rate is None else f", {percent(rate)} ended well"
    return f"seen {pattern.support} times{ended}"


def origin(insight: Insight) -> str:
    """Who drew the lesson, and from how much."""
    who = "found in the data" if insight.generated else "stored by somebody"
    checked = ", validated" if insight.validated else ""
    return f"{who}, {len(insight.evidence)} pieces of evidence{checked}"


def numbers(found: ExperienceMetrics) -> Sequence[tuple[str, str]]:
    """Whether experience helps [MET-09]."""
    return (
        (f"{found.tasks}", "tasks observed"),
        (percent(found.pattern_reuse_rate), "used a known sequence"),
        (percent(found.tool_selection_accuracy), "steps foreseen"),
        (percent(found.error_rate), "errors lately"),
        (percent(found.error_reduction), "fewer errors than at first"),
    )
