"""Quality: measurements only, nothing is estimated."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial

from nicegui import html

from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.components import Bar, bars, draw_after_load
from sharpwave.interfaces.web.pages import experience
from sharpwave.interfaces.web.pages.experience import milliseconds, percent
from sharpwave.interfaces.web.records import count, table
from sharpwave.interfaces.web.sessions import Viewer
from sharpwave.types.answers import Decision
from sharpwave.types.quality import FactCalibration, Performance
from sharpwave.types.skills import BehaviorMetrics, SkillHistory
from sharpwave.types.working import JobState, Spending

SLOW_MS = 10.0
"""Maximum time to choose a skill [MET-07]."""
DAYS = 14
_DECISIONS = {
    Decision.ASSERT: "said outright",
    Decision.HEDGE: "with a hedge",
    Decision.CLARIFY: "asked back",
    Decision.VERIFY: "to be checked",
    Decision.ABSTAIN: "not known",
}


def operation_rows(performance: Performance) -> list[tuple[str, ...]]:
    """For each operation that was used: calls, errors, and percentiles of its duration."""
    return [
        (
            operation.name,
            f"{operation.calls:,}",
            f"{operation.errors:,} ({percent(operation.errors / operation.calls)})",
            *map(milliseconds, (operation.p50_ms, operation.p95_ms, operation.p99_ms)),
        )
        for operation in performance.operations
    ]


def decision_bars(performance: Performance) -> list[Bar]:
    """How often recall came to each decision."""
    total = sum(performance.decisions.values())
    counts = {words: performance.decisions.get(kind, 0) for kind, words in _DECISIONS.items()}
    return [Bar(words, count / total, f"{count}") for words, count in counts.items() if total]


def calibration_bars(calibration: FactCalibration) -> list[Bar]:
    """Share of right facts per confidence interval."""
    return [
        Bar(
            f"{bin_.low:.1f} to {bin_.high:.1f} sure",
            bin_.share_right,
            f"{bin_.right} of {bin_.facts} right",
        )
        for bin_ in calibration.bins
    ]


def hour_bars(history: SkillHistory) -> list[Bar]:
    """Share of liked answers in each hour of the day."""
    return [
        Bar(
            f"{entry.hour:02}:00",
            entry.positive / entry.ratings,
            f"{entry.positive} of {entry.ratings}",
        )
        for entry in history.hours
    ]


def learning_numbers(metrics: BehaviorMetrics, history: SkillHistory) -> Sequence[tuple[str, str]]:
    """Numbers that show whether learning helps, with their labels."""
    reached = metrics.interactions_to_target
    tried = percent(metrics.explored_positive / metrics.explored) if metrics.explored else "—"
    rest = percent(metrics.exploited_positive_rate) if metrics.ratings else "—"
    return (
        (percent(metrics.positive_rate) if metrics.ratings else "—", "answers liked"),
        (f"{metrics.mean_reward:+.2f}" if metrics.ratings else "—", "mean rating"),
        (f"{reached}" if reached is not None else "—", "ratings until 7 of 10 were liked"),
        (tried, "of tries liked"),
        (rest, "of the rest liked"),
        (percent(history.explored_confidence), "mean confidence of tries"),
        (percent(history.exploited_confidence), "mean confidence of the rest"),
    )


def slow_skill_words(history: SkillHistory) -> Sequence[str]:
    """Skills that were slow to choose, in words."""
    return [
        f"{use.skill.replace('_', ' ')}: {milliseconds(use.median_ms)} as a rule, "
        f"{milliseconds(use.slowest_ms)} at most, {use.uses} uses"
        for use in history.uses
        if use.median_ms > SLOW_MS
    ]


def spending_rows(spending_by_day: Mapping[date, Spending]) -> list[tuple[str, ...]]:
    """A row for each day on which a model was called."""
    return [
        (
            day.isoformat(),
            *(
                f"{number:,}"
                for number in (spending.calls, spending.input_tokens, spending.output_tokens)
            ),
            f"{spending.cost:.4f}",
        )
        for day, spending in spending_by_day.items()
        if spending.calls
    ]


_JOBS = 100


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    ask, memory = viewer.ask, viewer.memory
    performance = await ask(memory.admin.performance)
    _speed(performance)
    with components.grid():
        _decisions(performance)
        _calibration(await ask(memory.admin.calibration))
    _learning(await ask(memory.skills.metrics), await ask(memory.skills.history))
    draw_after_load(partial(_rest, viewer))


async def _rest(viewer: Viewer) -> None:
    await experience.metrics_card(viewer, "Does experience help?")
    with components.grid():
        await _spending(viewer)
        await _health(viewer)


def _speed(performance: Performance) -> None:
    with components.card("How long it takes"):
        if performance.since is None:
            components.empty(
                "speed",
                "Nothing was asked yet",
                "Every call for you is timed from the start of the server on: remember something, "
                "ask something, and come back.",
            )
            return
        records.happened("By this process, of the last 1,000 calls each, since", performance.since)
        table(("Call", "Calls", "Errors", "p50", "p95", "p99"), operation_rows(performance))
        if performance.mean_tokens is not None:
            mean, most = f"{performance.mean_tokens:,.0f}", f"{performance.most_tokens:,}"
            html.p(f"A context took {mean} tokens, at most {most}.").classes("sw-soft")


def _decisions(performance: Performance) -> None:
    with components.card("What recall decided"):
        if not (decided := decision_bars(performance)):
            components.empty(
                "balance",
                "No questions yet",
                "Every answer says whether it can be asserted; here you see how often it could.",
            )
            return
        bars(decided)
        if performance.mean_confidence is not None:
            html.p(f"On average {performance.mean_confidence:.0%} sure.").classes(
                "sw-soft sw-small"
            )
        components.paragraph(
            "Whether an answer was the right one is known only for questions with known answers: "
            "`python -m evals locomo` measures Recall@K and NDCG on those."
        ).classes("sw-soft sw-small")


def _calibration(calibration: FactCalibration) -> None:
    with components.card("Were we right?", "Facts that you confirmed, denied or decided between."):
        if not calibration.judged:
            components.empty(
                "verified",
                "Nothing was judged yet",
                "Say of a fact that it is right or wrong, or settle a conflict: then it shows "
                "whether “90% sure” is right nine times in ten.",
            )
            return
        bars(calibration_bars(calibration))
        html.p(
            f"{count(calibration.judged, 'fact')} judged. "
            f"Expected calibration error {calibration.expected_error:.2f}, "
            f"Brier score {calibration.brier:.2f}; both are best at 0."
        ).classes("sw-soft sw-small")


def _learning(metrics: BehaviorMetrics, history: SkillHistory) -> None:
    about = f"From the last {history.choices:,} choices of a skill and {history.ratings:,} ratings."
    with components.card("Does learning help?", about if history.choices else ""):
        if not history.choices:
            components.empty(
                "thumbs_up_down",
                "No answers were rated yet",
                "Thumbs up or down below an answer tell which way of answering suits you.",
            )
            return
        components.numbers(learning_numbers(metrics, history))
        with components.grid():
            if history.hours:
                with components.column():
                    html.h3("Liked by the hour (UTC)").classes("sw-strong")
                    bars(hour_bars(history))
            if history.adaptation:
                with components.column():
                    html.h3("Liked in each ten ratings").classes("sw-strong")
                    tens = enumerate(history.adaptation)
                    bars(Bar(f"{10 * n + 1} to {10 * n + 10}", share) for n, share in tens)
        if slow := slow_skill_words(history):
            with components.details(f"Slow to choose, above {SLOW_MS:g} ms ({len(slow)})"):
                for words in slow:
                    html.div(words).classes("sw-small")


async def _spending(viewer: Viewer) -> None:
    spending = await viewer.ask(viewer.memory.admin.spending_by_day, DAYS)
    with components.card("Language models", f"Tokens and cost of the last {DAYS} days."):
        if rows := spending_rows(spending):
            table(("Day", "Calls", "Tokens in", "Tokens out", "Cost"), rows)
        else:
            components.empty(
                "savings",
                "No language model was called",
                "Everything works by rules; a model in the settings makes extraction better, and "
                "what it costs is listed here.",
            )


async def _health(viewer: Viewer) -> None:
    stats = await viewer.ask(viewer.memory.admin.stats)
    jobs = await viewer.ask(viewer.memory.admin.jobs, _JOBS)
    reuse = None
    if viewer.may_admin:
        reuse = (await viewer.ask(viewer.memory.admin.stats, all_users=True)).embedder_reuse
    with components.card("Health"):
        components.pairs(
            {
                "Memories": f"{stats.memories:,}",
                "Without a vector": f"{stats.awaiting_reembed:,}",
                "Texts embedded before": experience.percent(reuse) if reuse is not None else None,
                "Looking back failed": f"{stats.reflection_failures:,}",
                "File": f"{stats.file_bytes / 1e6:,.1f} MB",
                "Embedder": stats.embedder,
            }
        )
        failed = [(job.kind, job.error or "") for job in jobs if job.state is JobState.FAILED]
        if failed:
            html.h3("Jobs that failed").classes("sw-strong")
            table(("Job", "Why"), failed)
        else:
            html.p(f"None of the last {_JOBS} jobs failed.").classes("sw-soft sw-small")
