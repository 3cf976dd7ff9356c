"""How well it works, as far as it is recorded, as charts and rows. Nothing here is estimated."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from sharpwave.interfaces.web.shown.experience import milliseconds, percent
from sharpwave.types.answers import Decision
from sharpwave.types.quality import Calibration, Performance
from sharpwave.types.skills import BehaviorMetrics, SkillHistory
from sharpwave.types.working import Job, JobState, Spending

SLOW_MS = 10.0
"""Choosing a skill should not take longer [MET-07]."""
DAYS = 14
_DECISIONS = {
    Decision.ASSERT: "said outright",
    Decision.HEDGE: "with a hedge",
    Decision.CLARIFY: "asked back",
    Decision.VERIFY: "to be checked",
    Decision.ABSTAIN: "not known",
}
_AXIS = {"axisLabel": {"color": "var(--soft)"}, "axisTick": {"show": False}}
_GRID = {"left": 8, "right": 16, "top": 16, "bottom": 8, "containLabel": True}


class Row(NamedTuple):
    """An operation, and how long it takes."""

    name: str
    calls: str
    errors: str
    p50: str
    p95: str
    p99: str


def operations(found: Performance) -> Sequence[Row]:
    """One row for each operation that was used."""
    return [
        Row(
            one.name,
            f"{one.calls:,}",
            f"{one.errors:,} ({percent(one.errors / one.calls)})",
            milliseconds(one.p50_ms),
            milliseconds(one.p95_ms),
            milliseconds(one.p99_ms),
        )
        for one in found.operations
    ]


def decisions(found: Performance) -> Sequence[tuple[str, float, str]]:
    """How often recall came to each decision: words, share, count."""
    total = sum(found.decisions.values())
    return [
        (words, found.decisions.get(kind.value, 0) / total, f"{found.decisions.get(kind.value, 0)}")
        for kind, words in _DECISIONS.items()
        if total
    ]


def calibration_chart(found: Calibration) -> Mapping[str, Any]:
    """Points on the diagonal: as often right as we were sure."""
    points = [
        [round(one.mean_confidence, 3), round(one.share_right, 3), one.facts] for one in found.bins
    ]
    return {
        "grid": {**_GRID, "bottom": 40, "left": 28},
        "xAxis": _scale("how sure we were"),
        "yAxis": _scale("how many were right"),
        "series": [
            {
                "type": "line",
                "silent": True,
                "symbol": "none",
                "lineStyle": {"color": "var(--line-strong)", "type": "dashed", "width": 1},
                "data": [[0, 0], [1, 1]],
            },
            {
                "type": "scatter",
                "symbolSize": 14,
                "itemStyle": {"color": "var(--accent)"},
                "data": points,
            },
        ],
    }


def calibration_words(found: Calibration) -> Sequence[str]:
    """The same in words."""
    return [
        f"{one.low:.1f} to {one.high:.1f} sure: {one.right} of {one.facts} right"
        for one in found.bins
    ]


def hours_chart(found: SkillHistory) -> Mapping[str, Any]:
    """Share of liked answers in each hour of the day."""
    rated = {one.hour: one for one in found.hours}
    return {
        "grid": _GRID,
        "xAxis": {"type": "category", "data": [f"{hour:02}" for hour in range(24)], **_AXIS},
        "yAxis": _scale(""),
        "series": [
            {
                "type": "bar",
                "barMaxWidth": 18,
                "itemStyle": {"color": "var(--accent)", "borderRadius": [4, 4, 0, 0]},
                "data": [
                    round(rated[hour].positive / rated[hour].ratings, 3) if hour in rated else None
                    for hour in range(24)
                ],
            }
        ],
    }


def hours_words(found: SkillHistory) -> str:
    """The same in words."""
    told = [f"{one.hour:02}:00 {one.positive} of {one.ratings} liked" for one in found.hours]
    return "Liked answers by the hour, UTC: " + ", ".join(told)


def adaptation_chart(found: SkillHistory) -> Mapping[str, Any]:
    """Share of liked answers in each ten ratings in a row."""
    tens = [f"{10 * n + 1} to {10 * n + 10}" for n in range(len(found.adaptation))]
    return {
        "grid": _GRID,
        "xAxis": {"type": "category", "data": tens, **_AXIS},
        "yAxis": _scale(""),
        "series": [
            {
                "type": "line",
                "symbolSize": 7,
                "itemStyle": {"color": "var(--accent)"},
                "lineStyle": {"color": "var(--accent)"},
                "data": [round(one, 3) for one in found.adaptation],
            }
        ],
    }


def learning(metrics: BehaviorMetrics, found: SkillHistory) -> Sequence[tuple[str, str]]:
    """Whether learning helps: numbers and what they count."""
    reached = metrics.interactions_to_target
    tried = percent(metrics.explored_positive / metrics.explored) if metrics.explored else "—"
    return (
        (percent(metrics.positive_rate) if metrics.ratings else "—", "answers liked"),
        (f"{metrics.mean_reward:+.2f}" if metrics.ratings else "—", "mean rating"),
        (f"{reached}" if reached is not None else "—", "ratings until 7 of 10 were liked"),
        (tried, "of tries liked"),
        (_share(metrics.exploited_positive_rate, metrics), "of the rest liked"),
        (percent(found.explored_confidence), "mean confidence of tries"),
        (percent(found.exploited_confidence), "mean confidence of the rest"),
    )


def slow_skills(found: SkillHistory) -> Sequence[str]:
    """Skills that took long to choose, in words."""
    return [
        f"{one.skill.replace('_', ' ')}: {milliseconds(one.median_ms)} as a rule, "
        f"{milliseconds(one.slowest_ms)} at most, {one.uses} uses"
        for one in found.uses
        if one.median_ms > SLOW_MS
    ]


def spending_rows(found: Mapping[date, Spending]) -> Sequence[tuple[str, str, str, str, str]]:
    """A row for each day on which a model was called."""
    return [
        (
            day.isoformat(),
            f"{one.calls:,}",
            f"{one.input_tokens:,}",
            f"{one.output_tokens:,}",
            f"{one.cost:.4f}",
        )
        for day, one in found.items()
        if one.calls
    ]


def failed(jobs: Sequence[Job]) -> Sequence[tuple[str, str]]:
    """Jobs that failed for good, and why."""
    return [(job.kind, job.error or "") for job in jobs if job.state is JobState.FAILED]


def _scale(name: str) -> dict[str, Any]:
    return {
        "type": "value",
        "min": 0,
        "max": 1,
        "name": name,
        "nameLocation": "middle",
        "nameGap": 34,
        "nameTextStyle": {"color": "var(--soft)"},
        "axisLabel": {"color": "var(--soft)"},
        "splitLine": {"lineStyle": {"color": "var(--line)"}},
    }


def _share(value: float, metrics: BehaviorMetrics) -> str:
    return percent(value) if metrics.ratings else "—"
